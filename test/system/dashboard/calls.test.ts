import { newSessionId, send } from "../../support/calls/calls";
import {
  type Dashboard,
  type DashboardPage,
  startDashboard,
} from "../../support/dashboard/dashboard-browser";
import { eventually, MovingClock } from "../../support/moving-clock";
import { newUser, type TestUser } from "../../support/rest-client";

/** The calls of an application: the list with its filters, and a call whose signals appear as they are sent. */

const clock = new MovingClock();
let dashboard: Dashboard;
let ann: TestUser;
let ben: TestUser;
beforeAll(async () => {
  dashboard = await startDashboard({}, { clock });
  ann = await newUser(dashboard.node, { full_name: "Ann Meyer" });
  ben = await newUser(dashboard.node, { full_name: "Ben Okafor" });
  clock.hold(true);
});
afterAll(() => dashboard.stop());

const path = () => `/applications/${dashboard.node.application.id}/calls`;
const LIST = "Calls of the application";
const rows = ({ page }: DashboardPage) =>
  page.getByRole("table", { name: LIST }).locator("tbody tr");
const ICE = { iceCandidates: [{ sdpMLineIndex: 0, sdpMid: "0", candidate: "candidate:1" }] };

/** Sends a signal some seconds after the one before. */
async function sendAfter(
  seconds: number,
  ...[from, to, ...rest]: [TestUser, TestUser, string, string, object?]
) {
  clock.advance(seconds * 1_000);
  await send(dashboard.node, from, to, ...(rest as [string, string]));
}

/** Stores calls that were missed some days ago, the newest first. */
async function storeMissedCalls(count: number): Promise<void> {
  const { id } = dashboard.node.application;
  await dashboard.node.sql(
    `INSERT INTO calls (application_id, session_id, caller_id, call_type, state, started_at, ended_at)
      SELECT $1, 'missed ' || i, $2, 2, 'missed', $3::timestamptz - i * interval '1 hour',
        $3::timestamptz - i * interval '1 hour' + interval '1 minute'
      FROM generate_series(1, $4) AS i`,
    [id, ann.id, new Date(clock.now() - 3 * 86_400_000).toISOString(), count],
  );
  await dashboard.node.sql(
    `INSERT INTO call_participants (call_id, user_id, session_id, started_at, state, rang_at, missed_at)
      SELECT c.id, u, c.session_id, c.started_at, 'missed', c.started_at,
        CASE WHEN u = c.caller_id THEN NULL ELSE c.ended_at END
      FROM calls c, unnest($1::bigint[]) AS u WHERE c.session_id LIKE 'missed %'`,
    [[ann.id, ben.id]],
  );
}

it("a call appears at the top while it rings, and its signals appear as they are sent", async () => {
  const tab = await dashboard.open({ path: path() });
  const { page } = tab;
  await tab.shows("No calls yet");
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  await tab.check();
  const callId = newSessionId();
  await sendAfter(1, ann, ben, "call", callId);
  await rows(tab).filter({ hasText: "Ann Meyer → Ben Okafor" }).getByText("Ringing").waitFor();
  await sendAfter(4, ben, ann, "accept", callId);
  await rows(tab).getByText("In progress").waitFor();
  await rows(tab).getByText("4s", { exact: true }).waitFor();
  await tab.check();

  await page.getByRole("link", { name: "Ann Meyer → Ben Okafor" }).focus();
  await page.keyboard.press("Enter");
  await tab.showsPage("Ann Meyer → Ben Okafor");
  await tab.shows("It has been answered and is in progress.");
  const signals = page.getByRole("list", { name: "Signals" }).getByRole("listitem");
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  expect(await signals.count()).toBe(2);
  // Candidates of ten seconds are one entry.
  clock.advance(10_000 - (clock.now() % 10_000));
  for (let time = 0; time < 3; time++) await sendAfter(1, ann, ben, "iceCandidates", callId, ICE);
  await signals.filter({ hasText: "Network candidates" }).getByText(/× 3/).waitFor();
  await tab.check();
  await sendAfter(20, ben, ann, "hangUp", callId);
  await tab.shows("Ben Okafor hung up.");
  await signals.filter({ hasText: "Hang up" }).waitFor();
  await tab.shows("Ended by the called");
  const table = page.getByRole("table", { name: "Participants of the call" });
  await table.getByRole("row", { name: /Ben Okafor Called hung up/ }).waitFor();
  await table.getByText(`graphql-${ben.sessionId}`).waitFor();
  expect(await page.content()).not.toMatch(/v=0|candidate:/);
  await tab.check();
});

