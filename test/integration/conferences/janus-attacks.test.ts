import { WebSocket } from "ws";
import { Fault } from "../../../src/core/errors";
import { SDP_MAX } from "../../../src/domain/conferences/engine/engine";
import type { Frame } from "../../../src/transports/janus-endpoint/protocol/frames";
import { sdpOf } from "../../support/conferences/fake-conference-service";
import type { LegacyClient } from "../../support/conferences/legacy-client";
import {
  APPLICATION,
  FRAMINGS,
  type LegacyEndpoint,
  startLegacyEndpoint,
} from "../../support/conferences/legacy-endpoint";
import { eventually } from "../../support/moving-clock";

/** What the conference endpoint refuses (docs/CONFERENCES.md, Legacy clients): every attack, and every limit. */

let at: LegacyEndpoint;
const start = async (...options: Parameters<typeof startLegacyEndpoint>) => {
  await at?.close();
  at = await startLegacyEndpoint(...options);
};
beforeEach(async () => {
  at = await startLegacyEndpoint();
});
afterEach(() => at.close());

const offer = { type: "offer", sdp: sdpOf("offer") };
const PUBLISHER = { request: "join", ptype: "publisher" };
const LISTENER = { request: "join", ptype: "listener" };

const frameOf = async (response: Promise<Response>) => (await (await response).json()) as Frame;

