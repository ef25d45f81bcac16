import { BellAlertIcon } from "@heroicons/react/24/outline";
import type { PageRoutes } from "../../shell/page-routes.ts";
import { pushStrings } from "./strings.ts";

/** The pushes of an application. */
export const pushPage: PageRoutes = {
  group: "application",
  path: "push",
  label: pushStrings.title,
  icon: BellAlertIcon,
  routes: [
    { path: "push", load: () => import("./push-list-page.tsx") },
    { path: "push/new", load: () => import("./compose-page.tsx") },
    { path: "push/:eventIds", load: () => import("./push-event-page.tsx") },
  ],
};
