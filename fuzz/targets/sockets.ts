import type { WebSocket } from "ws";
import type { Random } from "../../test/support/noise";
import { chance } from "../input/random";

/** Milliseconds that the other side has to take what was sent and to answer the closing. */
const CLOSE_MS = 3_000;
/** Milliseconds that some clients wait for answers before they close. */
const LINGER_MS = 25;

/** Whether the socket opens. Errors are no more than a closing afterwards. */
export function opening(socket: WebSocket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.on("error", () => resolve(false));
    socket.once("open", () => resolve(true));
  });
}

/** Gives the other side a turn. */
export const settle = (ms = LINGER_MS): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** The code that a socket closes with; to be asked for before anything is sent. */
export const closeCode = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.once("close", resolve));

/** Ends the socket in one of the ways that clients do, and waits until it has closed. */
export async function closing(
  socket: WebSocket,
  random: Random,
  closed: Promise<number>,
): Promise<number> {
  const abrupt = chance(random, 15);
  if (chance(random, 70)) await settle();
  const timer = setTimeout(() => socket.terminate(), CLOSE_MS);
  socket.resume();
  if (abrupt) socket.terminate();
  else socket.close();
  const code = await closed;
  clearTimeout(timer);
  return code;
}
