import { corrupt, type Random } from "../../tools/seeded-random";
import { type Known, learn, nextMessage, pathId } from "../input/janus-messages";
import { chance, pick, several } from "../input/random";
import { hostileText, toJson, urlEncode } from "../input/values";
import { sendHttp } from "./http-client";
import type { Case, Target } from "./target";

/** Time after which a client gives a poll up, in milliseconds. */
const POLL_MS = 200;
const TYPES = ["application/json", "text/plain;charset=UTF-8", "application/xml", ";"];
const METHODS = ["PUT", "DELETE", "OPTIONS", "HEAD", "GET"];

/**
 * The same endpoint by long polling: messages whose ids are in the path, polls of own, foreign and ended sessions
 * beside them, and clients that leave.
 */
export const janusPolling: Target = {
  name: "janus-polling",
  weight: 2,
  concurrency: 8,
  async run(each) {
    const { random, deployment } = each;
    const { fixture } = deployment;
    // Sessions are of a node, as clients stay with one.
    const url = pick(random, deployment.nodes).urls.http ?? "";
    const token = fixture.token(random, 2);
    const known: Known = { sessions: [], handles: [] };
    const create = { janus: "create", transaction: "t", token };
    if (chance(random, 92)) await post(each, url, known, "", create);
    const polls: Promise<void>[] = [];
    for (const next of several(random, 1, 12, () => () => nextMessage(random, known, token))) {
      if (chance(random, 25)) polls.push(poll(each, url, known, token));
      await post(each, url, known, pathOf(random, known), next());
    }
    await Promise.all(polls);
    for (const session of chance(random, 97) ? known.sessions : []) {
      await post(each, url, known, `/${session}`, { ...create, janus: "destroy" });
    }
    await fixture.recheck(token);
  },
};

function pathOf(random: Random, known: Known): string {
  const levels = pick(random, [0, 1, 1, 2, 2, 2, 2, 3]);
  const ids = [known.sessions, known.handles, known.handles].slice(0, levels);
  return ids.map((each) => `/${pathId(random, each)}`).join("");
}

/** Posts a message, sometimes corrupted, and learns from the answer. */
async function post(each: Case, url: string, known: Known, path: string, message: unknown) {
  const { random } = each;
  let body: Buffer = Buffer.from(typeof message === "string" ? message : toJson(message));
  if (chance(random, 4)) body = corrupt(random, body);
  const type = chance(random, 80) ? "application/json" : pick(random, TYPES);
  const method = chance(random, 97) ? "POST" : pick(random, METHODS);
  const headers = { "Content-Type": type };
  // A GET of a session is a poll, and so is a HEAD.
  const leaveAfterMs = method === "POST" ? undefined : POLL_MS;
  const input = { method, path: `/janus${path}`, headers, body, leaveAfterMs };
  const { text } = await sendHttp(each, url, input);
  if (text.startsWith('{"janus"')) learn(known, text);
}

/** Polls once, with a query that is wrong in some cases. */
async function poll(each: Case, url: string, known: Known, token: string | undefined) {
  const { random } = each;
  const query = [
    `rid=${random(2 ** 31)}`,
    `maxev=${urlEncode(chance(random, 70) ? String(random(12)) : hostileText(random))}`,
    `token=${urlEncode(chance(random, 90) ? (token ?? "") : hostileText(random))}`,
    ...(chance(random, 3) ? ["token[]=a", "maxev=1&maxev=2"] : []),
  ];
  const path = `/janus/${pathId(random, known.sessions)}?${query.join("&")}`;
  const leaveAfterMs = chance(random, 95) ? POLL_MS : 0;
  await sendHttp(each, url, { method: "GET", path, headers: {}, leaveAfterMs });
}