describe.each(FRAMINGS)("over %s", (framing) => {
  const client = (userId: number) => at.client(framing, userId);
  const entered = async (room: string, ...users: number[]) => {
    const clients: LegacyClient[] = [];
    for (const user of users) {
      const each = await client(user);
      await each.enter(room);
      await each.frame(({ janus }) => janus === "webrtcup");
      clients.push(each);
    }
    return clients as [LegacyClient, ...LegacyClient[]];
  };
  const codeOf = async (reply: Promise<{ error?: { code: number } }>) => (await reply).error?.code;

  describe("sessions are bound to their client", () => {
    test("requests to a foreign session are refused as if it did not exist", async () => {
      const [ann] = await entered("room", 101);
      const mallory = await client(666);
      mallory.sessionId = ann.sessionId;
      for (const janus of ["keepalive", "attach", "destroy"]) {
        const fields = janus === "attach" ? { plugin: "janus.plugin.videoroom" } : {};
        expect(await codeOf(mallory.request(janus, fields))).toBe(458);
      }
      for (const request of ["leave", "configure", "listparticipants"]) {
        const body = { request, room: "room" };
        expect(await codeOf(mallory.message(ann.handle, body))).toBe(458);
      }
      expect(await codeOf(mallory.request("detach", { handle_id: ann.handle }))).toBe(458);
      expect(at.service.numbersIn("room")).toEqual([101]);
      expect((await ann.request("keepalive")).janus).toBe("ack");
    });

    test("the handle of another session is unknown in one's own", async () => {
      const [ann, mallory] = (await entered("room", 101, 666)) as [LegacyClient, LegacyClient];
      expect(await codeOf(mallory.message(ann.handle, { request: "leave" }))).toBe(459);
      expect(await codeOf(mallory.request("detach", { handle_id: ann.handle }))).toBe(459);
      expect(await codeOf(mallory.request("hangup", { handle_id: ann.handle }))).toBe(459);
      expect(await codeOf(mallory.trickle(ann.handle, { completed: true }))).toBe(459);
      expect(at.service.numbersIn("room")).toEqual([101, 666]);
    });

    test("a session and a handle that do not exist, and ids that only round to one's own", async () => {
      const [ann] = await entered("room", 101);
      const { sessionId } = ann;
      expect(await codeOf(ann.request("keepalive", { session_id: sessionId + 1 }))).toBe(458);
      expect(await codeOf(ann.message(ann.handle + 1, { request: "leave" }))).toBe(459);
      if (framing === "WebSocket") {
        for (const id of [String(sessionId), sessionId + 0.5, -sessionId, [sessionId], true]) {
          const code = await codeOf(ann.request("keepalive", { session_id: id }));
          // Half a step more than a large id is an integer: itself or the next one.
          const rounded = Number.isSafeInteger(id) && (id as number) > 0;
          if (id !== sessionId) expect(code).toBe(rounded ? 458 : 467);
        }
      }
      await ann.destroy();
      expect(await codeOf(ann.request("keepalive"))).toBe(458);
    });
  });

  describe("the token", () => {
    test.each([
      ["none", () => undefined],
      ["an empty one", () => ""],
      ["an unknown one", () => "x".repeat(43)],
      ["one of a session without a user", () => at.token(null)],
      ["one of a web session", () => at.token(null, { web: true })],
      ["an account owner's", () => `acct_${"x".repeat(43)}`],
    ])("%s opens no session", async (_name, token) => {
      const ann = await at.connect(framing, at.token(101));
      const reply = await ann.send({ janus: "create", token: token() });
      expect(reply).toEqual({
        janus: "error",
        transaction: reply.transaction,
        error: { code: 403, reason: "Unauthorized request (wrong or missing secret/token)" },
      });
    });

    test("must be that of the session in every request", async () => {
      await start({ limits: { failedSignIns: 100, refusedMax: 100 } });
      const [ann] = await entered("room", 101);
      for (const token of [undefined, "", "x".repeat(43), at.token(101), at.token(666)]) {
        for (const message of [
          { janus: "keepalive" },
          { janus: "destroy" },
          { janus: "message", handle_id: ann.handle, body: { request: "leave" } },
          { janus: "trickle", handle_id: ann.handle, candidate: { completed: true } },
        ]) {
          const { janus, ...fields } = message;
          // Over long polling the token alone says whose the session is.
          const expected = framing === "WebSocket" ? 403 : 458;
          expect(await codeOf(ann.request(janus, { ...fields, token }))).toBe(expected);
        }
      }
      expect(at.service.numbersIn("room")).toEqual([101]);
    });

    test("that is not a text is refused", async () => {
      const ann = await at.connect(framing, at.token(101));
      for (const token of [1, true, {}, [], "x".repeat(10_000)]) {
        expect(await codeOf(ann.send({ janus: "create", token }))).toBe(467);
      }
    });

    test("is not looked up again: a call does not end with its expiry, only with its session", async () => {
      const [ann] = await entered("room", 101);
      await ann.request("keepalive");
      at.revoke(ann.token);
      await eventually(
        () => at.service.numbersIn("room"),
        ({ length }) => length === 0,
      );
    });

    test("that ends while the session is created opens none", async () => {
      const token = at.token(101);
      let looked = 0;
      const { lookups } = at.sessions.deps;
      const { findSession } = lookups;
      lookups.findSession = async (text) => {
        const session = await findSession(text);
        if (++looked === 1) at.revoke(token);
        return session;
      };
      const ann = await at.connect(framing, token);
      expect(await codeOf(ann.send({ janus: "create" }))).toBe(403);
      expect(at.sessionEvents.tracked().sessionIds).toEqual([]);
    });

    test("of a user of another application meets nobody", async () => {
      await entered("room", 101);
      const other = await at.connect(framing, at.token(201, { applicationId: 8 }));
      await other.create();
      expect(await other.join("room")).toMatchObject({ publishers: [] });
      expect(at.service.numbersIn("room")).toEqual([101]);
      expect(at.service.numbersIn("room", 8)).toEqual([201]);
      expect(await other.participants("room")).toHaveLength(1);
    });
  });

  describe("only listed requests", () => {
    test.each([
      "info",
      "ping",
      "add_token",
      "list_tokens",
      "handle_info",
      "message_plugin",
      "CREATE",
    ])("%s is refused with 403", async (janus) => {
      const ann = await client(101);
      expect(await codeOf(ann.request(janus))).toBe(403);
      expect(await codeOf(ann.send({ janus }))).toBe(403);
    });

    test.each([
      "create",
      "destroy",
      "edit",
      "exists",
      "list",
      "allowed",
      "kick",
      "moderate",
      "enable_recording",
      "rtp_forward",
      "stop_rtp_forward",
      "listforwarders",
      "joinandconfigure",
      "switch",
      "subscribe",
      "update",
      "pause",
      "__proto__",
      "constructor",
    ])("%s of the room is refused with 403", async (request) => {
      const [ann] = await entered("room", 101);
      const { length } = at.service.calls;
      const fields = { room: "room", secret: "s", record: true, id: 101, permanent: true };
      expect(await codeOf(ann.message(ann.handle, { request, ...fields }))).toBe(403);
      const fresh = await ann.attach();
      expect(await codeOf(ann.message(fresh, { request, ...fields }))).toBe(403);
      expect(at.service.calls).toHaveLength(length);
    });

    test("only the video room", async () => {
      const ann = await client(101);
      for (const plugin of ["janus.plugin.echotest", "janus.plugin.streaming", "", "__proto__"]) {
        expect(await codeOf(ann.request("attach", { plugin }))).toBe(460);
      }
      expect(await codeOf(ann.request("attach"))).toBe(456);
      expect(await codeOf(ann.request("attach", { plugin: 1 }))).toBe(467);
    });

    test("a listener's handle cannot publish, a publisher's cannot start", async () => {
      const [, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
      await bob.listen("room", 101);
      const listener = bob.listeners.get(101) ?? 0;
      for (const request of ["configure", "publish", "unpublish"]) {
        expect(await codeOf(bob.message(listener, { request }, offer))).toBe(403);
      }
      expect(await codeOf(bob.message(bob.handle, { request: "start" }))).toBe(403);
    });
  });

  describe("only known fields", () => {
    test("options of a configure that name files or other people change nothing", async () => {
      const [ann] = await entered("room", 101);
      const body = {
        request: "configure",
        record: true,
        filename: "/tmp/recording",
        display: "Admin",
        bitrate: 99_000_000,
        secret: "s",
        streams: [{ mid: "0", keyframe: true }],
        update: true,
        __proto__: { keyframe: true },
      };
      expect((await ann.message(ann.handle, body)).janus).toBe("ack");
      await ann.event(ann.handle, (data) => data.configured === "ok");
      expect(at.service.signals).toEqual([]);
      const text = JSON.stringify([
        ...(at.service.room(APPLICATION, "room")?.participants.values() ?? []),
      ]);
      expect(text).not.toMatch(/Admin|recording|secret/);
    });

    test("of a candidate and of a description", async () => {
      const [ann] = await entered("room", 101);
      const candidate = {
        candidate: "c",
        sdpMid: "0",
        sdpMLineIndex: 0,
        usernameFragment: "u",
        x: {},
      };
      await ann.trickle(ann.handle, candidate);
      await eventually(
        () => at.service.signals.length,
        (count) => count === 1,
      );
      expect(at.service.signals[0]?.message).toEqual({
        candidate: { candidate: "c", sdpMid: "0", sdpMLineIndex: 0 },
      });
    });
  });

  describe("ids, rooms and feeds", () => {
    test("the id of a join must be that of the session's user", async () => {
      const [ann] = await entered("room", 101);
      const mallory = await client(666);
      const handle = await mallory.attach();
      expect(await codeOf(mallory.message(handle, { ...PUBLISHER, room: "room", id: 101 }))).toBe(
        433,
      );
      for (const id of ["666", 666.5, -666, 0, {}, [666], true]) {
        const body = { ...PUBLISHER, room: "room", id };
        expect(await codeOf(mallory.message(handle, body))).toBe(430);
      }
      expect(at.service.numbersIn("room")).toEqual([101]);
      expect(ann.shown.size).toBe(0);
      const body = { ...PUBLISHER, room: "room", id: 666 };
      expect((await mallory.message(handle, body)).janus).toBe("ack");
    });

    test("a room is a text of 1 to 128 characters or a number", async () => {
      const ann = await client(101);
      const handle = await ann.attach();
      for (const room of [
        "",
        "x".repeat(129),
        1.5,
        2 ** 53,
        -1,
        true,
        {},
        ["room"],
        "a\0b",
        "\ud800",
      ]) {
        expect(await codeOf(ann.message(handle, { ...PUBLISHER, room }))).toBe(430);
      }
      expect(await codeOf(ann.message(handle, { ...PUBLISHER }))).toBe(429);
      expect(await codeOf(ann.message(handle, { ...PUBLISHER, room: null }))).toBe(429);
      expect(at.service.calls).toEqual([]);
      expect((await ann.message(handle, { ...PUBLISHER, room: "😀".repeat(128) })).janus).toBe(
        "ack",
      );
    });

    test("every later request must be about the joined room", async () => {
      const [ann, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
      await entered("other", 103);
      for (const request of ["configure", "publish", "unpublish", "leave", "listparticipants"]) {
        expect(await codeOf(bob.message(bob.handle, { request, room: "other" }))).toBe(426);
      }
      const fresh = await bob.attach();
      expect(await codeOf(bob.message(fresh, { ...LISTENER, room: "other", feed: 103 }))).toBe(426);
      await bob.listen("room", 101);
      const listener = bob.listeners.get(101) ?? 0;
      expect(await codeOf(bob.message(listener, { request: "start", room: "other" }))).toBe(426);
      expect(await ann.participants("room")).toHaveLength(2);
    });

    test("a feed must be a participant of the same room whose media flows", async () => {
      const [ann] = await entered("room", 101);
      await entered("other", 103);
      at.service.automaticUp = false;
      const silent = await client(104);
      await silent.join("room");
      await silent.publish();
      const fresh = await ann.attach();
      for (const feed of [103, 104, 999, Number.MAX_SAFE_INTEGER]) {
        expect(await codeOf(ann.message(fresh, { ...LISTENER, room: "room", feed }))).toBe(428);
      }
      for (const feed of ["101", 1.5, -1, 0, {}, [101], true]) {
        expect(await codeOf(ann.message(fresh, { ...LISTENER, room: "room", feed }))).toBe(430);
      }
      expect(await codeOf(ann.message(fresh, { ...LISTENER, room: "room" }))).toBe(429);
      expect(at.service.calls).not.toContain("watch");
    });

    test("a feed that ends while it is asked for is unknown", async () => {
      const [ann] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
      await ann.shows(102);
      at.service.fail("watch", new Fault("NOT_FOUND", "No such feed"));
      const fresh = await ann.attach();
      const reply = await ann.message(fresh, { ...LISTENER, room: "room", feed: 102 });
      expect(reply.error).toEqual({ code: 428, reason: "No such feed (102)" });
    });

    test("nothing works before the join, nor after leaving", async () => {
      const ann = await client(101);
      const handle = await ann.attach();
      const requests = ["configure", "publish", "unpublish", "leave", "start"];
      for (const request of requests) {
        expect(await codeOf(ann.message(handle, { request }))).toBe(424);
      }
      const list = { request: "listparticipants", room: "room" };
      expect(await codeOf(ann.message(handle, list))).toBe(424);
      expect(await codeOf(ann.message(handle, { ...LISTENER, room: "room", feed: 1 }))).toBe(424);
      await ann.enter("room");
      await ann.leave();
      for (const request of ["configure", "publish", "unpublish", "leave"]) {
        expect(await codeOf(ann.message(ann.handle, { request }))).toBe(424);
      }
      expect(await codeOf(ann.message(ann.handle, { ...PUBLISHER, room: "room" }))).toBe(425);
    });
  });

  describe("refusals that the library understands", () => {
    const join = async (fault: Fault, method: "openByName" | "join" | "subscribe" = "join") => {
      at.service.fail(method, fault);
      const ann = await client(101);
      return ann.join("room").then(
        () => "joined",
        (error: Error) => error.message,
      );
    };

    test("FULL is 432 instead of the ack, with the number of seats", async () => {
      at.service.seats = 2;
      await entered("room", 101, 102);
      const third = await client(103);
      await expect(third.join("room")).rejects.toThrow(
        "432 Maximum number of publishers (2) already reached",
      );
      expect(third.received).toEqual([]);
      // A rejoin takes the old seat.
      const again = await client(102);
      await again.join("room");
    });

    test("the thirteenth of a room", async () => {
      const clients = await Promise.all(
        Array.from({ length: 13 }, (_, index) => client(201 + index)),
      );
      const results = await Promise.allSettled(clients.map((each) => each.join("room")));
      const refused = results.flatMap((each) =>
        each.status === "rejected" ? [(each.reason as Error).message] : [],
      );
      expect(refused).toEqual(["432 Maximum number of publishers (12) already reached"]);
      expect(at.service.numbersIn("room")).toHaveLength(12);
    });

    test("FORBIDDEN is 433", async () => {
      const fault = new Fault("FORBIDDEN", "The conference is locked");
      expect(await join(fault)).toBe("433 The conference is locked");
      at.service.fail("join", null);
      expect(await join(fault, "openByName")).toBe("433 The conference is locked");
    });

    test.each([
      "openByName",
      "join",
    ] as const)("LIMITED of %s is 490, with its reason", async (method) => {
      const fault = new Fault("LIMITED", "A user may be in at most 8 conferences at a time");
      expect(await join(fault, method)).toBe(
        "490 A user may be in at most 8 conferences at a time",
      );
      expect(at.service.numbersIn("room")).toEqual([]);
    });

    test("a room that is gone is 426", async () => {
      expect(await join(new Fault("NOT_FOUND", "Not found"))).toBe("426 No such room");
    });

    test("an invalid name is 430", async () => {
      expect(await join(Fault.field("name", "is reserved"), "openByName")).toBe(
        "430 name is reserved",
      );
    });

    test.each([
      "openByName",
      "join",
      "subscribe",
    ] as const)("UNAVAILABLE of %s is an error, not silence, and leaves no participant", async (method) => {
      const fault = new Fault("UNAVAILABLE", "The media server does not answer");
      expect(await join(fault, method)).toBe("499 The media server does not answer");
      expect(at.service.numbersIn("room")).toEqual([]);
    });

    test("an unexpected error is masked, and logged", async () => {
      const fault = new Error("password=secret at /srv/file.ts") as Fault;
      expect(await join(fault)).toBe("499 Internal server error");
      expect(at.lines.join("")).toContain("a legacy conference request failed");
    });

    test("an SDP without a fingerprint is 465, and an error event", async () => {
      const ann = await client(101);
      await ann.join("room");
      const jsep = { type: "offer", sdp: "v=0\r\ns=fake\r\n" };
      const reply = await ann.message(ann.handle, { request: "configure" }, jsep);
      expect(reply.error).toEqual({ code: 465, reason: "Invalid SDP: sdp has no fingerprint" });
      expect(await ann.roomEvent("error_code")).toMatchObject({ error_code: 465 });
      await ann.publish();
      const bob = await client(102);
      await bob.join("room");
      await ann.frame(({ janus }) => janus === "webrtcup");
      await bob.shows(101);
      await bob.listen("room", 101);
      await expect(bob.start("room", 101, jsep.sdp)).rejects.toThrow("465");
      expect((await bob.start("room", 101)).plugindata?.data.started).toBe("ok");
    });

    test("a media server that is away is an error of the offer, and an error event", async () => {
      const ann = await client(101);
      await ann.join("room");
      at.service.fail("publish", new Fault("UNAVAILABLE", "The media server does not answer"));
      await expect(ann.publish()).rejects.toThrow("499 The media server does not answer");
      expect(await ann.roomEvent("error_code")).toEqual({
        videoroom: "event",
        room: "room",
        error_code: 499,
        error: "The media server does not answer",
      });
    });

    test.each([
      [{ type: "offer" }, 456],
      [{ sdp: "v=0" }, 456],
      [{ type: "pranswer", sdp: "v=0" }, 464],
      [{ type: "offer", sdp: "" }, 465],
      [{ type: "offer", sdp: "not a description" }, 465],
      [{ type: "offer", sdp: 1 }, 467],
      [{ type: "answer", sdp: sdpOf("answer") }, 431],
      ["v=0", 455],
      [[], 455],
    ])("the jsep %j is %i", async (jsep, code) => {
      const ann = await client(101);
      await ann.join("room");
      expect(await codeOf(ann.message(ann.handle, { request: "configure" }, jsep))).toBe(code);
      expect(at.service.calls).not.toContain("publish");
    });

    test("a listener's offer is 431, a second answer 469, an answer to an ended feed 428", async () => {
      const [ann, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
      await bob.listen("room", 101);
      const listener = bob.listeners.get(101) ?? 0;
      const answer = { type: "answer", sdp: sdpOf("answer") };
      expect(await codeOf(bob.message(listener, { request: "start" }, offer))).toBe(431);
      await bob.start("room", 101);
      expect(await codeOf(bob.message(listener, { request: "start" }, answer))).toBe(469);
      await ann.leave();
      await bob.frame(({ janus }) => janus === "hangup");
      expect(await codeOf(bob.message(listener, { request: "start" }, answer))).toBe(428);
    });

    test("joining twice is 425 on a handle, and 436 on a second one", async () => {
      const [ann, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
      expect(await codeOf(ann.message(ann.handle, { ...PUBLISHER, room: "room" }))).toBe(425);
      const second = await ann.attach();
      expect(await codeOf(ann.message(second, { ...PUBLISHER, room: "room" }))).toBe(436);
      await bob.listen("room", 101);
      const listener = bob.listeners.get(101) ?? 0;
      expect(await codeOf(bob.message(listener, { ...LISTENER, room: "room", feed: 101 }))).toBe(
        425,
      );
      expect(await codeOf(ann.message(ann.handle, { request: "unpublish" }))).toBeUndefined();
      expect(await codeOf(ann.message(ann.handle, { request: "unpublish" }))).toBe(435);
      expect(at.service.numbersIn("room")).toEqual([101, 102]);
    });

    test("two joins at once of one session are one participant", async () => {
      const ann = await client(101);
      const handles = await Promise.all([ann.attach(), ann.attach(), ann.attach()]);
      const replies = await Promise.all(
        handles.map((handle) => ann.message(handle, { ...PUBLISHER, room: "room" })),
      );
      expect(replies.map(({ error }) => error?.code ?? 0).sort()).toEqual([0, 436, 436]);
      expect(at.service.numbersIn("room")).toEqual([101]);
    });

    test.each([
      [{ ...PUBLISHER, ptype: "moderator", room: "r" }, 430],
      [{ ...PUBLISHER, ptype: 1, room: "r" }, 430],
      [{ request: "join", room: "r" }, 429],
      [{ room: "r" }, 429],
      [{ request: 1 }, 430],
      [{ request: {} }, 430],
      ["join", 455],
      [[], 455],
      [1, 455],
      [null, 421],
      [undefined, 456],
    ])("the body %j is %i", async (body, code) => {
      const ann = await client(101);
      const handle = await ann.attach();
      expect(await codeOf(ann.message(handle, body))).toBe(code);
    });

    test("requests at the wrong path are 457", async () => {
      const ann = await client(101);
      const handle_id = await ann.attach();
      const message = { body: { request: "leave" } };
      expect(await codeOf(ann.request("message", message))).toBe(457);
      expect(await codeOf(ann.request("trickle", { candidate: {} }))).toBe(457);
      expect(await codeOf(ann.send({ janus: "keepalive" }))).toBe(457);
      expect(await codeOf(ann.request("create"))).toBe(457);
      expect(await codeOf(ann.request("destroy", { handle_id }))).toBe(457);
      const plugin = "janus.plugin.videoroom";
      expect(await codeOf(ann.request("attach", { handle_id, plugin }))).toBe(457);
    });

    test.each([
      [undefined, 456],
      [{}, 456],
      [{ candidate: 1 }, 467],
      [{ candidate: "x".repeat(3_000) }, 467],
      [{ candidate: "c", sdpMid: {} }, 467],
      [{ candidate: "c", sdpMid: "x".repeat(100) }, 467],
      [{ candidate: "c", sdpMLineIndex: -1 }, 467],
      [{ candidate: "c", sdpMLineIndex: "0" }, 467],
      [{ candidate: "c", sdpMLineIndex: 1_000 }, 467],
      [{ completed: "yes", candidate: "c" }, 467],
      ["c", 455],
    ])("the candidate %j is %i", async (candidate, code) => {
      const [ann] = await entered("room", 101);
      expect(await codeOf(ann.trickle(ann.handle, candidate))).toBe(code);
      expect(at.service.signals).toEqual([]);
    });

    test("a transaction is required, and is a short text", async () => {
      const ann = await client(101);
      for (const [transaction, code] of [
        [1, 467],
        ["x".repeat(1_000), 467],
      ] as const) {
        const reply = await ann.unmatched({ janus: "create", token: ann.token, transaction });
        expect(reply.error?.code).toBe(code);
        expect(reply.transaction).toBeUndefined();
      }
      const reply = await ann.unmatched({ janus: "create", token: ann.token });
      expect(reply.error).toEqual({
        code: 456,
        reason: "Missing mandatory element (transaction)",
      });
    });
  });

  describe("limits", () => {
    test("of handles: one that publishes and twelve that listen", async () => {
      const ann = await client(101);
      for (let count = 0; count < 13; count += 1) await ann.attach();
      await expect(ann.attach()).rejects.toThrow("461 A session has at most 13 handles");
    });

    test("of handles that are detached while their requests run", async () => {
      const [, ann] = (await entered("room", 102, 101)) as [LegacyClient, LegacyClient];
      const release = at.service.hold("watch");
      const watches = () => at.service.calls.filter((call) => call === "watch").length;
      const detach = async () => {
        const handle_id = await ann.attach();
        const before = watches();
        void ann.message(handle_id, { ...LISTENER, room: "room", feed: 102 });
        await eventually(watches, (count) => count > before);
        await ann.request("detach", { handle_id });
      };
      try {
        for (let count = 0; count < 13; count += 1) await detach();
        await expect(ann.attach()).rejects.toThrow("461 A session has at most 13 handles");
      } finally {
        release();
      }
      await eventually(
        () => ann.attach().catch(() => null),
        (handle) => handle !== null,
      );
    });

    test("of sessions whose participants still leave", async () => {
      await start({ limits: { sessionsPerToken: 3, sessionsPerSocket: 10 } });
      const token = at.token(101);
      const release = at.service.hold("leave");
      const opened: LegacyClient[] = [];
      for (let count = 0; count < 3; count += 1) {
        const each = await at.connect(framing, token);
        await each.create();
        await each.join(`room ${count}`);
        opened.push(each);
      }
      for (const each of opened) void each.destroy();
      await eventually(
        () => at.service.calls.filter((call) => call === "leave").length,
        (count) => count === 3,
      );
      const next = await at.connect(framing, token);
      try {
        await expect(next.create()).rejects.toThrow("472 Too many sessions");
      } finally {
        release();
      }
      await eventually(
        () =>
          next.create().then(
            () => true,
            () => false,
          ),
        Boolean,
      );
    });

    test("of sessions of one token", async () => {
      await start({ limits: { sessionsPerToken: 3 } });
      const token = at.token(101);
      const clients = await Promise.all(
        Array.from({ length: 8 }, () => at.connect(framing, token)),
      );
      const replies = await Promise.all(clients.map((each) => each.send({ janus: "create" })));
      const codes = replies.map(({ error }) => error?.code ?? 0);
      expect(codes.filter((code) => code === 0)).toHaveLength(3);
      expect(codes.filter((code) => code === 472)).toHaveLength(5);
      const index = codes.indexOf(0);
      const open = clients[index];
      await open?.request("destroy", { session_id: replies[index]?.data?.id });
      expect(await codeOf((await at.connect(framing, token)).send({ janus: "create" }))).toBe(
        undefined,
      );
    });

    test("of sessions of one address", async () => {
      await start({ limits: { sessionsPerNetwork: 2 } });
      await client(101);
      const second = await client(102);
      await expect(client(103)).rejects.toThrow("472 Too many sessions");
      await second.destroy();
      await client(103);
    });

    test("of sessions that a user opens in a minute", async () => {
      await start({ environment: { RATE_CHAT_SIGN_INS_PER_USER: "3" } });
      for (let count = 0; count < 3; count += 1) await client(101);
      await expect(client(101)).rejects.toThrow("490 Too many requests");
      await client(102);
    });

    test("of a session description", async () => {
      const ann = await client(101);
      await ann.join("room");
      const sdp = sdpOf("offer");
      await expect(ann.publish(sdp.padEnd(SDP_MAX + 1, "x"))).rejects.toThrow("467");
      await ann.publish(sdp.padEnd(SDP_MAX, "x"));
    });

    test("of nesting", async () => {
      const ann = await client(101);
      const deep = JSON.parse(`${"[".repeat(1_000)}${"]".repeat(1_000)}`);
      expect((await ann.unmatched({ janus: "keepalive", deep })).error).toEqual({
        code: 454,
        reason: "The JSON nests too deeply",
      });
    });

    test("of requests of an address", async () => {
      await start({ environment: { RATE_REQUESTS_PER_IP: "30" } });
      const ann = await client(101);
      const replies = [];
      for (let count = 0; count < 40; count += 1) {
        const reply = await ann.request("keepalive").catch(() => null);
        replies.push(reply);
        if (!reply || reply.error || !reply.janus) break;
      }
      const last = replies.at(-1);
      if (framing === "WebSocket") expect(last?.error?.code).toBe(490);
      else expect(last?.janus).not.toBe("ack");
      expect(replies.length).toBeLessThan(35);
    });

    test("of requests of an application", async () => {
      await start({ environment: { RATE_REQUESTS_PER_APPLICATION: "10" } });
      const ann = await client(101);
      const bob = await client(102);
      const codes = [];
      for (let count = 0; count < 10; count += 1) {
        codes.push(await codeOf(ann.request("keepalive")));
        codes.push(await codeOf(bob.request("keepalive")));
      }
      expect(codes.filter((code) => code === undefined)).toHaveLength(8);
      expect(codes.filter((code) => code === 490)).toHaveLength(12);
      const other = await at.connect(framing, at.token(201, { applicationId: 8 }));
      await other.create();
      expect((await other.request("keepalive")).janus).toBe("ack");
    });

    test("of requests of a session, which trickle does not count towards", async () => {
      await start({ limits: { requestsPerSecond: 0.001, requestBurstSeconds: 10_000 } });
      const [ann] = await entered("room", 101);
      for (let count = 0; count < 60; count += 1) {
        const candidate = { candidate: `c${count}`, sdpMid: "0", sdpMLineIndex: 0 };
        expect((await ann.trickle(ann.handle, candidate)).janus).toBe("ack");
      }
      await eventually(
        () => at.service.signals.length,
        (count) => count === 60,
      );
      const codes = [];
      for (let count = 0; count < 10; count += 1)
        codes.push(await codeOf(ann.request("keepalive")));
      expect(codes).toContain(490);
    });

    test("trickle does not count as a request of the address", async () => {
      await start({ environment: { RATE_REQUESTS_PER_IP: "60" } });
      const [ann] = await entered("room", 101);
      for (let count = 0; count < 150; count += 1) {
        const candidate = { candidate: `c${count}`, sdpMid: "0", sdpMLineIndex: 0 };
        expect((await ann.trickle(ann.handle, candidate)).janus).toBe("ack");
      }
      expect((await ann.message(ann.handle, { request: "configure" })).janus).toBe("ack");
    });

    test("of requests that wait for a media server", async () => {
      await start({ limits: { waitingPerHandle: 5 } });
      const [ann] = await entered("room", 101);
      const release = at.service.hold("signal");
      const body = { request: "configure", keyframe: true };
      const replies = Array.from({ length: 10 }, () => ann.message(ann.handle, body));
      let refused = 0;
      for (const reply of replies) void reply.then(({ error }) => error && refused++);
      await eventually(
        () => refused,
        (count) => count === 5,
      );
      release();
      const codes = (await Promise.all(replies)).map(({ error }) => error?.code ?? 0);
      expect(codes.filter((code) => code === 490)).toHaveLength(5);
    });
  });

  test("a web page whose origin is no longer allowed loses its session", async () => {
    const origin = "https://page.example";
    const token = at.token(101);
    const create = JSON.stringify({ janus: "create", transaction: "t", token });
    let id: number;
    if (framing === "WebSocket") {
      const socket = new WebSocket(at.urls.ws, "janus-protocol", { origin });
      socket.on("open", () => socket.send(create));
      const text = await new Promise<string>((resolve) =>
        socket.on("message", (data) => resolve(String(data))),
      );
      id = JSON.parse(text).data.id;
      socket.on("close", () => undefined);
    } else {
      const options = { method: "POST", headers: { Origin: origin }, body: create };
      id = (await frameOf(fetch(`${at.httpUrl}/janus`, options))).data?.id as number;
    }
    expect(at.sessions.find(id)).toBeDefined();
    at.refuseOrigin(origin);
    expect(at.sessions.find(id)).toBeUndefined();
  });
});

describe("a WebSocket", () => {
  const connect = (options: { protocol?: string; origin?: string } = {}) => {
    const { protocol = "janus-protocol", ...rest } = options;
    return new WebSocket(at.urls.ws, protocol, rest);
  };
  const opened = (socket: WebSocket) => new Promise((resolve) => socket.on("open", resolve));
  const closed = (socket: WebSocket) =>
    new Promise<number>((resolve) => socket.on("close", (code) => resolve(code)));
  const refused = (socket: WebSocket) =>
    new Promise<number | undefined>((resolve) => {
      socket.on("unexpected-response", (_request, response) => resolve(response.statusCode));
      socket.on("error", () => undefined);
    });
  const replyTo = async (socket: WebSocket, text: string | Buffer) => {
    const reply = new Promise<string>((resolve) =>
      socket.once("message", (data) => resolve(String(data))),
    );
    socket.send(text);
    return JSON.parse(await reply);
  };

  test("must offer the sub-protocol", async () => {
    expect(await refused(connect({ protocol: "xmpp" }))).toBe(400);
  });

  test("from an origin that is not allowed is refused", async () => {
    await start({ environment: { CORS_ORIGINS: "https://app.example" } });
    expect(await refused(connect({ origin: "https://evil.example" }))).toBe(403);
    const socket = connect({ origin: "https://app.example" });
    await opened(socket);
    socket.close();
  });

  test("is refused while the node is overloaded, or its address is over its limit", async () => {
    await start({
      deps: {
        admitConnection: () => {
          throw new Fault("UNAVAILABLE", "The server is overloaded", undefined, 2);
        },
      },
    });
    expect(await refused(connect())).toBe(503);
    await start({ environment: { RATE_REQUESTS_PER_IP: "1" } });
    await opened(connect());
    expect(await refused(connect())).toBe(429);
  });

  test("without a session is closed after some seconds", async () => {
    await start({ limits: { unauthenticatedMs: 2_000 } });
    const socket = connect();
    await opened(socket);
    expect(await closed(socket)).toBe(1008);
    const ann = await at.client("WebSocket", 101);
    await ann.destroy();
    expect(await ann.lost).toBe(1008);
  });

  test("with a session stays open", async () => {
    await start({ limits: { unauthenticatedMs: 2_000 } });
    const ann = await at.client("WebSocket", 101);
    const other = connect();
    expect(await closed(other)).toBe(1008);
    expect((await ann.request("keepalive")).janus).toBe("ack");
  });

  test("one too many of an address without a session is refused", async () => {
    await start({ limits: { preAuth: { perNetwork: 1, total: 10 } } });
    const ann = await at.client("WebSocket", 101);
    const first = connect();
    await opened(first);
    const second = connect();
    second.on("error", () => undefined);
    await closed(second);
    await ann.request("keepalive");
    first.close();
  });

  test("is closed after five failed sign-ins", async () => {
    const ann = await at.connect("WebSocket", "x".repeat(43));
    for (let count = 0; count < 5; count += 1) await ann.send({ janus: "create" });
    expect(await ann.lost).toBe(1008);
  });

  test("one transaction for all requests of a tick names each of them, and passes no limit", async () => {
    const ann = await at.client("WebSocket", 101);
    const socket = connect();
    await opened(socket);
    const frames: Frame[] = [];
    socket.on("message", (data) => frames.push(JSON.parse(String(data)) as Frame));
    const { token, sessionId: session_id } = ann;
    const same = { transaction: "t", token };
    socket.send(JSON.stringify({ janus: "claim", session_id, ...same }));
    const plugin = "janus.plugin.videoroom";
    // Not more than are refused before the socket is closed: the kernel may deliver them in two parts.
    for (let count = 0; count < 13 + 20; count += 1) {
      socket.send(JSON.stringify({ janus: "attach", session_id, plugin, ...same }));
    }
    await eventually(
      () => frames.length,
      (count) => count === 1 + 13 + 20,
    );
    expect(new Set(frames.map(({ transaction }) => transaction))).toEqual(new Set(["t"]));
    const codes = frames.slice(1).map(({ error }) => error?.code);
    expect(codes.filter((code) => code === undefined)).toHaveLength(13);
    expect(codes.filter((code) => code === 461)).toHaveLength(20);
    socket.close();
  });

  test("has at most two sessions", async () => {
    const ann = await at.connect("WebSocket", at.token(101));
    const codes = [];
    for (let count = 0; count < 3; count += 1) {
      codes.push((await ann.send({ janus: "create" })).error?.code);
    }
    expect(codes).toEqual([undefined, undefined, 472]);
  });

  test.each([
    ["{", 454],
    ["", 454],
    ["nonsense", 454],
    ['{"janus":"create"', 454],
    ["[]", 455],
    ["null", 455],
    ["1", 455],
    ['"create"', 455],
    ['{"janus":"create"}', 456],
    ['{"transaction":"t"}', 456],
    ['{"janus":1,"transaction":"t"}', 467],
    ['{"janus":"create","transaction":"t","session_id":"1"}', 467],
    ['{"janus":"create","transaction":"t","session_id":5}', 457],
  ])("is answered %s with %i", async (text, code) => {
    const socket = connect();
    await opened(socket);
    expect((await replyTo(socket, text)).error.code).toBe(code);
    socket.close();
  });

  test("that sends nothing but nonsense is closed", async () => {
    const socket = connect();
    await opened(socket);
    for (let count = 0; count < 30; count += 1) socket.send("{");
    expect(await closed(socket)).toBe(1013);
  });

  test("that sends binary messages, too large ones or invalid UTF-8 is closed", async () => {
    for (const [data, code] of [
      [Buffer.from("{}"), 1003],
      ["x".repeat(100_000), 1009],
    ] as const) {
      const socket = connect();
      await opened(socket);
      socket.send(data);
      expect(await closed(socket)).toBe(code);
    }
    const socket = connect();
    await opened(socket);
    socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await closed(socket)).toBe(1007);
  });

  test("that sends too much is closed, whatever it sends", async () => {
    await start({ limits: { messagesPerSecond: 1, messageBurstSeconds: 20 } });
    const ann = await at.client("WebSocket", 101);
    for (let count = 0; count < 30; count += 1) void ann.request("keepalive").catch(() => "closed");
    expect(await ann.lost).toBe(1013);
    await start({ limits: { messagesPerSecond: 1, messageBurstSeconds: 20 } });
    const socket = connect();
    await opened(socket);
    for (let count = 0; count < 30; count += 1) socket.ping();
    expect(await closed(socket)).toBe(1013);
  });

  test("that does not read is closed, and its queue is bounded", async () => {
    await start({
      limits: { messagesPerSecond: 100_000, requestsPerSecond: 100_000, pingMs: 3_600_000 },
    });
    const ann = await at.client("WebSocket", 101);
    await ann.enter("room");
    await ann.frame(({ janus }) => janus === "webrtcup");
    // Results as long as this fill the buffers of the system too.
    at.service.change("room", 101, { name: "x".repeat(100_000) });
    ann.freeze();
    for (let count = 0; count < 200; count += 1) {
      ann.participants("room").catch(() => "closed");
    }
    await eventually(
      () => at.sessions.find(ann.sessionId),
      (session) => session === undefined,
    );
    await eventually(
      () => at.service.numbersIn("room"),
      ({ length }) => length === 0,
    );
  });
});

describe("long polling", () => {
  const url = (path = "") => `${at.httpUrl}/janus${path}`;
  const post = async (path: string, body: string | Uint8Array, type = "application/json") => {
    const headers = { "Content-Type": type };
    return fetch(url(path), { method: "POST", headers, body: body as string });
  };

  test.each(["{", "", "nonsense", "[]", "null", "1"])("the body %j is an error", async (body) => {
    const response = await post("", body);
    expect(response.status).toBe(200);
    expect([454, 455]).toContain(((await response.json()) as Frame).error?.code);
  });

  test("a body that is not UTF-8 is an error", async () => {
    const response = await post("", new Uint8Array([0x22, 0xff, 0x22]));
    expect(((await response.json()) as Frame).error?.code).toBe(454);
  });

  test("a body that is too large is 413", async () => {
    const response = await post("", "x".repeat(100_000));
    expect(response.status).toBe(413);
    expect(((await response.json()) as Frame).janus).toBe("error");
  });

  test("ids of the path count, those of the body do not", async () => {
    const ann = await at.client("long polling", 101);
    const mallory = await at.client("long polling", 666);
    const body = { janus: "destroy", transaction: "t", token: mallory.token };
    const text = JSON.stringify({ ...body, session_id: ann.sessionId });
    const reply = await frameOf(post(`/${mallory.sessionId}`, text));
    expect(reply.session_id).toBe(mallory.sessionId);
    expect(at.sessions.find(ann.sessionId)).toBeDefined();
  });

  test.each([
    "0",
    "-1",
    "1.5",
    "1e3",
    "x",
    "%00",
    "9007199254740993",
    "__proto__",
  ])("the session %s does not exist", async (id) => {
    const token = at.token(101);
    const body = JSON.stringify({ janus: "keepalive", transaction: "t", token });
    expect([457, 458]).toContain((await frameOf(post(`/${id}`, body))).error?.code);
    expect((await fetch(url(`/${id}?rid=1&maxev=10&token=${token}`))).status).toBe(404);
  });

  test("a session of a WebSocket cannot be polled", async () => {
    const ann = await at.client("WebSocket", 101);
    const query = `?rid=1&maxev=10&token=${ann.token}`;
    expect((await fetch(url(`/${ann.sessionId}${query}`))).status).toBe(404);
    const body = JSON.stringify({ janus: "destroy", transaction: "t", token: ann.token });
    expect((await frameOf(post(`/${ann.sessionId}`, body))).error?.code).toBe(458);
  });

  test("a poll needs the token of its session, which does not exist for another one", async () => {
    const ann = await at.client("long polling", 101);
    for (const query of ["", "?token=", `?token=${at.token(101)}`, `?token=${ann.token}&token=x`]) {
      const [response, unknown] = await Promise.all(
        [ann.sessionId, ann.sessionId + 1].map((id) => fetch(url(`/${id}${query}`))),
      );
      expect(response?.status).toBe(404);
      const text = await response?.text();
      expect(JSON.parse(text ?? "")).toMatchObject({ janus: "error", error: { code: 458 } });
      expect(text).toBe(await unknown?.text());
    }
  });

  test("a client that does not poll ends, and its queue is bounded", async () => {
    await start({ limits: { queue: { frames: 20, bytes: 1_000_000 } } });
    const ann = await at.connect("long polling", at.token(101));
    ann.sessionId = (await ann.send({ janus: "create" })).data?.id as number;
    const handle = await ann.attach();
    await ann.message(handle, { ...PUBLISHER, room: "room" });
    for (let count = 0; count < 30; count += 1) {
      await ann.message(handle, { request: "configure" });
    }
    expect(at.sessions.find(ann.sessionId)).toBeUndefined();
    expect((await fetch(url(`/${ann.sessionId}?token=${ann.token}`))).status).toBe(404);
    await eventually(
      () => at.service.numbersIn("room"),
      ({ length }) => length === 0,
    );
  });

  test("requests without a session count for their address", async () => {
    await start({ environment: { RATE_REQUESTS_PER_IP: "5" } });
    const statuses = [];
    for (let count = 0; count < 8; count += 1) statuses.push((await post("/1/2", "{}")).status);
    expect(statuses).toContain(429);
    expect((await fetch(url("/1?token=x"))).status).toBe(429);
  });
});
