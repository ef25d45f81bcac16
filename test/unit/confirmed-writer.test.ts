import { setTimeout as delay } from "node:timers/promises";
import { ConfirmedWriter } from "../../src/transports/xmpp/component/confirmed-writer";

const RESPONSE_TIMEOUT_MS = 20;

/** A writer on a connection that responds only when the test says so. */
function open() {
  const written: string[] = [];
  const aborts: string[] = [];
  const connection = {
    up: true,
    write: (xml: string) => void written.push(xml),
    abort: (reason: string) => void aborts.push(reason),
  };
  const from = "calls.chat.example";
  const writer = new ConfirmedWriter(connection, from, "chat.example", "node", RESPONSE_TIMEOUT_MS);
  const respond = () => writer.handleResponse(/id="([^"]+)"/.exec(written.at(-1) ?? "")?.[1] ?? "");
  return { writer, aborts, respond };
}

const aborted = async (aborts: string[]) => {
  while (aborts.length === 0) await delay(5);
};

describe("the confirmed writer", () => {
  it("closes the connection if the chat server does not respond in time", async () => {
    const { writer, aborts } = open();
    void writer.send("<message/>");
    await aborted(aborts);
  });

  it.each([
    ["before the ping", true],
    ["after the ping", false],
  ])("suspends the response timeout while reading is paused: paused %s", async (_when, before) => {
    const { writer, aborts, respond } = open();
    if (before) writer.setPaused(true);
    const sending = writer.send("<message/>");
    if (!before) writer.setPaused(true);
    await delay(5 * RESPONSE_TIMEOUT_MS);
    expect(aborts).toEqual([]);
    writer.setPaused(false);
    expect(respond()).toBe(true);
    await sending;
    await delay(5 * RESPONSE_TIMEOUT_MS);
    expect(aborts).toEqual([]);
  });

  it("restarts the response timeout when reading resumes", async () => {
    const { writer, aborts } = open();
    void writer.send("<message/>");
    writer.setPaused(true);
    writer.setPaused(false);
    await aborted(aborts);
  });
});
