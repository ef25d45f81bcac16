import { createHash } from "node:crypto";
import type { Migration } from "../../../src/platform/store/migrations";

/** Migrations as read from a folder. */
export function sample(...parts: { name: string; script: string }[]): Migration[] {
  return parts.map((part) => ({
    ...part,
    checksum: createHash("sha256").update(part.script).digest("hex"),
    otherChecksums: [],
  }));
}
