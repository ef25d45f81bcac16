import { screen, within } from "@testing-library/react";
import {
  CallDetailsDocument,
  type CallDetailsQuery,
  EndCallDocument,
  LiveCallDocument,
} from "../../dashboard/src/pages/calls/call.generated.ts";
import { FakeService, Refusal } from "../support/dashboard/components/fake-service.ts";
import { openPage } from "../support/dashboard/components/open-page.tsx";

/** The page of a call: a member ends one that is in progress. */

const PATH = "/applications/7/calls/5";
const person = (id: string, fullName: string, caller: boolean) => ({
  userId: id,
  caller,
  state: "ACCEPTED" as const,
  reason: null,
  device: null,
  answeredAt: null,
  pushedAt: null,
  user: { id, fullName, login: fullName, email: null },
});
const LIVE: CallDetailsQuery["call"] = {
  id: "5",
  applicationId: "7",
  callId: "session",
  callType: "VIDEO",
  callerId: "41",
  state: "ACCEPTED",
  endReason: null,
  hungUpById: null,
  startedAt: "2026-03-01T08:00:00Z",
  acceptedAt: "2026-03-01T08:00:04Z",
  endedAt: null,
  answerSeconds: 4,
  timelineTruncated: false,
  participants: [person("41", "Ann Moreau", true), person("42", "Ben Okafor", false)],
  timeline: [],
};
const ENDED: CallDetailsQuery["call"] = {
  ...LIVE,
  state: "HUNG_UP",
  endReason: "ENDED_BY_MEMBER",
  endedAt: "2026-03-01T08:05:00Z",
};

function open(role: "SUPPORT" | "DEVELOPER", call = LIVE) {
  const service = new FakeService();
  let shown = call;
  service.answer(CallDetailsDocument, () => ({ call: shown }));
  service.answer(EndCallDocument, () => {
    shown = ENDED;
    return { endCall: { call: { id: "5" } } };
  });
  const user = openPage(service, PATH, role);
  return { service, user };
}

/** Asks to end the call, and confirms. */
async function end(user: ReturnType<typeof openPage>) {
  await user.click(await screen.findByRole("button", { name: "End the call …" }));
  const dialog = within(await screen.findByRole("dialog", { name: "End the call" }));
  dialog.getByText(/^2 people in the call get a hang-up at once/);
  await user.click(dialog.getByRole("button", { name: "End the call" }));
}

it("ends a call that is in progress, after a question, and says why it ended", async () => {
  const { service, user } = open("DEVELOPER");
  await end(user);
  await screen.findByText("A member of the account ended it: the audit log says who.");
  expect(service.variablesOf(EndCallDocument)).toEqual([{ input: { id: "5" } }]);
  expect(service.variablesOf(LiveCallDocument)).not.toEqual([]);
  expect(screen.queryByRole("button", { name: "End the call …" })).toBeNull();
});

it("shows in the dialog why a call cannot be ended", async () => {
  const { service, user } = open("DEVELOPER");
  service.refuse(EndCallDocument, new Refusal("CONFLICT", "The call has already ended"));
  await end(user);
  within(await screen.findByRole("alert")).getByText("The call has already ended");
});

it.each([
  ["support, who only reads", "SUPPORT", LIVE],
  ["a call that has ended", "DEVELOPER", ENDED],
] as const)("offers nothing to end for %s", async (_, role, call) => {
  open(role, call);
  await screen.findByText("What happened");
  expect(screen.queryByRole("button", { name: "End the call …" })).toBeNull();
});
