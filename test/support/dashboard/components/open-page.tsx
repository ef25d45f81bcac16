import { format } from "node:util";
import { MantineProvider } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { configure, render } from "@testing-library/react";
import { PointerEventsCheckLevel, type UserEvent, userEvent } from "@testing-library/user-event";
import { createBrowserRouter, RouterProvider } from "react-router";
import { queryClient } from "../../../../dashboard/src/api/queries.ts";
import { session } from "../../../../dashboard/src/api/session.ts";
import {
  type AccountRole,
  CurrentAccountDocument,
} from "../../../../dashboard/src/session/account.generated.ts";
import { PAGES } from "../../../../dashboard/src/shell/page-routes.ts";
import { theme } from "../../../../dashboard/src/theme.ts";
import { FakeService } from "./fake-service.ts";

/** The token of the member who is signed in. */
export const TOKEN = "token-of-the-member";
/** The application that the paths of pages name. */
export const APPLICATION = { id: "7", name: "Field service" };
const MEMBER = { id: "1", email: "member@field.example" };

// A guard against hanging alone, shorter than Jest's: a test that hangs then says what it waits for.
configure({ asyncUtilTimeout: 120_000 });

// What jsdom does not have. No media query matches: pages are wide and light.
window.matchMedia = (media) =>
  Object.assign(new EventTarget(), { media, matches: false }) as MediaQueryList;
window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
window.CSS = { escape: (text: string) => text.replace(/[^\w-]/g, "\\$&") } as typeof CSS;
window.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;

/** What the test has opened. */
let opened: { service: FakeService; router: ReturnType<typeof createRouter> } | null = null;

beforeEach(() => {
  for (const name of ["error", "warn"] as const) {
    jest.spyOn(console, name).mockImplementation((...texts: unknown[]) => {
      opened?.service.problems.push(format(...texts));
    });
  }
});

// After that of Testing Library, which removes the page.
afterEach(() => {
  session.leave();
  notifications.clean();
  opened?.router.dispose();
  const problems = opened?.service.problems ?? [];
  opened = null;
  jest.restoreAllMocks();
  expect(problems).toEqual([]);
});

/** All pages without the shell around them: they take each other's links, and the position of lists, from the URL. */
function createRouter() {
  const routes = PAGES.flatMap(({ group, routes }) =>
    routes.map(({ path, load }) => ({
      path: group === "application" ? `/applications/:applicationId/${path}` : `/${path}`,
      lazy: load,
      HydrateFallback: () => null,
    })),
  );
  return createBrowserRouter(routes);
}

/**
 * Opens a page of the dashboard for a member who is signed in, as the app does, but without the shell and without
 * transitions. After the test, problems of the service and texts of the console fail it.
 * @param path below /dashboard, such as /applications/7/users
 * @returns what acts as the member
 */
export function openPage(
  service: FakeService,
  path: string,
  role: AccountRole = "OWNER",
): UserEvent {
  service.answer(CurrentAccountDocument, () => ({
    currentMember: { ...MEMBER, role },
    account: { id: "1", name: "Field", applications: [APPLICATION] },
  }));
  globalThis.fetch = service.fetch;
  globalThis.WebSocket = service.WebSocket;
  session.use(TOKEN, { memberId: MEMBER.id, email: MEMBER.email });
  window.history.replaceState(null, "", path);
  const router = createRouter();
  opened = { service, router };
  render(
    <MantineProvider theme={theme} env="test" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queryClient}>
        <Notifications />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  // Without style sheets, nothing says which elements take no clicks: looking for it costs a tenth of the time.
  return userEvent.setup({ delay: null, pointerEventsCheck: PointerEventsCheckLevel.Never });
}

/** A page of a list, between others if the cursors of its ends are given. */
export function pageOf<Node>(
  nodes: Node[],
  { before = null, after = null }: { before?: string | null; after?: string | null } = {},
) {
  return {
    nodes,
    pageInfo: {
      hasPreviousPage: before !== null,
      hasNextPage: after !== null,
      startCursor: before,
      endCursor: after,
    },
  };
}
