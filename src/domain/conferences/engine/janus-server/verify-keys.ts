import type { VideoRoomConnection } from "./connection/janus-connection";
import { isJanusError, JANUS_CODE } from "./connection/janus-faults";
import type { JanusServer } from "./connection/janus-options";
import { VideoRoomSession } from "./connection/janus-session";

/**
 * Opens a session and a handle, and checks both keys and that the VideoRoom plugin names rooms with texts.
 * @throws Error that says what to correct, without a key
 */
export async function openVerified(
  connection: VideoRoomConnection,
  { adminKey }: Pick<JanusServer, "adminKey">,
): Promise<{ session: VideoRoomSession; handle: number }> {
  const session = await explained(
    () => VideoRoomSession.create(connection),
    [JANUS_CODE.wrongSecret],
    "JANUS_API_SECRET is not the api_secret of janus.jcfg",
  );
  const handle = await explained(
    () => session.attach(),
    [JANUS_CODE.noSuchPlugin],
    "the VideoRoom plugin of Janus is not loaded",
  );
  await explained(
    () => session.send(handle, { request: "exists", room: "signalbox-check" }),
    [JANUS_CODE.invalidElement],
    "janus.plugin.videoroom.jcfg does not contain string_ids = true",
  );
  await explained(
    () => checkAdminKey(session, handle, adminKey),
    [JANUS_CODE.unauthorized, JANUS_CODE.missingElement],
    "JANUS_ADMIN_KEY is not the admin_key of janus.plugin.videoroom.jcfg",
  );
  return { session, handle };
}

/**
 * Has Janus check an admin key, without any effect: it checks the key of a request to create a room before the codec,
 * which does not exist.
 * @throws VideoRoomError `unauthorized` for another key
 */
export async function checkAdminKey(
  session: VideoRoomSession,
  handle: number,
  adminKey: string,
): Promise<void> {
  const body = { request: "create", room: "signalbox-check", audiocodec: "no-codec" };
  try {
    await session.send(handle, { ...body, admin_key: adminKey });
  } catch (error) {
    if (!isJanusError(error, JANUS_CODE.invalidElement)) throw error;
  }
}

/** Asks the Admin API for what only the secret opens. */
export async function askStatus(connection: VideoRoomConnection): Promise<void> {
  await connection.request({ janus: "get_status" });
}

/** Checks the secret of the Admin API. @throws Error that says what to correct, without the secret */
export async function verifyAdmin(connection: VideoRoomConnection): Promise<void> {
  await explained(
    () => askStatus(connection),
    [JANUS_CODE.wrongSecret],
    "JANUS_ADMIN_SECRET is not the admin_secret of janus.jcfg",
  );
}

async function explained<T>(act: () => Promise<T>, codes: number[], reason: string): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw isJanusError(error, ...codes) ? new Error(reason) : error;
  }
}
