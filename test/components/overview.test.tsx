import { screen, within } from "@testing-library/react";
import {
  AccountAttentionDocument,
  type AccountAttentionQuery,
  AttentionFailedJobsDocument,
} from "../../dashboard/src/pages/overview/attention.generated.ts";
import {
  AccountOverviewDocument,
  type ActivityFieldsFragment,
  ApplicationOverviewDocument,
  type CountFieldsFragment,
  type StatisticsFieldsFragment,
} from "../../dashboard/src/pages/overview/overview.generated.ts";
import { FakeService, REQUEST_ID, Refusal } from "../support/dashboard/components/fake-service.ts";
import { APPLICATION, openPage } from "../support/dashboard/components/open-page.tsx";

/** The first page: statistics, and what needs attention. The system tests look at the lines of its charts. */

// jsdom draws nothing: without a context, Chart.js would only complain.
jest.mock("chart.js", () => ({
  Chart: class {
    static register() {}
    destroy() {}
  },
}));

const NOTHING: CountFieldsFragment = {
  ...{ requests: 0, signals: 0, signUps: 0, signIns: 0, failedSignIns: 0, calls: 0 },
  ...{ conferences: 0, errors: [] },
  pushes: { accepted: 0, failed: 0, unregistered: 0, retried: 0 },
};
const TRAFFIC: CountFieldsFragment = {
  ...NOTHING,
  ...{ requests: 912, calls: 5, conferences: 2, errors: [{ code: "NOT_FOUND", count: 5 }] },
  pushes: { accepted: 41, failed: 2, unregistered: 1, retried: 9 },
};
const IDLE = { graphql: 0, xmpp: 0, janus: 0 };
const BUSY = { graphql: 12, xmpp: 4, janus: 0 };
const ACTIVITY: ActivityFieldsFragment = {
  sockets: BUSY,
  sessions: { count: 31, isExact: true },
  calls: { count: 500, isExact: false },
  conferences: { count: 1, isExact: true },
  conferenceParticipants: { count: 1, isExact: true },
};

function statistics(
  period: StatisticsFieldsFragment["period"],
  counts: CountFieldsFragment,
): StatisticsFieldsFragment {
  const sockets = counts === NOTHING ? IDLE : BUSY;
  const bucket = { startsAt: "2026-03-01T08:00:00Z", counts, sockets, sessions: 0 };
  return { period, totals: counts, series: [bucket] };
}

/** A service with statistics, and with what needs attention. */
function serviceWith(
  counts: CountFieldsFragment,
  health: Partial<AccountAttentionQuery["health"]> = {},
  problems: AccountAttentionQuery["account"]["pushCredentialProblems"] = [],
): FakeService {
  const service = new FakeService();
  service.answer(AccountOverviewDocument, ({ period }) => ({
    account: { id: "1", statistics: statistics(period, counts), activity: ACTIVITY },
  }));
  service.answer(ApplicationOverviewDocument, ({ period }) => ({
    application: {
      ...APPLICATION,
      ...{ statistics: statistics(period, counts), activity: ACTIVITY },
    },
  }));
  service.answer(AccountAttentionDocument, () => ({
    health: { checks: [], nodes: [], jobQueues: [], ...health },
    account: {
      id: "1",
      applications: [{ ...APPLICATION, previousSecretValidUntil: null }],
      pushCredentialProblems: problems,
    },
  }));
  return service;
}

const MISSING_NODE = {
  ...{ id: "gone", host: "media-2.example", missing: true },
  seenAt: "2026-03-01T08:00:00Z",
};
const REFUSED = {
  ...({ applicationId: "7", environment: "PRODUCTION", service: "FCM", validUntil: null } as const),
  ...{ refusedSince: "2026-03-01T08:00:00Z", refusedReason: "PERMISSION_DENIED" },
};

it("shows what is open now, and what happened", async () => {
  openPage(serviceWith(TRAFFIC), "/overview");
  const requests = await screen.findByRole("region", { name: "Requests" });
  within(requests).getByText("912");
  within(screen.getByRole("region", { name: "Errors" })).getByText("Not found: 5");
  // A try that another one follows is no push of its own.
  within(screen.getByRole("region", { name: "Pushes" })).getByText("44");
  screen.getByText("GraphQL 12, Chat 4");
  screen.getByText("500+");
  screen.getByText("1 participant");
  // Screen readers get the statistics of a chart as a table.
  const table = await screen.findByRole("table", { name: "Calls and conferences" });
  within(table).getByText("Calls: 5");
});

it("says when nothing happened, and that nothing needs attention", async () => {
  openPage(serviceWith(NOTHING), "/overview");
  await screen.findByText("Nothing happened in this time");
  screen.getByText("Nothing needs your attention.");
  const link = screen.getByRole("link", { name: "Applications" });
  expect(link.getAttribute("href")).toBe("/applications");
});

