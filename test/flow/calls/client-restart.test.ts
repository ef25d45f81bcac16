import { createServer } from "node:net";
import { graphql } from "../../../tools/graphql/graphql-http";
import { sendInput } from "../../support/calls/send-input";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import {
  type PrintedFolder,
  type PrintedProgram,
  printedFolder,
} from "../../support/printed-programs";
import { newUser, type TestUser } from "../../support/rest-client";

/**
 * Subscriptions outlive a restart of the service, as docs/SIGNALING.md and docs/FRONTEND.md print them. A single node
 * forgets its inboxes, Redis keeps them.
 */

/** Lets the clients' time pass two hundred times as fast, and prints each attempt to connect. */
const PRELOAD = `
  const wait = setTimeout;
  globalThis.setTimeout = (act, ms, ...rest) => wait(act, ms / 200, ...rest);
  const now = Date.now;
  const began = now();
  Date.now = () => began + 200 * (now() - began);
  globalThis.WebSocket = class extends globalThis.WebSocket {
    constructor(...parts) {
      super(...parts);
      console.log("connecting");
    }
  };`;
const PROGRAM = `
  const url = process.env.GRAPHQL_URL;
  const token = () => process.env.TOKEN;
  const query = \`subscription ($after: String, $allowGap: Boolean! = false) {
    callSignals(after: $after, allowGap: $allowGap) { id cursor callId }
  }\`;
  const seen = new Set();
  function take({ data, error }) {
    if (!data) throw error;
    const { id, callId } = data.callSignals;
    console.log(seen.has(id) ? "repeated" : callId);
    seen.add(id);
  }`;
const SUBSCRIPTIONS: Record<string, string> = {
  "graphql-ws": `
    import { openSocket } from "./socket.js";
    const socket = openSocket(url, token, () => console.log("gap"));
    const fail = (error) => take({ error });
    socket.subscribe({ query }, { next: take, error: fail, complete: () => fail("completed") });`,
  "Apollo Client": `
    import { gql } from "@apollo/client";
    import { openApollo } from "./apollo.js";
    import { openConnection } from "./signalbox-client/index.js";
    const connection = openConnection({ url: url.replace("/graphql", ""), session: token });
    openApollo(connection).subscribe({ query: gql(query) }).subscribe(take);`,
  urql: `
    import { openUrql } from "./urql.js";
    import { openConnection } from "./signalbox-client/index.js";
    const connection = openConnection({ url: url.replace("/graphql", ""), session: token });
    openUrql(connection).subscription(query, {}).subscribe(take);`,
};
/** More attempts than graphql-ws makes by default. */
const ATTEMPTS = 8;

const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

interface Client {
  name: string;
  user: TestUser;
  program: PrintedProgram;
}

let port: string;
let first: TestNode;
/** Serves senders while the first node is down, if the nodes share their inboxes. */
let beside: TestNode | undefined;
let second: TestNode | undefined;
let folder: PrintedFolder;
let ann: TestUser;
beforeAll(async () => {
  port = String(await fixedPort());
  first = await startNode({ PORT: port });
  if (hasServices) beside = await startNode({ PORT: "0" }, {}, first);
  folder = await printedFolder(first, PRELOAD);
  ann = await newUser(first);
});
afterAll(async () => {
  await folder?.close();
  await second?.stop();
  await beside?.stop();
  await first?.stop();
});

/** A free port that the system assigns to no other socket: Linux assigns from 32768 on. */
async function fixedPort(): Promise<number> {
  for (;;) {
    const candidate = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(candidate, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return candidate;
  }
}

async function send(node: TestNode, to: TestUser, callId: string): Promise<void> {
  const input = sendInput({ to: { userId: to.id }, signalType: "update", callId });
  const { errors } = await graphql(node, SEND, { input }, ann.token);
  if (errors?.[0]?.extensions?.code !== "UNAVAILABLE") expect(errors).toBeUndefined();
}

/**
 * Sends a signal until it arrives, since a client cannot tell when its subscription is active.
 * @returns the lines up to it, without attempts to connect and repeats of earlier signals
 */
async function sendUntilReceived(
  node: TestNode,
  { user, program }: Client,
  callId: string,
): Promise<string[]> {
  const lines: string[] = [];
  const isReceived = () => lines.at(-1) === callId;
  const reading = (async () => {
    while (!isReceived()) lines.push(await program.next());
  })();
  await Promise.race([reading, sendRepeatedly()]);
  await reading;
  return lines.filter((line) => line !== "connecting" && line !== "before");

  async function sendRepeatedly() {
    while (!isReceived()) await send(node, user, callId);
  }
}

test("subscriptions of graphql-ws, Apollo Client and urql outlive a restart of the service", async () => {
  const clients: Client[] = [];
  for (const [name, code] of Object.entries(SUBSCRIPTIONS)) {
    const user = await newUser(first);
    const environment = { GRAPHQL_URL: first.graphqlUrl, TOKEN: user.token };
    clients.push({ name, user, program: await folder.runCode(PROGRAM + code, environment) });
  }
  for (const client of clients) await sendUntilReceived(first, client, "before");
  await first.app.close();
  for (const { program } of clients) {
    for (let attempts = 0; attempts < ATTEMPTS; ) {
      if ((await program.next()) === "connecting") attempts += 1;
    }
  }
  if (beside) for (const { user } of clients) await send(beside, user, "meanwhile");
  second = await startNode({ PORT: port }, {}, first);
  for (const client of clients) {
    const missed = client.name === "graphql-ws" ? ["gap"] : [];
    const expected = hasServices ? ["meanwhile"] : missed;
    expect(await sendUntilReceived(second, client, "after")).toEqual([...expected, "after"]);
  }
});
