import type { MediaPlatform } from "../../../client/src/index.ts";
import { FakeDevices, FakeStream, type FakeTrack, type Kind } from "./fake-tracks";

/**
 * A stand-in of WebRTC that checks its use: descriptions only in the states that allow them, candidates only after a
 * description and of its ICE generation. Two connections are connected once each has the other's present description
 * and a candidate of it, as long as the network is up.
 */

interface Description {
  id: number;
  generation: number;
  kinds: Kind[];
}

interface Transceiver {
  direction: string;
  readonly receiver: { readonly track: FakeTrack };
  readonly sender: {
    track: FakeTrack | null;
    replaceTrack(track: FakeTrack | null): Promise<void>;
  };
}

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

/** The network and the devices of one stand-in; all its participants see each other. */
export class FakeMedia {
  readonly connections = new Map<number, FakeConnection>();
  /** Number of connections that were ever made. */
  made = 0;
  private up = true;

  get isUp(): boolean {
    return this.up;
  }

  /** The media objects of one device. */
  platform(devices = new FakeDevices()): MediaPlatform & { readonly devices: FakeDevices } {
    const media = this;
    class RTCPeerConnection extends FakeConnection {
      constructor() {
        super(media, devices.live);
      }
    }
    const objects = { RTCPeerConnection, MediaStream: FakeStream, mediaDevices: devices, devices };
    return objects as unknown as MediaPlatform & { readonly devices: FakeDevices };
  }

  /** Cuts the network between all participants, or restores it; only a restart of ICE then connects again. */
  setUp(up: boolean): void {
    this.up = up;
    if (!up) for (const each of this.connections.values()) each.interrupt();
  }
}

/** A stand-in of RTCPeerConnection. */
export class FakeConnection extends EventTarget {
  connectionState = "new";
  signalingState = "stable";
  localDescription: { type: string; sdp: string } | null = null;
  remoteDescription: { type: string; sdp: string } | null = null;
  readonly id: number;
  generation = 1;
  remote: Description | null = null;
  private restarting = false;
  private hasCandidate = false;
  private readonly transceivers: Transceiver[] = [];
  private readonly announced = new Set<Kind>();
  private bytes = 0;

  constructor(
    private readonly media: FakeMedia,
    private readonly live: Set<FakeTrack>,
  ) {
    super();
    this.media.made += 1;
    this.id = this.media.made;
    this.media.connections.set(this.id, this);
  }

  addTrack(track: FakeTrack): void {
    this.use();
    this.addTransceiver(track.kind).sender.track = track;
  }

  addTransceiver(kind: Kind): Transceiver {
    this.use();
    const sender = {
      track: null as FakeTrack | null,
      replaceTrack: async (track: FakeTrack | null) => {
        this.use();
        sender.track = track;
      },
    };
    // The track of a receiver captures nothing, so it is not counted.
    const receiver = { track: Object.assign(new EventTarget(), { kind }) as unknown as FakeTrack };
    const transceiver = { direction: "sendrecv", receiver, sender };
    this.transceivers.push(transceiver);
    return transceiver;
  }

  getTransceivers(): Transceiver[] {
    return this.transceivers;
  }

  getSenders(): Transceiver["sender"][] {
    return this.transceivers.map(({ sender }) => sender);
  }

  restartIce(): void {
    this.use();
    this.restarting = true;
  }

  setConfiguration(): void {
    this.use();
  }

  async setLocalDescription(): Promise<void> {
    this.use();
    const answers = this.signalingState === "have-remote-offer";
    // An answer to an offer with another generation restarts ICE on this side too.
    if (this.restarting) {
      this.generation += 1;
      this.hasCandidate = false;
      this.restarting = false;
    }
    const kinds = this.transceivers.map(({ receiver }) => receiver.track.kind);
    const sdp = `v=0\r\na=fake:${this.id} ${this.generation} ${kinds.join(",")}\r\n`;
    this.localDescription = { type: answers ? "answer" : "offer", sdp };
    this.signalingState = answers ? "stable" : "have-local-offer";
    if (answers && this.connectionState === "new") this.become("connecting");
    const candidate = `candidate:${this.id} ${this.generation}`;
    setTimeout(() => {
      if (this.connectionState === "closed") return;
      const event = new Event("icecandidate");
      const found = { candidate, sdpMid: "0", sdpMLineIndex: 0 };
      this.dispatchEvent(Object.assign(event, { candidate: found }));
    });
  }

