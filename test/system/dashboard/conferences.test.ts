import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
} from "../../../tools/conferences/graphql-participant";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import {
  type Dashboard,
  type DashboardPage,
  startDashboard,
} from "../../support/dashboard/dashboard-browser";
import { eventually } from "../../support/moving-clock";
import { newUser, type TestUser } from "../../support/rest-client";

/** The conferences of an application: who is in, and how somebody who runs it mutes, removes, changes and closes. */

let engine: MemoryEngine;
let dashboard: Dashboard;
let ann: TestUser;
let ben: TestUser;
const open: GraphqlParticipant[] = [];
beforeAll(async () => {
  dashboard = await startDashboard(
    {},
    {
      openEngine: async (listener) => {
        engine = new MemoryEngine(listener);
        return engine;
      },
    },
  );
  ann = await newUser(dashboard.node, { full_name: "Ann Meyer" });
  ben = await newUser(dashboard.node, { full_name: "Ben Okafor" });
});
afterEach(async () => {
  for (const participant of open.splice(0)) await participant.leave();
});
afterAll(() => dashboard.stop());

const path = () => `/applications/${dashboard.node.application.id}/conferences`;
const rows = ({ page }: DashboardPage, name: string) =>
  page.getByRole("table", { name }).locator("tbody tr");
const PARTICIPANTS = "Participants of the conference";

async function join(id: string, { token }: TestUser): Promise<GraphqlParticipant> {
  const participant = await joinConference(dashboard.node, id, token);
  open.push(participant);
  return participant;
}

/** Sends media, of which the media server reports statistics. */
async function publish(participant: GraphqlParticipant, packetLoss: number): Promise<void> {
  const { peerId } = await participant.mutate("publishConferenceMedia", "peerId", {
    offer: "offer",
  });
  await participant.event(
    "ConferenceParticipantUpdatedEvent",
    (event) => event.participant.publishing,
  );
  const stats = { audioBitrate: 32_000, videoBitrate: 500_000, roundTripMs: 20 };
  engine.report(peerId, { ...stats, packetLoss });
}

