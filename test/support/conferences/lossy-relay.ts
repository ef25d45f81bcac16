import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import type { Random } from "../../../tools/seeded-random";

/** Where a relay leads, and which media it drops. */
export interface LossyRelayOptions {
  /** Address of the engine; loopback by default. */
  host?: string;
  /** Whether it drops the media that the client sends, as by default, or the media that it receives. */
  direction?: "sent" | "received";
}

/** A UDP relay between one client and the engine, which drops a share of the media packets of one direction. */
export class LossyRelay {
  /** Media packets of that direction that were passed on and dropped, and the bytes of the former. */
  readonly counts = { passed: 0, dropped: 0, bytes: 0 };
  /** Share of them to drop, in percent. */
  percent = 0;
  /** Where the client sends from. A browser tries several of its addresses. */
  private client: RemoteInfo | null = null;

  private constructor(
    private readonly near: Socket,
    private readonly far: Socket,
    readonly port: number,
  ) {}

  /** Opens a relay to a port of this host. @param random decides which packets are dropped */
  static async open(
    to: number,
    random: Random,
    { host = "127.0.0.1", direction = "sent" }: LossyRelayOptions = {},
  ): Promise<LossyRelay> {
    const [near, far] = [createSocket("udp4"), createSocket("udp4")];
    await new Promise<void>((resolve) => near.bind(0, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => far.bind(0, host, resolve));
    const relay = new LossyRelay(near, far, near.address().port);
    near.on("message", (packet, client) => {
      relay.client = client;
      if (direction === "sent" && relay.drops(packet, random)) return;
      far.send(packet, to, host);
    });
    far.on("message", (packet) => {
      if (relay.client === null) return;
      if (direction === "received" && relay.drops(packet, random)) return;
      near.send(packet, relay.client.port, relay.client.address);
    });
    return relay;
  }

  /** Opens a relay to the address that an SDP of the engine names. */
  static to(
    sdp: string,
    random: Random,
    direction: LossyRelayOptions["direction"] = "sent",
  ): Promise<LossyRelay> {
    const [, host = "", port] = /candidate:\S+ \d+ udp \d+ (\S+) (\d+)/i.exec(sdp) ?? [];
    return LossyRelay.open(Number(port), random, { host, direction });
  }

  /** An SDP of the engine with the relay in place of its port. */
  through(sdp: string): string {
    return sdp.replace(/^(a=candidate:\S+ \d+ UDP \d+) \S+ \d+ /gim, `$1 127.0.0.1 ${this.port} `);
  }

  async close(): Promise<void> {
    for (const socket of [this.near, this.far]) {
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    }
  }

  /** SRTP has a first byte of 128 to 191 (RFC 7983 section 7); RTCP goes through. */
  private drops(packet: Buffer, random: Random): boolean {
    const [first = 0, second = 0] = packet;
    const isMedia = first >= 128 && first < 192 && !(second >= 192 && second <= 223);
    if (!isMedia) return false;
    const dropped = random(100) < this.percent;
    this.counts[dropped ? "dropped" : "passed"] += 1;
    if (!dropped) this.counts.bytes += packet.length;
    return dropped;
  }
}
