import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  mutate,
  passes,
} from "../../tools/conferences/graphql-participant";
import {
  JANUS_ADMIN_SECRET,
  JANUS_KEYS,
  type JanusProcess,
  startJanus,
} from "../../tools/conferences/janus-server";
import { SyntheticPeers } from "../../tools/conferences/synthetic-peer";
import {
  LEGACY_FRAMINGS,
  listenLegacy,
  publishLegacy,
} from "../support/conferences/participants/legacy-media";
import {
  type ByteRecorder,
  type MessageRecorder,
  recordBytes,
  recordMessages,
} from "../support/conferences/participants/recorders";
import {
  packetsOf,
  publishMedia,
  receives,
  watchMedia,
} from "../support/conferences/participants/synthetic-participants";
import { startNode, type TestNode } from "../support/node";
import { newUser } from "../support/rest-client";

/** Nothing of a Janus reaches a client but SDPs: every byte that clients receive, against every secret and id of it. */

/** Fields of the messages of Janus that are secret, or name something at Janus. */
const PRIVATE_FIELDS = [
  ...["apisecret", "admin_secret", "admin_key", "secret", "pin", "token", "private_id"],
  ...["session_id", "handle_id", "sender"],
];

let janus: JanusProcess;
let api: MessageRecorder;
let admin: MessageRecorder;
let node: TestNode;
let peers: SyntheticPeers;
let http: ByteRecorder;
let legacySocket: ByteRecorder;

beforeAll(async () => {
  janus = await startJanus();
  api = await recordMessages(janus.url);
  admin = await recordMessages(janus.adminUrl);
  node = await startNode({
    JANUS_URL: api.url,
    JANUS_API_SECRET: JANUS_KEYS.apiSecret,
    JANUS_ADMIN_KEY: JANUS_KEYS.adminKey,
    JANUS_ADMIN_URL: admin.url,
    JANUS_ADMIN_SECRET,
  });
  peers = new SyntheticPeers({});
  http = await recordBytes(portOf(node.baseUrl));
  legacySocket = await recordBytes(portOf(node.app.conferenceUrls.ws ?? ""));
});
afterAll(async () => {
  await peers?.close();
  await node?.stop();
  await http?.close();
  await legacySocket?.close();
  await api?.close();
  await admin?.close();
  await janus?.stop();
});

const portOf = (url: string) => Number(new URL(url).port);

/** The node, as clients reach it through the recorders. */
function recordedNode(): TestNode {
  const through = (url: string, { port }: ByteRecorder) =>
    url.replace(String(portOf(url)), String(port));
  const { app } = node;
  const ws = through(app.conferenceUrls.ws ?? "", legacySocket);
  return {
    ...node,
    baseUrl: through(node.baseUrl, http),
    graphqlUrl: through(node.graphqlUrl, http),
    app: { ...app, conferenceUrls: { ...app.conferenceUrls, ws } },
  };
}

/** Everything that a Janus has told or was told that no client may see. */
function privateTexts(): Set<string> {
  const found = new Set<string>([...Object.values(JANUS_KEYS), JANUS_ADMIN_SECRET]);
  const add = (value: unknown) => {
    if (typeof value === "string" || typeof value === "number") found.add(String(value));
  };
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      if (PRIVATE_FIELDS.includes(key)) add(each);
      visit(each);
    }
  };
  for (const message of [...api.messages(), ...admin.messages()]) {
    visit(message);
    // The id of a new session or handle.
    add((message as { data?: { id?: unknown } }).data?.id);
  }
  return found;
}

const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error("not refused");
    },
    () => undefined,
  );

