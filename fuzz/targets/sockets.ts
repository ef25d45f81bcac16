import type { WebSocket } from "ws";
import type { Random } from "../../tools/seeded-random";
import { chance } from "../input/random";

/** Timeout of the closing handshake, in milliseconds. */
const CLOSE_MS = 3_000;
/** Time that some clients wait for answers before they close, in milliseconds. */
const LINGER_MS = 25;

/** Whether the socket opens. Ignores later errors, which a close event follows. */
export function opening(socket: WebSocket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.on("error", () => resolve(false));
    socket.once("open", () => resolve(true));
  });
}

/** Waits for a turn of the event loop. */
export const settle = (ms = LINGER_MS): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** The socket's close code; call it before sending anything. */
export const closeCode = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.once("close", resolve));

/** Closes the socket in a random way, and waits until it is closed. */
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
