import { openLocalBus } from "../../src/bus/local";
import { openLimiters } from "../../src/bus/open-limiter";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { newKey } from "../../src/core/random";
import { Sealer } from "../../src/core/sealer";
import { openIdentity } from "../../src/identity/identity";
import { Limits } from "../../src/identity/limits";
import { purge } from "../../src/identity/purge";
import { type Answer, graphql, rest, signed } from "../support/client";
import { hasServices } from "../support/database";
import { HOUR, MovingClock } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";

/** A signed request is good once: at the edges of its window, after a restart, on two nodes at once. */

const PATHS = ["/session", "/session/web"];
const SECOND = 1_000;

const clock = new MovingClock();
/** The node that the database was made with, and the one that runs on it. */
let first: TestNode;
let node: TestNode;
beforeAll(async () => {
  clock.hold(true);
  first = await startNode({}, { clock });
  node = first;
});
afterAll(async () => {
  await node.stop();
  await first.stop();
});

/** A request signed with a timestamp that is so many seconds from the server's time. */
const signedAt = (seconds: number) => signed(node, clock.now() + seconds * SECOND);
const send = (path: string, body: object, to = node) => rest(to, "POST", path, { body });
/** The status, and what was wrong. */
const outcome = ({ status, body }: Answer) => [status, ...Object.keys(body.errors ?? {})];

/** Deletes what is over by the clock of this file, as the node does every minute. */
async function runPurge(): Promise<void> {
  const log = openLog("silent");
  const config = readConfig({});
  const bus = openLocalBus(clock, log);
  const limiters = await openLimiters({ config, log, clock });
  const identity = await openIdentity({
    ...{ config, store: node.app.store, bus, clock, log },
    limits: new Limits(config, limiters),
    sealer: new Sealer([newKey()]),
    endpoints: { api: () => "", chat: "", turn: "" },
  });
  await purge(identity);
  await identity.close();
  await limiters.close();
  await bus.close();
}

describe.each(PATHS)("POST %s", (path) => {
  test("of the farthest future is refused again for the two hours that it would be accepted", async () => {
    const body = signedAt(3_600);
    expect(outcome(await send(path, body))).toEqual([201]);
    for (const ms of [0, SECOND, HOUR, HOUR - 2 * SECOND, SECOND]) {
      clock.advance(ms);
      await runPurge();
      expect(outcome(await send(path, body))).toEqual([422, "nonce"]);
    }
    clock.advance(SECOND);
    expect(outcome(await send(path, body))).toEqual([422, "timestamp"]);
  });

  test("of the farthest past is refused again in its last second, and by its timestamp after it", async () => {
    const body = signedAt(-3_600);
    expect(outcome(await send(path, body))).toEqual([201]);
    await runPurge();
    expect(outcome(await send(path, body))).toEqual([422, "nonce"]);
    clock.advance(SECOND);
    expect(outcome(await send(path, body))).toEqual([422, "timestamp"]);
  });

  test("is refused at the other path, and through GraphQL", async () => {
    const body = signedAt(0);
    expect(outcome(await send(path, body))).toEqual([201]);
    for (const other of PATHS) expect(outcome(await send(other, body))).toEqual([422, "nonce"]);
    const { application_id, auth_key, ...rest_ } = body;
    const input = { ...rest_, applicationId: application_id, authKey: auth_key };
    for (const name of ["createSession", "createWebSession"]) {
      const type = `C${name.slice(1)}Input`;
      const query = `mutation ($input: ${type}!) { ${name}(input: $input) { session { id } } }`;
      const { errors } = await graphql(node, query, { input });
      expect(Object.keys(errors?.[0].extensions.fields)).toEqual(["nonce"]);
    }
  });
});

test("requests at both edges are refused again after a restart", async () => {
  const bodies = [signedAt(3_600), signedAt(0), signedAt(-3_600)];
  for (const body of bodies) expect(outcome(await send("/session", body))).toEqual([201]);
  await node.app.close();
  const again = await startNode({}, { clock }, node);
  try {
    for (const path of PATHS) {
      for (const body of bodies) {
        expect(outcome(await send(path, body, again))).toEqual([422, "nonce"]);
      }
    }
  } finally {
    await again.app.close();
    node = await startNode({}, { clock }, node);
  }
});

// Two nodes want a PostgreSQL and a Redis between them.
if (hasServices) {
  test.each(PATHS)("fifty at once on two nodes are one session: POST %s", async (path) => {
    const two = await startNode({}, { clock }, node);
    try {
      for (const seconds of [-3_600, 0, 3_600]) {
        const body = signedAt(seconds);
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, index) => send(path, body, index % 2 ? node : two)),
        );
        const won = answers.filter(({ status }) => status === 201);
        expect(won).toHaveLength(1);
        const lost = answers.filter(({ status }) => status !== 201);
        expect(lost.map(outcome)).toEqual(Array(49).fill([422, "nonce"]));
        for (const each of [node, two]) {
          expect(outcome(await send(path, body, each))).toEqual([422, "nonce"]);
        }
      }
    } finally {
      await two.stop();
    }
  });
}
