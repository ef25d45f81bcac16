import { type Dashboard, startDashboard } from "../../support/dashboard/dashboard-browser";
import { addFailedJob } from "../../support/operations/failed-jobs";
import { memberToken } from "../../support/sessions/owner";

/** The first page after the sign-in, in a real browser. */

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.stop());

const applicationId = () => dashboard.node.application.id;

/** Stores statistics of the hour and the day that run, as the writer of a node does. */
async function addFigures(): Promise<void> {
  const { node } = dashboard;
  for (const [seconds, unit, requests] of [
    [3_600, "hour", 1_234],
    [86_400, "day", 56_789],
  ]) {
    await node.sql(
      `INSERT INTO application_statistics (application_id, seconds, starts_at, requests, calls, sign_ins, sign_ups,
          pushes_accepted, pushes_failed, errors_not_found, sockets_graphql, sockets_xmpp, sessions)
        VALUES ($1, $2, date_trunc($3, now(), 'UTC'), $4, 7, 20, 3, 41, 2, 5, 12, 4, 31)`,
      [applicationId(), seconds, unit, requests],
    );
  }
}

/** Makes a node miss, a job fail, and a push service refuse credentials. */
async function addProblems(): Promise<void> {
  const { node } = dashboard;
  await node.sql(
    `INSERT INTO nodes (id, host, port, version, started_at, seen_at, open_sockets, event_loop_delay_ms)
      VALUES ('gone', 'media-2.example', 4000, '0.0.1', now() - interval '1 day', now() - interval '10 minutes', 12, 40)`,
  );
  await addFailedJob(node, { reason: "the provider did not answer" });
  await node.sql(
    `INSERT INTO push_credentials (application_id, environment, service, settings, secret, updated_at, refused_since, refused_reason)
      VALUES ($1, 'production', 'fcm', '{}', '', now(), now() - interval '2 hours', 'PERMISSION_DENIED')`,
    [applicationId()],
  );
}

it("is the first page, says when nothing happened, and why it fails", async () => {
  const tab = await dashboard.open();
  const { page } = tab;
  await tab.showsPage("Overview");
  await tab.shows("Nothing happened in this time");
  await tab.check();
  await tab.goto(`/applications/${applicationId()}`);
  await tab.shows("Nothing needs your attention.");
  await page.getByRole("link", { name: "Keys of the application" }).click();
  await tab.shows("auth_key");
  await tab.goto("/applications/999999999/overview");
  await page.getByRole("alert").getByText("Request id").waitFor();
  await tab.check();
});

describe("with traffic and problems", () => {
  beforeAll(async () => {
    await addFigures();
    await addProblems();
  });

  it("shows statistics and what needs attention, with links to where it is solved", async () => {
    const tab = await dashboard.open();
    const { page } = tab;
    const requests = page.getByRole("region", { name: "Requests" });
    await requests.getByText("1,234").first().waitFor();
    await page.getByRole("region", { name: "Errors" }).getByText("Not found: 5").waitFor();
    // Screen readers get the statistics of a chart as a table.
    await page.getByRole("table", { name: "Calls and conferences" }).waitFor();
    await tab.shows("The node on media-2.example is missing.");
    await tab.shows(/Google \(Firebase\) refuses the push credentials for production/);
    const toCredentials = page.getByRole("link", { name: "Look at the credentials" });
    expect(await toCredentials.getAttribute("href")).toBe(
      `/dashboard/applications/${applicationId()}/providers?environment=PRODUCTION`,
    );
    await tab.check();

    // With the keyboard alone.
    await page.getByRole("radio", { name: "Day" }).focus();
    await page.keyboard.press("ArrowRight");
    await requests.getByText("56,789").first().waitFor();
    expect(new URL(page.url()).searchParams.get("period")).toBe("MONTH");
    await page.reload();
    await requests.getByText("56,789").first().waitFor();

    await page.getByRole("link", { name: "Look at the jobs" }).first().click();
    await tab.showsPage("Health");
    await tab.shows("the provider did not answer");
  });

  it("is that of an application on its page, for support, on a phone and in the dark", async () => {
    const token = await memberToken(dashboard.node, "support");
    const tab = await dashboard.open({
      path: `/applications/${applicationId()}`,
      token,
      width: "phone",
      colorScheme: "dark",
    });
    const { page } = tab;
    await page.getByRole("region", { name: "Requests" }).getByText("1,234").first().waitFor();
    await page.getByRole("table", { name: "Pushes" }).waitFor({ state: "attached" });
    await tab.shows("1 background job of the application failed.");
    await tab.shows(/Google \(Firebase\) refuses/);
    expect(await page.getByText("media-2.example").count()).toBe(0);
    await tab.check();
  });
});
