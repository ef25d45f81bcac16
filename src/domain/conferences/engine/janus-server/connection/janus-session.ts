import { withoutCandidates } from "./candidates";
import type { VideoRoomConnection } from "./janus-connection";
import { isJanusError, JANUS_CODE } from "./janus-faults";
import {
  type JanusMessage,
  type SessionDescription,
  type VideoRoomData,
  VideoRoomError,
} from "./janus-messages";

/** The response of the VideoRoom plugin to a request. */
export interface VideoRoomResponse {
  data: VideoRoomData;
  jsep: SessionDescription | undefined;
}

/**
 * A session at Janus with its handles. Sessions are bound to no connection: a program with the API secret can use and
 * claim them.
 */
export class VideoRoomSession {
  private constructor(
    private readonly connection: VideoRoomConnection,
    readonly id: number,
  ) {}

  /** Creates a session. */
  static async create(connection: VideoRoomConnection): Promise<VideoRoomSession> {
    const { data } = await connection.request({ janus: "create" });
    if (!data) throw new VideoRoomError(0, "a session without an id");
    return new VideoRoomSession(connection, data.id);
  }

  /** Takes over a session of an earlier connection, so that its events arrive here; null if it has ended. */
  static async claim(
    connection: VideoRoomConnection,
    id: number,
  ): Promise<VideoRoomSession | null> {
    try {
      await connection.request({ janus: "claim", session_id: id });
      return new VideoRoomSession(connection, id);
    } catch (error) {
      if (isJanusError(error, JANUS_CODE.noSuchSession)) return null;
      throw error;
    }
  }

  /** Ends a session of an earlier connection; it may have ended already. */
  static async end(connection: VideoRoomConnection, id: number): Promise<void> {
    await new VideoRoomSession(connection, id).destroy();
  }

  /** Opens a handle of the VideoRoom plugin. */
  async attach(): Promise<number> {
    const plugin = "janus.plugin.videoroom";
    const { data } = await this.request({ janus: "attach", plugin });
    if (!data) throw new VideoRoomError(0, "a handle without an id");
    return data.id;
  }

  /**
   * Sends a request to the VideoRoom plugin.
   * @param jsep the client's session description; its candidates are not passed on
   * @throws VideoRoomError for its error
   */
  async send(
    handle: number,
    body: Record<string, unknown>,
    jsep?: SessionDescription,
  ): Promise<VideoRoomResponse> {
    const described = jsep && { ...jsep, sdp: withoutCandidates(jsep.sdp), trickle: false };
    const request = { janus: "message", handle_id: handle, body, jsep: described };
    const response = await this.request(request);
    return { data: response.plugindata?.data ?? {}, jsep: response.jsep };
  }

  /** Closes a handle; it may be closed already. */
  async detach(handle: number): Promise<void> {
    await this.ignoringGone({ janus: "detach", handle_id: handle });
  }

  /** Keeps the session for another minute. */
  async keepAlive(): Promise<void> {
    await this.request({ janus: "keepalive" }, true);
  }

  /** Ends the session and its handles. */
  async destroy(): Promise<void> {
    await this.ignoringGone({ janus: "destroy" });
  }

  private request(
    request: { janus: string; [property: string]: unknown },
    acknowledged = false,
  ): Promise<JanusMessage> {
    return this.connection.request({ ...request, session_id: this.id }, acknowledged);
  }

  private async ignoringGone(request: { janus: string; handle_id?: number }): Promise<void> {
    try {
      await this.request(request);
    } catch (error) {
      if (!isJanusError(error, JANUS_CODE.noSuchSession, JANUS_CODE.noSuchHandle)) throw error;
    }
  }
}