it("a conference appears with its participants, of whom one is muted, unmuted and removed", async () => {
  const tab = await dashboard.open({ path: path() });
  const { page } = tab;
  await tab.shows("No open conferences");
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  await tab.check();
  const id = await createConference(dashboard.node, ann.token, { name: "Weekly planning" });
  const first = await join(id, ann);
  await publish(first, 0.01);
  const list = rows(tab, "Conferences of the application");
  await list.filter({ hasText: "Weekly planning" }).getByText("1 of 12").waitFor();
  await tab.check();
  await page.getByRole("link", { name: "Weekly planning" }).click();
  await tab.showsPage("Weekly planning");
  const annRow = rows(tab, PARTICIPANTS).filter({ hasText: "Ann Meyer" });
  await annRow.getByText("500 kb/s").waitFor();
  await annRow.getByText("1% lost, 20 ms round trip").waitFor();

  const second = await join(id, ben);
  await publish(second, 0.2);
  const benRow = rows(tab, PARTICIPANTS).filter({ hasText: "Ben Okafor" });
  await benRow.getByText("on", { exact: true }).first().waitFor();
  await tab.check();
  // With the keyboard alone.
  await page.getByRole("button", { name: "Actions for Ben Okafor" }).focus();
  await page.keyboard.press("Enter");
  await tab.until("document.activeElement.textContent", "Mute the microphone");
  await tab.check();
  await page.keyboard.press("Enter");
  await benRow.getByText("muted by a moderator").waitFor();
  await second.event("ConferenceParticipantUpdatedEvent", (event) => event.participant.audioMuted);
  await tab.check();
  await tab.click("Actions for Ben Okafor");
  await page.getByRole("menuitem", { name: "Unmute the microphone" }).click();
  await benRow.getByText("muted by a moderator").waitFor({ state: "detached" });
  // The participant turns its camera off itself.
  await second.mutate("setConferenceMute", "participant { id }", { video: true });
  await benRow.getByText("off", { exact: true }).waitFor();

  await tab.click("Actions for Ben Okafor");
  await page.getByRole("menuitem", { name: "Remove …" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove Ben Okafor" });
  await dialog.getByText(/out at once/).waitFor();
  // The menu that closes does not take the focus from it.
  await tab.until("document.activeElement.textContent", "Cancel");
  await tab.check();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await eventually(
    () => second.hasEnded(),
    (ended) => ended,
  );
  await benRow.waitFor({ state: "detached" });
  const history = rows(tab, "Who has been in the conference");
  await history.filter({ hasText: "Ben Okafor" }).getByText("removed by a moderator").waitFor();
  await tab.check();
});

it("its settings are changed, with reasons for what is refused; it is locked and closed", async () => {
  const id = await createConference(dashboard.node, ann.token, { name: "Support desk" });
  const participant = await join(id, ben);
  await mutate(
    dashboard.node,
    "createConferenceLink",
    "link { id }",
    { conferenceId: id, maxUses: 3 },
    ann.token,
  );
  const tab = await dashboard.open({ path: `${path()}/${id}` });
  const { page } = tab;
  await tab.showsPage("Support desk");
  await rows(tab, "Links that admit guests").getByText("0 of 3").waitFor();
  await page.getByLabel("Seats", { exact: true }).fill("13");
  await page.getByLabel("Bitrate of video, in kbit/s").fill("1");
  await tab.click("Save");
  await tab.shows("Enter a number from 64 to 4,000.");
  await page.getByLabel("Bitrate of video, in kbit/s").fill("250");
  await tab.click("Save");
  await tab.shows("must be between 2 and 12");
  await page.getByLabel("Seats", { exact: true }).fill("5");
  await tab.check();
  await tab.click("Save");
  await tab.shows("The conference is changed.");
  const { conference } = await participant.event(
    "ConferenceUpdatedEvent",
    (event) => event.conference.seats === 5,
  );
  expect(conference).toMatchObject({ seats: 5, bitrate: 250_000 });

  await tab.click("Lock");
  await page.getByRole("button", { name: "Unlock" }).waitFor();
  await participant.event("ConferenceUpdatedEvent", (event) => event.conference.locked);
  await page.getByLabel("Listed users only").check();
  await tab.click("Save");
  await page
    .getByRole("dialog")
    .getByText(/not listed are out at once/)
    .waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
  await tab.shows("Nobody is in");

  await tab.click("Close …");
  await page.getByRole("dialog", { name: "Close Support desk" }).waitFor();
  await tab.check();
  await tab.click("Close for good");
  await tab.shows("The conference is closed");
  await page.getByRole("button", { name: "Unlock" }).waitFor({ state: "detached" });
  await tab.check();
  await tab.goto(`${path()}?show=closed`);
  await rows(tab, "Conferences of the application").getByText("Support desk").waitFor();
  await page.getByRole("searchbox").fill("nothing begins so");
  await tab.shows("No conference matches");
  await page.getByRole("searchbox").fill("SUPPORT");
  await rows(tab, "Conferences of the application").getByText("Support desk").waitFor();
});

it("an error of the media server shows the service's words and the request id", async () => {
  const id = await createConference(dashboard.node, ann.token, { name: "Without media" });
  await join(id, ann);
  const tab = await dashboard.open({ path: `${path()}/${id}` });
  const { page } = tab;
  await page.route("**/graphql", (route) => {
    if (!route.request().postData()?.includes("MuteConferenceParticipant")) return route.continue();
    const extensions = { code: "UNAVAILABLE", requestId: "request-of-the-mute" };
    const message = "The media server does not answer";
    return route.fulfill({ json: { errors: [{ message, extensions }] } });
  });
  await tab.click("Actions for Ann Meyer");
  await page.getByRole("menuitem", { name: "Mute the microphone" }).click();
  await page.getByRole("dialog").getByText("The media server does not answer").waitFor();
  await page.getByRole("dialog").getByText("request-of-the-mute").waitFor();
  await tab.check();
  await page.keyboard.press("Escape");
  await tab.goto(`${path()}/999999`);
  await tab.showsPage("There is no such conference");
  await tab.check();
});

it.each([
  "light",
  "dark",
] as const)("support reads on a phone in %s colors, and finds nothing to change", async (colorScheme) => {
  const id = await createConference(dashboard.node, ann.token, { name: `Phone ${colorScheme}` });
  const participant = await join(id, ben);
  await publish(participant, 0.1);
  const options = { width: "phone", colorScheme, role: "support" } as const;
  const tab = await dashboard.open({ path: path(), ...options });
  const { page } = tab;
  await page.getByRole("list", { name: "Conferences of the application" }).waitFor();
  await tab.check();
  await page.getByRole("link", { name: `Phone ${colorScheme}` }).click();
  await page.getByRole("list", { name: PARTICIPANTS }).getByText("10% lost").waitFor();
  await page.getByRole("list", { name: "Who has been in the conference" }).waitFor();
  await tab.check();
  expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
  expect(await page.getByRole("main").getByRole("textbox").count()).toBe(0);
  // An owner has the buttons on a phone as well.
  const own = await dashboard.open({ path: `${path()}/${id}`, ...options, role: "owner" });
  await own.page.getByRole("button", { name: "Actions for Ben Okafor" }).waitFor();
  await own.check();
});
