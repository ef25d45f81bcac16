import type { ComponentType } from "react";
import { createBrowserRouter, type RouteObject, redirect } from "react-router";
import { PAGES, type PageGroup } from "./shell/page-routes.ts";
import { MissingPage, RouteError } from "./shell/route-error.tsx";
import { Shell } from "./shell/shell.tsx";

/** The page at the root of a group: the first one of the navigation. */
function startOf(wanted: PageGroup): string {
  return PAGES.find(({ group }) => group === wanted)?.path ?? "";
}

/** A page that throws: the router shows nothing at all for a route whose code could not be loaded. */
function failingPage(error: unknown): { Component: ComponentType } {
  return {
    Component: () => {
      throw error;
    },
  };
}

/** Each page is loaded when it is opened. The error of one page leaves the navigation usable. */
const pages: RouteObject[] = PAGES.flatMap(({ group, routes }) =>
  routes.map(({ path, load }) => ({
    path: group === "application" ? `/applications/:applicationId/${path}` : `/${path}`,
    lazy: () => load().catch(failingPage),
    ErrorBoundary: RouteError,
  })),
);

/** The paths below /dashboard. */
export const router = createBrowserRouter(
  [
    {
      Component: Shell,
      ErrorBoundary: RouteError,
      HydrateFallback: () => null,
      children: [
        ...pages,
        { path: "/", element: null, loader: () => redirect(`/${startOf("account")}`) },
        {
          path: "/applications/:applicationId",
          element: null,
          loader: ({ params }) =>
            redirect(`/applications/${params.applicationId}/${startOf("application")}`),
        },
        { path: "*", Component: MissingPage },
      ],
    },
  ],
  { basename: import.meta.env.BASE_URL.replace(/\/$/, "") },
);
