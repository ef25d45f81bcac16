import { WebSocket } from "ws";
import { corrupt } from "../../tools/seeded-random";
import { type Known, learn, nextMessage } from "../input/janus-messages";
import { chance, pick, several } from "../input/random";
import { toJson } from "../input/values";
import { checkErrorText } from "./http-client";
import { closeCode, closing, opening, settle } from "./sockets";
import type { Case, Target } from "./target";

/** The endpoint of legacy conference clients: requests in any order, foreign ids, hostile SDPs, broken JSON. */
export const janus: Target = {
  name: "janus",
  weight: 2,
  concurrency: 8,
  async run(each) {
    const { random, deployment } = each;
    const { fixture } = deployment;
    const url = pick(random, deployment.nodes).urls["janus-ws"] ?? "";
    const socket = new WebSocket(url, chance(random, 96) ? "janus-protocol" : "xmpp");
    const known: Known = { sessions: [], handles: [] };
    let text = "";
    socket.on("message", (data) => {
      const message = String(data);
      if (text.length < 200_000) text += message;
      learn(known, message);
    });
    const closed = closeCode(socket);
    if (!(await opening(socket))) return each.outcome("refused");
    const token = fixture.token(random, 2);
    if (chance(random, 5)) socket.pause();
    if (chance(random, 92)) {
      send(each, socket, { janus: "create", transaction: "t", token });
      await settle();
    }
    for (const next of several(random, 1, 20, () => () => nextMessage(random, known, token))) {
      if (socket.readyState !== WebSocket.OPEN) break;
      send(each, socket, next());
      if (chance(random, 40)) await settle();
    }
    const code = await closing(socket, random, closed);
    each.outcome(`closed ${code}`);
    if (code === 1011) each.violation("the socket was closed with 1011");
    checkErrorText(each, text);
    await fixture.recheck(token);
  },
};

/** Sends a message as text or bytes, sometimes corrupted. */
function send(each: Case, socket: WebSocket, message: unknown): void {
  const { random } = each;
  let bytes: Buffer = Buffer.from(typeof message === "string" ? message : toJson(message));
  if (chance(random, 4)) bytes = corrupt(random, bytes);
  each.sent(bytes);
  socket.send(bytes, { binary: chance(random, 3) });
}
