import type { Track } from "node-datachannel";
import { isRtcp } from "../rtp/rtp-packet";
import { guarded } from "./guarded";

/** A media section of a connection. Callbacks must not throw. */
export interface MediaTrack {
  /** Packets that belong to the section: its RTP, and RTCP that names its stream. */
  onMessage(receive: (packet: Buffer) => void): void;
  onOpen(opened: () => void): void;
  onClosed(closed: () => void): void;
  /** Sends RTP or RTCP. @throws Error if the connection is not open */
  sendMessageBinary(packet: Buffer): void;
}

/** Which packets belong to a section. */
export interface SectionStream {
  /** The SSRC; null for a section that has not named one. */
  ssrc: number | null;
  /** Its payload type, by which packets are told apart as long as no SSRC is known; null for none. */
  payloadType: number | null;
}

interface Section extends SectionStream {
  receive(packet: Buffer): void;
  opened(): void;
  closed(): void;
}

/** Bytes of the fixed header of RTP. */
const RTP_HEADER = 12;

/** The media sections of one connection, whose packets one track of the library carries (carried-sdp.ts). */
export class Bundle {
  private readonly sections: Section[] = [];
  private readonly bySsrc = new Map<number, Section>();
  private track: Track | null = null;

  /** @param stray called for packets that belong to no section */
  constructor(private readonly stray: (packet: Buffer) => void) {}

  add(stream: SectionStream): MediaTrack {
    const section: Section = { ...stream, receive() {}, opened() {}, closed() {} };
    this.sections.push(section);
    if (section.ssrc !== null) this.bySsrc.set(section.ssrc, section);
    return {
      onMessage: (receive) => {
        section.receive = receive;
      },
      onOpen: (opened) => {
        section.opened = opened;
      },
      onClosed: (closed) => {
        section.closed = closed;
      },
      sendMessageBinary: (packet) => {
        if (!this.track) throw new Error("the connection is not open");
        this.track.sendMessageBinary(packet);
      },
    };
  }

  /** Sends and receives by this track. */
  carry(track: Track): void {
    this.track = track;
    track.onOpen(guarded(() => this.all((section) => section.opened())));
    track.onClosed(guarded(() => this.all((section) => section.closed())));
    track.onMessage(guarded((packet: Buffer) => this.receive(packet)));
  }

  private all(act: (section: Section) => void): void {
    for (const section of this.sections) act(section);
  }

  private receive(packet: Buffer): void {
    const found = isRtcp(packet) ? this.named(packet) : this.sender(packet);
    if (found.length === 0) this.stray(packet);
    for (const section of found) section.receive(packet);
  }

  /** The sections whose SSRC an RTCP packet contains, wherever. */
  private named(packet: Buffer): Section[] {
    const [only] = this.sections;
    if (only && this.sections.length === 1) return [only];
    const found = new Set<Section>();
    for (let at = 4; at + 4 <= packet.length; at += 4) {
      const section = this.bySsrc.get(packet.readUInt32BE(at));
      if (section) found.add(section);
    }
    return [...found];
  }

  /** The section that sends an RTP packet. */
  private sender(packet: Buffer): Section[] {
    const [only] = this.sections;
    if (only && this.sections.length === 1) return only.payloadType === null ? [] : [only];
    if (packet.length < RTP_HEADER) return [];
    const ssrc = packet.readUInt32BE(8);
    const known = this.bySsrc.get(ssrc);
    if (known) return [known];
    const payloadType = (packet[1] ?? 0) & 0x7f;
    const learning = this.sections.find(
      (section) => section.ssrc === null && section.payloadType === payloadType,
    );
    if (!learning) return [];
    learning.ssrc = ssrc;
    this.bySsrc.set(ssrc, learning);
    return [learning];
  }
}
