/** A session description in a message (JSEP). */
export interface SessionDescription {
  type: "offer" | "answer";
  sdp: string;
}

/** A media section as the VideoRoom plugin describes it, of a publisher or of a subscription. */
export interface JanusStream {
  mid?: string;
  type?: string;
  /** Of a publisher: the section was rejected. */
  disabled?: boolean;
  /** Of a subscription: whether the section carries a feed. */
  active?: boolean;
  feed_id?: string;
}

/** A participant of a room, as `listparticipants` returns it. */
export interface JanusParticipant {
  id: string;
  /** Whether its media is up. */
  publisher?: boolean;
}

/** The data of the VideoRoom plugin; which properties are set depends on `videoroom`. */
export interface VideoRoomData {
  videoroom?: string;
  error_code?: number;
  error?: string;
  private_id?: number;
  streams?: JanusStream[];
  participants?: JanusParticipant[];
  /** Of the room that was joined. */
  description?: string;
  joining?: { id: string };
  leaving?: string;
  reason?: string;
}

/** A message of Janus. https://janus.conf.meetecho.com/docs/rest.html describes them. */
export interface JanusMessage {
  janus: string;
  transaction?: string;
  session_id?: number;
  /** The handle that an event concerns. */
  sender?: number;
  data?: { id: number };
  error?: { code: number; reason: string };
  plugindata?: { data?: VideoRoomData };
  jsep?: SessionDescription;
  /** Of `hangup`. */
  reason?: string;
  /** Of `server_info`. */
  version_string?: string;
  plugins?: Record<string, { version_string?: string }>;
}

/** Parses a message; undefined if it is not one. */
export function parseJanusMessage(text: string): JanusMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isMessage =
      typeof value === "object" &&
      value !== null &&
      "janus" in value &&
      typeof value.janus === "string";
    return isMessage ? (value as JanusMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** An error response of Janus or of its VideoRoom plugin. */
export class VideoRoomError extends Error {
  override readonly name = "JanusError";
  constructor(
    readonly code: number,
    reason: string,
  ) {
    super(`${code} ${reason.slice(0, 200)}`);
  }
}

/** The error that a response contains; undefined for a success. */
export function janusErrorIn(message: JanusMessage): VideoRoomError | undefined {
  if (message.janus === "error") {
    return new VideoRoomError(message.error?.code ?? 0, message.error?.reason ?? "");
  }
  const data = message.plugindata?.data;
  if (data?.error_code === undefined) return undefined;
  return new VideoRoomError(data.error_code, data.error ?? "");
}
