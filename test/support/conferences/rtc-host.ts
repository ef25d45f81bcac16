import { Audio, PeerConnection, type Track, Video } from "node-datachannel";
import { sendIfOpen } from "../../../tools/conferences/send-if-open";

/**
 * The process of rtc-peers.ts: peer connections by node-datachannel. A fault of its native code ends only this process,
 * and its threads keep no test from ending.
 */

const OPUS = 111;
const VP8 = 96;
/** Interval of audio packets, in milliseconds. */
const PACKET_MS = 20;
/** A key frame of VP8 (RFC 7741 section 4): the descriptor, the frame header, 320 x 240. */
const KEY_FRAME = Buffer.from("10500000" + "9d012a4001f000", "hex");

let names = 0;
const newConnection = () => {
  names += 1;
  return new PeerConnection(`peer-${names}`, { iceServers: [] });
};

/** Resolves with the local description once all candidates are gathered. */
function gathered(connection: PeerConnection, act: () => void): Promise<string> {
  return new Promise((resolve) => {
    const look = () => {
      if (connection.gatheringState() !== "complete") return;
      const description = connection.localDescription();
      if (description) resolve(description.sdp);
    };
    connection.onGatheringStateChange(look);
    act();
    look();
  });
}

function packet(
  payloadType: number,
  ssrc: number,
  sequence: number,
  timestamp: number,
  payload: Buffer,
) {
  const header = Buffer.alloc(12);
  header[0] = 0x80;
  header[1] = 0x80 | payloadType;
  header.writeUInt16BE(sequence & 0xffff, 2);
  header.writeUInt32BE(timestamp >>> 0, 4);
  header.writeUInt32BE(ssrc, 8);
  return Buffer.concat([header, payload]);
}

/** A client that sends audio (50 packets a second) and, if wanted, video (25). */
class SendingPeer {
  /** RTCP feedback on video: payload-specific, such as requests of key frames (RFC 4585 section 6.1). */
  feedback = 0;
  private readonly connection = newConnection();
  private readonly tracks: Track[] = [];
  private readonly timer: NodeJS.Timeout;
  private sequence = 0;
  private closed = false;

  constructor(video = true) {
    names += 1;
    const [audioSsrc, videoSsrc] = [names * 2 + 100_000, names * 2 + 100_001];
    const audio = new Audio("0", "SendOnly");
    audio.addOpusCodec(OPUS);
    audio.addSSRC(audioSsrc, "cname", "stream", "audio");
    this.tracks.push(this.connection.addTrack(audio));
    if (video) {
      const description = new Video("1", "SendOnly");
      description.addVP8Codec(VP8);
      description.addSSRC(videoSsrc, "cname", "stream", "video");
      const track = this.connection.addTrack(description);
      track.onMessage((message) => {
        if ((message[1] ?? 0) === 206) this.feedback += 1;
      });
      this.tracks.push(track);
    }
    this.timer = setInterval(() => this.send(audioSsrc, videoSsrc), PACKET_MS);
  }

  offer(): Promise<string> {
    return gathered(this.connection, () => this.connection.setLocalDescription("offer"));
  }

  accept(answer: string): void {
    this.connection.setRemoteDescription(answer, "answer");
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    clearInterval(this.timer);
    this.connection.close();
  }

  private send(audioSsrc: number, videoSsrc: number): void {
    const [audio, video] = this.tracks;
    this.sequence += 1;
    const sequence = this.sequence;
    sendIfOpen(audio, packet(OPUS, audioSsrc, sequence, sequence * 960, Buffer.alloc(60, 1)));
    if (sequence % 2 !== 0) return;
    const payload = Buffer.concat([KEY_FRAME, Buffer.alloc(500, 1)]);
    sendIfOpen(video, packet(VP8, videoSsrc, sequence / 2, sequence * 1_800, payload));
  }
}

/** A client that receives, and counts the packets of each media section. */
class ReceivingPeer {
  readonly packets = new Map<string, number>();
  private connection = newConnection();
  /** Tracks are garbage collected without a reference. */
  private tracks: Track[] = [];
  private closed = false;

  constructor() {
    this.listen();
  }

  answer(offer: string): Promise<string> {
    // The engine begins the DTLS handshake: libdatachannel repeats a lost ClientHello only after a second.
    const passive = offer.replaceAll("a=setup:actpass", "a=setup:active");
    return gathered(this.connection, () => this.connection.setRemoteDescription(passive, "offer"));
  }

  /** Starts with a new peer connection. */
  replace(): void {
    this.connection.close();
    this.connection = newConnection();
    this.packets.clear();
    this.tracks = [];
    this.listen();
  }

  count(mid: string): number {
    return this.packets.get(mid) ?? 0;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.connection.close();
  }

  private listen(): void {
    this.connection.onTrack((track) => {
      this.tracks.push(track);
      const mid = track.mid();
      track.onMessage((message) => {
        // RTCP has packet types 192 to 223 (RFC 5761 section 4).
        const type = message[1] ?? 0;
        if (type < 192 || type > 223) this.packets.set(mid, this.count(mid) + 1);
      });
    });
  }
}

/** Interval of reports of what arrived, in milliseconds. */
const REPORT_MS = 50;

/** A request of the test. */
export interface RtcRequest {
  call: number;
  id: number;
  method: "send" | "receive" | "offer" | "accept" | "answer" | "replace" | "close";
  sdp?: string;
}

/** What the process tells the test. */
export type RtcReport =
  | { call: number; result?: string; error?: string }
  | { id: number; packets: Record<string, number>; feedback: number };

const senders = new Map<number, SendingPeer>();
const receivers = new Map<number, ReceivingPeer>();

async function run({ id, method, sdp = "" }: RtcRequest): Promise<string | undefined> {
  if (method === "send") senders.set(id, new SendingPeer());
  if (method === "receive") receivers.set(id, new ReceivingPeer());
  if (method === "offer") return senders.get(id)?.offer();
  if (method === "accept") senders.get(id)?.accept(sdp);
  if (method === "answer") return receivers.get(id)?.answer(sdp);
  if (method === "replace") receivers.get(id)?.replace();
  if (method === "close") {
    senders.get(id)?.close();
    receivers.get(id)?.close();
  }
  return undefined;
}

process.on("message", (request: RtcRequest) => {
  const { call } = request;
  run(request).then(
    (result) => process.send?.({ call, result }),
    (error) => process.send?.({ call, error: String(error) }),
  );
});
process.on("disconnect", () => process.exit());
setInterval(() => {
  for (const [id, { packets }] of receivers) {
    process.send?.({ id, packets: Object.fromEntries(packets), feedback: 0 });
  }
  for (const [id, { feedback }] of senders) process.send?.({ id, packets: {}, feedback });
}, REPORT_MS);
