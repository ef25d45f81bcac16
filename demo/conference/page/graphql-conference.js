import { createClient } from "graphql-ws";
import { subscribeEvents } from "./event-subscription.js";
import { FigureReader } from "./figures.js";
import * as api from "./graphql-api.js";
import { capVideo, exchangeTrack, setMuted, stopStreams } from "./own-media.js";
import { assignTracks } from "./watched-media.js";

/** A conference for one page: joins, publishes, watches, and follows the events. To copy from; it has no view. */

/** @import { Figures } from "./figures.js" */
/** @import { Listener, Member, Section, Source } from "./conference-types.js" */

/** Time between attempts after an error, in milliseconds. */
const RETRY_MS = 1_000;

/** @param {Member[]} members */
const byId = (members) => new Map(members.map((member) => [member.id, member]));

/** A member over GraphQL. */
export class GraphqlConference {
  /** @type {Map<string, Member>} */
  members = new Map();
  /** The media of the others by `${memberId}/${source}`. @type {Map<string, MediaStream>} */
  media = new Map();
  /** The caller's own member id. */
  me = "";
  name = "";
  /** Whether the events arrive. */
  isConnected = false;
  /** @type {MediaStream | null} */
  screen = null;

  #url;
  #token;
  #id;
  #listener;
  #client;
  #membershipId = "";
  #isOver = false;
  #bitrate = 0;
  /** @type {RTCIceServer[]} */
  #iceServers = [];
  /** The own peer connections. @type {Map<Source | "WATCH", { pc: RTCPeerConnection, peerId: string }>} */
  #peers = new Map();
  /** @type {Section[]} */
  #sections = [];
  /** Offers are answered one after the other. @type {Promise<void>} */
  #work = Promise.resolve();
  #unsubscribe = () => {};
  #figures = new FigureReader();

