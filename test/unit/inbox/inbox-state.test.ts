import type { DecodedEntry } from "../../../src/domain/calls/inbox/inbox-log";
import { InboxState, type RingingCall } from "../../../src/domain/calls/inbox/inbox-state";
import type { AnswerType } from "../../../src/domain/calls/inbox/subscriber";

const me = { applicationId: 7, userId: 42 };
const ann = { applicationId: 7, userId: 1 };
const bob = { applicationId: 7, userId: 2 };
type Content = DecodedEntry["content"];

const signal =
  (type: string) =>
  (from = ann, callId = "s", resource?: string): Content => ({
    id: type,
    from,
    to: { ...me, resource },
    type,
    callId,
    extra: [],
  });
const [call, hangUp, accept] = [signal("call"), signal("hangUp"), signal("accept")];
const answer = (answerType: AnswerType, device: string, callId = "s", peer = ann): Content => ({
  kind: "answer",
  answerType,
  device,
  callId,
  peer,
});

/** The state of an inbox whose entries have the cursors `1`, `2`, …. */
const stateOf = (contents: Content[]) => {
  const state = new InboxState();
  for (const [index, content] of contents.entries()) {
    state.apply({ cursor: String(index + 1), content });
  }
  return state;
};

describe("ringing calls", () => {
  const ROWS: [name: string, log: Content[], cursors: string[]][] = [
    ["a call", [call()], ["1"]],
    ["only its last repeat", [call(), call(), call()], ["3"]],
    ["calls in the order of their last repeats", [call(), call(bob, "t"), call()], ["2", "3"]],
    ["none after a hang-up of the caller", [call(), hangUp()], []],
    ["one after a hang-up of somebody else", [call(), hangUp(bob)], ["1"]],
    ["one whose caller hung up another call", [call(), hangUp(ann, "t")], ["1"]],
    ["one that was started again", [call(), hangUp(), call()], ["3"]],
    ["none that a device accepted", [call(), answer("accept", "a")], []],
    ["none that a device rejected", [call(), answer("reject", "a")], []],
    ["none that a device hung up", [call(), answer("hangUp", "a")], []],
    ["none whose repeat follows the answer", [call(), answer("reject", "a"), call()], []],
    [
      "one that was started again after the answer",
      [call(), answer("accept", "a"), hangUp(), call()],
      ["4"],
    ],
    [
      "none of a group call that was accepted from another member",
      [call(), call(bob), answer("accept", "a")],
      [],
    ],
    ["both of a group call", [call(), call(bob)], ["1", "2"]],
    ["one to this device, and none to another", [call(ann, "s", "a"), call(bob, "t", "b")], ["1"]],
    ["no other signal", [accept()], []],
  ];
  test.each(ROWS)("%s", (_name, log, cursors) => {
    expect(
      stateOf(log)
        .ringingCalls("a")
        .map(({ cursor }) => cursor),
    ).toEqual(cursors);
  });

  test("have the cursor of the previous entry", () => {
    const second: Partial<RingingCall> = { cursor: "2", previousCursor: "1" };
    expect(stateOf([accept(), call()]).ringingCalls("a")).toMatchObject([second]);
    const first: Partial<RingingCall> = { previousCursor: "" };
    expect(stateOf([call()]).ringingCalls("a")).toMatchObject([first]);
  });
});

describe("the effective answers", () => {
  const ROWS: [name: string, log: Content[], settling: string[]][] = [
    ["nobody", [call()], []],
    ["the first", [call(), answer("accept", "a"), answer("accept", "b")], ["2"]],
    ["the first, only once", [call(), answer("accept", "a"), answer("accept", "a")], ["2"]],
    [
      "the first, regardless of another's answer",
      [call(), answer("accept", "a"), answer("reject", "b"), answer("hangUp", "b")],
      ["2"],
    ],
    [
      "nobody when the first hangs up",
      [call(), answer("accept", "a"), answer("hangUp", "a")],
      ["2", "3"],
    ],
    [
      "the next one after that",
      [call(), answer("accept", "a"), answer("reject", "a"), answer("accept", "b")],
      ["2", "3", "4"],
    ],
    ["nobody when one declines", [call(), answer("reject", "a"), answer("reject", "b")], ["2"]],
    [
      "one, although another declined",
      [call(), answer("reject", "a"), answer("accept", "b")],
      ["2", "3"],
    ],
    ["nobody for a call that never rang here", [answer("hangUp", "a")], []],
    ["the first, even when the caller hangs up", [call(), answer("accept", "a"), hangUp()], ["2"]],
    [
      "nobody when the caller calls again",
      [call(), answer("accept", "a"), hangUp(), call()],
      ["2"],
    ],
    [
      "the first for this call only",
      [answer("accept", "b", "t"), answer("accept", "a")],
      ["1", "2"],
    ],
  ];
  test.each(ROWS)("%s", (_name, log, settling) => {
    expect([...stateOf(log).ringStoppingAnswers]).toEqual(settling);
  });
});