test("no client receives a secret or an id of Janus, whatever it does", async () => {
  const at = recordedNode();
  const [host, ann, bob, cem] = [
    await newUser(at),
    await newUser(at),
    await newUser(at),
    await newUser(at),
  ];
  const room = "secrets";
  const conferenceId = await createConference(at, host.token, { name: room });
  const participant = await joinConference(at, conferenceId, host.token);
  const published = await publishMedia(peers, participant, 1);
  const socket = await LEGACY_FRAMINGS.WebSocket(at, ann.token);
  await socket.join(room);
  await publishLegacy(peers, socket, 2);
  const polling = await LEGACY_FRAMINGS["long polling"](at, bob.token);
  await polling.join(room);
  await publishLegacy(peers, polling, 3);
  await polling.shows(host.id, ann.id);
  await receives(await listenLegacy(peers, polling, room, ann.id), 2);
  await receives(await listenLegacy(peers, socket, room, host.id), 1);
  const watched = await watchMedia(peers, participant);
  await passes(async () =>
    expect(await packetsOf(watched.client, watched.video)).toBeGreaterThan(0),
  );
  await participant.event("ConferenceStatisticsEvent");

  await provokeGraphql(participant, published.peerId, watched.peerId);
  const noMedia = {
    type: "offer",
    sdp: "v=0\r\na=fingerprint:x\r\na=ice-ufrag:a\r\nm=audio 9 x 0\r\n",
  };
  for (const legacy of [socket, polling]) {
    const { handle } = legacy;
    for (const [body, jsep] of [
      [{ request: "configure", room }, noMedia],
      [{ request: "join", ptype: "publisher", room, id: 1 }],
      [{ request: "edit", room, secret: "x" }],
      [{ request: "listparticipants", room }],
      [{ request: "configure", keyframe: true }],
    ]) {
      await legacy.message(handle, body, jsep);
    }
  }
  // Only the conference's participants over GraphQL know ids of peers; another participant's are refused.
  const other = await joinConference(at, conferenceId, cem.token);
  const foreign = { peerId: published.peerId, candidate: "" };
  await refused(other.mutate("addConferenceCandidate", "done", foreign));
  const removed = { conferenceId, participantId: String(ann.id) };
  await mutate(at, "removeConferenceParticipant", "done", removed, host.token);
  await socket.roomEvent("error_code");

  await janus.signal("SIGKILL");
  await refused(participant.mutate("watchConference", "peerId"));
  await janus.start();
  await polling.lost;
  await passes(() => publishMedia(peers, participant, 1));
  await mutate(at, "closeConference", "conference { id }", { conferenceId }, host.token);
  await participant.event("ConferenceEndedEvent");
  await participant.disconnect();
  await other.disconnect();

  const received = http.received() + legacySocket.received();
  // The recorders see what clients see.
  for (const text of ["ConferenceStatisticsEvent", '"publishers"', "UNAVAILABLE", "m=audio"]) {
    expect(received).toContain(text);
  }
  const forbidden = privateTexts();
  expect(forbidden.size).toBeGreaterThan(15);
  for (const text of forbidden) expect(text.length).toBeGreaterThan(5);
  expect([...forbidden].filter((text) => received.includes(text))).toEqual([]);
});

/** Calls of which Janus, or the gateway in its place, refuses something. */
async function provokeGraphql(
  participant: GraphqlParticipant,
  publishing: string,
  watching: string,
) {
  const calls: [string, object][] = [
    ["publishConferenceMedia", { offer: "v=0\r\nnothing" }],
    [
      "publishConferenceMedia",
      { offer: "v=0\r\na=fingerprint:x\r\na=ice-ufrag:a\r\nm=audio 9 x 0\r\n" },
    ],
    ["answerConferencePeer", { peerId: watching, answer: "v=0\r\nnothing" }],
    ["answerConferencePeer", { peerId: publishing, answer: "v=0" }],
    ["configureConferencePeer", { peerId: watching, mid: "none", send: false }],
    ["configureConferencePeer", { peerId: watching, mid: "0", layer: 7 }],
    ["restartConferencePeer", { peerId: publishing, offer: "v=0" }],
    ["restartConferencePeer", { peerId: "none" }],
    ["closeConferencePeer", {}],
  ];
  for (const [name, input] of calls) {
    const fields = FIELDS[name] ?? "done";
    await refused(participant.mutate(name, fields, input as Record<string, unknown>));
  }
}
const FIELDS: Record<string, string> = {
  publishConferenceMedia: "peerId",
  restartConferencePeer: "sdp",
};
