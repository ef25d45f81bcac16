import { purgeExpired } from "../../../src/open-domain";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openTestModules } from "../../support/auth-modules";
import { HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { type RestResponse, rest, signedParameters } from "../../support/rest-client";

/** A signed request works once: at both ends of its window, after a restart, and across two nodes. */

const PATHS = ["/session", "/session/web"];
const SECOND = 1_000;

const clock = new MovingClock();
/** The node that created the database, and the one that runs on it now. */
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

/** A request signed with a timestamp that differs by `seconds` from the server's time. */
const signedAt = (seconds: number) => signedParameters(node, clock.now() + seconds * SECOND);
const send = (path: string, body: object, to = node) => rest(to, "POST", path, { body });
/** The status and the fields with errors. */
const outcome = ({ status, body }: RestResponse) => [status, ...Object.keys(body.errors ?? {})];

/** Runs the purge, which the node runs every minute, with the clock of this file. */
async function runPurge(): Promise<void> {
  const modules = await openTestModules({ store: node.app.store, clock });
  await purgeExpired(modules.sessions);
  await modules.close();
}

describe.each(PATHS)("POST %s", (path) => {
  test("at the latest accepted timestamp is rejected as a replay during its whole two-hour window", async () => {
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

  test("at the earliest accepted timestamp is rejected as a replay, and a second later as too old", async () => {
    const body = signedAt(-3_600);
    expect(outcome(await send(path, body))).toEqual([201]);
    await runPurge();
    expect(outcome(await send(path, body))).toEqual([422, "nonce"]);
    clock.advance(SECOND);
    expect(outcome(await send(path, body))).toEqual([422, "timestamp"]);
  });

  test("is rejected as a replay at the other path and through GraphQL", async () => {
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

test("replays at both ends of the window are rejected after a restart", async () => {
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

// Two nodes need a shared PostgreSQL and Redis.
if (hasServices) {
  test.each(
    PATHS,
  )("fifty concurrent replays on two nodes create one session: POST %s", async (path) => {
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
