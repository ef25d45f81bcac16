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

describe("the confirmed writer", () => {
  it("closes the connection if the chat server does not respond in time", async () => {
    const { outbox, aborts } = open();
    void outbox.send("<message/>");
    await aborted(aborts);
  });

  it.each([
    ["before the ping", true],
    ["after the ping", false],
  ])("suspends the response timeout while reading is paused: paused %s", async (_when, before) => {
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

  it("restarts the response timeout when reading resumes", async () => {
    const { outbox, aborts } = open();
    void outbox.send("<message/>");
    outbox.hold(true);
    outbox.hold(false);
    await aborted(aborts);
  });
});
