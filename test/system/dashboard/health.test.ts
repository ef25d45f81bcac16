import { type Dashboard, startDashboard } from "../../support/dashboard/dashboard-browser";
import { addFailedJob } from "../../support/operations/failed-jobs";
import { memberToken } from "../../support/sessions/owner";

/** The page of the deployment's state in a real browser. */

/** Where nothing listens. */
const NOWHERE = "127.0.0.1:1";

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({
    TURN_URLS: `turn:${NOWHERE}?transport=tcp`,
    TURN_SECRET: "secret-of-the-test-number-one",
  });
  await dashboard.node.sql(
    `INSERT INTO nodes (id, host, port, version, started_at, seen_at, open_sockets, event_loop_delay_ms)
      VALUES ('gone', 'media-2.example', 4000, '0.0.1', now() - interval '1 day', now() - interval '10 minutes', 12, 40)`,
  );
});
afterAll(() => dashboard.stop());

it("shows problems with what to do, missing nodes and failed jobs, which run again", async () => {
  const { node } = dashboard;
  const tab = await dashboard.open({ path: "/health" });
  const { page } = tab;
  await tab.shows("No job has failed");
  // Problems come first, in the words of doctor.
  const first = page.getByRole("listitem").filter({ hasText: "TURN server" }).first();
  await first.getByText(/cannot be/).waitFor();
  await first.getByText(/What to do:/).waitFor();
  const order = ["Error:", "Warning:", "Passed:", "Not checked:"];
  const lines = await page.locator(".checks > li").allInnerTexts();
  const places = lines.map((line) => order.findIndex((status) => line.startsWith(status)));
  expect(places).toEqual([...places].sort());
  expect(new Set(places).size).toBeGreaterThan(1);
  await page.getByRole("button", { name: /^Show .* that did not apply$/ }).click();
  await page.getByText("JANUS_URL is not set").waitFor();
  const nodes = page.getByRole("table", { name: "Nodes" });
  const gone = nodes.getByRole("row").filter({ hasText: "media-2.example" });
  await gone.getByText(/last seen 1\d minutes ago/).waitFor();
  await tab.check();

  const done = await addFailedJob(node, { reason: "the provider did not answer" });
  await tab.click("Check now");
  const jobs = page.getByRole("table", { name: "Failed jobs of your applications" });
  await jobs.getByText("the provider did not answer").waitFor();
  await tab.check();
  await jobs.getByRole("button", { name: /^Run again: Find the recipients of pushes/ }).focus();
  await page.keyboard.press("Enter");
  await tab.shows("“Find the recipients of pushes” runs again.");
  await tab.shows("No job has failed");
  const rows = await node.sql(
    "SELECT id FROM pgboss.job WHERE id = $1::uuid AND state = 'failed'",
    [done],
  );
  expect(rows).toEqual([]);

  // Somebody else has run it again meanwhile.
  const other = await addFailedJob(node);
  await page.reload();
  const again = jobs.getByRole("button");
  await again.waitFor();
  await node.sql("DELETE FROM pgboss.job WHERE id = $1::uuid", [other]);
  await again.click();
  await page.getByRole("alert").getByText("Request id").waitFor();
  await tab.check();
});

it("is read by support, without buttons of changes, on a phone and in the dark", async () => {
  await addFailedJob(dashboard.node, { reason: "the provider did not answer" });
  const token = await memberToken(dashboard.node, "support");
  const tab = await dashboard.open({
    path: "/health",
    token,
    width: "phone",
    colorScheme: "dark",
  });
  await tab.shows("the provider did not answer");
  await tab.page.getByText("Read only").waitFor();
  expect(await tab.page.getByRole("button", { name: /Run again/ }).count()).toBe(0);
  await tab.check();
});
