import { Cog6ToothIcon, Squares2X2Icon } from "@heroicons/react/24/outline";
import type { PageRoutes } from "../../shell/page-routes.ts";
import { applicationStrings, applicationsStrings } from "./strings.ts";

/** The applications of the account. */
export const applicationsPage: PageRoutes = {
  group: "account",
  path: "applications",
  label: applicationsStrings.title,
  icon: Squares2X2Icon,
  routes: [{ path: "applications", load: () => import("./applications-page.tsx") }],
};

/** Settings and keys of one application. */
export const applicationSettingsPage: PageRoutes = {
  group: "application",
  path: "settings",
  label: applicationStrings.page,
  icon: Cog6ToothIcon,
  routes: [{ path: "settings", load: () => import("./application-page.tsx") }],
};