  /**
   * @param {{ url: string, token: string, conferenceId: string, stream: MediaStream }} access
   * `url` is the http URL of /graphql, `stream` what is published
   * @param {Listener} listener
   */
  constructor({ url, token, conferenceId, stream }, listener) {
    this.#url = url;
    this.#token = token;
    this.#id = conferenceId;
    this.stream = stream;
    this.#listener = listener;
    this.#client = createClient({
      url: url.replace(/^http/, "ws"),
      connectionParams: { token },
      keepAlive: 10_000,
      retryAttempts: Number.POSITIVE_INFINITY,
      shouldRetry: () => !this.#isOver,
      on: { connected: () => this.#connected(true), closed: () => this.#connected(false) },
    });
  }

  /** Joins, then publishes and watches. @throws ServiceError, for instance FULL */
  async join() {
    const { joinConference: joined } = await this.#run(api.JOIN, { conferenceId: this.#id }, false);
    this.#membershipId = joined.membershipId;
    this.me = joined.member.id;
    this.name = joined.conference.name;
    this.#bitrate = joined.conference.bitrate;
    this.#iceServers = joined.iceServers;
    this.members = byId(joined.conference.members);
    this.#subscribe();
    this.#openMedia();
  }

  /** Mutes or unmutes, and tells the others. @param {"audio" | "video"} kind @param {boolean} muted */
  async mute(kind, muted) {
    setMuted(this.stream, kind, muted);
    await this.#run(api.MUTE, { [kind]: muted });
  }

  /** Sends another camera or microphone, without a new offer. @param {MediaStreamTrack} track */
  async replaceTrack(track) {
    await exchangeTrack(this.stream, this.#peers.get("MAIN")?.pc, track);
  }

  /** Shares a screen until it is stopped here or by the browser. @param {MediaStream} screen @throws ServiceError, for instance FULL */
  async shareScreen(screen) {
    this.screen = screen;
    screen.getVideoTracks()[0]?.addEventListener("ended", () => void this.stopScreen());
    try {
      await this.#queue(() => this.#publish("SCREEN", screen));
    } catch (error) {
      await this.stopScreen();
      throw error;
    }
    this.#listener.onChange();
  }

  async stopScreen() {
    const peer = this.#peers.get("SCREEN");
    stopStreams(this.screen);
    this.screen = null;
    this.#closePeer("SCREEN");
    this.#listener.onChange();
    if (peer?.peerId) await this.#run(api.CLOSE, { peerId: peer.peerId });
  }

  async leave() {
    const left = this.#run(api.LEAVE, {});
    this.#end("LEFT");
    await left;
  }

  /** What is received of each member, and the own loudness, by `${memberId}/${source}`. @returns {Promise<Map<string, Figures>>} */
  async figures() {
    const figures = new Map();
    const keyOf = (/** @type {{ mid: string }} */ { mid }) => {
      const section = this.#sections.find((each) => each.mid === mid);
      return section?.memberId ? `${section.memberId}/${section.source}` : null;
    };
    const [watching, publishing] = [this.#peers.get("WATCH"), this.#peers.get("MAIN")];
    if (watching) await this.#figures.read(watching.pc, keyOf, figures);
    if (publishing) {
      const level = await this.#figures.ownLevel(publishing.pc);
      figures.set(`${this.me}/MAIN`, { bitrate: null, lost: 0, level });
    }
    return figures;
  }

  #subscribe() {
    this.#unsubscribe();
    this.#unsubscribe = subscribeEvents(this.#client, this.#membershipId, {
      onEvent: (event) => {
        this.#receive(event);
        if (!this.#isOver) this.#listener.onChange();
      },
      onFailure: (code) => {
        if (code === "CONFLICT") return this.#end("REPLACED");
        this.#later(() => this.join());
      },
    });
  }

  /** @param {any} event */
  #receive(event) {
    switch (event.__typename) {
      case "ConferenceSnapshotEvent":
        this.members = byId(event.members);
        return;
      case "ConferenceMemberJoinedEvent":
      case "ConferenceMemberUpdatedEvent":
        return void this.members.set(event.member.id, event.member);
      case "ConferenceMemberLeftEvent":
        this.members.delete(event.memberId);
        if (event.memberId === this.me) this.#end(event.reason);
        return;
      case "ConferenceEndedEvent":
        return this.#end("ENDED");
      case "ConferenceReplacedEvent":
        return this.#end("REPLACED");
      case "ConferenceReconnectEvent":
        return this.#openMedia();
      case "ConferenceStreamsEvent":
        return void this.#queue(() => this.#follow(event.peerId, event.offer, event.streams));
      case "ConferencePeerClosedEvent":
        for (const [name, { peerId }] of this.#peers)
          if (peerId === event.peerId) this.#reopen(name);
    }
  }

  #openMedia() {
    for (const name of /** @type {const} */ (["MAIN", "SCREEN", "WATCH"])) this.#reopen(name);
  }

  /** @param {Source | "WATCH"} name */
  #reopen(name) {
    this.#closePeer(name);
    const stream = name === "MAIN" ? this.stream : this.screen;
    const open = async () => {
      if (name === "WATCH") await this.#watch();
      else if (stream) await this.#publish(name, stream);
    };
    this.#queue(open).catch(() => this.#later(async () => this.#reopen(name)));
  }

  /** @param {Source} source @param {MediaStream} stream */
  async #publish(source, stream) {
    const pc = this.#newPeer(source);
    for (const track of stream.getTracks()) pc.addTrack(track, stream);
    await pc.setLocalDescription();
    const offer = pc.localDescription?.sdp;
    const { publishConferenceMedia: published } = await this.#run(api.PUBLISH, { source, offer });
    this.#named(source, pc, published.peerId);
    await pc.setRemoteDescription({ type: "answer", sdp: published.answer });
    await capVideo(pc, this.#bitrate);
  }

  async #watch() {
    const pc = this.#newPeer("WATCH");
    const { watchConference: watched } = await this.#run(api.WATCH, {});
    this.#named("WATCH", pc, watched.peerId);
    await this.#follow(watched.peerId, watched.offer, watched.streams);
  }

  /** Answers an offer, and assigns the tracks to members. @param {string} peerId @param {string | null} offer @param {Section[]} sections */
  async #follow(peerId, offer, sections) {
    const peer = this.#peers.get("WATCH");
    if (peer?.peerId !== peerId) return;
    const { pc } = peer;
    if (offer) {
      await pc.setRemoteDescription({ type: "offer", sdp: offer });
      await pc.setLocalDescription();
      await this.#run(api.ANSWER, { peerId, answer: pc.localDescription?.sdp });
    }
    this.#sections = sections;
    assignTracks(pc, sections, this.media);
    this.#listener.onChange();
  }

  /** @param {Source | "WATCH"} name */
  #newPeer(name) {
    this.#closePeer(name);
    const pc = new RTCPeerConnection({ iceServers: this.#iceServers });
    this.#peers.set(name, { pc, peerId: "" });
    pc.addEventListener("connectionstatechange", () => {
      if (pc.connectionState === "failed" && this.#peers.get(name)?.pc === pc) this.#reopen(name);
    });
    return pc;
  }

  /** Knows the id of a peer connection; from now on its candidates can be sent. @param {Source | "WATCH"} name @param {RTCPeerConnection} pc @param {string} peerId */
  #named(name, pc, peerId) {
    if (this.#peers.get(name)?.pc !== pc) return;
    this.#peers.set(name, { pc, peerId });
    pc.addEventListener("icecandidate", ({ candidate: found }) => {
      if (!found?.candidate) return;
      const { candidate, sdpMid, sdpMLineIndex } = found;
      // The connection may be over already.
      this.#run(api.CANDIDATE, { peerId, candidate, sdpMid, sdpMLineIndex }).catch(() => {});
    });
  }

  /** @param {Source | "WATCH"} name */
  #closePeer(name) {
    this.#peers.get(name)?.pc.close();
    this.#peers.delete(name);
  }

  /** @param {boolean} connected */
  #connected(connected) {
    this.isConnected = connected;
    if (!this.#isOver) this.#listener.onChange();
  }

  /** @param {() => Promise<void>} task */
  #queue(task) {
    const done = this.#work.then(() => (this.#isOver ? undefined : task()));
    this.#work = done.catch(() => {});
    return done;
  }

  /** @param {() => Promise<void>} task */
  #later(task) {
    setTimeout(() => {
      if (this.#isOver) return;
      task().catch(({ code }) => {
        if (code === "UNAVAILABLE" || code === "LIMITED" || code === undefined) this.#later(task);
        else this.#end(code);
      });
    }, RETRY_MS);
  }

  /** @param {string} reason */
  #end(reason) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unsubscribe();
    void this.#client.dispose();
    for (const name of [...this.#peers.keys()]) this.#closePeer(name);
    stopStreams(this.stream, this.screen);
    this.#listener.onEnd(reason);
  }

  /** @param {string} query @param {object} input */
  #run(query, input, hasJoined = true) {
    const membership = hasJoined && { membershipId: this.#membershipId };
    return api.execute(this.#url, this.#token, query, { input: { ...membership, ...input } });
  }
}
