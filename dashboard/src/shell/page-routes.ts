import type { ComponentType, SVGProps } from "react";
import { accountPage } from "../pages/account/routes.ts";
import { applicationSettingsPage, applicationsPage } from "../pages/applications/routes.ts";
import { auditPage } from "../pages/audit/routes.ts";
import { callsPage } from "../pages/calls/routes.ts";
import { conferencesPage } from "../pages/conferences/routes.ts";
import { explorerPage } from "../pages/explorer/routes.ts";
import { healthPage } from "../pages/health/routes.ts";
import { applicationOverviewPage, overviewPage } from "../pages/overview/routes.ts";
import { providersPage } from "../pages/providers/routes.ts";
import { pushPage } from "../pages/push/routes.ts";
import { usersPage } from "../pages/users/routes.ts";

/** Where a page stands in the navigation. */
export type PageGroup = "account" | "application" | "developers";

/** A page of the navigation, with the pages below it. Their code is loaded when they are opened. */
export interface PageRoutes {
  group: PageGroup;
  /** Path of the entry: of an application's page after /applications/ID/, else after /. */
  path: string;
  label: string;
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  /** The routes, with paths like that of the entry. */
  routes: readonly {
    path: string;
    load(): Promise<{ Component: ComponentType }>;
  }[];
}

/** The pages in the order of the navigation. */
export const PAGES: readonly PageRoutes[] = [
  overviewPage,
  applicationsPage,
  applicationOverviewPage,
  usersPage,
  pushPage,
  callsPage,
  conferencesPage,
  providersPage,
  applicationSettingsPage,
  accountPage,
  auditPage,
  healthPage,
  explorerPage,
];
