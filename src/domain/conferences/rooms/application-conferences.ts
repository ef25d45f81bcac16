import { Fault } from "../../../core/errors";
import { textProblem } from "../../../core/text/field-checks";
import { isValidText } from "../../../core/text/text";
import { ID, listOrder, NEWEST_FIRST, type OrderColumn } from "../../paging/list-order";
import { isGiven, type Page, type PageRequest, readPage } from "../../paging/page";
import { CONFERENCE_NAME_MAX, type Conference } from "../model/conference";
import {
  listApplicationConferences,
  listConferencesByName,
} from "../rows/application-conference-queries";
import type { ConferenceDeps } from "./conference-deps";

/** Which conferences of an application to list, and the page. */
interface ApplicationConferenceRequest extends PageRequest {
  /** Open or closed ones; null for both. */
  open?: boolean | null;
  /** How their names begin. */
  name?: string | null;
}

/** Nothing sorts after it. */
const LAST = "\u{10FFFF}";

/** A name, which the database compares regardless of case. */
const NAME: OrderColumn<string> = {
  lowest: "",
  highest: LAST,
  write: (name) => Buffer.from(name).toString("base64"),
  read(text) {
    const name = Buffer.from(text, "base64").toString();
    return isValidText(name) && textProblem(name, CONFERENCE_NAME_MAX) === null ? name : null;
  },
};

/** The order of conferences that are searched by name. */
export const BY_NAME = listOrder(
  [NAME, ID],
  "ascending",
  ({ name, id }: Pick<Conference, "name" | "id">) => [name, id],
);

/**
 * Lists the conferences of an application: newest first, or by name if they are searched by name.
 * @throws Fault INVALID as {@link readPage}, and on `name`
 */
export async function listConferencesOfApplication(
  { store }: Pick<ConferenceDeps, "store">,
  applicationId: number,
  { open = null, name, ...page }: ApplicationConferenceRequest,
): Promise<Page<Conference>> {
  const listed = { applicationId, open };
  if (!isGiven(name)) {
    return readPage(page, NEWEST_FIRST, (range) =>
      listApplicationConferences(store, listed, range),
    );
  }
  const problem = textProblem(name, CONFERENCE_NAME_MAX);
  if (problem) throw Fault.field("name", problem);
  // Without a cursor the range begins and ends with the text, so that nothing before it or after it is read.
  const order = { ...BY_NAME, lowest: [name, 0] as const, highest: [`${name}${LAST}`, 0] as const };
  return readPage(page, order, (range) => listConferencesByName(store, listed, name, range));
}
