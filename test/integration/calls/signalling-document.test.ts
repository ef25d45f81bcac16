import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { INBOX_ENTRIES_MAX } from "../../../src/platform/bus/bus";
import { AsyncQueue } from "../../../tools/async-queue";
import { graphql } from "../../../tools/graphql/graphql-http";
import { fillInbox } from "../../support/calls/fill-inbox";
import { sendInput } from "../../support/calls/send-input";
import { startNode, type TestNode } from "../../support/node";
import { type BreakableProxy, startBreakableProxy } from "../../support/operations/breakable-proxy";
import { PRINTED_FILES } from "../../support/printed-code";
import { newUser, rest, type TestUser } from "../../support/rest-client";

/** Runs the client that docs/SIGNALING.md prints, unchanged. */

const ROOT = join(__dirname, "../../..");
const PRINTED = PRINTED_FILES.get("call-signals.js");
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

let node: TestNode;
let way: BreakableProxy;
beforeAll(async () => {
  node = await startNode();
  way = await startBreakableProxy(Number(new URL(node.baseUrl).port));
});
afterAll(async () => {
  await way.close();
  await node.stop();
});

/** Runs the client. It prints the sessionID of each signal, null for a possible gap, and how it ended. */
function runDocumented(token: string) {
  const url = `ws://127.0.0.1:${way.port}/graphql`;
  const code = `
    globalThis.WebSocket ??= (await import("ws")).WebSocket;
    ${PRINTED}
    try {
      for await (const signal of callSignals(${JSON.stringify(url)}, async () => ${JSON.stringify(token)})) {
        console.log(signal === null ? "null" : signal.callId);
        if (signal?.callId === "enough") break;
      }
      console.log("done");
    } catch (problem) {
      console.log("ended " + (problem.code ?? problem[0]?.extensions?.code ?? problem));
    }
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = new AsyncQueue<string>();
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return { next: () => lines.next(), exited, stop: () => child.kill("SIGKILL") };
}

/** Sends a signal, again while the service is unavailable: on a busy machine the bus may time out. */
const send = async (from: TestUser, to: TestUser, callId: string) => {
  const input = { to: { userId: to.id }, signalType: "update", callId };
  for (;;) {
    const { errors } = await graphql(node, SEND, { input: sendInput(input) }, from.token);
    if (errors?.[0]?.extensions?.code === "UNAVAILABLE") continue;
    expect(errors).toBeUndefined();
    return;
  }
};

/** Repeats the first signal until it arrives, since a client cannot tell when its subscription is active. */
async function untilSubscribed(
  client: ReturnType<typeof runDocumented>,
  from: TestUser,
  to: TestUser,
) {
  let received = false;
  const first = client.next().then((line) => {
    received = true;
    expect(line).toBe("first");
  });
  while (!received) await send(from, to, "first");
  await first;
}

/** The next line other than repeats of the first. */
async function nextOf(client: ReturnType<typeof runDocumented>): Promise<string> {
  for (;;) {
    const line = await client.next();
    if (line !== "first") return line;
  }
}

it("resumes after a lost connection, until it is stopped", async () => {
  const [alice, bob] = [await newUser(node), await newUser(node)];
  const client = runDocumented(bob.token);
  try {
    await untilSubscribed(client, alice, bob);
    for (const turn of [1, 2, 3]) {
      way.breakConnections();
      await send(alice, bob, `during ${turn}`);
      expect(await nextOf(client)).toBe(`during ${turn}`);
    }
    await send(alice, bob, "enough");
    expect(await nextOf(client)).toBe("enough");
    expect(await client.next()).toBe("done");
    await client.exited;
  } finally {
    client.stop();
  }
});

it("reports possible gaps when its cursor has expired, and receives what is left", async () => {
  const [alice, bob] = [await newUser(node), await newUser(node)];
  const client = runDocumented(bob.token);
  // Points the proxy at a port without a listener, so that the client retries.
  const lead = (port: number) => {
    way.redirect(port);
    way.breakConnections();
  };
  try {
    await untilSubscribed(client, alice, bob);
    lead(1);
    await send(alice, bob, "forgotten");
    await fillInbox(node, alice, bob, "forgotten");
    lead(Number(new URL(node.baseUrl).port));
    expect(await nextOf(client)).toBe("null");
    const received: string[] = [];
    const listening = (async () => {
      while (received.at(-1) !== "after") received.push(await nextOf(client));
    })();
    while (received.at(-1) !== "after") await send(alice, bob, "after");
    await listening;
    // The oldest make room for each "after" that was sent before the client was back.
    expect(received.length).toBeGreaterThan(INBOX_ENTRIES_MAX / 2);
    expect(new Set(received.slice(0, -1))).toEqual(new Set(["forgotten"]));
  } finally {
    client.stop();
    way.redirect(Number(new URL(node.baseUrl).port));
  }
});

it("ends with the session", async () => {
  const [alice, bob] = [await newUser(node), await newUser(node)];
  const client = runDocumented(bob.token);
  try {
    await untilSubscribed(client, alice, bob);
    await rest(node, "DELETE", "/session", { token: bob.token });
    expect(await nextOf(client)).toBe("ended 4401");
    await client.exited;
    const late = runDocumented(bob.token);
    expect(await late.next()).toBe("ended 4401");
    await late.exited;
  } finally {
    client.stop();
  }
});
