import { Audio, PeerConnection, type Track } from "node-datachannel";
import { monotonicNow } from "../../../../../core/clock";
import { randomInteger } from "../../../../../core/random";
import type { MediaLiveness } from "../ipc/messages";
import { guarded } from "./guarded";
import { LibraryThreads } from "./library-threads";
import { closePeerConnection, type Network, openPeerConnection } from "./native-connection";

/** Time between two checks, in milliseconds. */
const CHECK_MS = 450;
/** Time after which a pair that has failed is followed by another, in milliseconds. */
const RETRY_MS = 1_000;
const PAYLOAD_TYPE = 111;
const MID = "0";
const WILDCARDS: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/**
 * Shows that media passes through the native library: two connections of this process, one at the port of the SFU, on
 * which a packet of audio goes from one to the other at every check. A process whose library hangs still answers
 * requests, since its own thread is free. Before the first packet has arrived, nothing is missing: on a host without
 * a usable address there is no media to lose.
 */
export class MediaProbe {
  private readonly ssrc = randomInteger(1, 0xffff_ffff);
  private readonly threads = new LibraryThreads();
  private readonly timer: NodeJS.Timeout;
  /** Referenced while they are open. */
  private pair: { receiver: PeerConnection; sender: PeerConnection; tracks: Track[] } | null = null;
  private sequence = 0;
  private passed = false;
  private retryAt = Number.NEGATIVE_INFINITY;
  private missing = 0;
  private stuck = 0;

  constructor(private readonly network: Network) {
    this.timer = setInterval(() => this.check(), CHECK_MS);
  }

  /** The checks in a row that failed. */
  get liveness(): MediaLiveness {
    return { missing: this.missing, stuck: this.stuck };
  }

  close(): void {
    clearInterval(this.timer);
    this.discard();
  }

  private check(): void {
    this.stuck = this.threads.check();
    if (this.passed) this.missing += 1;
    if (!this.pair && monotonicNow() >= this.retryAt) this.connect();
    this.send();
  }

  private send(): void {
    const packet = Buffer.alloc(16);
    packet[0] = 0x80;
    packet[1] = PAYLOAD_TYPE;
    this.sequence = (this.sequence + 1) & 0xffff;
    packet.writeUInt16BE(this.sequence, 2);
    packet.writeUInt32BE((this.sequence * 960) >>> 0, 4);
    packet.writeUInt32BE(this.ssrc, 8);
    for (const track of this.pair?.tracks ?? []) {
      try {
        if (track.direction() === "SendOnly" && track.isOpen()) track.sendMessageBinary(packet);
      } catch {
        // The connection has just ended; another follows.
      }
    }
  }

  private received(): void {
    this.passed = true;
    this.missing = 0;
  }

  private connect(): void {
    try {
      this.open();
    } catch {
      // The port is taken, for example: then no client can connect either.
      this.discard();
    }
  }

  private open(): void {
    const { bindAddress, port } = this.network;
    const receiver = openPeerConnection("probe-in", this.network, {});
    const sender = new PeerConnection("probe-out", {
      iceServers: [],
      forceMediaTransport: true,
      disableAutoNegotiation: true,
      bindAddress: WILDCARDS[bindAddress] ?? bindAddress,
    });
    const pair = { receiver, sender, tracks: [] as Track[] };
    this.pair = pair;
    for (const connection of [receiver, sender]) {
      connection.onStateChange(
        guarded((state: string) => {
          if (this.pair === pair && ["failed", "closed"].includes(state)) this.discard();
        }),
      );
    }
    receiver.onTrack(
      guarded((track: Track) => {
        track.onMessage(guarded(() => this.received()));
        pair.tracks.push(track);
      }),
    );
    const complete = (connection: PeerConnection, act: (sdp: string) => void) =>
      connection.onGatheringStateChange(
        guarded((state: string) => {
          const sdp = connection.localDescription()?.sdp;
          if (this.pair === pair && state === "complete" && sdp !== undefined) act(sdp);
        }),
      );
    // The sender begins, once it knows the fingerprint of the receiver.
    complete(receiver, (answer) => {
      const address = WILDCARDS[bindAddress] ?? addressOf(answer);
      sender.setRemoteDescription(withoutCandidates(answer), "answer");
      sender.addRemoteCandidate(`candidate:1 1 UDP 1 ${address} ${port} typ host`, MID);
    });
    complete(sender, (offer) => receiver.setRemoteDescription(withoutCandidates(offer), "offer"));
    const audio = new Audio(MID, "SendOnly");
    audio.addOpusCodec(PAYLOAD_TYPE);
    audio.addSSRC(this.ssrc, "probe", "probe", "probe");
    pair.tracks.push(sender.addTrack(audio));
    sender.setLocalDescription("offer");
  }

  private discard(): void {
    const { pair } = this;
    this.pair = null;
    this.retryAt = monotonicNow() + RETRY_MS;
    for (const connection of pair ? [pair.sender, pair.receiver] : []) {
      closePeerConnection(connection);
    }
  }
}

const withoutCandidates = (sdp: string) =>
  sdp
    .split("\r\n")
    .filter((line) => !/^a=(?:candidate:|end-of-candidates)/.test(line))
    .join("\r\n");

/** The address of the first candidate (RFC 8839 section 5.1). */
const addressOf = (sdp: string) =>
  sdp
    .split("\r\n")
    .find((line) => line.startsWith("a=candidate:"))
    ?.split(" ")[4] ?? "";
