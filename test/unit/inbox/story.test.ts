import type { AnswerWord } from "../../../src/calls/device";
import type { LogEntry } from "../../../src/calls/inbox/log";
import { type Ringing, Story } from "../../../src/calls/inbox/story";

const me = { applicationId: 7, userId: 42 };
const ann = { applicationId: 7, userId: 1 };
const bob = { applicationId: 7, userId: 2 };
type Content = LogEntry["content"];

const signal =
  (type: string) =>
  (from = ann, sessionId = "s", resource?: string): Content => ({
    ...{ id: type, from, to: { ...me, resource }, type, sessionId, extra: [] },
  });
const [call, hangUp, accept] = [signal("call"), signal("hangUp"), signal("accept")];
const mark = (word: AnswerWord, device: string, sessionId = "s", peer = ann): Content => ({
  ...{ mark: "answer", word, device, sessionId, peer },
});

/** The state of an inbox whose entries have the cursors `1`, `2`, …. */
const tell = (contents: Content[]) => {
  const story = new Story();
  for (const [index, content] of contents.entries()) {
    story.take({ cursor: String(index + 1), content });
  }
  return story;
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
    ["none that a device accepted", [call(), mark("accept", "a")], []],
    ["none that a device rejected", [call(), mark("reject", "a")], []],
    ["none that a device hung up", [call(), mark("hangUp", "a")], []],
    ["none whose repeat follows the answer", [call(), mark("reject", "a"), call()], []],
    [
      "one that was started again after the answer",
      [call(), mark("accept", "a"), hangUp(), call()],
      ["4"],
    ],
    [
      "none of a group call that was accepted from another member",
      [call(), call(bob), mark("accept", "a")],
      [],
    ],
    ["both of a group call", [call(), call(bob)], ["1", "2"]],
    ["one to this device, and none to another", [call(ann, "s", "a"), call(bob, "t", "b")], ["1"]],
    ["no other signal", [accept()], []],
  ];
  test.each(ROWS)("%s", (_name, log, cursors) => {
    expect(
      tell(log)
        .ringing("a")
        .map(({ cursor }) => cursor),
    ).toEqual(cursors);
  });

  test("have the cursor of the previous entry", () => {
    const second: Partial<Ringing> = { cursor: "2", before: "1" };
    expect(tell([accept(), call()]).ringing("a")).toMatchObject([second]);
    const first: Partial<Ringing> = { before: "" };
    expect(tell([call()]).ringing("a")).toMatchObject([first]);
  });
});

describe("the accepting device, and the effective answers", () => {
  const ROWS: [name: string, log: Content[], holder: string | undefined, settling: string[]][] = [
    ["nobody", [call()], undefined, []],
    ["the first", [call(), mark("accept", "a"), mark("accept", "b")], "a", ["2"]],
    ["the first, only once", [call(), mark("accept", "a"), mark("accept", "a")], "a", ["2"]],
    [
      "the first, regardless of another's answer",
      [call(), mark("accept", "a"), mark("reject", "b"), mark("hangUp", "b")],
      "a",
      ["2"],
    ],
    [
      "nobody when the first hangs up",
      [call(), mark("accept", "a"), mark("hangUp", "a")],
      undefined,
      ["2", "3"],
    ],
    [
      "the next one after that",
      [call(), mark("accept", "a"), mark("reject", "a"), mark("accept", "b")],
      "b",
      ["2", "3", "4"],
    ],
    [
      "nobody when one declines",
      [call(), mark("reject", "a"), mark("reject", "b")],
      undefined,
      ["2"],
    ],
    [
      "one, although another declined",
      [call(), mark("reject", "a"), mark("accept", "b")],
      "b",
      ["2", "3"],
    ],
    ["nobody for a call that never rang here", [mark("hangUp", "a")], undefined, []],
    [
      "the first, even when the caller hangs up",
      [call(), mark("accept", "a"), hangUp()],
      "a",
      ["2"],
    ],
    [
      "nobody when the caller calls again",
      [call(), mark("accept", "a"), hangUp(), call()],
      undefined,
      ["2"],
    ],
    [
      "the first for this call only",
      [mark("accept", "b", "t"), mark("accept", "a")],
      "a",
      ["1", "2"],
    ],
  ];
  test.each(ROWS)("%s", (_name, log, holder, settling) => {
    const story = tell(log);
    expect(story.holder("s")).toBe(holder);
    expect([...story.settling]).toEqual(settling);
  });
});

test("the last acknowledgement of a device is effective", () => {
  const story = tell([
    { mark: "bound", device: "a", at: "x" },
    { mark: "acknowledged", device: "a", at: "y" },
    { mark: "bound", device: "b", at: "" },
  ]);
  expect(["a", "b", "c"].map((device) => story.position(device))).toEqual(["y", "", undefined]);
});
