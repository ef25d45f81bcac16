import { CommandLineIcon } from "@heroicons/react/24/outline";
import type { PageRoutes } from "../../shell/page-routes.ts";
import { explorerStrings } from "./strings.ts";

/** GraphiQL and the reference of the REST API. */
export const explorerPage: PageRoutes = {
  group: "developers",
  path: "explorer",
  label: explorerStrings.title,
  icon: CommandLineIcon,
  routes: [{ path: "explorer", load: () => import("./explorer-page.tsx") }],
};
