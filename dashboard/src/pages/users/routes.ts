import { UsersIcon } from "@heroicons/react/24/outline";
import type { PageRoutes } from "../../shell/page-routes.ts";
import { usersStrings } from "./strings.ts";

/** The users of one application, and each of them. */
export const usersPage: PageRoutes = {
  group: "application",
  path: "users",
  label: usersStrings.title,
  icon: UsersIcon,
  routes: [
    { path: "users", load: () => import("./users-page.tsx") },
    { path: "users/:userId", load: () => import("./user/user-page.tsx") },
  ],
};