it("a long list keeps its place while calls begin, and is filtered by status, user and days", async () => {
  await storeMissedCalls(30);
  const tab = await dashboard.open({ path: path() });
  const { page } = tab;
  await rows(tab).first().waitFor();
  await tab.click("Next page");
  await page.waitForURL(/after=/);
  await tab.until("document.querySelectorAll('tbody tr').length", 6);
  // Readers begin at the first entry.
  await tab.until("document.activeElement.getAttribute('aria-label')", LIST);
  // The first page is live, also when it is reached from the second one.
  await tab.click("Previous page");
  await page.waitForURL(/before=/);
  await tab.until("document.querySelectorAll('tbody tr').length", 25);
  const ringing = newSessionId();
  await sendAfter(1, ben, ann, "call", ringing);
  await rows(tab).first().getByText("Ringing").waitFor();
  await sendAfter(1, ben, ann, "hangUp", ringing);
  await tab.click("Next page");
  await page.waitForURL(/after=/);
  await tab.until("document.querySelectorAll('tbody tr').length", 6);
  const before = await rows(tab).allTextContents();
  const callId = newSessionId();
  await sendAfter(1, ben, ann, "call", callId);
  await sendAfter(1, ann, ben, "reject", callId);
  const other = await dashboard.open({ path: path() });
  await rows(other).first().getByText("Declined").waitFor();
  expect(await rows(tab).allTextContents()).toEqual(before);

  await other.page.getByRole("textbox", { name: "Status" }).click();
  await other.page.getByRole("option", { name: "Not delivered" }).click();
  await other.shows("No call matches");
  await other.check();
  await other.click("Clear filters");
  await other.page.getByRole("textbox", { name: "User" }).fill(ben.login);
  await other.page.getByRole("option", { name: /Ben Okafor/ }).click();
  await other.page.waitForURL(new RegExp(`user=${ben.id}`));
  const day = new Date(clock.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  const [year, month, date] = day.split("-");
  await other.page.getByLabel("From", { exact: true }).pressSequentially(`${month}${date}${year}`);
  await other.page.waitForURL(new RegExp(`from=${day}`));
  await other.until("document.querySelectorAll('tbody tr').length", 3);
  // A link has the filters, and the name of the user.
  await other.page.reload();
  await other.until("document.querySelectorAll('tbody tr').length", 3);
  await other.until(
    "document.querySelector('input[placeholder=Anybody]').value.startsWith('Ben Okafor')",
    true,
  );
  await other.check();
});

it("errors have the request id, and a call that does not exist leads back", async () => {
  const tab = await dashboard.open({ path: `${path()}?after=rubbish` });
  await tab.page
    .getByRole("alert")
    .getByText(/Request id: [\w-]{10,}/)
    .waitFor();
  await tab.check();
  await tab.goto(`${path()}/999999`);
  await tab.showsPage("There is no such call");
  await tab.check();
  await tab.page.getByRole("link", { name: "To the calls" }).click();
  await tab.showsPage("Calls");
});

it.each([
  "light",
  "dark",
] as const)("support reads calls on a phone in %s colors, and finds nothing to change", async (colorScheme) => {
  const tab = await dashboard.open({ path: path(), width: "phone", colorScheme, role: "support" });
  const { page } = tab;
  const list = page.getByRole("list", { name: LIST });
  await list.getByText("Declined").waitFor();
  await tab.check();
  await list.getByRole("link", { name: "Ann Meyer → Ben Okafor" }).first().click();
  await page.getByRole("list", { name: "Signals" }).getByText("Network candidates").waitFor();
  await page.getByRole("list", { name: "Participants of the call" }).waitFor();
  await tab.check();
  const content = await page.getByRole("main").getByRole("button").allTextContents();
  expect(content.filter((text) => text !== "")).toEqual([]);
});

it("a subscription that the service refuses is not called live, and can be tried again", async () => {
  const tab = await dashboard.open({ path: path() });
  const { page } = tab;
  let refusal: object | null = { code: "LIMITED", retryAfter: 3_600 };
  await page.routeWebSocket("**/graphql", (socket) => {
    const service = socket.connectToServer();
    socket.onMessage((text) => {
      const { id, type } = JSON.parse(`${text}`);
      if (type !== "subscribe" || refusal === null) return service.send(text);
      const payload = [{ message: "Refused by the test", extensions: refusal }];
      socket.send(JSON.stringify({ id, type: "error", payload }));
    });
  });
  const badge = (text: string) =>
    page
      .getByRole("status")
      .filter({ hasText: new RegExp(`^${text}`) })
      .waitFor();
  await page.reload();
  await badge("Reconnecting");
  refusal = { code: "FORBIDDEN" };
  await page.reload();
  await badge("Not live");
  await tab.shows("Refused by the test");
  await tab.check();
  refusal = null;
  await tab.click("Try again");
  await badge("Live");
  await page.getByText("Refused by the test").waitFor({ state: "detached" });

  // The page of one call says the same.
  const [call] = await dashboard.node.sql<{ id: string }>("SELECT max(id) AS id FROM calls");
  refusal = { code: "FORBIDDEN" };
  await tab.goto(`${path()}/${call?.id}`);
  await tab.shows("Refused by the test");
});

it("a call that ends while the connection is lost is shown as ended once it is back", async () => {
  const tab = await dashboard.open({ path: path() });
  const { page } = tab;
  const badge = (text: string) =>
    page
      .getByRole("status")
      .filter({ hasText: new RegExp(`^${text}`) })
      .waitFor();
  let isLost = false;
  const connections: { close(options: { code: number }): Promise<void> }[] = [];
  await page.routeWebSocket("**/graphql", (socket) => {
    if (isLost) return void socket.close({ code: 1012 });
    connections.push(socket, socket.connectToServer());
  });
  await page.reload();
  await badge("Live");
  const callId = newSessionId();
  await sendAfter(1, ben, ann, "call", callId);
  await rows(tab).first().getByText("Ringing").waitFor();
  isLost = true;
  for (const connection of connections.splice(0)) await connection.close({ code: 1012 });
  await badge("Reconnecting");
  await sendAfter(1, ann, ben, "reject", callId);
  await eventually(
    () =>
      dashboard.node.sql<{ state: string }>("SELECT state FROM calls WHERE session_id = $1", [
        callId,
      ]),
    ([call]) => call?.state === "rejected",
  );
  isLost = false;
  await badge("Live");
  await rows(tab).first().getByText("Declined").waitFor();
});
