import { PhoneIcon } from "@heroicons/react/24/outline";
import type { PageRoutes } from "../../shell/page-routes.ts";
import { callsStrings } from "./strings.ts";

/** The calls of one application, and each of them. */
export const callsPage: PageRoutes = {
  group: "application",
  path: "calls",
  label: callsStrings.title,
  icon: PhoneIcon,
  routes: [
    { path: "calls", load: () => import("./calls-page.tsx") },
    { path: "calls/:callId", load: () => import("./call-page.tsx") },
  ],
};