it("asks for another period by the keyboard, and keeps it in the URL", async () => {
  const service = serviceWith(NOTHING);
  const user = openPage(service, "/overview");
  (await screen.findByRole("radio", { name: "Day" })).focus();
  await user.keyboard("{ArrowRight}");
  await screen.findByRole("heading", { name: "The last 30 days" });
  expect(location.search).toBe("?period=MONTH");
  expect(service.variablesOf(AccountOverviewDocument)).toEqual([
    { period: "DAY" },
    { period: "MONTH" },
  ]);
});

it("lists what needs attention, the urgent first, with links to where it is solved", async () => {
  const queue = { name: "push", waiting: 1_500, failed: 2 };
  const checks = [
    { name: "clock", status: "WARNING", detail: "2 s late" },
    { name: "database", status: "OK", detail: "fine" },
  ] as const;
  const health = { nodes: [MISSING_NODE], checks: [...checks], jobQueues: [queue] };
  openPage(serviceWith(NOTHING, health, [REFUSED]), "/overview");
  await screen.findByRole("heading", { name: "Needs attention" });
  const items = screen.getAllByRole("listitem").map(({ textContent }) => textContent ?? "");
  expect(items).toHaveLength(5);
  expect(items[0]).toMatch(/^Urgent: The node on media-2\.example is missing\./);
  expect(items[1]).toMatch(/^Urgent: 2 background jobs have failed/);
  expect(items[2]).toMatch(
    /^Urgent: Field service: Google \(Firebase\) refuses .*PERMISSION_DENIED/,
  );
  expect(items[3]).toMatch(/^Notice: .*2 s late/);
  expect(items[4]).toMatch(/^Notice: .* background jobs wait/);
  const link = screen.getByRole("link", { name: "Look at the credentials" });
  expect(link.getAttribute("href")).toBe("/applications/7/providers?environment=PRODUCTION");
});

it("shows five of many problems, and the others when asked", async () => {
  const nodes = ["1", "2", "3", "4", "5", "6", "7"].map((id) => ({ ...MISSING_NODE, id }));
  const user = openPage(serviceWith(NOTHING, { nodes }), "/overview");
  await screen.findByRole("heading", { name: "Needs attention" });
  expect(screen.getAllByRole("listitem")).toHaveLength(5);
  await user.click(screen.getByRole("button", { name: "Show 2 more" }));
  expect(screen.getAllByRole("listitem")).toHaveLength(7);
});

it("of an application shows its own problems alone, also to support", async () => {
  const other = { ...REFUSED, applicationId: "8" };
  const service = serviceWith(NOTHING, { nodes: [MISSING_NODE] }, [REFUSED, other]);
  service.answer(AttentionFailedJobsDocument, () => ({
    failedJobs: {
      nodes: [
        { id: "1", applicationId: "7" },
        { id: "2", applicationId: "8" },
      ],
      pageInfo: { hasNextPage: false },
    },
  }));
  openPage(service, "/applications/7/overview", "SUPPORT");
  await screen.findByRole("heading", { level: 1, name: "Field service" });
  await screen.findByRole("heading", { name: "Needs attention" });
  const items = screen.getAllByRole("listitem").map(({ textContent }) => textContent ?? "");
  expect(items).toHaveLength(2);
  expect(items[0]).toMatch(/^Urgent: Google \(Firebase\) refuses/);
  expect(items[1]).toMatch(/^Urgent: 1 background job of the application failed\./);
  // Each number leads to the page with the entries.
  const calls = screen.getByRole("link", { name: "Calls" });
  expect(calls.getAttribute("href")).toBe("/applications/7/calls");
  expect(service.variablesOf(ApplicationOverviewDocument)).toEqual([{ id: "7", period: "DAY" }]);
});

it("keeps what can be read when the rest fails, and reads it again", async () => {
  const service = serviceWith(TRAFFIC);
  service.refuse(AccountAttentionDocument, new Refusal("INTERNAL", "No node answers"));
  const user = openPage(service, "/overview");
  await screen.findByRole("region", { name: "Requests" });
  const alert = await screen.findByRole("alert");
  within(alert).getByText("No node answers");
  within(alert).getByText(REQUEST_ID);
  service.answer(AccountAttentionDocument, () => ({
    health: { checks: [], nodes: [], jobQueues: [] },
    account: { id: "1", applications: [], pushCredentialProblems: [] },
  }));
  await user.click(within(alert).getByRole("button", { name: "Try again" }));
  await screen.findByText("Nothing needs your attention.");
});
