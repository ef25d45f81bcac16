import { screen, waitFor, within } from "@testing-library/react";
import {
  PreviewPushDocument,
  PushRecipientsDocument,
  type PushRecipientsQuery,
  SendPushDocument,
} from "../../dashboard/src/pages/push/compose.generated.ts";
import { PushEventDocument } from "../../dashboard/src/pages/push/events.generated.ts";
import { FakeService, REQUEST_ID, Refusal } from "../support/dashboard/components/fake-service.ts";
import { openPage } from "../support/dashboard/components/open-page.tsx";

/** A new push: whom it reaches, and the dialog that sends it. */

type Count = PushRecipientsQuery["application"]["pushRecipientCount"];

const PATH = "/applications/7/push/new";
const COUNT: Count = {
  ...{ deviceCount: 3, userCount: 2, isExact: true },
  channels: [
    { channel: "APNS", deviceCount: 1 },
    { channel: "GCM", deviceCount: 2 },
    { channel: "WEB", deviceCount: 0 },
  ],
};
/** The push that the tests send. */
const INPUT = {
  applicationId: "7",
  environment: "PRODUCTION",
  message: { notification: { title: "Line 4" } },
  userIds: ["41"],
  eventType: "ONE_SHOT",
};

/** A service that counts recipients and sends a push to two channels. */
function serviceWith(changes: Partial<Count> = {}): FakeService {
  const service = new FakeService();
  service.answer(PushRecipientsDocument, () => ({
    application: { id: "7", pushRecipientCount: { ...COUNT, ...changes } },
  }));
  service.answer(PreviewPushDocument, () => ({
    createPushEvent: { dryRun: { problems: [], channels: [] } },
  }));
  service.answer(SendPushDocument, () => ({
    createPushEvent: { events: [{ id: "90" }, { id: "91" }] },
  }));
  service.answer(PushEventDocument, () => ({ pushEvent: null }));
  return service;
}

/** Writes a push to one user, and opens the dialog that sends it. */
async function compose(service: FakeService) {
  const user = openPage(service, `${PATH}?user=41`);
  await user.type(await screen.findByRole("textbox", { name: "Title" }), "Line 4");
  await screen.findByText("Reaches 3 devices of 2 users.");
  await user.click(screen.getByRole("button", { name: "Send …" }));
  return { user, dialog: await screen.findByRole("dialog", { name: "Send this push?" }) };
}

describe("the recipients", () => {
  it("are counted for the tags that are entered, by channel", async () => {
    const service = serviceWith();
    const user = openPage(service, PATH);
    await user.type(await screen.findByRole("textbox", { name: "Tags" }), "north,vip{Enter}");
    await screen.findByText("Reaches 3 devices of 2 users.");
    screen.getByText("Apple 1");
    screen.getByText("Android 2");
    expect(screen.queryByText(/^Browsers/)).toBeNull();
    expect(service.variablesOf(PushRecipientsDocument).at(-1)).toEqual({
      applicationId: "7",
      recipients: { environment: "PRODUCTION", tagsAny: ["north", "vip"], voip: false },
    });
  });

  it.each([
    [{ deviceCount: 0, userCount: 0 }, /^Nobody of these has a device here/],
    [{ deviceCount: 1_000, isExact: false }, /^Reaches at least .* devices of 2 users\.$/],
  ])("are described: %j", async (changes, words) => {
    openPage(serviceWith(changes), `${PATH}?user=41`);
    await screen.findByText(words);
  });

  it("that cannot be counted say why, and are counted again", async () => {
    const service = serviceWith();
    service.refuse(PushRecipientsDocument, new Refusal("INTERNAL", "The disk is full"));
    const user = openPage(service, `${PATH}?user=41`);
    await screen.findByText("The disk is full");
    screen.getByText(REQUEST_ID);
    service.answer(PushRecipientsDocument, () => ({
      application: { id: "7", pushRecipientCount: COUNT },
    }));
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("Reaches 3 devices of 2 users.");
  });
});

describe("the dialog", () => {
  it("does not open before there is a message and somebody to get it", async () => {
    const service = serviceWith();
    const user = openPage(service, PATH);
    await user.click(await screen.findByRole("button", { name: "Send …" }));
    await screen.findByText("Enter a title or a text.");
    screen.getByText("Enter at least one.");
    expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Title" }));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("says whom the push reaches, and sends it once for a double click", async () => {
    const service = serviceWith();
    const { user, dialog } = await compose(service);
    within(dialog).getByText(/^It is sent at once to 3 devices of 2 users\./);
    expect(service.variablesOf(SendPushDocument)).toEqual([]);
    await user.dblClick(within(dialog).getByRole("button", { name: "Send now" }));
    await screen.findByText("The push is on its way.");
    expect(location.pathname).toBe("/applications/7/push/90,91");
    expect(service.variablesOf(SendPushDocument)).toEqual([
      { input: INPUT, idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ]);
  });

  it("keeps the key when the same push is sent again, so that it is sent once", async () => {
    const service = serviceWith();
    service.refuse(SendPushDocument, new Refusal("INTERNAL", "Nobody knows"));
    const { user, dialog } = await compose(service);
    await user.click(within(dialog).getByRole("button", { name: "Send now" }));
    within(await within(dialog).findByRole("alert")).getByText("Nobody knows");
    await user.click(within(dialog).getByRole("button", { name: "Send now" }));
    await waitFor(() => expect(service.variablesOf(SendPushDocument)).toHaveLength(2));
    await within(dialog).findByRole("alert");
    await user.keyboard("{Escape}");
    await user.type(screen.getByRole("textbox", { name: "Title" }), "5");
    await user.click(screen.getByRole("button", { name: "Send …" }));
    await user.click(await screen.findByRole("button", { name: "Send now" }));
    await waitFor(() => expect(service.variablesOf(SendPushDocument)).toHaveLength(3));
    const keys = service.variablesOf(SendPushDocument).map(({ idempotencyKey }) => idempotencyKey);
    expect(keys[1]).toBe(keys[0]);
    // Another text is another push.
    expect(keys[2]).not.toBe(keys[0]);
  });

  it("closes for reasons that belong to fields, and shows them there", async () => {
    const service = serviceWith();
    const fields = { "message.notification.title": ["is too long"] };
    service.refuse(SendPushDocument, new Refusal("INVALID", "Invalid input", fields));
    const { user, dialog } = await compose(service);
    await user.click(within(dialog).getByRole("button", { name: "Send now" }));
    await screen.findByText("is too long");
    expect(screen.queryByRole("dialog")).toBeNull();
    const title = screen.getByRole<HTMLInputElement>("textbox", { name: "Title" });
    expect(title.value).toBe("Line 4");
  });

  it("is not there for support, who learns why", async () => {
    const service = serviceWith();
    openPage(service, PATH, "SUPPORT");
    await screen.findByText("Your role (support) is read-only");
    expect(screen.queryByRole("button")).toBeNull();
    expect(screen.queryByRole("textbox")).toBeNull();
    expect(service.sent.map(({ name }) => name)).toEqual(["CurrentAccount"]);
  });
});
