import {
  Audio,
  initLogger,
  PeerConnection,
  RtcpNackResponder,
  type Track,
  Video,
} from "node-datachannel";
import { MissingPackets } from "../../src/domain/conferences/engine/embedded/rtp/missing-packets";
import { readRtcp } from "../../src/domain/conferences/engine/embedded/rtp/rtcp-read";
import {
  maximumBitrate,
  negativeAcknowledgement,
  pictureLoss,
  receiverReport,
} from "../../src/domain/conferences/engine/embedded/rtp/rtcp-write";
import { sendIfOpen } from "./send-if-open";
import { PacketWriter, retransmitted, TrackCounter } from "./synthetic-media";
import type {
  HostRequest,
  PublisherReport,
  SyntheticOptions,
  WatcherReport,
} from "./synthetic-peer";

/**
 * The process of synthetic-peer.ts: the native library stays out of the process of jest, which could not unload it.
 */

initLogger("Error", () => {});

const { bindAddress, eager = false }: SyntheticOptions = JSON.parse(process.argv[2] ?? "{}");
const CONFIG = { iceServers: [], ...(bindAddress && { bindAddress }), forceMediaTransport: true };

/** Interval of an eager watcher's requests of a key frame, in milliseconds. */
const REQUEST_MS = 200;

interface Peer {
  connection: PeerConnection;
  report(): PublisherReport | WatcherReport;
  stop(): void;
}

const peers = new Map<number, Peer>();
/** Interval of receiver reports, in milliseconds. */
const REPORTS_MS = 250;

/** Starts to send receiver reports, of the watching peers. */
const reporting = new Map<number, () => void>();

/** Interval of the requests of lost packets, in milliseconds. */
const REPAIR_MS = 40;

/** Starts to request lost packets, of the watching peers. */
const repairing = new Map<number, () => void>();

/** Sets how often a watching peer requests everything again. */
const flooding = new Map<number, (perSecond: number) => void>();

/** Interval in which a flood is sent, in milliseconds. */
const FLOOD_MS = 20;

/** What counts the packets of a watched track. */
const receivers = new WeakMap<Track, (packet: Buffer) => void>();

/** Streams of retransmissions, and whose packets they carry (`a=ssrc-group:FID`, RFC 5576 section 4.2). */
const retransmissions = new Map<number, number>();

function noteRetransmissions(offer: string): void {
  for (const [, ssrc, carrier] of offer.matchAll(/^a=ssrc-group:FID (\d+) (\d+)/gm)) {
    retransmissions.set(Number(carrier), Number(ssrc));
  }
}

/** A received packet, or the one that it carries. */
function original(packet: Buffer): Buffer {
  const type = packet[1] ?? 0;
  if (type >= 192 && type <= 223) return packet;
  const ssrc = retransmissions.get(packet.readUInt32BE(8));
  return ssrc === undefined ? packet : retransmitted(packet, ssrc);
}

/** Tracks must stay referenced while they are open. */
const tracks = new Map<string, Track>();

/** The engine's candidates, which a watcher uses once the engine has its answer. */
const candidates = new Map<number, string[]>();

const described = (connection: PeerConnection, start: () => void) =>
  new Promise<string>((resolve) => {
    connection.onGatheringStateChange((state) => {
      if (state === "complete") resolve(connection.localDescription()?.sdp ?? "");
    });
    start();
  });

