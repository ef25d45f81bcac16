import { sdpOf } from "../../support/conferences/fake-conference-service";
import { LegacyClient } from "../../support/conferences/legacy-client";
import {
  APPLICATION,
  FRAMINGS,
  type LegacyEndpoint,
  startLegacyEndpoint,
} from "../../support/conferences/legacy-endpoint";
import { overWebSocket } from "../../support/conferences/legacy-transports";
import { eventually } from "../../support/moving-clock";

/** What legacy conference clients send and read (docs/CONFERENCES.md, Legacy clients). */

let at: LegacyEndpoint;
beforeEach(async () => {
  at = await startLegacyEndpoint();
});
afterEach(() => at.close());

const candidate = (text: string) => ({ candidate: text, sdpMid: "0", sdpMLineIndex: 0 });

describe.each(FRAMINGS)("over %s", (framing) => {
  const client = (userId: number) => at.client(framing, userId);
  /** Clients that are in a room and publish, one after the other. */
  const entered = async (room: string | number, ...users: number[]): Promise<LegacyClient[]> => {
    const clients: LegacyClient[] = [];
    for (const user of users) {
      const each = await client(user);
      await each.enter(room);
      await each.frame(({ janus }) => janus === "webrtcup");
      clients.push(each);
    }
    const others = (index: number) => users.filter((_, other) => other !== index);
    await Promise.all(clients.map((each, index) => each.shows(...others(index))));
    return clients;
  };

  test("three clients meet, watch each other, and leave", async () => {
    const [ann, bob, cleo] = (await entered("room", 101, 102, 103)) as [
      LegacyClient,
      LegacyClient,
      LegacyClient,
    ];
    for (const [each, feeds] of [
      [ann, [102, 103]],
      [bob, [101, 103]],
      [cleo, [101, 102]],
    ] as const) {
      for (const feed of feeds) {
        const attached = await each.listen("room", feed);
        expect(attached.plugindata?.data).toEqual({
          videoroom: "attached",
          room: "room",
          id: feed,
          display: `User ${feed}`,
        });
        expect(attached.jsep).toEqual({ type: "offer", sdp: sdpOf(`offer of ${feed}`) });
        await each.start("room", feed);
      }
    }
    expect(at.service.signals.filter(({ message }) => message.answer)).toHaveLength(6);
    await bob.leave();
    await Promise.all([ann.shows(103), cleo.shows(101)]);
    expect([...ann.twice, ...bob.twice, ...cleo.twice]).toEqual([]);
    expect(at.service.numbersIn("room")).toEqual([101, 103]);
  });

  test("replies have the transaction and the session, as the library requires", async () => {
    const ann = await client(101);
    const { sessionId: session_id } = ann;
    expect(await ann.send({ janus: "keepalive", session_id, transaction: "mine" })).toEqual({
      janus: "ack",
      session_id,
      transaction: "mine",
    });
    const attached = await ann.request("attach", {
      plugin: "janus.plugin.videoroom",
      transaction: "a",
    });
    const handle_id = attached.data?.id as number;
    expect(attached).toEqual({
      janus: "success",
      session_id,
      transaction: "a",
      data: { id: handle_id },
    });
    const join = { request: "join", room: "room", ptype: "publisher", id: 101 };
    expect(await ann.request("message", { handle_id, body: join, transaction: "j" })).toEqual({
      janus: "ack",
      session_id,
      transaction: "j",
    });
    const joined = await ann.event(handle_id, () => true);
    expect(joined).toEqual({
      janus: "event",
      session_id,
      transaction: "j",
      sender: handle_id,
      plugindata: {
        plugin: "janus.plugin.videoroom",
        data: {
          videoroom: "joined",
          room: "room",
          description: "room",
          id: 101,
          publishers: [],
          attendees: [],
        },
      },
    });
    const published = await ann.request("message", {
      handle_id,
      body: { request: "configure", audio: true, video: true },
      jsep: { type: "offer", sdp: sdpOf("offer") },
      transaction: "c",
    });
    expect(published).toEqual({ janus: "ack", session_id, transaction: "c" });
    expect(await ann.event(handle_id, () => true)).toEqual({
      janus: "event",
      session_id,
      transaction: "c",
      sender: handle_id,
      plugindata: {
        plugin: "janus.plugin.videoroom",
        data: { videoroom: "event", room: "room", configured: "ok" },
      },
      jsep: { type: "answer", sdp: sdpOf("answer for 101") },
    });
    expect(await ann.request("detach", { handle_id, transaction: "d" })).toEqual({
      janus: "success",
      session_id,
      transaction: "d",
    });
    expect(await ann.request("destroy", { transaction: "e" })).toEqual({
      janus: "success",
      session_id,
      transaction: "e",
    });
  });

  test("ids of sessions and handles are random and exact in JSON", async () => {
    const [ann, bob] = [await client(101), await client(102)];
    const ids = [ann.sessionId, bob.sessionId, await ann.attach(), await ann.attach()];
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) {
      expect(Number.isSafeInteger(id)).toBe(true);
      expect(id).toBeGreaterThan(0);
    }
  });

  test("translation 1: ptype listener and subscriber are the same", async () => {
    const [, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
    expect((await bob.listen("room", 101, "listener")).jsep?.type).toBe("offer");
    expect((await bob.listen("room", 101, "subscriber")).jsep?.type).toBe("offer");
  });

  test("translation 2: rooms may be numbers, and ids are numbers on the way out", async () => {
    const ann = await client(101);
    expect(await ann.join(1234, 101)).toMatchObject({ room: 1234, id: 101 });
    await ann.publish();
    await ann.frame(({ janus }) => janus === "webrtcup");
    const bob = await client(102);
    const joined = await bob.join("1234");
    expect(joined).toMatchObject({ room: "1234", publishers: [{ id: 101, display: "User 101" }] });
    expect((await bob.listen("1234", 101)).plugindata?.data.id).toBe(101);
    const seen = await ann.participants(1234);
    expect(seen.map(({ id }) => id)).toEqual([101, 102]);
    await bob.publish();
    expect(await ann.roomEvent("publishers")).toEqual({
      videoroom: "event",
      room: 1234,
      publishers: [{ id: 102, display: "User 102" }],
    });
    await bob.message(bob.handle, { request: "unpublish" });
    expect(await ann.roomEvent("unpublished")).toMatchObject({ room: 1234, unpublished: 102 });
    await bob.leave();
    expect(await ann.roomEvent("leaving")).toMatchObject({ room: 1234, leaving: 102 });
  });

  test("translation 3: a join opens the room, also if two clients do it at once", async () => {
    const clients = await Promise.all([101, 102, 103].map(client));
    await Promise.all(clients.map((each) => each.join("new room")));
    expect(at.service.names()).toEqual(["new room"]);
    expect(at.service.numbersIn("new room").sort()).toEqual([101, 102, 103]);
  });

  test("translation 4: the token reaches neither the conference nor other clients", async () => {
    const [ann, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
    await bob.participants("room");
    const everything = JSON.stringify([bob.received, at.service.room(APPLICATION, "room")?.log]);
    expect(everything).not.toContain(ann.token);
    expect(everything).not.toContain(String(ann.sessionId));
  });

  test("translation 5: a listener is never renegotiated; the end of its feed is a hangup", async () => {
    const [ann, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
    await bob.listen("room", 101);
    await bob.start("room", 101);
    const listener = bob.listeners.get(101);
    await ann.leave();
    const hangup = await bob.frame(({ janus }) => janus === "hangup");
    expect(hangup).toMatchObject({ sender: listener, session_id: bob.sessionId });
    await bob.shows();
    const offers = bob.received.filter(({ jsep }) => jsep?.type === "offer");
    expect(offers).toHaveLength(1);
    expect(JSON.stringify(bob.received)).not.toContain("updated");
  });

  test("translation 6: a removed participant is leaving for the others, and an error 433 for itself", async () => {
    const [ann, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
    at.service.remove("room", 102);
    expect(await ann.roomEvent("leaving")).toMatchObject({ leaving: 102 });
    expect(await bob.roomEvent("error_code")).toEqual({
      videoroom: "event",
      room: "room",
      error_code: 433,
      error: "Removed from the room",
    });
    expect(JSON.stringify([...ann.received, ...bob.received])).not.toContain("kicked");
    expect((await bob.request("keepalive")).janus).toBe("ack");
    expect((await bob.message(bob.handle, { request: "configure" })).error?.code).toBe(433);
  });

  test("translation 7: the same user again replaces the earlier device, which stays connected", async () => {
    const [ann, first] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
    const second = await client(102);
    await second.enter("room");
    expect(await first.roomEvent("error_code")).toMatchObject({
      error_code: 433,
      error: "Replaced by another device of the user",
    });
    expect(await ann.roomEvent("leaving")).toMatchObject({ leaving: 102 });
    await ann.shows(102);
    expect(ann.twice).toEqual([]);
    expect(at.service.numbersIn("room")).toEqual([101, 102]);

    // The earlier one neither comes back nor harms the new one.
    expect((await first.request("keepalive")).janus).toBe("ack");
    const again = { request: "join", room: "room", ptype: "publisher", id: 102 };
    expect((await first.message(first.handle, again)).error?.code).toBe(425);
    for (const request of ["configure", "leave", "unpublish"]) {
      expect((await first.message(first.handle, { request })).error?.code).toBe(433);
    }
    const fresh = await first.attach();
    expect((await first.message(fresh, again)).error?.code).toBe(433);
    await first.destroy();
    await second.participants("room");
    expect(at.service.numbersIn("room")).toEqual([101, 102]);
  });

  test("a participant is announced once its media flows, and once only", async () => {
    const ann = await client(101);
    await ann.enter("room");
    at.service.automaticUp = false;
    const bob = await client(102);
    await bob.join("room");
    await bob.publish();
    const cleo = await client(103);
    expect(await cleo.join("room")).toMatchObject({
      publishers: [{ id: 101 }],
      attendees: [{ id: 102, display: "User 102" }],
    });
    expect(ann.shown.size).toBe(0);
    at.service.bringUp("room", 102);
    await Promise.all([ann.shows(102), cleo.shows(101, 102)]);
    expect(await bob.frame(({ janus }) => janus === "webrtcup")).toMatchObject({
      sender: bob.handle,
      session_id: bob.sessionId,
    });
    // Changes that are not the media's, and a repeated snapshot.
    at.service.change("room", 102, { audioMuted: true });
    at.service.resend("room");
    at.service.change("room", 102, { name: "Robert" });
    at.service.remove("room", 103);
    await ann.roomEvent("leaving");
    expect(ann.twice).toEqual([]);
  });

  test("shared screens are not announced", async () => {
    const ann = await client(101);
    await ann.enter("room");
    at.service.automaticUp = false;
    const { conference } = at.service.room(APPLICATION, "room") ?? {};
    const guest = await at.service.join(
      {
        applicationId: APPLICATION,
        number: 200,
        kind: "guest-link",
        name: "Guest",
        sessionId: null,
        device: "page",
      },
      conference?.id ?? 0,
    );
    at.service.change("room", 200, { screen: true });
    at.service.change("room", 200, { publishing: true });
    at.service.change("room", 200, { screen: false });
    expect(await ann.roomEvent("publishers")).toMatchObject({ publishers: [{ id: 200 }] });
    await at.service.leave(guest.ref);
    await ann.roomEvent("leaving");
    const events = ann.received.map(({ plugindata }) => plugindata?.data ?? {});
    expect(
      events.filter(({ videoroom, publishers }) => videoroom === "event" && publishers),
    ).toHaveLength(1);
  });

  test("lost events are made up for by a snapshot", async () => {
    const [ann] = (await entered("room", 101, 102, 103)) as [LegacyClient];
    at.service.loseEvents("room", () => at.service.remove("room", 102));
    at.service.loseEvents("room", () => at.service.change("room", 103, { publishing: false }));
    at.service.resend("room");
    await ann.shows();
    expect(await ann.roomEvent("leaving")).toMatchObject({ leaving: 102 });
    expect(await ann.roomEvent("unpublished")).toMatchObject({ unpublished: 103 });
  });

  test("a listener only (joinAsListener) takes a seat and is no publisher", async () => {
    at.service.automaticUp = false;
    const ann = await client(101);
    await ann.join("room");
    await ann.publish(sdpOf("data only"));
    expect(await ann.participants("room")).toEqual([
      { id: 101, display: "User 101", publisher: false },
    ]);
  });

  test("listparticipants is answered synchronously", async () => {
    const [ann] = (await entered("room", 101, 102)) as [LegacyClient];
    const body = { request: "listparticipants", room: "room" };
    expect(await ann.message(ann.handle, body)).toMatchObject({
      janus: "success",
      session_id: ann.sessionId,
      sender: ann.handle,
      plugindata: {
        plugin: "janus.plugin.videoroom",
        data: {
          videoroom: "participants",
          room: "room",
          participants: [
            { id: 101, display: "User 101", publisher: true },
            { id: 102, display: "User 102", publisher: true },
          ],
        },
      },
    });
  });

  test("a key frame is requested of the client's own peer connection", async () => {
    const [ann] = (await entered("room", 101)) as [LegacyClient];
    const body = { request: "configure", room: "room", keyframe: true };
    expect((await ann.message(ann.handle, body)).janus).toBe("ack");
    await ann.event(ann.handle, (data) => data.configured === "ok");
    expect(at.service.signals.map(({ message }) => message)).toEqual([
      { publisher: { keyFrame: true } },
    ]);
  });

  test("candidates may precede the offer or answer, and are passed on in order", async () => {
    const ann = await client(101);
    await ann.join("room");
    expect((await ann.trickle(ann.handle, candidate("early"))).janus).toBe("ack");
    expect(at.service.signals).toEqual([]);
    await ann.publish();
    await ann.trickle(ann.handle, candidate("late"));
    await ann.trickle(ann.handle, { completed: true });
    const bob = await client(102);
    await bob.join("room");
    const passed = () => at.service.signals.flatMap(({ message }) => message.candidate ?? []);
    expect(await eventually(passed, ({ length }) => length === 3)).toEqual([
      candidate("early"),
      candidate("late"),
      { candidate: "", sdpMid: null, sdpMLineIndex: null },
    ]);
    await eventually(
      () => at.service.room(APPLICATION, "room"),
      (room) => [...(room?.participants.values() ?? [])].some(({ state }) => state.publishing),
    );
    await bob.shows(101);
    await bob.listen("room", 101);
    const listener = bob.listeners.get(101) ?? 0;
    await bob.trickle(listener, { candidate: "of the listener", sdpMid: 0, sdpMLineIndex: null });
    await bob.start("room", 101);
    const messages = await eventually(
      () => at.service.signals.slice(3).map(({ message }) => message),
      ({ length }) => length === 2,
    );
    expect(messages).toEqual([
      { answer: sdpOf("answer") },
      { candidate: { candidate: "of the listener", sdpMid: "0", sdpMLineIndex: null } },
    ]);
  });

  test("leave with the room, with null, then detach and destroy without waiting", async () => {
    for (const room of ["room", null, undefined]) {
      const [ann] = (await entered("room", 101)) as [LegacyClient];
      const replies = await Promise.all([
        ann.message(ann.handle, { request: "leave", room, id: 101 }),
        ann.request("detach", { handle_id: ann.handle }),
        ann.request("destroy"),
      ]);
      expect(replies[2]).toMatchObject({ janus: "success", session_id: ann.sessionId });
      // The others may be answered with 458 or 459, which the library drops.
      for (const { error } of replies) {
        if (error) expect([424, 458, 459]).toContain(error.code);
      }
      await eventually(
        () => at.service.numbersIn("room"),
        ({ length }) => length === 0,
      );
    }
  });

  test("a rejoin in a new session is shown as one person", async () => {
    const [ann, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
    for (let count = 0; count < 5; count += 1) {
      const again = await client(102);
      await again.enter("room");
      await eventually(
        () => ann.received.filter(({ plugindata }) => plugindata?.data.publishers).length,
        (announced) => announced === count + 2,
      );
    }
    await ann.shows(102);
    expect(ann.twice).toEqual([]);
    expect(bob.received.length).toBeGreaterThan(0);
  });

  test("hangup closes the peer connection of a handle", async () => {
    const [ann, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
    expect((await ann.request("hangup", { handle_id: ann.handle })).janus).toBe("ack");
    await bob.shows();
    expect(await bob.participants("room")).toEqual([
      { id: 101, display: "User 101", publisher: false },
      { id: 102, display: "User 102", publisher: true },
    ]);
  });

  test("a peer connection that ends by itself is a hangup", async () => {
    const [ann, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
    await bob.listen("room", 101);
    at.service.closeOwnPeer("room", 102, 101);
    expect(await bob.frame(({ janus }) => janus === "hangup")).toEqual({
      janus: "hangup",
      session_id: bob.sessionId,
      sender: bob.listeners.get(101),
      reason: "ICE failed",
    });
    at.service.closeOwnPeer("room", 101);
    expect(await ann.frame(({ janus }) => janus === "hangup")).toMatchObject({
      sender: ann.handle,
      reason: "ICE failed",
    });
    await ann.publish();
    await bob.shows(101);
  });

  test("a detached listener closes its peer connection, a detached publisher leaves", async () => {
    const [ann, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
    await bob.listen("room", 101);
    await bob.request("detach", { handle_id: bob.listeners.get(101) });
    await eventually(
      () => at.service.calls.filter((name) => name === "closePeer").length,
      (count) => count === 1,
    );
    await ann.request("detach", { handle_id: ann.handle });
    await bob.shows();
    expect(at.service.numbersIn("room")).toEqual([102]);
  });

  test("the name is that of the profile, and a legacy mute is unknown", async () => {
    const ann = await client(101);
    await ann.join("room", 101, "Admin");
    await ann.message(ann.handle, { request: "configure", display: "Admin", audio: false });
    const [participant] = at.service.room(APPLICATION, "room")?.participants.values() ?? [];
    expect(participant?.state).toMatchObject({
      name: "User 101",
      audioMuted: null,
      videoMuted: null,
    });
  });

  test.each([
    "reconnect",
    "ended",
  ])("%s: the client must join again in a new session", async (how) => {
    const [ann] = (await entered("room", 101, 102)) as [LegacyClient];
    if (how === "ended") at.service.end("room");
    else at.service.loseEngine("room");
    if (framing === "long polling") {
      await ann.frame(
        ({ janus, session_id }) => janus === "timeout" && session_id === ann.sessionId,
      );
    }
    expect(await ann.lost).toBe(framing === "WebSocket" ? 1012 : 404);
    // Its seat waits for it, also in a locked conference.
    expect(at.service.calls).not.toContain("leave");
    const again = await client(101);
    await again.enter("room");
    expect(at.service.numbersIn("room")).toContain(101);
  });

  test("a session that ends is out of the room at once", async () => {
    const [ann, bob] = (await entered("room", 101, 102)) as [LegacyClient, LegacyClient];
    at.revoke(bob.token);
    await ann.shows();
    expect(await bob.lost).toBe(framing === "WebSocket" ? 1008 : 404);
    expect(at.service.numbersIn("room")).toEqual([101]);
  });

  test("a shutdown ends the sessions, and accepts no new ones", async () => {
    const [ann] = (await entered("room", 101)) as [LegacyClient];
    const other = await at.connect(framing, at.token(102));
    await at.endpoint.drain(0);
    expect(await ann.lost).toBe(framing === "WebSocket" ? 1012 : 404);
    expect((await other.send({ janus: "create" })).error?.code).toBe(472);
    // The client comes back at another node, and finds its seat.
    expect(at.service.calls).not.toContain("leave");
  });

  test("sessions and messages are counted", async () => {
    const ann = await client(101);
    await ann.enter("room");
    await ann.trickle(ann.handle, candidate("c"));
    await ann.request("message", { handle_id: ann.handle, body: { request: "nonsense" } });
    const text = () => at.metrics.registry.metrics();
    const transport = framing === "WebSocket" ? "websocket" : "polling";
    expect(await text()).toContain(`signalbox_janus_sessions{transport="${transport}"} 1`);
    for (const line of [
      'protocol="janus",operation="create",code="OK"} 1',
      'protocol="janus",operation="join",code="OK"} 1',
      'protocol="janus",operation="configure",code="OK"} 1',
      'protocol="janus",operation="unknown",code="FORBIDDEN"} 1',
    ]) {
      await eventually(text, (all) => all.includes(line));
    }
    await ann.destroy();
    await eventually(text, (all) => all.includes(`janus_sessions{transport="${transport}"} 0`));
  });
});

describe("a lost WebSocket", () => {
  test("leaves at once", async () => {
    const ann = await at.client("WebSocket", 101);
    const bob = await at.client("WebSocket", 102);
    await ann.enter("room");
    await ann.frame(({ janus }) => janus === "webrtcup");
    await bob.enter("room");
    await bob.shows(101);
    ann.drop();
    await bob.shows();
    expect(at.service.numbersIn("room")).toEqual([102]);
  });

  test("while it joins leaves no participant behind", async () => {
    const ann = await at.client("WebSocket", 101);
    const release = at.service.hold("join");
    const joining = ann.join("room").catch(() => "lost");
    await eventually(
      () => at.service.calls,
      (calls) => calls.includes("join"),
    );
    ann.drop();
    expect(await joining).toBe("lost");
    await eventually(
      () => at.sessions.find(ann.sessionId),
      (session) => session === undefined,
    );
    release();
    await eventually(
      () => at.service.calls,
      (calls) => calls.includes("leave"),
    );
    expect(at.service.numbersIn("room")).toEqual([]);
  });

  test("that is silent is noticed by pings", async () => {
    await at.close();
    at = await startLegacyEndpoint({ limits: { pingMs: 1_000 } });
    const ann = await at.client("WebSocket", 101);
    await ann.enter("room");
    ann.freeze();
    await eventually(
      () => at.service.numbersIn("room"),
      ({ length }) => length === 0,
    );
  });
});

describe("a session without messages", () => {
  test.each(FRAMINGS)("over %s times out, and is told so", async (framing) => {
    await at.close();
    at = await startLegacyEndpoint({ limits: { sessionMs: 300, pollMs: 100 } });
    const ann = await at.connect(framing, at.token(101));
    const reply = await ann.send({ janus: "create" });
    const id = reply.data?.id as number;
    await eventually(
      () => at.sessions.find(id),
      (session) => session === undefined,
    );
    if (framing === "WebSocket") {
      expect(await ann.frame(({ janus }) => janus === "timeout")).toEqual({
        janus: "timeout",
        session_id: id,
      });
    } else {
      const poll = () => fetch(`${at.httpUrl}/janus/${id}?rid=1&maxev=10&token=${ann.token}`);
      expect(await (await poll()).json()).toEqual([{ janus: "timeout", session_id: id }]);
      expect((await poll()).status).toBe(404);
    }
  });

  test("is kept alive by a poll alone", async () => {
    await at.close();
    at = await startLegacyEndpoint({ limits: { sessionMs: 3_000, pollMs: 4_000 } });
    const ann = await at.connect("long polling", at.token(101));
    const id = (await ann.send({ janus: "create" })).data?.id as number;
    const response = await fetch(`${at.httpUrl}/janus/${id}?rid=1&maxev=10&token=${ann.token}`);
    expect(await response.json()).toEqual({ janus: "keepalive" });
    expect((await ann.request("keepalive", { session_id: id })).janus).toBe("ack");
  });
});

describe("claim", () => {
  test("moves the client's own session to another socket, with its events", async () => {
    const ann = await at.client("WebSocket", 101);
    await ann.enter("room");
    const again = await at.connect("WebSocket", ann.token);
    again.sessionId = ann.sessionId;
    again.handle = ann.handle;
    expect(await again.request("claim", { transaction: "c" })).toEqual({
      janus: "success",
      session_id: ann.sessionId,
      transaction: "c",
    });
    ann.drop();
    const bob = await at.client("WebSocket", 102);
    await bob.enter("room");
    await again.shows(102);
    expect(at.service.numbersIn("room")).toEqual([101, 102]);
  });

  test("over long polling succeeds for the client's own session", async () => {
    const ann = await at.client("long polling", 101);
    expect(await ann.request("claim")).toMatchObject({ janus: "success" });
  });

  test.each(FRAMINGS)("over %s needs the session's token and transport", async (framing) => {
    const ann = await at.client(framing, 101);
    await ann.enter("room");
    const session = { session_id: ann.sessionId };
    const mallory = await at.client(framing, 666);
    expect((await mallory.request("claim", session)).error?.code).toBe(458);
    const other = framing === "WebSocket" ? "long polling" : "WebSocket";
    const elsewhere = await at.connect(other, ann.token);
    expect((await elsewhere.request("claim", session)).error?.code).toBe(458);
    // It is still with its client.
    await ann.participants("room");
  });
});

describe("the port", () => {
  test("also speaks TLS", async () => {
    const client = await LegacyClient.open(overWebSocket, at.urls.wss, at.token(101));
    await client.enter("room");
    client.drop();
    await eventually(
      () => at.service.numbersIn("room"),
      ({ length }) => length === 0,
    );
  });

  test("refuses plain HTTP", async () => {
    const response = await fetch(at.urls.ws.replace("ws:", "http:"));
    expect(response.status).toBe(426);
  });
});

describe("long polling", () => {
  const url = (path: string) => `${at.httpUrl}/janus${path}`;

  test("a preflight is answered as for the REST API", async () => {
    const response = await fetch(url("/1/2"), {
      method: "OPTIONS",
      headers: {
        Origin: "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-headers")).toContain("Content-Type");
  });

  test("a page that is closed destroys its session by sendBeacon, as text/plain", async () => {
    const ann = await at.client("long polling", 101);
    await ann.enter("room");
    const response = await fetch(url(`/${ann.sessionId}`), {
      method: "POST",
      headers: { "Content-Type": "text/plain;charset=UTF-8", Origin: "https://app.example" },
      body: JSON.stringify({ janus: "destroy", transaction: "b", token: ann.token }),
    });
    expect(await response.json()).toEqual({
      janus: "success",
      session_id: ann.sessionId,
      transaction: "b",
    });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("cache-control")).toBe("no-store");
    await eventually(
      () => at.service.numbersIn("room"),
      ({ length }) => length === 0,
    );
  });

  test("a poll without events is a keepalive; without maxev it has one event, as an object", async () => {
    await at.close();
    at = await startLegacyEndpoint({ limits: { pollMs: 200 } });
    const ann = await at.connect("long polling", at.token(101));
    const id = (await ann.send({ janus: "create" })).data?.id as number;
    const query = `?rid=1&token=${ann.token}`;
    const poll = async (more = "") => (await fetch(url(`/${id}${query}${more}`))).json();
    expect(await poll()).toEqual({ janus: "keepalive" });
    ann.sessionId = id;
    const handle = await ann.attach();
    for (const request of ["join", "configure", "configure", "configure"]) {
      await ann.message(handle, { request, room: "r", ptype: "publisher" });
    }
    expect(await poll()).toMatchObject({ janus: "event", sender: handle });
    expect(await poll("&maxev=2")).toHaveLength(2);
    expect(await poll("&maxev=10")).toHaveLength(1);
  });

  test("a second poll ends the first, and events of a broken poll are not lost", async () => {
    const ann = await at.connect("long polling", at.token(101));
    const id = (await ann.send({ janus: "create" })).data?.id as number;
    ann.sessionId = id;
    const handle = await ann.attach();
    const address = url(`/${id}?rid=1&maxev=10&token=${ann.token}`);
    const first = fetch(address);
    await eventually(at.polls, (count) => count === 1);
    const gone = new AbortController();
    const second = fetch(address, { signal: gone.signal }).catch(() => "aborted");
    expect(await (await first).json()).toEqual({ janus: "keepalive" });
    gone.abort();
    expect(await second).toBe("aborted");
    await eventually(at.polls, (count) => count === 0);
    await ann.message(handle, { request: "join", room: "r", ptype: "publisher" });
    expect(await (await fetch(address)).json()).toHaveLength(1);
  });

  test("the token of a poll is in no log line", async () => {
    const ann = await at.client("long polling", 101);
    await ann.enter("room");
    await fetch(url(`/123?rid=1&token=${ann.token}`));
    await fetch(url(`/${ann.sessionId}/%zz?token=${ann.token}`));
    await ann.destroy();
    await ann.lost;
    expect(at.lines.length).toBeGreaterThan(3);
    expect(at.lines.filter((line) => line.includes(ann.token))).toEqual([]);
  });
});
