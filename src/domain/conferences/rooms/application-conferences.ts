import { Fault } from "../../../core/errors";
import { textProblem } from "../../../core/text/field-checks";
import { parseId } from "../../../core/text/ids";
import {
  isGiven,
  type Page,
  type PageRequest,
  pageOf,
  pageSize,
  readIdPage,
} from "../../paging/page";
import { CONFERENCE_NAME_MAX, type Conference } from "../model/conference";
import {
  listApplicationConferences,
  listConferencesByName,
  type NamePosition,
} from "../rows/application-conference-queries";
import type { ConferenceDeps } from "./conference-deps";

/** Which conferences of an application to list, and the page. */
interface ApplicationConferenceRequest extends PageRequest {
  /** Open or closed ones; null for both. */
  open?: boolean | null;
  /** How their names begin. */
  name?: string | null;
}

/**
 * Lists the conferences of an application: newest first, or by name if they are searched by name.
 * @throws Fault INVALID
 */
export async function listConferencesOfApplication(
  { store }: Pick<ConferenceDeps, "store">,
  applicationId: number,
  { open = null, name, ...page }: ApplicationConferenceRequest,
): Promise<Page<Conference>> {
  if (isGiven(name)) return listByName({ store }, applicationId, { ...page, open, name });
  return readIdPage(page, true, (range) =>
    listApplicationConferences(store, applicationId, open, range),
  );
}

/** The cursor of a conference in a list by name. */
export function nameCursor({ name, id }: NamePosition): string {
  return Buffer.from(JSON.stringify([name, id])).toString("base64url");
}

async function listByName(
  { store }: Pick<ConferenceDeps, "store">,
  applicationId: number,
  request: ApplicationConferenceRequest & { name: string },
): Promise<Page<Conference>> {
  const { name: prefix, open = null } = request;
  const problem = textProblem(prefix, CONFERENCE_NAME_MAX);
  if (problem) throw Fault.field("name", problem);
  const { size, backward } = pageSize(request);
  const after = positionOf("after", request.after);
  const before = positionOf("before", request.before);
  if (after && before) throw Fault.field("before", "cannot be combined with after and name");
  // A page behind a cursor is read from it on, whichever end it is taken from: `last` needs `before`, and vice versa.
  if (backward && after) throw Fault.field("last", "cannot be combined with after and name");
  if (!backward && before) throw Fault.field("first", "cannot be combined with before and name");
  const listed = { applicationId, open, prefix };
  const position = (backward ? before : after) ?? null;
  const found = await listConferencesByName(
    { query: store.query },
    listed,
    position,
    backward,
    size + 1,
  );
  return pageOf(found, { size, backward, after, before });
}

/** @throws Fault INVALID */
function positionOf(argument: string, cursor: string | null | undefined): NamePosition | undefined {
  if (!isGiven(cursor)) return undefined;
  try {
    const [name, id] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
    if (typeof name === "string" && textProblem(name, CONFERENCE_NAME_MAX) === null) {
      if (typeof id === "number" && parseId(String(id)) !== null) return { name, id };
    }
  } catch {
    // Not JSON, or no list.
  }
  throw Fault.field(argument, "is not a cursor of this list");
}
