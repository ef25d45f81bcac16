import { createHmac } from "node:crypto";
import { isoSeconds } from "../../../src/core/clock";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signedParameters, type TestUser } from "../../support/rest-client";

const SECRET = "secret-of-the-test-for-turn";
const QUERY = "{ iceServers { urls username credential expiresAt } }";
/** The node's fixed time. */
const NOW = Math.floor(Date.now() / 1000) * 1000;
const EXPIRY = NOW + 43_200_000;

let node: TestNode;
let user: TestUser;
beforeAll(async () => {
  node = await startNode(
    { TURN_URLS: "turn:turn.example:3478?transport=udp,stun:turn.example", TURN_SECRET: SECRET },
    { clock: { now: () => NOW } },
  );
  user = await newUser(node);
});
afterAll(() => node.stop());

const expected = ({ id }: { id: number }) => {
  const username = `${EXPIRY / 1000}:${id}-${node.application.id}`;
  return [
    {
      urls: ["turn:turn.example:3478?transport=udp", "stun:turn.example"],
      username,
      credential: createHmac("sha1", SECRET).update(username).digest("base64"),
      expiresAt: isoSeconds(new Date(EXPIRY)),
    },
  ];
};

it("returns valid RTCIceServers, over HTTP and over the WebSocket", async () => {
  const { data } = await graphql(node, QUERY, {}, user.token);
  expect(data.iceServers).toEqual(expected(user));
  const socket = await openSocket(node, user.token);
  expect((await socket.run(QUERY)).data).toEqual({ iceServers: expected(user) });
  await socket.close();
});

it("identifies the user only by id, also a guest", async () => {
  const body = { ...signedParameters(node, NOW), user: { guest: "1", full_name: "Zoë" } };
  const { session } = (await rest(node, "POST", "/session", { body })).body;
  const { data } = await graphql(node, QUERY, {}, session.token);
  expect(data.iceServers).toEqual(expected({ id: session.user_id }));
});

it("is empty without a configured server, and only STUN without a secret", async () => {
  const bare = await startNode();
  const open = await startNode({ TURN_URLS: "stun:stun.example,turn:turn.example" });
  try {
    const ask = async (of: TestNode) =>
      (await graphql(of, QUERY, {}, (await newUser(of)).token)).data.iceServers;
    expect(await ask(bare)).toEqual([]);
    expect(await ask(open)).toEqual([
      { urls: ["stun:stun.example"], username: null, credential: null, expiresAt: null },
    ]);
  } finally {
    await Promise.all([bare.stop(), open.stop()]);
  }
});

it("/account_settings contains the host of the first server", async () => {
  const headers = { "Svc-Account-Key": node.application.accountKey };
  const { body } = await rest(node, "GET", "/account_settings", { headers });
  expect(body.turnserver_endpoint).toBe("turn.example");
});
