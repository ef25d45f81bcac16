import { VideoCameraIcon } from "@heroicons/react/24/outline";
import type { PageRoutes } from "../../shell/page-routes.ts";
import { conferencesStrings } from "./strings.ts";

/** The conferences of one application, and each of them. */
export const conferencesPage: PageRoutes = {
  group: "application",
  path: "conferences",
  label: conferencesStrings.title,
  icon: VideoCameraIcon,
  routes: [
    { path: "conferences", load: () => import("./conferences-page.tsx") },
    { path: "conferences/:conferenceId", load: () => import("./conference-page.tsx") },
  ],
};