  async setRemoteDescription({ type, sdp }: { type: string; sdp: string }): Promise<void> {
    this.use();
    const [, id, generation, kinds = ""] = /a=fake:(\d+) (\d+) ([\w,]*)/.exec(sdp) ?? [];
    if (id === undefined) throw named("OperationError", "Not a description");
    if (type === "answer" && this.signalingState !== "have-local-offer") {
      throw named("InvalidStateError", `An answer in ${this.signalingState}`);
    }
    const before = this.remote;
    const parsed = kinds.split(",").filter((kind) => kind !== "") as Kind[];
    this.remote = { id: Number(id), generation: Number(generation), kinds: parsed };
    this.remoteDescription = { type, sdp };
    this.signalingState = type === "offer" ? "have-remote-offer" : "stable";
    if (before && before.generation !== this.remote.generation) {
      this.hasCandidate = false;
      if (type === "offer") this.restarting = true;
    }
    for (const kind of this.remote.kinds) {
      const known = this.transceivers.find(({ receiver }) => receiver.track.kind === kind);
      const { receiver } = known ?? this.addTransceiver(kind);
      if (this.announced.has(kind)) continue;
      this.announced.add(kind);
      this.dispatchEvent(Object.assign(new Event("track"), { track: receiver.track }));
    }
    if (type === "answer" && this.connectionState === "new") this.become("connecting");
    this.meet();
  }

  async addIceCandidate({ candidate }: { candidate: string }): Promise<void> {
    this.use();
    if (!this.remote) throw named("InvalidStateError", "A candidate before a description");
    if (candidate !== `candidate:${this.remote.id} ${this.remote.generation}`) {
      throw named("OperationError", "A candidate of another generation");
    }
    this.hasCandidate = true;
    this.meet();
  }

  async getStats(): Promise<Map<string, object>> {
    this.use();
    this.bytes += 1_000;
    const video = { bytesReceived: this.bytes, packetsReceived: this.bytes / 100, packetsLost: 0 };
    return new Map<string, object>([
      ["in", { id: "in", type: "inbound-rtp", kind: "video", ...video }],
      ["out", { id: "out", type: "outbound-rtp", bytesSent: this.bytes }],
      ["transport", { id: "transport", type: "transport", selectedCandidatePairId: "pair" }],
      ["pair", { id: "pair", type: "candidate-pair", currentRoundTripTime: 0.04 }],
    ]);
  }

  close(): void {
    if (this.connectionState === "closed") return;
    this.connectionState = "closed";
    this.signalingState = "closed";
    this.media.connections.delete(this.id);
    this.peer()?.interrupt();
  }

  /** The path to the other side is gone. */
  interrupt(): void {
    if (this.connectionState !== "connected") return;
    this.hasCandidate = false;
    this.become("disconnected");
  }

  private peer(): FakeConnection | undefined {
    return this.remote ? this.media.connections.get(this.remote.id) : undefined;
  }

  /** Connects both sides, if they can be. */
  private meet(): void {
    const peer = this.peer();
    if (!this.media.isUp || !peer?.remote || !this.remote) return;
    const agree =
      peer.remote.id === this.id &&
      peer.remote.generation === this.generation &&
      this.remote.generation === peer.generation;
    if (!agree || !this.hasCandidate || !peer.hasCandidate) return;
    this.become("connected");
    peer.become("connected");
  }

  private become(state: string): void {
    if (this.connectionState === state || this.connectionState === "closed") return;
    this.connectionState = state;
    setTimeout(() => this.dispatchEvent(new Event("connectionstatechange")));
  }

  private use(): void {
    if (this.connectionState === "closed") throw named("InvalidStateError", "closed");
    for (const { sender } of this.transceivers) {
      if (sender.track && sender.track.readyState === "live" && !this.live.has(sender.track)) {
        throw new Error("a track of another device");
      }
    }
  }
}
