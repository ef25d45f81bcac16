import { screen, within } from "@testing-library/react";
import {
  BlockUserDocument,
  UnblockUserDocument,
  UpdateUserDocument,
  UserDocument,
  type UserQuery,
} from "../../dashboard/src/pages/users/user/user.generated.ts";
import { FakeService, REQUEST_ID, Refusal } from "../support/dashboard/components/fake-service.ts";
import { openPage } from "../support/dashboard/components/open-page.tsx";

/** One user: the profile, and a block of the user. */

type User = NonNullable<UserQuery["user"]>;

const PATH = "/applications/7/users/41";
const SINCE = "2026-02-01T08:00:00Z";
const ANN: User = {
  ...{ id: "41", login: "ann.moreau", email: "ann@field.example", fullName: "Ann Moreau" },
  ...{ phone: null, website: null, tags: ["north"], timezone: 120, avatar: null },
  ...{
    customData: null,
    externalId: null,
    facebookId: null,
    twitterId: null,
  },
  ...{ isGuest: false, blockedAt: null, blockReason: null, lastRequestAt: null },
  ...{ createdAt: "2026-01-02T08:00:00Z", updatedAt: "2026-01-02T08:00:00Z" },
};

/** A service with one user, whom it blocks and unblocks. */
function serviceWith(changes: Partial<User> = {}): FakeService {
  const service = new FakeService();
  let user = { ...ANN, ...changes };
  service.answer(UserDocument, () => ({ user }));
  service.answer(BlockUserDocument, ({ input: { reason } }) => {
    user = { ...user, blockedAt: user.blockedAt ?? SINCE, blockReason: reason ?? null };
    return { blockUser: { user } };
  });
  service.answer(UnblockUserDocument, () => {
    user = { ...user, blockedAt: null, blockReason: null };
    return { unblockUser: { user } };
  });
  return service;
}

const notice = () => screen.findByRole("alert", { name: /^Blocked since/ });

it("shows who it is", async () => {
  openPage(serviceWith({ isGuest: true }), PATH);
  await screen.findByRole("heading", { level: 1, name: "Ann Moreau" });
  screen.getByText("Id 41");
  screen.getByText("Guest");
  const login = screen.getByRole<HTMLInputElement>("textbox", { name: "Login" });
  expect(login.value).toBe("ann.moreau");
  const back = screen.getByRole("link", { name: "← Users" });
  expect(back.getAttribute("href")).toBe("/applications/7/users");
  expect(screen.queryByText(/^Blocked/)).toBeNull();
});

it("who does not exist is said, and an error is shown with the service's words", async () => {
  const service = new FakeService();
  service.refuse(UserDocument, new Refusal("INTERNAL", "The disk is full"));
  const user = openPage(service, PATH);
  const alert = await screen.findByRole("alert");
  within(alert).getByText("The disk is full");
  within(alert).getByText(REQUEST_ID);
  service.answer(UserDocument, () => ({ user: null }));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("There is no such user");
  expect(screen.queryByRole("button", { name: "Block …" })).toBeNull();
});

it("sends of the profile only what was changed", async () => {
  const service = serviceWith();
  service.answer(UpdateUserDocument, ({ input }) => ({
    updateUser: { user: { ...ANN, phone: input.phone ?? null } },
  }));
  const user = openPage(service, PATH);
  await user.type(await screen.findByRole("textbox", { name: "Phone" }), "+49 30{Enter}");
  await screen.findByText("The profile is saved.");
  expect(service.variablesOf(UpdateUserDocument)).toEqual([
    { input: { id: "41", phone: "+49 30" } },
  ]);
  expect(screen.queryByText("Changes are not saved yet.")).toBeNull();
});

