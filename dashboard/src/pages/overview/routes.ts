import { ChartBarIcon } from "@heroicons/react/24/outline";
import type { PageRoutes } from "../../shell/page-routes.ts";
import { overviewStrings } from "./strings.ts";

/** Statistics of all applications together, and what needs attention: the first page after the sign-in. */
export const overviewPage: PageRoutes = {
  group: "account",
  path: "overview",
  label: overviewStrings.title,
  icon: ChartBarIcon,
  routes: [{ path: "overview", load: () => import("./overview-page.tsx") }],
};

/** The same of one application. */
export const applicationOverviewPage: PageRoutes = { ...overviewPage, group: "application" };
