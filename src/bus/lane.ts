import { hash } from "node:crypto";

/** Maximum length of a partition's name. */
const NAME_LENGTH_MAX = 64;

/** The name under which a bus tracks a partition: long names, which clients can choose, are hashed. */
export function shortLane(lane: string): string {
  return lane.length <= NAME_LENGTH_MAX ? lane : hash("sha256", lane, "base64url");
}
