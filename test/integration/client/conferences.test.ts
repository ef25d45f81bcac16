import { WebSocket } from "ws";
import {
  type Conference,
  closeConference,
  createConference,
  createConferenceLink,
  deleteConferenceLink,
  inviteToConference,
  type JoinOptions,
  joinAsGuest,
  listConferences,
  type Signalbox,
  updateConference,
} from "../../../client/src/index.ts";
import { mutate, passes } from "../../../tools/conferences/graphql-participant";
import { type StandInMedia, standInMedia } from "../../support/client-package/conference-media";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signIn, type TestUser } from "../../support/rest-client";
import { closeSignalboxes, openSignalbox } from "./signalbox";

let node: TestNode;
let engine: MemoryEngine;
let host: TestUser;
let names = 0;

beforeAll(async () => {
  node = await startNode(
    {},
    {
      openEngine: async (listener) => {
        engine = new MemoryEngine(listener);
        return engine;
      },
    },
  );
  host = await newUser(node);
});
afterEach(closeSignalboxes);
afterAll(() => node.stop());

/** A user's client with stand-ins for its media and its sockets. */
interface Client {
  user: TestUser;
  signalbox: Signalbox;
  media: StandInMedia;
  /** All sockets that it has opened. */
  sockets: WebSocket[];
  /** The memberships that it has got. */
  memberships: string[];
}

function clientOf(user: TestUser, token = user.token): Client {
  const media = standInMedia();
  const sockets: WebSocket[] = [];
  const memberships: string[] = [];
  class RecordedSocket extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol);
      sockets.push(this);
    }
  }
  const signalbox = openSignalbox(node, {
    session: () => token,
    media: media.platform,
    WebSocket: RecordedSocket,
    async fetch(...request) {
      const response = await fetch(...request);
      const { data } = (await response.clone().json()) as { data?: JoinedData };
      if (data?.joinConference) memberships.push(data.joinConference.membershipId);
      return response;
    },
  });
  return { user, signalbox, media, sockets, memberships };
}
interface JoinedData {
  joinConference?: { membershipId: string };
}

const newClient = async () => clientOf(await newUser(node));
const newConference = async (input: object = {}) => {
  const { session } = clientOf(host).signalbox;
  return (await createConference(session, { name: `Client ${++names}`, ...input })).id;
};
const join = ({ signalbox }: Client, id: string, options: JoinOptions = { video: true }) =>
  signalbox.conferences.join(id, options);

const participant = (conference: Conference, { user }: Pick<Client, "user">) =>
  conference.participants.find(({ userId }) => userId === String(user.id));

/** Waits until a check of a client's state holds. */
const holds = (check: () => unknown) => passes(() => expect(check()).toBeTruthy());

/** The reason with which a conference ends. */
const end = (conference: Conference) =>
  new Promise<string>((resolve) => {
    conference.on("ended", ({ reason }) => resolve(reason));
  });

/** Expects that a client has left nothing open. */
function expectNothingLeft({ media }: Pick<Client, "media">, conference: Conference): void {
  expect(media.connections.filter(({ isOpen }) => isOpen)).toEqual([]);
  expect(media.captured.filter(({ readyState }) => readyState === "live")).toEqual([]);
  expect(conference.listenerCount).toBe(0);
}

