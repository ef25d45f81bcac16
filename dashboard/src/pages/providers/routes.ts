import { KeyIcon } from "@heroicons/react/24/outline";
import type { PageRoutes } from "../../shell/page-routes.ts";
import { providersStrings } from "./strings.ts";

/** The services that an application uses: those that deliver pushes, and those that sign users in. */
export const providersPage: PageRoutes = {
  group: "application",
  path: "providers",
  label: providersStrings.title,
  icon: KeyIcon,
  routes: [{ path: "providers", load: () => import("./providers-page.tsx") }],
};
