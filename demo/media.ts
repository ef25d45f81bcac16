import type { IceCandidate } from "./graphql-client";

/**
 * Sample data in the form of a browser's RTCPeerConnection: session descriptions (RFC 8866; every line ends
 * in CRLF) and ICE candidates (RFC 8839). Addresses are from the ranges for documentation.
 */

interface Side {
  sessionNumber: string;
  ufrag: string;
  password: string;
  fingerprint: string;
}

const ALICE: Side = {
  sessionNumber: "4611731400430051336",
  ufrag: "F7gI",
  password: "x9cmlYzichV2XlhiMu8gQzrT",
  fingerprint:
    "7B:8B:F0:65:5F:78:E2:51:3B:AC:6F:F3:3F:46:1B:35:DC:B8:5F:64:1A:24:C2:43:F0:A1:58:D0:A1:2C:19:08",
};

const BOB: Side = {
  sessionNumber: "7203945120034412001",
  ufrag: "m2Qe",
  password: "Jq8TnOa3bSx1Rk7uWz5vLd0P",
  fingerprint:
    "D2:FA:0E:C3:22:59:5E:14:95:69:92:3D:13:B4:84:24:2C:C2:A2:C0:3E:FD:34:8E:5E:EA:6F:AF:52:CE:E6:0F",
};

type Setup = "actpass" | "active";

function audio(side: Side, setup: Setup): string[] {
  return [
    "m=audio 9 UDP/TLS/RTP/SAVPF 111 0",
    ...transport(side, setup, "0"),
    "a=rtpmap:111 opus/48000/2",
    "a=fmtp:111 minptime=10;useinbandfec=1",
    "a=rtpmap:0 PCMU/8000",
  ];
}

function video(side: Side, setup: Setup): string[] {
  return [
    "m=video 9 UDP/TLS/RTP/SAVPF 96",
    ...transport(side, setup, "1"),
    "a=rtpmap:96 VP8/90000",
    "a=rtcp-fb:96 nack pli",
  ];
}

function transport({ ufrag, password, fingerprint }: Side, setup: Setup, mid: string): string[] {
  return [
    "c=IN IP4 0.0.0.0",
    "a=rtcp:9 IN IP4 0.0.0.0",
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${password}`,
    "a=ice-options:trickle",
    `a=fingerprint:sha-256 ${fingerprint}`,
    `a=setup:${setup}`,
    `a=mid:${mid}`,
    "a=sendrecv",
    "a=rtcp-mux",
  ];
}

function describe({ sessionNumber }: Side, mids: string, ...media: string[][]): string {
  const lines = [
    "v=0",
    `o=- ${sessionNumber} 2 IN IP4 127.0.0.1`,
    "s=-",
    "t=0 0",
    `a=group:BUNDLE ${mids}`,
    "a=msid-semantic: WMS",
    ...media.flat(),
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}

/** Alice offers audio and video. */
export const ALICE_OFFER = describe(ALICE, "0 1", audio(ALICE, "actpass"), video(ALICE, "actpass"));

/** Bob accepts both. */
export const BOB_ANSWER = describe(BOB, "0 1", audio(BOB, "active"), video(BOB, "active"));

/** Bob offers only audio. */
export const BOB_OFFER = describe(BOB, "0", audio(BOB, "actpass"));

/** Alice's host address and her server-reflexive address. */
export const ALICE_CANDIDATES: IceCandidate[] = [
  {
    sdpMLineIndex: 0,
    sdpMid: "0",
    candidate: `candidate:842163049 1 udp 2122260223 192.0.2.17 50812 typ host generation 0 ufrag ${ALICE.ufrag} network-id 1`,
  },
  {
    sdpMLineIndex: 1,
    sdpMid: "1",
    candidate: `candidate:2746109351 1 udp 1677729535 198.51.100.7 46154 typ srflx raddr 192.0.2.17 rport 50812 generation 0 ufrag ${ALICE.ufrag} network-id 1`,
  },
];

/** Bob's host address and his relayed address on a TURN server. */
export const BOB_CANDIDATES: IceCandidate[] = [
  {
    sdpMLineIndex: 0,
    sdpMid: "0",
    candidate: `candidate:1467250027 1 udp 2122194687 192.0.2.140 40120 typ host generation 0 ufrag ${BOB.ufrag} network-id 1`,
  },
  {
    sdpMLineIndex: 0,
    sdpMid: "0",
    candidate: `candidate:3098175849 1 udp 33562367 203.0.113.9 61422 typ relay raddr 198.51.100.81 rport 40120 generation 0 ufrag ${BOB.ufrag} network-id 1`,
  },
];