test("participants see each other come, send, mute and leave, and nothing is left open", async () => {
  const [ann, ben] = [await newClient(), await newClient()];
  const id = await newConference();
  const first = await join(ann, id);
  const events: string[] = [];
  first.on("participant", ({ name, state, isMe }) => isMe || events.push(`${name} ${state}`));
  first.on("participantLeft", ({ name }) => events.push(`${name} left`));
  const streams: string[] = [];
  first.on("remoteStream", ({ participantId, source }) =>
    streams.push(`${participantId} ${source}`),
  );
  const second = await join(ben, id);
  expect(second.state).toBe("joined");
  expect(second.participants.map(({ name, isMe }) => [name, isMe])).toEqual([
    [ann.user.login, false],
    [ben.user.login, true],
  ]);
  await holds(() => participant(first, ben)?.state === "connected");
  expect(streams).toEqual([`${ben.user.id} camera`]);
  expect(participant(first, ben)?.stream?.getTracks()).toHaveLength(2);
  expect(second.localStream?.getTracks()).toHaveLength(2);

  second.setMuted("audio", true);
  expect(second.me?.audioMuted).toBe(true);
  expect(ben.media.captured[0]?.enabled).toBe(false);
  await holds(() => participant(first, ben)?.audioMuted);
  expect(participant(first, ben)?.videoMuted).toBe(false);
  second.setMuted("audio", false);
  await holds(() => participant(first, ben)?.audioMuted === false);

  await second.shareScreen();
  await holds(() => participant(first, ben)?.screen);
  expect(streams.at(-1)).toBe(`${ben.user.id} screen`);
  second.stopScreen();
  await holds(() => !participant(first, ben)?.isSharingScreen && !participant(first, ben)?.screen);

  const ended = end(second);
  await second.leave();
  expect(await ended).toBe("left");
  expectNothingLeft(ben, second);
  await holds(() => first.participants.length === 1);
  expect(events[0]).toBe(`${ben.user.login} listening`);
  expect(events.at(-1)).toBe(`${ben.user.login} left`);
  const { peers } = engine;
  expect([...peers.values()].filter((peer) => peer.participant === ben.user.id)).toEqual([]);
});

test("who only listens opens no device and sends nothing", async () => {
  const [ann, ben] = [await newClient(), await newClient()];
  const id = await newConference();
  const [sender, listener] = [await join(ann, id), await join(ben, id, { listen: true })];
  await holds(() => participant(listener, ann)?.stream);
  expect(ben.media.captured).toEqual([]);
  expect(ben.media.connections).toHaveLength(1);
  expect(participant(sender, ben)?.state).toBe("listening");
});

test("a conference without video is joined without the camera's track", async () => {
  const ann = await newClient();
  await join(ann, await newConference({ video: false }));
  await holds(() => ann.media.connections.length === 2);
  await holds(() => ann.media.connections.some((each) => sections(each) === 1));
});
const sections = (connection: object) =>
  (connection as { getTransceivers(): unknown[] }).getTransceivers().length;

test("conferences are created, listed, changed and closed, and participants learn of it", async () => {
  const ann = await newClient();
  const owner = clientOf(host);
  const { session } = owner.signalbox;
  const name = `Client ${++names}`;
  const { id, seats } = await createConference(session, { name, seats: 5 });
  expect(seats).toBe(5);
  const { nodes } = await listConferences(ann.signalbox.session);
  expect(nodes.map((each) => each.id)).toContain(id);
  const conference = await join(ann, id);
  await updateConference(session, id, { name: `${name} renamed` });
  await holds(() => conference.settings?.name === `${name} renamed`);
  const ended = end(conference);
  await closeConference(session, id);
  expect(await ended).toBe("closed");
  expectNothingLeft(ann, conference);
  await expect(join(ann, id)).rejects.toMatchObject({ code: "CONFLICT" });
  expect(ann.media.captured.filter(({ readyState }) => readyState === "live")).toEqual([]);
});

test("invited users learn of it", async () => {
  const ann = await newClient();
  const invitations: string[] = [];
  ann.signalbox.conferences.on("invited", ({ conference, inviterId }) =>
    invitations.push(`${conference.id} by ${inviterId}`),
  );
  await holds(() => ann.signalbox.signals.status === "online");
  const id = await newConference();
  await passes(async () => {
    await inviteToConference(clientOf(host).signalbox.session, id, [ann.user.id]);
    expect(invitations).toContain(`${id} by ${host.id}`);
  });
});

