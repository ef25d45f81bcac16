import { UserGroupIcon } from "@heroicons/react/24/outline";
import type { PageRoutes } from "../../shell/page-routes.ts";
import { accountStrings } from "./strings.ts";

/** The members of the account, the own sign-in, and the account itself. */
export const accountPage: PageRoutes = {
  group: "account",
  path: "account",
  label: accountStrings.title,
  icon: UserGroupIcon,
  routes: [{ path: "account", load: () => import("./account-page.tsx") }],
};
