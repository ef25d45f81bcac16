import { HeartIcon } from "@heroicons/react/24/outline";
import type { PageRoutes } from "../../shell/page-routes.ts";
import { healthStrings } from "./strings.ts";

/** The state of the deployment. */
export const healthPage: PageRoutes = {
  group: "account",
  path: "health",
  label: healthStrings.title,
  icon: HeartIcon,
  routes: [{ path: "health", load: () => import("./health-page.tsx") }],
};
