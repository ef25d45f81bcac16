import { screen, within } from "@testing-library/react";
import {
  type EventFieldsFragment,
  PushDeliveriesDocument,
  type PushDeliveriesQuery,
  type PushDeliveriesQueryVariables,
  PushEventDocument,
  PushProgressDocument,
  StopPushDocument,
} from "../../dashboard/src/pages/push/events.generated.ts";
import { FakeService, REQUEST_ID, Refusal } from "../support/dashboard/components/fake-service.ts";
import { openPage, pageOf } from "../support/dashboard/components/open-page.tsx";

/** A push that was sent: its counts, and what became of it on each device. */

type Delivery = PushDeliveriesQuery["pushDeliveries"]["nodes"][number];

const PATH = "/applications/7/push/90";
const EVENT: EventFieldsFragment = {
  ...({ id: "90", applicationId: "7", name: null, kind: "API", channel: "GCM" } as const),
  ...({ environment: "PRODUCTION", eventType: "ONE_SHOT", state: "FINISHED" } as const),
  ...{ userId: null, tagQuery: "any: riders", notification: { title: "Line 4", body: "Late" } },
  ...{ date: null, endDate: null, period: null, nextRunAt: null, stoppedAt: null },
  ...{ withdrawnAt: null, fanningOut: false, occurredCount: 1, createdAt: "2026-03-01T08:00:00Z" },
  ...{ deliveryCount: 3, acceptedCount: 1, unregisteredCount: 1, failedCount: 1, pendingCount: 0 },
};
const ACCEPTED: Delivery = {
  ...({
    id: "1",
    userId: "41",
    outcome: "ACCEPTED",
    reason: null,
    attempts: 1,
    occurrence: 1,
  } as const),
  ...{ dueAt: "2026-03-01T08:00:00Z", updatedAt: "2026-03-01T08:00:01Z" },
};
const GONE: Delivery = {
  ...ACCEPTED,
  ...{ id: "2", userId: null, outcome: "UNREGISTERED", reason: "UNREGISTERED" },
};
const FAILED: Delivery = {
  ...ACCEPTED,
  ...{ id: "3", userId: "42", outcome: "FAILED", reason: "SENDER_ID_MISMATCH", attempts: 3 },
};

/** A service with one push, and the deliveries that a test chooses by what the page asks for. */
function serviceWith(
  changes: Partial<EventFieldsFragment>,
  find: (variables: PushDeliveriesQueryVariables) => Parameters<typeof pageOf<Delivery>>,
): FakeService {
  const service = new FakeService();
  const event = { ...EVENT, ...changes, payload: { title: "Line 4" } };
  service.answer(PushEventDocument, () => ({ pushEvent: event }));
  service.answer(PushDeliveriesDocument, (variables) => ({
    pushDeliveries: pageOf(...find(variables)),
  }));
  return service;
}

const rows = async () =>
  within(await screen.findByRole("table", { name: "Deliveries of this push" }))
    .getAllByRole("row")
    .slice(1);
const lastAsked = (service: FakeService) => service.variablesOf(PushDeliveriesDocument).at(-1);

