import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENGINE_SERVERS, type EngineServer } from "../../../tools/conferences/engine-servers";
import { passes } from "../../../tools/conferences/graphql-participant";
import { SyntheticPeers } from "../../../tools/conferences/synthetic-peer";
import { graphql } from "../../../tools/graphql/graphql-http";
import type { LegacyClient } from "../../support/conferences/legacy-client";
import {
  LEGACY_FRAMINGS,
  listenLegacy,
  publishLegacy,
} from "../../support/conferences/participants/legacy-media";
import { receives } from "../../support/conferences/participants/synthetic-participants";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newUser, rest, type TestUser } from "../../support/rest-client";

/**
 * What legacy conference clients must not do, tried with media on each engine; janus-attacks.test.ts has every message
 * that is refused before an engine learns of it.
 */

/** Janus where services run. */
const SERVERS = ENGINE_SERVERS.filter(({ name }) => hasServices || name !== "Janus");
const CONFERENCES =
  "{ conferences { nodes { id name seats locked participants { id name publishing } } } }";

describe.each(SERVERS)("on $name", ({ name, start }) => {
  let engine: EngineServer;
  let node: TestNode;
  let peers: SyntheticPeers;
  let folder: string;
  let rooms = 0;

  beforeAll(async () => {
    engine = await start();
    node = await startNode({ CONFERENCE_WS_PORT: "0", ...engine.environment });
    // Janus offers no loopback addresses.
    peers = new SyntheticPeers(name === "Janus" ? {} : { bindAddress: "127.0.0.1" });
    folder = await mkdtemp(join(tmpdir(), "signalbox-recordings-"));
  });
  afterAll(async () => {
    await peers?.close();
    await node?.stop();
    await engine?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  describe.each(Object.entries(LEGACY_FRAMINGS))("over %s", (framing, open) => {
    const clients: LegacyClient[] = [];
    let room: string;
    let ann: TestUser;
    let bob: TestUser;

    beforeEach(async () => {
      room = `attacked ${++rooms}`;
      [ann, bob] = [await newUser(node), await newUser(node)];
    });
    afterEach(async () => {
      for (const client of clients.splice(0)) await client.destroy().catch(() => client.drop());
    });

    async function connect(user: TestUser): Promise<LegacyClient> {
      const client = await open(node, user.token);
      clients.push(client);
      return client;
    }

    /** Ann publishes and Bob watches her. */
    async function meet() {
      const publisher = await connect(ann);
      await publisher.join(room);
      await publishLegacy(peers, publisher, ann.id);
      const listener = await connect(bob);
      await listener.join(room);
      await listener.shows(ann.id);
      const watcher = await listenLegacy(peers, listener, room, ann.id);
      await receives(watcher, ann.id);
      return { publisher, listener, watcher };
    }

    const codeOf = async (reply: Promise<{ error?: { code: number } }>) =>
      (await reply).error?.code;

    /** The conference as GraphQL shows it. */
    async function conference() {
      const { data } = await graphql(node, CONFERENCES, {}, bob.token);
      return data.conferences.nodes.find((each: { name: string }) => each.name === room);
    }

    test("an SDP without a fingerprint is 465 for a publisher and a listener, and both may go on", async () => {
      const publisher = await connect(ann);
      await publisher.join(room);
      const { offer } = await peers.publish({ sender: 1, data: true });
      const without = (sdp: string) => sdp.replace(/^a=fingerprint:.*\r\n/gim, "");
      await expect(publisher.publish(without(offer))).rejects.toThrow(/^465 /);
      expect(await publisher.roomEvent("error_code")).toMatchObject({ error_code: 465 });
      await publishLegacy(peers, publisher, ann.id);
      const listener = await connect(bob);
      await listener.join(room);
      await listener.shows(ann.id);
      const attached = await listener.listen(room, ann.id);
      const watcher = await peers.watch(attached.jsep?.sdp ?? "");
      await expect(listener.start(room, ann.id, without(watcher.answer))).rejects.toThrow(/^465 /);
      await listener.start(room, ann.id, watcher.answer);
      await watcher.connect();
      await receives(watcher, ann.id);
    });

    test("options that record, name a file or rename do nothing", async () => {
      const filename = join(folder, `recording-${rooms}`);
      const options = { record: true, filename, rec_dir: folder, display: "Admin" };
      const publisher = await connect(ann);
      publisher.handle = await publisher.attach();
      const joining = { request: "join", ptype: "publisher", room, ...options };
      await publisher.message(publisher.handle, joining);
      await publisher.roomEvent("publishers");
      const { offer, accept } = await peers.publish({ sender: ann.id, data: true });
      const publishing = { request: "configure", audio: true, video: true, ...options };
      await publisher.message(publisher.handle, publishing, { type: "offer", sdp: offer });
      const { jsep } = await publisher.event(publisher.handle, (data) => data.configured === "ok");
      await accept(jsep?.sdp ?? "");
      const listener = await connect(bob);
      await listener.join(room);
      await listener.shows(ann.id);
      await publisher.message(publisher.handle, { request: "configure", ...options });
      await publisher.event(publisher.handle, (data) => data.configured === "ok");
      const watcher = await listenLegacy(peers, listener, room, ann.id);
      await receives(watcher, ann.id);
      expect(await readdir(folder)).toEqual([]);
      expect(listener.shown.get(ann.id)).toBe(ann.login);
      expect(await listener.participants(room)).toContainEqual({
        id: ann.id,
        display: ann.login,
        publisher: true,
      });
      expect((await conference()).participants[0].name).toBe(ann.login);
    });

    test("requests to administer the room are refused, and change nothing", async () => {
      const { publisher, listener, watcher } = await meet();
      const before = await conference();
      const fresh = await listener.attach();
      const target = { room, id: ann.id, mid: "0", mute: true, secret: "", permanent: true };
      for (const request of [
        ...["create", "edit", "destroy", "list", "exists", "kick", "moderate", "allowed"],
        ...["enable_recording", "rtp_forward", "listforwarders", "switch", "update"],
      ]) {
        const body = { request, ...target, new_publishers: 1, new_secret: "", record: true };
        for (const handle of [listener.handle, fresh]) {
          expect([request, await codeOf(listener.message(handle, body))]).toEqual([request, 403]);
        }
      }
      for (const janus of ["info", "message_plugin", "handle_info", "list_sessions"]) {
        expect(await codeOf(listener.request(janus))).toBe(403);
      }
      expect(await conference()).toEqual(before);
      const packets = async () =>
        (await watcher.report()).tracks.reduce((sum, each) => sum + each.packets, 0);
      const sofar = await packets();
      await passes(async () => expect(await packets()).toBeGreaterThan(sofar + 20));
      expect((await publisher.request("keepalive")).janus).toBe("ack");
    });

    test("a feed of another room, a foreign id, another room and a claim are refused", async () => {
      const { publisher, listener } = await meet();
      const mallory = await connect(await newUser(node));
      const other = `${room} too`;
      await mallory.join(other);
      const handle = await mallory.attach();
      const joining = { request: "join", ptype: "listener", room: other, feed: ann.id };
      expect(await codeOf(mallory.message(handle, joining))).toBe(428);
      expect(await codeOf(mallory.message(handle, { ...joining, room }))).toBe(426);
      const { offer: sdp } = await peers.publish({ sender: 666 });
      const publishing = { request: "configure", audio: true, video: true, room };
      const offer = { type: "offer", sdp };
      expect(await codeOf(mallory.message(mallory.handle, publishing, offer))).toBe(426);
      expect(await codeOf(mallory.message(publisher.handle, publishing, offer))).toBe(459);
      const own = mallory.sessionId;
      mallory.sessionId = publisher.sessionId;
      const leave = { request: "leave" };
      expect(await codeOf(mallory.message(publisher.handle, leave))).toBe(458);
      expect(await codeOf(mallory.request("destroy"))).toBe(458);
      expect(await codeOf(mallory.request("claim"))).toBe(458);
      mallory.sessionId = own;
      const claiming = await connect(bob);
      expect(await codeOf(claiming.request("claim", { session_id: publisher.sessionId }))).toBe(
        458,
      );
      expect((await conference()).participants).toHaveLength(2);
      expect((await publisher.request("keepalive")).janus).toBe("ack");
      expect(await listener.participants(room)).toHaveLength(2);
    });

    test("a client that publishes again after unpublish is seen again", async () => {
      const { publisher, listener } = await meet();
      await publisher.message(publisher.handle, { request: "unpublish" });
      await publisher.event(publisher.handle, (data) => data.unpublished === "ok");
      await listener.shows();
      const handle = await listener.attach();
      const joining = { request: "join", ptype: "listener", room, feed: ann.id };
      expect(await codeOf(listener.message(handle, joining))).toBe(428);
      await publishLegacy(peers, publisher, 7_000);
      await listener.shows(ann.id);
      await receives(await listenLegacy(peers, listener, room, ann.id), 7_000);
      expect(listener.twice).toEqual([]);
    });

    test("a session has one handle that publishes and twelve that listen", async () => {
      const publisher = await connect(ann);
      await publisher.join(room);
      for (let count = 0; count < 12; count += 1) await publisher.attach();
      await expect(publisher.attach()).rejects.toThrow(/^461 /);
    });

    test("the end of the token's session ends the client's, and its media", async () => {
      const { publisher, listener } = await meet();
      await rest(node, "DELETE", "/session", { token: ann.token });
      expect(await publisher.lost).toBe(framing === "WebSocket" ? 1008 : 404);
      await listener.frame(({ janus }) => janus === "hangup");
      await listener.shows();
      expect(await listener.participants(room)).toEqual([
        { id: bob.id, display: bob.login, publisher: false },
      ]);
    });

    test("the death of the engine closes the client's session, and a rejoin works", async () => {
      const { publisher, listener } = await meet();
      await engine.kill(process.pid);
      const lost = await Promise.all([publisher.lost, listener.lost]);
      expect(lost).toEqual(framing === "WebSocket" ? [1012, 1012] : [404, 404]);
      const again = await passes(meet);
      expect(again.listener.twice).toEqual([]);
      expect((await conference()).participants).toHaveLength(2);
    });
  });
});
