import { Fault } from "../core/errors";
import { parseId } from "../core/text/ids";
import { ownUserData } from "../users/user-data";
import { findUser } from "../users/user-queries";
import type { AdminDeps } from "./admin-deps";

/**
 * Exports all data of a user, by table and column in camelCase. Excludes hashes of passwords and tokens, and
 * the data of other users: their participation in calls, and the deliveries to their devices.
 * @throws Fault NOT_FOUND
 */
export async function exportUser(
  deps: Pick<AdminDeps, "store" | "userData">,
  applicationId: number,
  userId: string,
): Promise<object> {
  const { query } = deps.store;
  const id = parseId(userId);
  if (id === null || (await findUser(deps, applicationId, { id: userId })) === null) {
    throw new Fault("NOT_FOUND", "There is no such user");
  }
  const tables: Record<string, unknown> = {};
  for (const module of [ownUserData, ...deps.userData]) {
    Object.assign(tables, await module.exportUser(query, id));
  }
  return camelCase(tables) as object;
}

/** Columns with a client's own JSON, whose keys are not converted. */
const VERBATIM = new Set(["selector"]);

function camelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      VERBATIM.has(name) ? field : camelCase(field),
    ]),
  );
}
