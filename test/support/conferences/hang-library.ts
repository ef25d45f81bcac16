import { Audio, PeerConnection, Video } from "node-datachannel";

/**
 * A module that a process of the embedded media server loads first, so that a test can make a thread of the native
 * library hang: by the signal SIGUSR2 the process connects to itself, and sends a packet that the library never
 * finishes to read (docs/UPSTREAM-LIBDATACHANNEL.md).
 */

/** An invalid source description (RFC 3550 section 6.5): its second item is longer than its chunk. */
const HARMFUL = Buffer.from("81ca0002000000010101ffff", "hex");
const CONFIG = { iceServers: [], bindAddress: "127.0.0.1", forceMediaTransport: true };
const RETRY_MS = 5_000;
const referenced: unknown[] = [];

function hang(): void {
  const sender = new PeerConnection("hang-out", { ...CONFIG, disableAutoNegotiation: true });
  const receiver = new PeerConnection("hang-in", CONFIG);
  const audio = new Audio("0", "SendOnly");
  audio.addOpusCodec(111);
  audio.addSSRC(1, "a", "a", "a");
  const video = new Video("1", "SendOnly");
  video.addVP8Codec(96);
  video.addSSRC(2, "v", "v", "v");
  const track = sender.addTrack(audio);
  referenced.push(sender, receiver, track, sender.addTrack(video));
  receiver.onTrack((received) => referenced.push(received));
  track.onOpen(() => {
    // The other side may have to finish the handshake.
    setInterval(() => track.isOpen() && track.sendMessageBinary(HARMFUL), 100);
  });
  receiver.onGatheringStateChange((state) => {
    const answer = receiver.localDescription()?.sdp;
    if (state !== "complete" || answer === undefined) return;
    const lines = answer.split("\r\n");
    const candidates = lines.filter((line) => line.startsWith("a=candidate:"));
    // The sender must know the fingerprint before it connects.
    sender.setRemoteDescription(
      lines.filter((line) => !candidates.includes(line)).join("\r\n"),
      "answer",
    );
    for (const line of candidates) sender.addRemoteCandidate(line.slice(2), "0");
  });
  sender.onGatheringStateChange((state) => {
    const offer = sender.localDescription()?.sdp;
    if (state !== "complete" || offer === undefined) return;
    const lines = offer.split("\r\n").filter((line) => !line.startsWith("a=candidate:"));
    receiver.setRemoteDescription(lines.join("\r\n"), "offer");
  });
  sender.setLocalDescription("offer");
  // A handshake may fail; a later one hangs the library all the same.
  setTimeout(() => !track.isOpen() && hang(), RETRY_MS);
}

process.on("SIGUSR2", hang);
