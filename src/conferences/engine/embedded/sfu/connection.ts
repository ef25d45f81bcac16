import { type Audio, type DataChannel, PeerConnection, type Track, Video } from "node-datachannel";
import { Fault } from "../../../../core/errors";
import type { NetworkMessage } from "../ipc/messages";
import {
  carriedAnswer,
  carriedOffer,
  carrierSdp,
  mediaSections,
  type SectionLines,
} from "../sdp/carried-sdp";
import { engineSdp } from "../sdp/engine-sdp";
import { Bundle, type MediaTrack, type SectionStream } from "./bundle";
import { guarded } from "./guarded";
import { GATHERING_MS } from "./limits";

/** Where the SFU receives media. */
export type Network = NetworkMessage;

/** Payload type of the library's section that carries all, which nobody reads. */
const CARRIER_TYPE = 96;

/** States that end a connection by themselves. */
const ENDED = ["failed", "closed"];

/** One PeerConnection of the library: its descriptions and media sections, and how it connects and ends. */
export class SfuConnection {
  private readonly native: PeerConnection;
  private readonly bundle: Bundle;
  /** The sections that are offered. */
  private readonly offered: SectionLines[] = [];
  private closed = false;

  /**
   * @param events `up` and `ended` are called at most once each, and not after {@link close}; `stray` for each packet that
   * belongs to no media section
   * @throws Fault UNAVAILABLE if the library opens none
   */
  constructor(
    name: string,
    private readonly network: Network,
    role: "offers" | "answers",
    events: { up(): void; ended(reason: string): void; stray(packet: Buffer): void },
  ) {
    this.bundle = new Bundle((packet) => events.stray(packet));
    try {
      this.native = new PeerConnection(name, {
        iceServers: [],
        bindAddress: network.bindAddress,
        enableIceUdpMux: true,
        portRangeBegin: network.port,
        portRangeEnd: network.port,
        forceMediaTransport: true,
        disableAutoNegotiation: role === "offers",
        maxMessageSize: 16_384,
      });
    } catch (error) {
      throw unavailable(error);
    }
    let up = false;
    this.native.onStateChange(
      guarded((state: string) => {
        if (this.closed) return;
        if (state === "connected" && !up) {
          up = true;
          events.up();
        } else if (ENDED.includes(state)) {
          this.closed = true;
          events.ended(state === "failed" ? "ICE or DTLS failed" : "closed by the client");
          this.release();
        }
      }),
    );
    // Nothing is received on data channels.
    this.native.onDataChannel(guarded((channel: DataChannel) => channel.close()));
  }

  /**
   * Answers an offer that client-sdp.ts has written.
   * @param added called for each media section that it offers
   * @throws Fault INVALID on `sdp`, UNAVAILABLE
   */
  async answer(offer: string, added: (mid: string, track: MediaTrack) => void): Promise<string> {
    for (const section of mediaSections(offer)) {
      added(firstValue(section, "a=mid:"), this.bundle.add(streamOf(section)));
    }
    this.native.onTrack(guarded((track: Track) => this.bundle.carry(track)));
    const local = await this.gather(() =>
      this.native.setRemoteDescription(carrierSdp(offer, "sendonly"), "offer"),
    );
    return engineSdp(carriedAnswer(local, offer), this.network.announcedAddress);
  }

  /** Adds a media section to the offer. */
  addTrack(media: Audio | Video, mid: string, ssrc: number): MediaTrack {
    if (this.offered.length === 0) {
      const carrier = new Video(mid, "SendOnly");
      carrier.addVP8Codec(CARRIER_TYPE);
      carrier.addSSRC(ssrc, "carrier", "carrier", "carrier");
      this.bundle.carry(this.native.addTrack(carrier));
    }
    this.offered.push(media.generateSdp("\n", "0.0.0.0", 9).trim().split("\n"));
    return this.bundle.add({ ssrc, payloadType: null });
  }

  /** Offers the sections that were added. @throws Fault UNAVAILABLE */
  async offer(): Promise<string> {
    const local = await this.gather(() => this.native.setLocalDescription("offer"));
    return engineSdp(carriedOffer(local, this.offered), this.network.announcedAddress);
  }

  /**
   * Accepts the answer to the offer. The library stores the answer's fingerprint after it has started ICE: a client on
   * the same host that finishes the DTLS handshake meanwhile is refused (about 1 of 150), and must connect again. Over
   * a network the handshake takes longer.
   * @throws Fault INVALID on `sdp`
   */
  accept(answer: string): void {
    describe(() => this.native.setRemoteDescription(carrierSdp(answer, "recvonly"), "answer"));
  }

  /** Closes it without an event. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.release();
  }

  private release(): void {
    try {
      this.native.close();
    } catch {
      // The library has released it already.
    }
  }

  /** Starts an exchange, and resolves with the local description once it has all candidates. */
  private async gather(start: () => void): Promise<string> {
    const complete = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(unavailable("no candidates")), GATHERING_MS);
      this.native.onGatheringStateChange((state) => {
        if (state !== "complete") return;
        clearTimeout(timer);
        resolve();
      });
    });
    // It is awaited only if `start` succeeds.
    complete.catch(() => {});
    describe(start);
    await complete;
    const description = this.closed ? null : this.native.localDescription();
    if (!description?.sdp.includes("a=candidate:")) throw unavailable("no address to offer");
    return description.sdp;
  }
}

/** The first value of a line of a section; empty if there is none. */
const firstValue = (section: SectionLines, prefix: string) =>
  section
    .find((line) => line.startsWith(prefix))
    ?.slice(prefix.length)
    .split(" ")[0] ?? "";

/** Which packets belong to a section of an offer. */
function streamOf(section: SectionLines): SectionStream {
  if (section.includes("a=inactive")) return { ssrc: null, payloadType: null };
  const ssrc = firstValue(section, "a=ssrc:");
  return {
    ssrc: ssrc === "" ? null : Number(ssrc),
    payloadType: Number(firstValue(section, "a=rtpmap:")),
  };
}

/** Reports what the library refuses as a fault of the SDP. Its message may repeat the SDP, so it is not passed on. */
function describe(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (/transport|gather|bind/i.test(String(error))) throw unavailable("the port is not free");
    throw Fault.field("sdp", "is not accepted by the media server");
  }
}

function unavailable(reason: unknown): Fault {
  const text = reason instanceof Error ? reason.message : String(reason);
  return new Fault("UNAVAILABLE", `The media server cannot open a connection: ${text}`);
}
