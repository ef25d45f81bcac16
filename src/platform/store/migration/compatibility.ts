import { effectsOf } from "./statement-effects";

/**
 * What a migration says of earlier versions: `-- Needs: NAME` is the migration that a version must know to run on the
 * schema afterwards, and `-- Needs: nothing` lets all of them.
 */
const NEEDS = /^-- Needs: (\w{1,255})\r?$/m;
/** What is recorded with a migration after which such versions may run, and after which any may. */
const RECORD = /^Versions with (\w{1,255}) may run on this schema\.$/;
const ANY_RECORD = "Earlier versions may run on this schema.";

/**
 * What is recorded with a migration for versions that do not know it. Without a line `-- Needs:` it is found from the
 * statements: what only adds to the schema disturbs no earlier version.
 * @returns null if no earlier version may run on the schema
 */
export function compatibilityOf(script: string): string | null {
  const needed = NEEDS.exec(script)?.[1];
  if (needed !== undefined && needed !== "nothing") {
    return `Versions with ${needed} may run on this schema.`;
  }
  const isAllowed = needed !== undefined || effectsOf(script).every((each) => !each.restricts);
  return isAllowed ? ANY_RECORD : null;
}

/**
 * Whether a version may run after a migration that it does not know.
 * @param record what {@link compatibilityOf} returned
 * @param knows whether the version has a migration of this name
 */
export function mayRunAfter(record: string | null, knows: (name: string) => boolean): boolean {
  if (record === null) return false;
  const needed = RECORD.exec(record)?.[1];
  return needed === undefined ? record === ANY_RECORD : knows(needed);
}
