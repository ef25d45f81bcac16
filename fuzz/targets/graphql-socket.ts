import type { Socket } from "node:net";
import { WebSocket } from "ws";
import { corrupt, type Random } from "../../tools/seeded-random";
import type { Fixture } from "../deployment/fixture";
import { mutateRequest } from "../input/document-mutations";
import { DocumentMaker } from "../input/documents";
import { chance, pick, several } from "../input/random";
import { hostileValue, toJson } from "../input/values";
import { admitted } from "./graphql";
import { checkErrorText } from "./http-client";
import { closeCode, closing, opening, settle } from "./sockets";
import type { Case, Target } from "./target";

/** Close codes for failures of the server: RFC 6455 section 7.4.1, graphql-ws's PROTOCOL.md. */
const FAILURES = [1011, 4500];
const IDS = ["1", "2", "a", "", "__proto__", "constructor"];

/** Operations whose ids are used again. */
const REUSED = [
  "subscription { callSignals { id } }",
  "subscription { callAnswers { callId } }",
  "subscription { callChanges { callId } }",
  "{ currentSession { id } }",
  "{ nothing }",
];

/** The GraphQL socket: messages in any order, broken JSON, binary frames, fragments, slow readers. */
export const graphqlSocket: Target = {
  name: "socket",
  weight: 3,
  concurrency: 8,
  async run(each) {
    const { random, deployment } = each;
    const { fixture } = deployment;
    const url = `${pick(random, deployment.nodes).urls.http?.replace("http", "ws")}/graphql`;
    const protocol = chance(random, 96)
      ? "graphql-transport-ws"
      : pick(random, ["graphql-ws", "xmpp"]);
    const socket = new WebSocket(url, protocol);
    let text = "";
    const received: string[] = [];
    let lost = false;
    let acknowledge: () => void;
    const acknowledged = Promise.race([
      new Promise<void>((resolve) => {
        acknowledge = resolve;
      }),
      settle(500),
    ]);
    socket.on("message", (data) => {
      const message = String(data);
      received.push(message);
      acknowledge();
      if (text.length < 200_000) text += message;
      lost ||= message.includes("Required session does not exist");
    });
    const closed = closeCode(socket);
    if (!(await opening(socket))) return each.outcome("refused");
    const token = fixture.token(random, 6);
    if (chance(random, 10)) socket.pause();
    if (chance(random, 92)) send(each, socket, { type: "connection_init", payload: { token } });
    // Without waiting, the socket is closed because it is not initialized.
    if (chance(random, 90)) await acknowledged;
    if (chance(random, 20)) {
      await reuseId(each, socket, () => received);
    } else {
      for (const message of several(random, 1, 14, () => nextMessage(random, fixture, token))) {
        if (socket.readyState !== WebSocket.OPEN) break;
        send(each, socket, message);
        if (chance(random, 15)) await settle();
      }
    }
    const code = await closing(socket, random, closed);
    each.outcome(`closed ${code}`);
    if (FAILURES.includes(code)) each.violation(`the socket was closed with ${code}`);
    checkErrorText(each, text);
    if (lost || code === 4401) await fixture.replace(token);
    else await fixture.recheck(token);
  },
};

/**
 * Uses one id again in one write: subscribes, completes and subscribes, hundreds of times. The client gets at most one
 * end of each operation, and none after it has completed the last one.
 */
async function reuseId(
  each: Case,
  socket: WebSocket,
  received: () => readonly string[],
): Promise<void> {
  const { random } = each;
  const id = pick(random, IDS.filter(Boolean));
  const queries = several(random, 1, 3, () => pick(random, REUSED));
  const { _socket: stream } = socket as unknown as { _socket?: Socket };
  stream?.cork();
  let started = 0;
  for (let pair = random(300); pair >= 0; pair -= 1) {
    const subscribe = { id, type: "subscribe", payload: { query: pick(random, queries) } };
    const text = JSON.stringify(subscribe) + JSON.stringify({ id, type: "complete" });
    each.sent(Buffer.from(text));
    socket.send(JSON.stringify(subscribe));
    started += 1;
    // Without it, the next subscribe of the id closes the socket with 4409.
    if (chance(random, 99)) socket.send(JSON.stringify({ id, type: "complete" }));
  }
  stream?.uncork();
  await settle();
  const ends = received().filter((message) =>
    /^\{"id":"[^"]*","type":"(?:complete|error)"/.test(message),
  ).length;
  if (ends > started) each.violation(`${started} operations of one id ended ${ends} times`);
}

/** Sends a message as text or bytes, whole or in fragments, sometimes corrupted. */
function send(each: Case, socket: WebSocket, message: unknown): void {
  const { random } = each;
  let bytes: Buffer = Buffer.from(typeof message === "string" ? message : toJson(message));
  if (chance(random, 6)) bytes = corrupt(random, bytes);
  each.sent(bytes);
  const binary = chance(random, 4);
  if (chance(random, 90)) return void socket.send(bytes, { binary });
  const at = random(bytes.length + 1);
  socket.send(bytes.subarray(0, at), { binary, fin: false });
  socket.send(bytes.subarray(at), { binary, fin: chance(random, 95) });
}

function nextMessage(random: Random, fixture: Fixture, token: string | undefined): unknown {
  const id = pick(random, IDS);
  const kind = random(100);
  if (kind < 80) {
    const made = new DocumentMaker(random, fixture, 10).make();
    const request = mutateRequest(random, made);
    // The socket's token cannot change, so operations that the owner must not run are replaced.
    const allowed = token === undefined || admitted(fixture, request, token) === token;
    return { id, type: "subscribe", payload: allowed ? request : { query: "{ __typename }" } };
  }
  if (kind < 86) return { id, type: "complete" };
  if (kind < 91) return { type: "ping", payload: { a: 1 } };
  if (kind < 94) return { type: "pong" };
  if (kind < 95) return { type: "connection_init", payload: { token: fixture.token(random, 0) } };
  if (kind < 97) {
    const type = pick(random, ["subscribe", "complete", "next", "error", "connection_ack", "x"]);
    return { id: hostileValue(random), type, payload: hostileValue(random) };
  }
  if (kind < 98) return "x".repeat(random(300_000));
  return hostileValue(random);
}
