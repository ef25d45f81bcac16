import { printProblem } from "../../../core/console";
import { isStdinTerminal, replaceControls } from "../../../core/terminal";
import { CommandError } from "./command-error";
import { ask } from "./option-values";
import { alignColumns } from "./table";

/** What a command would delete for good. */
export interface Preview {
  /** The name of the object, or what else people call it. */
  name: string;
  /** The numbers of what belongs to it. */
  counts: Record<string, { count: number; isExact: boolean }>;
}

/** A field of the answer to a preview that is counted. */
interface CountedField {
  totalCount?: number;
  totalIsExact?: boolean;
  nodes?: unknown[];
  pageInfo?: { hasNextPage: boolean };
}

/**
 * Reads the answer to a preview: its lists are counted, by `totalCount` or by their nodes.
 * @throws CommandError if the object does not exist
 */
export function toPreview(data: Record<string, unknown>): Preview {
  const objects = Object.values(data);
  if (objects.includes(null)) throw new CommandError("Nothing was found.");
  const fields: Record<string, unknown> = Object.assign({}, ...objects);
  const { name, login, email, id } = fields;
  const counts: Preview["counts"] = {};
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value !== "object" || value === null) continue;
    const { totalCount, totalIsExact = true, nodes = [], pageInfo } = value as CountedField;
    counts[field] =
      totalCount === undefined
        ? { count: nodes.length, isExact: pageInfo?.hasNextPage !== true }
        : { count: totalCount, isExact: totalIsExact };
  }
  return { name: String(name ?? login ?? email ?? id), counts };
}

/** Formats a preview for people. */
export function previewText({ name, counts }: Preview): string {
  const rows = Object.entries(counts).map(([field, { count, isExact }]) => [
    field,
    isExact ? `${count}` : `${count} or more`,
  ]);
  return alignColumns([["name", replaceControls(name)], ...rows]);
}

/**
 * Asks for the name of what a command deletes.
 * @param command for people, such as `app delete`
 * @throws CommandError without a terminal to ask on, and for another name
 */
export async function confirmByName(command: string, preview: Preview): Promise<void> {
  if (!isStdinTerminal()) {
    throw new CommandError(
      `${command} deletes for good, and standard input is no terminal to ask on. Pass --yes; --dry-run shows what it would delete.`,
    );
  }
  const name = replaceControls(preview.name).trim();
  printProblem(`This deletes for good:\n${previewText(preview)}`);
  const typed = await ask(`Type the name to delete it (${name}): `);
  if (typed.trim() !== name) throw new CommandError("Nothing was deleted: that is another name.");
}