async function publish(request: HostRequest & { type: "publish" }): Promise<string> {
  const { id, sender, kbits, fps, audio, data } = request;
  const connection = new PeerConnection(`p${id}`, { ...CONFIG, disableAutoNegotiation: true });
  const report = { keyFrameRequests: 0, bitrate: 0, lossReports: 0, frames: 0, state: "new" };
  connection.onStateChange((state) => {
    report.state = state;
  });
  const timers: NodeJS.Timeout[] = [];
  const open = new Set<Track>();
  const follow = (track: Track) => {
    track.onOpen(() => open.add(track));
    track.onClosed(() => open.delete(track));
    tracks.set(`${id}/${track.mid()}`, track);
  };
  const send = (track: Track, packet: Buffer) => {
    if (!open.has(track)) return;
    try {
      track.sendMessageBinary(packet);
    } catch {
      open.delete(track);
    }
  };
  if (audio > 0) {
    const media = new Audio("0", "SendOnly");
    media.addOpusCodec(111);
    media.addSSRC(2 * id, "c", "s", "a");
    const track = connection.addTrack(media);
    follow(track);
    const writer = new PacketWriter(2 * id, 111, sender);
    let frame = 0;
    timers.push(
      setInterval(() => send(track, writer.audio(frame++, 80, 48_000 / audio)), 1_000 / audio),
    );
  }
  if (kbits > 0) {
    const media = new Video("1", "SendOnly");
    media.addVP8Codec(96);
    media.addSSRC(2 * id + 1, "c", "s", "v");
    const track = connection.addTrack(media);
    follow(track);
    track.setMediaHandler(new RtcpNackResponder(512));
    let keyFrame = true;
    track.onMessage((packet) => {
      for (const item of readRtcp(packet)) {
        if (item.type === "key-frame-request") {
          report.keyFrameRequests += 1;
          keyFrame = true;
        } else if (item.type === "bitrate-estimate") report.bitrate = item.bitsPerSecond;
        else if (item.type === "report") report.lossReports += 1;
      }
    });
    const writer = new PacketWriter(2 * id + 1, 96, sender);
    const bytes = (kbits * 1000) / 8 / fps;
    timers.push(
      setInterval(() => {
        if (!open.has(track)) return;
        const packets = writer.video(report.frames++, bytes, 90_000 / fps, keyFrame);
        keyFrame = false;
        for (const packet of packets) send(track, packet);
      }, 1000 / fps),
    );
  }
  if (data) connection.createDataChannel("data");
  peers.set(id, {
    connection,
    report: () => report,
    stop: () => {
      for (const timer of timers) clearInterval(timer);
    },
  });
  return described(connection, () => connection.setLocalDescription("offer"));
}

/** A compound packet, as of browsers: Janus finds the stream by the report. */
function compound(ssrc: number, feedback: Buffer): Buffer {
  const none = { lost: 0, highestSequence: 0, jitter: 0, lastSenderReport: 0, delaySinceLast: 0 };
  return Buffer.concat([receiverReport({ ssrc, fractionLost: 0, ...none }), feedback]);
}

/** Requests the packets of a video that are missing from now on. @returns stops it */
function repair(track: Track): () => void {
  const missing = new MissingPackets();
  let ssrc = 0;
  track.onMessage((received) => {
    const packet = original(received);
    receivers.get(track)?.(packet);
    const type = packet[1] ?? 0;
    if (type >= 192 && type <= 223) return;
    ssrc = packet.readUInt32BE(8);
    missing.receive(packet.readUInt16BE(2), performance.now());
  });
  const timer = setInterval(() => {
    const due = missing.due(performance.now());
    if (due.length === 0) return;
    sendIfOpen(track, compound(ssrc, negativeAcknowledgement(ssrc, due)));
  }, REPAIR_MS);
  return () => clearInterval(timer);
}

