import { hash } from "node:crypto";

/** Maximum length of a partition's name. */
const NAME_LENGTH_MAX = 64;

/** The name under which a bus tracks a partition: long names, which clients can choose, are hashed. */
export function partitionKey(partition: string): string {
  return partition.length <= NAME_LENGTH_MAX ? partition : hash("sha256", partition, "base64url");
}
