import { type DataChannel, PeerConnection } from "node-datachannel";
import { Fault } from "../../../../core/errors";
import type { NetworkMessage } from "../ipc/messages";
import { engineSdp } from "../sdp/engine-sdp";
import { guarded } from "./guarded";
import { GATHERING_MS } from "./limits";

/** Where the SFU receives media. */
export type Network = NetworkMessage;

/** States that end a connection by themselves. */
const ENDED = ["failed", "closed"];

/** One PeerConnection of the library: its descriptions, and how it connects and ends. */
export class SfuConnection {
  readonly native: PeerConnection;
  private closed = false;

  /**
   * @param events called at most once each; not after {@link close}
   * @throws Fault UNAVAILABLE if the library opens none
   */
  constructor(
    name: string,
    private readonly network: Network,
    role: "offers" | "answers",
    events: { up(): void; ended(reason: string): void },
  ) {
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

  /** Answers an offer. @throws Fault INVALID on `sdp`, UNAVAILABLE */
  answer(offer: string): Promise<string> {
    return this.gather(() => this.native.setRemoteDescription(offer, "offer"));
  }

  /** Offers the tracks that were added. @throws Fault UNAVAILABLE */
  offer(): Promise<string> {
    return this.gather(() => this.native.setLocalDescription("offer"));
  }

  /**
   * Accepts the answer to the offer. The library stores the answer's fingerprint after it has started ICE: a client on
   * the same host that finishes the DTLS handshake meanwhile is refused (about 1 of 150), and must connect again. Over
   * a network the handshake takes longer.
   * @throws Fault INVALID on `sdp`
   */
  accept(answer: string): void {
    describe(() => this.native.setRemoteDescription(answer, "answer"));
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
    return engineSdp(description.sdp, this.network.announcedAddress);
  }
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