test("a guest joins by a link, and is out when the link is withdrawn", async () => {
  const { session } = clientOf(host).signalbox;
  const id = await newConference();
  const { secret, link } = await createConferenceLink(session, id, { maxUses: 1 });
  const media = standInMedia();
  const options = { url: node.baseUrl, secret, media: media.platform, WebSocket };
  const guest = await joinAsGuest({ ...options, name: "Gwen" }, { audio: true });
  expect(guest.me).toMatchObject({ name: "Gwen", userId: null });
  const ann = await newClient();
  const conference = await join(ann, id);
  await holds(() => guest.participants.length === 2);
  await holds(() => conference.participants.some(({ name, stream }) => name === "Gwen" && stream));
  await expect(joinAsGuest({ ...options, name: "Late" })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  const ended = end(guest);
  await deleteConferenceLink(session, link.id);
  expect(await ended).toBe("link-withdrawn");
  expectNothingLeft({ media }, guest);
  await holds(() => conference.participants.length === 1);
});

test("another tab takes the seat over, and the earlier one does not come back", async () => {
  const ann = await newClient();
  const id = await newConference();
  const first = await join(ann, id);
  let replaced = 0;
  first.on("replaced", () => {
    replaced += 1;
  });
  const ended = end(first);
  const again = clientOf(ann.user, (await signIn(node, ann.user)).token);
  const second = await join(again, id);
  expect(await ended).toBe("replaced");
  expect(replaced).toBe(1);
  expectNothingLeft(ann, first);
  await holds(() => second.me?.state === "connected");
  expect(ann.memberships).toHaveLength(1);
  expect(again.memberships).toHaveLength(1);
});

test("moderators mute, lock and remove; a muted participant shows it and can unmute itself", async () => {
  const [ann, late] = [await newClient(), await newClient()];
  const owner = clientOf(host);
  const id = await newConference();
  const [moderator, conference] = [await join(owner, id), await join(ann, id)];
  const participantId = String(ann.user.id);
  await holds(() => participant(moderator, ann)?.stream);
  await moderator.mute(participantId, "audio");
  await holds(() => conference.isMuted("audio"));
  expect(ann.media.captured.map(({ kind, enabled }) => [kind, enabled])).toEqual([
    ["audio", false],
    ["video", true],
  ]);
  conference.setMuted("audio", false);
  await holds(() => participant(moderator, ann)?.audioMuted === false);
  expect(conference.isMuted("audio")).toBe(false);

  await expect(conference.mute(String(host.id), "audio")).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
  await moderator.lock(true);
  await holds(() => conference.settings?.locked);
  await expect(join(late, id)).rejects.toMatchObject({ code: "FORBIDDEN" });
  const ended = end(conference);
  await moderator.remove(participantId);
  expect(await ended).toBe("removed");
});

test("a moderator's mute holds when the page is loaded again, until the user unmutes", async () => {
  const ann = await newClient();
  const id = await newConference();
  const [moderator, first] = [await join(clientOf(host), id), await join(ann, id)];
  await moderator.mute(String(ann.user.id), "audio");
  await holds(() => first.isMuted("audio"));
  const replaced = end(first);
  const loaded = clientOf(ann.user);
  const again = await join(loaded, id);
  expect(await replaced).toBe("replaced");
  expect([again.isMuted("audio"), again.isMuted("video")]).toEqual([true, false]);
  await holds(() => again.me?.state === "connected");
  expect(participant(moderator, loaded)?.audioMuted).toBe(true);
  again.setMuted("audio", false);
  await holds(() => participant(moderator, loaded)?.audioMuted === false);
  expect(again.isMuted("audio")).toBe(false);
});

test("a cut socket resumes behind the last event, with the same seat and media", async () => {
  const [ann, ben] = [await newClient(), await newClient()];
  const id = await newConference();
  const conference = await join(ann, id);
  await holds(() => ann.sockets.length === 1 && conference.me?.state === "connected");
  const states: string[] = [];
  conference.on("state", (state) => states.push(state));
  const { connections } = ann.media;
  const before = connections.length;
  ann.sockets[0]?.terminate();
  const other = await join(ben, id);
  await holds(() => conference.participants.length === 2);
  await holds(() => conference.state === "joined");
  expect(states).toEqual(["reconnecting", "joined"]);
  expect(ann.memberships).toHaveLength(1);
  expect(connections).toHaveLength(before);
  await other.leave();
  await holds(() => conference.participants.length === 1);
});

test("a lost seat is taken again, with the media, the mutes and the screen as they were", async () => {
  const [ann, ben] = [await newClient(), await newClient()];
  const id = await newConference();
  const [conference, other] = [await join(ann, id), await join(ben, id)];
  await conference.shareScreen();
  conference.setMuted("video", true);
  await holds(() => participant(other, ann)?.videoMuted && participant(other, ann)?.screen);
  const [membershipId = ""] = ann.memberships;
  // As the service does once a participant was away for too long.
  await mutate(node, "leaveConference", "done", { membershipId }, ann.user.token);
  await holds(() => ann.memberships.length === 2);
  await holds(() => participant(other, ann)?.videoMuted && participant(other, ann)?.screen);
  await holds(() => participant(other, ann)?.stream && participant(conference, ben)?.stream);
  await holds(() => conference.state === "joined");
  expect(conference.isMuted("video")).toBe(true);
  expect(ann.media.connections.filter(({ isOpen }) => isOpen)).toHaveLength(3);
});

test("a lost media server is published to and watched again", async () => {
  const [ann, ben] = [await newClient(), await newClient()];
  const id = await newConference();
  const [first, second] = [await join(ann, id), await join(ben, id)];
  await holds(() => participant(first, ben)?.stream && participant(second, ann)?.stream);
  const before = participant(first, ben)?.stream;
  engine.die();
  engine.recover();
  await holds(() => {
    const { stream = null } = participant(first, ben) ?? {};
    return stream !== null && stream !== before;
  });
  await holds(() => participant(second, ann)?.stream);
  expect(ann.media.connections.filter(({ isOpen }) => isOpen)).toHaveLength(2);
  // A single one that the media server closes is opened again as well.
  const peers = () => [...engine.peers.values()].map(({ id: peer }) => peer);
  const [dropped = ""] = peers();
  engine.drop(dropped);
  await holds(() => peers().length === 4);
});

test("a peer connection that fails is opened anew", async () => {
  const ann = await newClient();
  const conference = await join(ann, await newConference());
  await holds(() => conference.me?.state === "connected");
  const [publishing] = ann.media.connections;
  const before = ann.media.connections.length;
  publishing?.fail();
  // The media server answers the restart of ICE with a connection that the old one cannot take.
  await holds(() => ann.media.connections.length === before + 1);
  expect(publishing?.isOpen).toBe(false);
  await holds(() => conference.me?.state === "connected");
});

test("a negotiation that a close leaves without an end holds nothing up", async () => {
  const [ann, ben] = [await newClient(), await newClient()];
  const id = await newConference();
  ann.media.hangs = true;
  const conference = await join(ann, id);
  await holds(() => ann.media.connections.length === 2);
  ann.media.hangs = false;
  const [membershipId = ""] = ann.memberships;
  await mutate(node, "leaveConference", "done", { membershipId }, ann.user.token);
  const other = await join(ben, id);
  await holds(() => participant(other, ann)?.stream && participant(conference, ben)?.stream);
});

test("a session that ends is out, and a client that closes gives its seat back", async () => {
  const [ann, ben] = [await newClient(), await newClient()];
  const id = await newConference();
  const [first, second] = [await join(ann, id), await join(ben, id)];
  const ended = end(second);
  expect((await rest(node, "DELETE", "/session", { token: ben.user.token })).status).toBe(200);
  expect(await ended).toBe("session-ended");
  const cem = await newClient();
  await join(cem, id);
  await holds(() => first.participants.length === 2);
  cem.signalbox.close();
  await holds(() => first.participants.length === 1);
});