async function watch({ id, offer }: HostRequest & { type: "watch" }): Promise<string> {
  const connection = new PeerConnection(`w${id}`, CONFIG);
  const counters = new Map<string, TrackCounter>();
  let state = "new";
  connection.onStateChange((next) => {
    state = next;
  });
  connection.onTrack((track) => {
    const counter = new TrackCounter();
    counters.set(track.mid(), counter);
    tracks.set(`${id}/${track.mid()}`, track);
    let askedAt = 0;
    const receive = (packet: Buffer) => {
      counter.receive(packet);
      const ssrc = counter.undecodable;
      if (!eager || ssrc === null || Date.now() - askedAt < REQUEST_MS) return;
      askedAt = Date.now();
      sendIfOpen(track, compound(ssrc, pictureLoss(ssrc)));
    };
    receivers.set(track, receive);
    track.onMessage((packet) => receive(original(packet)));
  });
  const stops: (() => void)[] = [];
  repairing.set(id, () => {
    for (const mid of counters.keys()) {
      const track = tracks.get(`${id}/${mid}`);
      if (track?.type() === "video") stops.push(repair(track));
    }
  });
  let timer: NodeJS.Timeout | undefined;
  reporting.set(id, () => {
    timer ??= setInterval(() => {
      for (const [mid, counter] of counters) {
        const packet = counter.receiverReport();
        const track = tracks.get(`${id}/${mid}`);
        if (packet) sendIfOpen(track, packet);
      }
    }, REPORTS_MS);
  });
  let flood: NodeJS.Timeout | undefined;
  flooding.set(id, (perSecond) => {
    clearInterval(flood);
    let due = 0;
    flood = setInterval(() => {
      for (due += (perSecond * FLOOD_MS) / 1000; due >= 1; due -= 1) {
        for (const [mid, counter] of counters) {
          const track = tracks.get(`${id}/${mid}`);
          const packet = track?.type() === "video" ? counter.requestOfAll() : null;
          if (packet) sendIfOpen(track, packet);
        }
      }
    }, FLOOD_MS);
  });
  peers.set(id, {
    connection,
    report: () => ({ state, tracks: [...counters].map(([mid, each]) => each.report(mid)) }),
    stop: () => {
      clearInterval(timer);
      clearInterval(flood);
      for (const stop of stops) stop();
    },
  });
  noteRetransmissions(offer);
  const lines = roleOf(offer).split("\r\n");
  candidates.set(
    id,
    lines.filter((line) => line.startsWith("a=candidate:")),
  );
  const bare = lines.filter((line) => !/^a=(candidate:|end-of-candidates)/.test(line)).join("\r\n");
  return described(connection, () => connection.setRemoteDescription(bare, "offer"));
}

/**
 * The offer, with the engine as the DTLS client: libdatachannel repeats a lost ClientHello only after a second; a browser
 * does so after 50 ms.
 */
function roleOf(offer: string): string {
  return offer.replaceAll("a=setup:actpass", "a=setup:active");
}

/** The candidates are known by now, so that the answer is complete at once. */
function renegotiate({ id, offer }: HostRequest & { type: "renegotiate" }): string | undefined {
  noteRetransmissions(offer);
  const connection = peers.get(id)?.connection;
  connection?.setRemoteDescription(roleOf(offer), "offer");
  return connection?.localDescription()?.sdp;
}

function close(id: number): void {
  const peer = peers.get(id);
  peers.delete(id);
  peer?.stop();
  peer?.connection.close();
  for (const key of tracks.keys()) if (key.startsWith(`${id}/`)) tracks.delete(key);
}

function sendPackets({ id, mid, packets }: HostRequest & { type: "packets" }): void {
  const track = tracks.get(`${id}/${mid}`);
  for (const packet of packets) {
    if (!track?.isOpen()) return;
    try {
      track.sendMessageBinary(Buffer.from(packet, "base64"));
    } catch {
      // The client's own library encrypts no packet with such a header.
    }
  }
}

async function handle(request: HostRequest): Promise<unknown> {
  if (request.type === "publish") return publish(request);
  if (request.type === "watch") return watch(request);
  if (request.type === "renegotiate") return renegotiate(request);
  if (request.type === "close") return close(request.id);
  if (request.type === "connect") {
    for (const candidate of candidates.get(request.id) ?? []) {
      peers.get(request.id)?.connection.addRemoteCandidate(candidate, "0");
    }
    return undefined;
  }
  if (request.type === "reports") return reporting.get(request.id)?.();
  if (request.type === "repair") return repairing.get(request.id)?.();
  if (request.type === "packets") return sendPackets(request);
  if (request.type === "flood") return flooding.get(request.id)?.(request.perSecond);
  if (request.type === "report") return peers.get(request.id)?.report();
  if (request.type === "estimate") {
    const track = tracks.get(`${request.id}/${request.mid}`);
    return sendIfOpen(track, maximumBitrate(request.ssrc, request.bitsPerSecond));
  }
  peers.get(request.id)?.connection.setRemoteDescription(request.answer, "answer");
  return undefined;
}

process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.on("message", ({ call, request }: { call: number; request: HostRequest }) => {
  handle(request).then(
    (result) => process.send?.({ call, result }),
    (error) => process.send?.({ call, error: String(error) }),
  );
});
