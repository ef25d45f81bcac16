import { Fault } from "../../core/errors";

/** Whom an event is for, as it is stored: lists are sorted and hold nothing twice. */
export type Selector =
  | { by: "ids"; ids: number[] }
  /** External ids, of either column; see `findUser`. */
  | { by: "external"; ids: string[] }
  /** Users with one of the tags, with all of them, or with none of them. */
  | { by: "any" | "all" | "exclude"; tags: string[] };

/** Whom an event is for, as it is asked for: exactly one of the lists. */
export interface Recipients {
  userIds?: string[] | null;
  externalUserIds?: string[] | null;
  tagsAny?: string[] | null;
  tagsAll?: string[] | null;
  tagsExclude?: string[] | null;
}

/** Entries of a list at most; more recipients are selected by a tag. */
export const SELECTOR_MAX = 10_000;
/** Tags of a selector at most. */
const TAGS_MAX = 100;
const TEXT_MAX = 255;

/**
 * Checks whom an event is for. Ids that are nobody's are no mistake: such recipients are not there.
 * @throws Fault INVALID when not exactly one list is given, or on the list that is wrong
 */
export function toSelector(recipients: Recipients): Selector {
  const given = Object.entries(recipients).filter((entry): entry is [keyof Recipients, string[]] =>
    Array.isArray(entry[1]),
  );
  const [first, second] = given;
  if (first === undefined || second !== undefined) {
    const text = "Exactly one recipient selector is required: user ids, external user ids, or tags";
    throw new Fault("INVALID", text, { base: [text] });
  }
  const [field, list] = first;
  if (list.length === 0) throw Fault.field(field, "must not be empty");
  const most = field === "userIds" || field === "externalUserIds" ? SELECTOR_MAX : TAGS_MAX;
  if (list.length > most) throw Fault.field(field, `is too long (maximum is ${most} entries)`);
  if (field === "userIds") return { by: "ids", ids: toIds(list) };
  const texts = toTexts(field, list);
  if (field === "externalUserIds") return { by: "external", ids: texts };
  if (field === "tagsAny") return { by: "any", tags: texts };
  return { by: field === "tagsAll" ? "all" : "exclude", tags: texts };
}

/** The words that an event's `tag_query` holds; null unless tags select the recipients. */
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
