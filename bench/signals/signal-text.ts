import { type Account, DOMAIN } from "./job";

const VIDEO_FORMATS = [
  "96 VP8/90000",
  "97 rtx/90000",
  "98 VP9/90000",
  "99 rtx/90000",
  "102 H264/90000",
  "103 rtx/90000",
  "45 AV1/90000",
  "46 rtx/90000",
];

/** A session description as a browser creates it; a stanza with it has 3 KB. */
const SDP = [
  "v=0",
  "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  "a=group:BUNDLE 0 1",
  "a=msid-semantic: WMS 5d2f6a1c",
  ...media("audio", 0, ["111 opus/48000/2", "63 red/48000/2", "9 G722/8000", "0 PCMU/8000"]),
  ...media("video", 1, VIDEO_FORMATS),
  "",
].join("\r\n");

function media(kind: string, mid: number, formats: string[]): string[] {
  const numbers = formats.map((format) => format.split(" ")[0]);
  return [
    `m=${kind} 9 UDP/TLS/RTP/SAVPF ${numbers.join(" ")}`,
    "c=IN IP4 0.0.0.0",
    "a=rtcp:9 IN IP4 0.0.0.0",
    "a=ice-ufrag:F7gI",
    "a=ice-pwd:x9cml/YzichV2+XlhiMu8g==",
    "a=ice-options:trickle",
    "a=fingerprint:sha-256 7B:8B:F0:65:5F:78:E2:51:3B:AC:6F:F3:3F:46:1B:35:DC:B8:5F:64:1A:24:C2:43:F0:A1:58:D0:A1:2C:19:08",
    "a=setup:actpass",
    `a=mid:${mid}`,
    "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
    "a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
    "a=sendrecv",
    "a=rtcp-mux",
    ...formats.map((format) => `a=rtpmap:${format}`),
    ...numbers.map((number) => `a=rtcp-fb:${number} transport-cc`),
    ...numbers.map((number) => `a=fmtp:${number} minptime=10;useinbandfec=1`),
    "a=ssrc:3570614608 cname:4TOk42mSjXCkVIa6",
    "a=ssrc:3570614608 msid:5d2f6a1c 35429d94-5637-4686-9ecd-7d0622261ce8",
  ];
}

/** Minimum size of a delivered signal, in bytes, however the server encodes line ends. */
export const SIGNAL_BYTES = 2_500;

/** The signals of a call: it is accepted and then renegotiated repeatedly. All have the same size. */
export type SignalType = "call" | "accept" | "iceRestart" | "iceRestartAccept";

/** Returns a function that builds stanzas of one type to a user, from the stanza's id and the sessionID. */
export function stanzaOf(type: SignalType, from: Account, to: Account, xmlns: string) {
  const sdp = SDP.replaceAll("\r", "&#13;");
  const party =
    type === "call"
      ? `<callType>1</callType><callerID>${from.userId}</callerID><opponentsIDs><opponentID>${to.userId}</opponentID></opponentsIDs>`
      : "";
  const head = `<message${xmlns} type="headline" to="${to.userId}-${to.applicationId}@${DOMAIN}" id="`;
  const middle = `"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>${type}</signalType><sessionID>`;
  const tail = `</sessionID><sdp>${sdp}</sdp><platform>web</platform>${party}<userInfo><topic>Planning &amp; review</topic></userInfo></extraParams></message>`;
  return (id: string, callId: string) => head + id + middle + callId + tail;
}

/** The same signal as an input of `sendSignal`. */
export function signalInput(type: SignalType, to: Account, callId: string) {
  const call = { callType: "VIDEO", opponentIds: [String(to.userId)] };
  const fields = {
    callId,
    sdp: SDP,
    platform: "web",
    userInfo: { topic: "Planning & review" },
    ...(type === "call" ? call : {}),
  };
  return { to: { userId: to.userId }, signal: { [type]: fields } };
}
