import { setTimeout as delay } from "node:timers/promises";
import { Outbox } from "../../src/xmpp/component/outbox";

const ANSWER_MS = 20;

/** An outbox on a link that takes everything and answers nothing by itself. */
function open() {
  const written: string[] = [];
  const aborts: string[] = [];
  const link = {
    up: true,
    write: (xml: string) => void written.push(xml),
    abort: (reason: string) => void aborts.push(reason),
  };
  const outbox = new Outbox(link, "calls.chat.example", "chat.example", "node", ANSWER_MS);
  const answer = () => outbox.answered(/id="([^"]+)"/.exec(written.at(-1) ?? "")?.[1] ?? "");
  return { outbox, aborts, answer };
}

const aborted = async (aborts: string[]) => {
  while (aborts.length === 0) await delay(5);
};

describe("the outbox of a link", () => {
  it("gives up a chat server that does not answer in time", async () => {
    const { outbox, aborts } = open();
    void outbox.send("<message/>");
    await aborted(aborts);
  });

  it.each([
    ["before it was asked", true],
    ["after", false],
  ])("expects no answer while nothing is read: held %s", async (_when, before) => {
    const { outbox, aborts, answer } = open();
    if (before) outbox.hold(true);
    const sending = outbox.send("<message/>");
    if (!before) outbox.hold(true);
    await delay(5 * ANSWER_MS);
    expect(aborts).toEqual([]);
    outbox.hold(false);
    expect(answer()).toBe(true);
    await sending;
    await delay(5 * ANSWER_MS);
    expect(aborts).toEqual([]);
  });

  it("expects it again once it is read", async () => {
    const { outbox, aborts } = open();
    void outbox.send("<message/>");
    outbox.hold(true);
    outbox.hold(false);
    await aborted(aborts);
  });
});