describe("a block", () => {
  it("is made with a reason, by the keyboard, after its effects are said", async () => {
    const service = serviceWith();
    const user = openPage(service, PATH);
    (await screen.findByRole("button", { name: "Block …" })).focus();
    await user.keyboard("{Enter}");
    const dialog = await screen.findByRole("dialog", { name: "Block Ann Moreau" });
    within(dialog).getByText(/signed out everywhere at once/);
    within(dialog).getByText(/can no longer sign in/);
    expect(service.variablesOf(BlockUserDocument)).toEqual([]);
    await user.type(within(dialog).getByRole("textbox", { name: "Reason" }), " Lost phone ");
    await user.tab();
    await user.tab();
    await user.keyboard("{Enter}");
    within(await notice()).getByText("Lost phone");
    await screen.findByText("Ann Moreau is blocked.");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.queryByRole("button", { name: "Block …" })).toBeNull();
    expect(service.variablesOf(BlockUserDocument)).toEqual([
      { input: { applicationId: "7", userId: "41", reason: "Lost phone" } },
    ]);
  });

  it("needs no reason, and Escape makes none", async () => {
    const service = serviceWith();
    const user = openPage(service, PATH);
    await user.click(await screen.findByRole("button", { name: "Block …" }));
    await screen.findByRole("dialog");
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(service.variablesOf(BlockUserDocument)).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Block …" }));
    const dialog = await screen.findByRole("dialog");
    await user.click(within(dialog).getByRole("button", { name: "Block" }));
    within(await notice()).getByText("No reason was noted.");
    expect(service.variablesOf(BlockUserDocument)).toMatchObject([{ input: { reason: null } }]);
  });

  it("that is refused leaves the dialog open, with the reason that was typed", async () => {
    const service = serviceWith();
    service.refuse(BlockUserDocument, new Refusal("FORBIDDEN", "Your role may not block users"));
    const user = openPage(service, PATH);
    await user.click(await screen.findByRole("button", { name: "Block …" }));
    const dialog = await screen.findByRole("dialog");
    const reason = within(dialog).getByRole<HTMLTextAreaElement>("textbox", { name: "Reason" });
    await user.type(reason, "Spam");
    await user.click(within(dialog).getByRole("button", { name: "Block" }));
    const alert = await within(dialog).findByRole("alert");
    within(alert).getByText("That is not allowed");
    within(alert).getByText("Your role may not block users");
    within(alert).getByText(REQUEST_ID);
    expect(reason.value).toBe("Spam");
    expect(screen.queryByText(/^Blocked since/)).toBeNull();
  });

  it("ends with one click", async () => {
    const service = serviceWith({ blockedAt: SINCE, blockReason: "Lost phone" });
    const user = openPage(service, PATH);
    await user.click(within(await notice()).getByRole("button", { name: "Unblock" }));
    await screen.findByText("Ann Moreau may sign in again.");
    await screen.findByRole("button", { name: "Block …" });
    expect(screen.queryByText(/^Blocked since/)).toBeNull();
    expect(service.variablesOf(UnblockUserDocument)).toEqual([
      { input: { applicationId: "7", userId: "41" } },
    ]);
  });

  it("that cannot be ended stays, with the service's words", async () => {
    const service = serviceWith({ blockedAt: SINCE });
    service.refuse(UnblockUserDocument, new Refusal("INTERNAL", "The disk is full"));
    const user = openPage(service, PATH);
    await user.click(within(await notice()).getByRole("button", { name: "Unblock" }));
    await within(await notice()).findByText("The disk is full");
    within(await notice()).getByRole("button", { name: "Unblock" });
  });

  it("has a reason that can be changed", async () => {
    const service = serviceWith({ blockedAt: SINCE, blockReason: "Lost phone" });
    const user = openPage(service, PATH);
    await user.click(within(await notice()).getByRole("button", { name: "Change the reason …" }));
    const dialog = await screen.findByRole("dialog", { name: "Change the reason" });
    const reason = within(dialog).getByRole<HTMLTextAreaElement>("textbox", { name: "Reason" });
    expect(reason.value).toBe("Lost phone");
    await user.clear(reason);
    await user.type(reason, "Stolen");
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    await screen.findByText("The reason is saved.");
    within(await notice()).getByText("Stolen");
  });

  it("is shown to support, who can change nothing", async () => {
    openPage(serviceWith({ blockedAt: SINCE, blockReason: "Lost phone" }), PATH, "SUPPORT");
    within(await notice()).getByText("Lost phone");
    screen.getByText("ann@field.example");
    expect(screen.queryByRole("textbox")).toBeNull();
    expect(screen.queryByRole("button")).toBeNull();
  });
});
