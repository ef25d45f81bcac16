/** Maximum number of rooms of one process. */
export const ROOMS_MAX = 342;
/** Maximum number of those that are of one application: three quarters, so that others can still open some. */
export const APPLICATION_ROOMS_MAX = 256;
/** Maximum number of peers of one process. */
export const PEERS_MAX = 1_366;
/** Maximum number of those that are of one application: three quarters. */
export const APPLICATION_PEERS_MAX = 1_024;
/** Maximum number of those that are of one user or guest, in all rooms of the application together. */
export const USER_PEERS_MAX = 64;
/**
 * Maximum number of peers of a participant of one room: two that publish, one for everything, or one for each feed
 * (legacy clients).
 */
export const PARTICIPANT_PEERS_MAX = 32;
/** Time in which a peer must be connected, in milliseconds. */
export const CONNECT_MS = 30_000;
/** Time in which the local candidates must be known, in milliseconds: there are only those of this host. */
export const GATHERING_MS = 5_000;
/** Minimum time between two requests for a key frame to one publisher, in milliseconds. */
export const KEY_FRAME_MS = 300;
/** Minimum time between two requests for a key frame of one watcher's stream, in seconds, after as many at once. */
export const WATCHER_KEY_FRAME = { seconds: 1, burst: 5 };
/**
 * Minimum time between two sender reports of a stream that are forwarded, in milliseconds. Browsers send one a second.
 */
export const SENDER_REPORT_MS = 100;
/** Minimum of a publisher's bitrate cap, in bits per second. */
export const BITRATE_MIN = 50_000;
/**
 * RTCP of a peer, counted for each media section that a packet names. A browser with 26 sections sends some dozens per
 * second, and requests for what it loses.
 */
export const CONTROL_PACKETS_PER_SECOND = 200;
export const CONTROL_BYTES_PER_SECOND = 20_000;
/** RTCP that a peer may send beyond that, as a share of the packets and bytes that are sent to it. */
export const CONTROL_PACKETS_SHARE = 1 / 4;
export const CONTROL_BYTES_SHARE = 1 / 8;
export const CONTROL_BURST_SECONDS = 5;
/** RTP of a publishing peer: 5 Mbit/s, and more if its video may have more. */
export const MEDIA_BYTES_PER_SECOND = 625_000;
export const MEDIA_PACKETS_PER_SECOND = 600;
/**
 * What a publisher may send, as a multiple of the cap of its video; for as long as it does not know it, and for probes.
 */
export const MEDIA_BITRATE_FACTOR = 4;
/** Bytes of a packet at a high bitrate. */
export const MEDIA_PACKET_BYTES = 1_000;
export const MEDIA_BURST_SECONDS = 3;
/** Cap of a publisher's audio, in bits per second; that of its video is the conference's. */
export const AUDIO_BITRATE = 128_000;
/**
 * Multiples of its cap from which a medium is dropped and its peer closed, and for how many seconds it is beyond them.
 */
export const MEDIA_LIMIT = { drop: 1.5, dropSeconds: 3, close: 3, closeSeconds: 30 } as const;
/**
 * Packets that one room may cost in a second: received, forwarded and sent again. About 0.6 of a core; twelve
 * participants with audio and 600 kbit/s each and two shared screens cost half of it.
 */
export const ROOM_PACKETS_PER_SECOND = 40_000;
export const ROOM_BURST_SECONDS = 3;
/** Minimum share of their bitrate that the publishers of an expensive room have. */
export const ROOM_SHARE_MIN = 0.1;
