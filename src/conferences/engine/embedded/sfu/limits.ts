/** Maximum number of rooms of one process. */
export const ROOMS_MAX = 256;
/** Maximum number of peers of one process. */
export const PEERS_MAX = 1_024;
/** Maximum number of peers of a member: two that publish, one for everything, or one for each feed (legacy clients). */
export const MEMBER_PEERS_MAX = 32;
/** Time in which a peer must be connected, in milliseconds. */
export const CONNECT_MS = 30_000;
/** Time in which the local candidates must be known, in milliseconds: there are only those of this host. */
export const GATHERING_MS = 5_000;
/** Minimum time between two requests for a key frame to one publisher, in milliseconds. */
export const KEY_FRAME_MS = 300;
/** Packets that are kept for each outgoing video, to be sent again: 5 s of 500 kbit/s in 250 KB. */
export const RESEND_PACKETS = 256;
/** Minimum of a publisher's bitrate cap, in bits per second. */
export const BITRATE_MIN = 50_000;
