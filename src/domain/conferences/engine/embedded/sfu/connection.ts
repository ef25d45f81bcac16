import type { Audio, DataChannel, PeerConnection, RtcConfig, Track, Video } from "node-datachannel";
import { Fault } from "../../../../../core/errors";
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
import {
  cannotOpen,
  carrierSection,
  closePeerConnection,
  gathered,
  type Network,
  openPeerConnection,
} from "./native-connection";
import type { DescribedTransport, OfferTransport } from "./offer-transport";

/** States that end a connection by themselves. */
const ENDED = ["failed", "closed"];

/** What a connection reports: `up` and `ended` at most once each, and nothing after {@link SfuConnection.close}. */
export interface SfuConnectionEvents {
  up(): void;
  ended(reason: string): void;
  /** A packet that belongs to no media section. */
  stray(packet: Buffer): void;
}

/** One PeerConnection of the library: its descriptions and media sections, and how it connects and ends. */
export class SfuConnection {
  /** Null before the client has described its side. */
  private native: PeerConnection | null = null;
  private readonly bundle: Bundle;
  /** The sections that are offered, and the transport that carries them. */
  private readonly offered: SectionLines[] = [];
  private transport: DescribedTransport | null = null;
  private closed = false;

  constructor(
    private readonly name: string,
    private readonly network: Network,
    private readonly events: SfuConnectionEvents,
  ) {
    this.bundle = new Bundle((packet) => events.stray(packet));
  }

  /**
   * Answers an offer that client-sdp.ts has written.
   * @param added called for each media section that it offers
   * @throws Fault INVALID on `sdp`, UNAVAILABLE
   */
  async answer(offer: string, added: (mid: string, track: MediaTrack) => void): Promise<string> {
    const native = this.open({});
    for (const section of mediaSections(offer)) {
      added(firstValue(section, "a=mid:"), this.bundle.add(streamOf(section)));
    }
    native.onTrack(guarded((track: Track) => this.bundle.carry(track)));
    const local = await gathered(native, () =>
      describe(() => native.setRemoteDescription(carrierSdp(offer, "sendonly"), "offer")),
    );
    if (this.closed) throw cannotOpen("it was closed");
    return engineSdp(carriedAnswer(local, offer), this.network.announcedAddress);
  }

  /** Adds a media section to the offer. */
  addTrack(media: Audio | Video, ssrc: number): MediaTrack {
    this.offered.push(media.generateSdp("\n", "0.0.0.0", 9).trim().split("\n"));
    return this.bundle.add({ ssrc, payloadType: null });
  }

  /** Offers the sections that were added. It opens nothing before the answer. @throws Fault UNAVAILABLE */
  async offer(transport: OfferTransport): Promise<string> {
    this.transport = await transport.describe();
    const { sdp } = this.transport;
    return engineSdp(carriedOffer(sdp, this.offered), this.network.announcedAddress);
  }

  /**
   * Accepts the answer to the offer. The library reads it as an offer, which it answers by the transport that was
   * offered: so it knows the client's certificate before it takes a packet of it. With an answer to an offer of its
   * own, it would start ICE first, and refuse a client whose DTLS handshake ends before it has stored the fingerprint
   * (libdatachannel 0.24.5, pull request 1612).
   * @throws Fault INVALID on `sdp`, UNAVAILABLE
   */
  accept(answer: string): void {
    const { transport } = this;
    if (!transport || this.closed) throw cannotOpen("nothing was offered");
    this.release();
    const native = this.open({ ...transport.certificate, disableAutoNegotiation: true });
    const mid = firstValue(this.offered[0] ?? [], "a=mid:");
    this.bundle.carry(native.addTrack(carrierSection(mid)));
    describe(() => native.setRemoteDescription(carrierSdp(answer, "recvonly"), "offer"));
    native.setLocalDescription("answer", transport.credentials);
  }

  /** Closes it without an event. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.release();
  }

  private release(): void {
    if (this.native) closePeerConnection(this.native);
  }

  /** @throws Fault UNAVAILABLE if the library opens none */
  private open(options: Partial<RtcConfig>): PeerConnection {
    const native = openPeerConnection(this.name, this.network, options);
    this.native = native;
    let up = false;
    native.onStateChange(
      guarded((state: string) => {
        if (this.closed || this.native !== native) return;
        if (state === "connected" && !up) {
          up = true;
          this.events.up();
        } else if (ENDED.includes(state)) {
          this.closed = true;
          this.events.ended(state === "failed" ? "ICE or DTLS failed" : "closed by the client");
          this.release();
        }
      }),
    );
    // Nothing is received on data channels.
    native.onDataChannel(guarded((channel: DataChannel) => channel.close()));
    return native;
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
    if (/transport|gather|bind/i.test(String(error))) throw cannotOpen("the port is not free");
    throw Fault.field("sdp", "is not accepted by the media server");
  }
}
