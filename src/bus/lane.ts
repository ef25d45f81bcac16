import { hash } from "node:crypto";

/** Characters of a lane's name that a bus remembers. */
const NAME_LENGTH = 64;

/** The name that a bus knows a lane by: a device calls itself whatever it likes. */
export function shortLane(lane: string): string {
  return lane.length <= NAME_LENGTH ? lane : hash("sha256", lane, "base64url");
}