describe("the deliveries", () => {
  it("say for each device what became of the push, in words", async () => {
    openPage(
      serviceWith({}, () => [[ACCEPTED, GONE, FAILED]]),
      PATH,
    );
    const [accepted, gone, failed] = await rows();
    const link = within(accepted!).getByRole("link", { name: "41" });
    expect(link.getAttribute("href")).toBe("/applications/7/users/41");
    within(accepted!).getByText("Accepted");
    within(gone!).getByText("device deleted");
    within(gone!).getByText("No longer registered");
    within(gone!).getByText("The app is no longer on the device");
    within(failed!).getByText(/belongs to another Firebase project/);
    // The service's own word, to search for.
    within(failed!).getByText("SENDER_ID_MISMATCH");
    screen.getByRole("heading", { level: 1, name: "Line 4" });
    screen.getByText("users with any of the tags riders");
  });

  it("are those of one outcome after a click on its bar, and of all after another one", async () => {
    const service = serviceWith({}, ({ outcome }) => [outcome ? [FAILED] : [ACCEPTED, FAILED]]);
    const user = openPage(service, PATH);
    expect(await rows()).toHaveLength(2);
    const bar = screen.getByRole("button", { name: "Failed 1" });
    await user.click(bar);
    await screen.findByRole("button", { name: "Failed 1", pressed: true });
    expect(lastAsked(service)).toEqual({ eventId: "90", outcome: "FAILED", first: 25 });
    expect(location.search).toBe("?event=90&outcome=FAILED");
    await user.click(screen.getByRole("button", { name: "Failed 1" }));
    await screen.findByRole("button", { name: "Failed 1", pressed: false });
    expect(await rows()).toHaveLength(2);
  });

  it("are read page by page", async () => {
    const service = serviceWith({}, ({ after }) =>
      after ? [[FAILED], { before: "start" }] : [[ACCEPTED], { after: "end" }],
    );
    const user = openPage(service, PATH);
    await rows();
    await user.click(screen.getByRole("button", { name: "Next page" }));
    await screen.findByText("SENDER_ID_MISMATCH");
    expect(lastAsked(service)).toEqual({ eventId: "90", first: 25, after: "end" });
  });

  it("that cannot be read say why, beside the counts", async () => {
    const service = serviceWith({}, () => [[]]);
    service.refuse(PushDeliveriesDocument, new Refusal("INTERNAL", "The disk is full"));
    openPage(service, PATH);
    const alert = await screen.findByRole("alert");
    within(alert).getByText("The disk is full");
    within(alert).getByText(REQUEST_ID);
    screen.getByRole("button", { name: "Accepted 1" });
  });

  it("say that there are none, and why", async () => {
    openPage(
      serviceWith({ deliveryCount: 0 }, () => [[]]),
      PATH,
    );
    await screen.findByText("No deliveries");
    screen.getByText(/^The push had no recipients/);
  });
});

describe("a push that sends", () => {
  const SENDING = { state: "SENDING", acceptedCount: 0, pendingCount: 3, failedCount: 0 } as const;

  it("shows new counts and deliveries as they come", async () => {
    let found: Delivery[] = [];
    const service = serviceWith({ ...SENDING, unregisteredCount: 0 }, () => [found]);
    openPage(service, PATH);
    await screen.findByText("They appear here as they are written.");
    await screen.findByText("Live");
    found = [ACCEPTED];
    service.deliver(
      PushProgressDocument,
      { id: "90" },
      { pushProgress: { event: { ...EVENT, ...SENDING, acceptedCount: 2 } } },
    );
    await screen.findByRole("button", { name: "Accepted 2" });
    expect(await rows()).toHaveLength(1);
    service.deliver(PushProgressDocument, { id: "90" }, { pushProgress: { event: EVENT } });
    await screen.findAllByText("finished");
    expect(screen.queryByText("Live")).toBeNull();
  });

  it("is stopped after a question, with what waits", async () => {
    const service = serviceWith(SENDING, () => [[]]);
    service.answer(StopPushDocument, () => ({ stopPushEvent: { event: EVENT } }));
    const user = openPage(service, PATH);
    await user.click(await screen.findByRole("button", { name: "Stop …" }));
    const dialog = await screen.findByRole("dialog", { name: "Stop this push?" });
    within(dialog).getByText(/3 devices are waiting for their turn/);
    await user.click(
      within(dialog).getByRole("checkbox", { name: "Withdraw what is not sent yet" }),
    );
    expect(service.variablesOf(StopPushDocument)).toEqual([]);
    await user.dblClick(within(dialog).getByRole("button", { name: "Stop" }));
    await screen.findByText("The push is stopped.");
    expect(service.variablesOf(StopPushDocument)).toEqual([
      { input: { id: "90", withdrawUnsent: true } },
    ]);
  });

  it("is shown to support without a button to stop it", async () => {
    openPage(
      serviceWith(SENDING, () => [[ACCEPTED]]),
      PATH,
      "SUPPORT",
    );
    await rows();
    await screen.findByText("Live");
    expect(screen.queryByRole("button", { name: "Stop …" })).toBeNull();
  });
});
