import { screen, within } from "@testing-library/react";
import { AccountDetailsDocument } from "../../dashboard/src/pages/account/account-details.generated.ts";
import {
  InviteMemberDocument,
  type InviteMemberMutation,
  MembersDocument,
} from "../../dashboard/src/pages/account/members.generated.ts";
import { FakeService } from "../support/dashboard/components/fake-service.ts";
import { openPage } from "../support/dashboard/components/open-page.tsx";

/** The page of the account: what somebody who invites learns of the mail, and the link that is shown once. */

const EMAIL = "carol@example.com";
const LINK = "https://api.example/dashboard/#/invitation/the-secret";

async function invite(mail: InviteMemberMutation["inviteMember"]["mail"]) {
  const service = new FakeService();
  service.answer(MembersDocument, () => ({ account: { id: "1", members: [], invitations: [] } }));
  service.answer(AccountDetailsDocument, () => ({
    account: {
      id: "1",
      name: "Field service",
      accountKey: "key",
      apiEndpoint: null,
      chatEndpoint: null,
      turnserverEndpoint: null,
    },
  }));
  service.answer(InviteMemberDocument, () => ({
    inviteMember: { invitation: { id: "5", email: EMAIL }, link: LINK, mail },
  }));
  const user = openPage(service, "/account", "OWNER");
  await user.click(await screen.findByRole("button", { name: "Invite a member" }));
  await user.type(await screen.findByRole("textbox", { name: /^E-mail/ }), EMAIL);
  await user.click(screen.getByRole("button", { name: "Invite" }));
  const dialog = await screen.findByRole("dialog", { name: `${EMAIL} is invited` });
  return { user, service, dialog: within(dialog) };
}

it.each([
  ["QUEUED", /^A mail with the link is on its way\./],
  ["WRITTEN_TO_FILE", /^No mail was sent, .* wrote the mail to a file/],
  ["NOT_SENT", /^No mail was sent, since this server has no mail server/],
] as const)("shows the link once, and says what happened to the mail: %s", async (mail, text) => {
  const { user, service, dialog } = await invite(mail);
  dialog.getByText(text);
  dialog.getByText(LINK);
  expect(service.variablesOf(InviteMemberDocument)).toEqual([
    { input: { email: EMAIL, role: "SUPPORT" } },
  ]);
  await user.click(dialog.getAllByRole("button", { name: "Close" }).at(-1)!);
  await user.click(await screen.findByRole("button", { name: "Invite a member" }));
  await screen.findByRole("dialog", { name: "Invite a member" });
  expect(screen.queryByText(LINK)).toBeNull();
});
