import { Fault } from "../../../core/errors";
import type { Selector } from "./recipient-queries";

/** Recipients as requested: exactly one of the lists. */
export interface RecipientsInput {
  userIds?: string[] | null;
  externalUserIds?: string[] | null;
  tagsAny?: string[] | null;
  tagsAll?: string[] | null;
  tagsExclude?: string[] | null;
}

/** Maximum number of ids in a selector; tags select larger groups. */
export const SELECTOR_MAX = 10_000;
/** Maximum number of tags in a selector. */
const TAGS_MAX = 100;
const TEXT_MAX = 255;

/**
 * Validates the recipients of an event. Unknown ids are allowed and select nobody.
 * @throws Fault INVALID unless exactly one list is given, or on the wrong list
 */
export function toSelector(recipients: RecipientsInput): Selector {
  const given = Object.entries(recipients).filter(
    (entry): entry is [keyof RecipientsInput, string[]] => Array.isArray(entry[1]),
  );
  const [first, second] = given;
  if (first === undefined || second !== undefined) {
    const text = "Exactly one recipient selector is required: user ids, external user ids, or tags";
    throw Fault.base(text);
  }
  const [field, list] = first;
  if (list.length === 0) throw Fault.field(field, "must not be empty");
  const max = field === "userIds" || field === "externalUserIds" ? SELECTOR_MAX : TAGS_MAX;
  if (list.length > max) throw Fault.field(field, `is too long (maximum is ${max} entries)`);
  if (field === "userIds") return { by: "ids", ids: toIds(list) };
  const texts = toTexts(field, list);
  if (field === "externalUserIds") return { by: "external", ids: texts };
  if (field === "tagsAny") return { by: "any", tags: texts };
  return { by: field === "tagsAll" ? "all" : "exclude", tags: texts };
}

/** An event's `tag_query`; null unless tags select the recipients. */
export function tagQueryOf(selector: Selector): string | null {
  return "tags" in selector ? `${selector.by}: ${selector.tags.join(",")}` : null;
}

function toIds(list: string[]): number[] {
  const ids = list.map((text) => {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(id)) throw Fault.field("userIds", "must be ids of users");
    return id;
  });
  return [...new Set(ids)].sort((a, b) => a - b);
}

function toTexts(field: string, list: string[]): string[] {
  for (const text of list) {
    if (text === "" || text.length > TEXT_MAX) {
      throw Fault.field(field, `must be texts of 1 to ${TEXT_MAX} characters`);
    }
  }
  return [...new Set(list)].sort();
}
