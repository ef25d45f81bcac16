import { openLog } from "../../../../core/log";
import { VideoRoomConnection } from "./connection/janus-connection";
import { isJanusError, JANUS_CODE } from "./connection/janus-faults";
import {
  adminEndpoint,
  clientEndpoint,
  type JanusAdmin,
  type JanusEndpoint,
  type JanusServer,
} from "./connection/janus-options";
import { askStatus, checkAdminKey, openVerified, verifyAdmin } from "./verify-keys";

/** What an inspection found of a Janus server that can be used. */
export interface JanusInspection {
  version: string;
  /** What should be corrected, in order of importance. */
  weaknesses: { detail: string; fix: string }[];
}

/** A key that no server has. */
const WRONG_KEY = "not-the-key";

/**
 * Connects to a Janus server and checks it, and its Admin API if Signalbox uses it.
 * @throws Error that says why it cannot be used, without a key
 */
export async function inspectJanus(
  server: JanusServer,
  admin?: JanusAdmin,
): Promise<JanusInspection> {
  const log = openLog("silent");
  const inspection = await withConnection(clientEndpoint(server, log), async (connection) => {
    const info = await connection.request({ janus: "info" });
    const { session, handle } = await openVerified(connection, server);
    const weaknesses: JanusInspection["weaknesses"] = [];
    if (await accepts(() => openWith(clientEndpoint({ ...server, apiSecret: WRONG_KEY }, log)))) {
      const detail = "anybody who reaches it may control it";
      weaknesses.push({ detail, fix: "Set api_secret in janus.jcfg, and restart Janus." });
    }
    if (await accepts(() => checkAdminKey(session, handle, WRONG_KEY))) {
      const detail = "rooms may be created without a key";
      const fix = "Set admin_key in janus.plugin.videoroom.jcfg, and restart Janus.";
      weaknesses.push({ detail, fix });
    }
    await session.destroy();
    return { version: info.version_string ?? "unknown", weaknesses };
  });
  if (!admin) return inspection;
  await withConnection(adminEndpoint(admin, log), verifyAdmin);
  const wrong = adminEndpoint({ ...admin, secret: WRONG_KEY }, log);
  if (await accepts(() => withConnection(wrong, askStatus))) {
    const detail = "anybody who reaches its Admin API may use it";
    const fix = "Set admin_secret in janus.jcfg, and restart Janus.";
    inspection.weaknesses.push({ detail, fix });
  }
  return inspection;
}

async function openWith(endpoint: JanusEndpoint): Promise<void> {
  await withConnection(endpoint, async (connection) => {
    await connection.request({ janus: "create" });
  });
}

/** Whether a request succeeds that a key should prevent. */
async function accepts(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (isJanusError(error, JANUS_CODE.wrongSecret, JANUS_CODE.unauthorized)) return false;
    throw error;
  }
}

/** Uses a connection once: the first attempt decides. */
async function withConnection<T>(
  endpoint: JanusEndpoint,
  use: (connection: VideoRoomConnection) => Promise<T>,
): Promise<T> {
  let connection: VideoRoomConnection | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      const opened: VideoRoomConnection = new VideoRoomConnection(endpoint, {
        connected: () => use(opened).then(resolve, reject),
        ready: () => undefined,
        disconnected: () => undefined,
        message: () => undefined,
        failed: (reason) => reject(new Error(reason)),
      });
      connection = opened;
      opened.connect();
    });
  } finally {
    await connection?.close();
  }
}
