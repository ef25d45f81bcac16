import { Fault, type FieldErrors } from "../../core/errors";
import { emailKey, isEmail } from "../../core/text/email";
import { textProblem } from "../../core/text/field-checks";

/** The writable fields of a user. Absent: unchanged. Null: cleared. */
export interface UserFields {
  login?: string | null;
  email?: string | null;
  externalUserId?: string | null;
  externalId?: string | null;
  facebookId?: string | null;
  twitterId?: string | null;
  fullName?: string | null;
  phone?: string | null;
  website?: string | null;
  customData?: string | null;
  avatar?: string | null;
  tags?: string[] | null;
  blobId?: number | null;
  timezone?: number | null;
}

/** Maximum length of a text field, in characters. */
const TEXT_MAX = 255;
/** Maximum length of custom_data, in characters. */
const CUSTOM_DATA_MAX = 5_000;
/** Maximum number of tags of a user. */
export const TAGS_MAX = 5;
/** Range of time zone offsets, in minutes: UTC-12:00 to UTC+14:00. */
const TIMEZONE = { min: -720, max: 840 };

const LOGIN = /^[A-Za-z0-9._@+-]{1,70}$/;

const TEXTS = [
  "externalUserId",
  "externalId",
  "facebookId",
  "twitterId",
  "fullName",
  "phone",
  "website",
  "avatar",
] as const;

/**
 * Checks a user's fields and converts them to columns of the Prisma model. Tags are separate.
 * @throws Fault INVALID with all invalid fields
 */
export function checkUserFields(fields: UserFields): {
  columns: Record<string, string | number | bigint | null>;
  tags: string[] | undefined;
} {
  const errors: FieldErrors = {};
  const columns: Record<string, string | number | bigint | null> = {};
  const reject = (field: string, message: string) => {
    errors[field] = [...(errors[field] ?? []), message];
  };
  const text = (field: keyof UserFields, value: string, max: number) => {
    const problem = textProblem(value, max);
    if (problem) reject(field, problem);
    columns[field] = value;
  };

  for (const field of TEXTS) {
    const value = fields[field];
    if (value === null) columns[field] = null;
    else if (value !== undefined) text(field, value, TEXT_MAX);
  }
  if (fields.customData === null) columns.customData = null;
  else if (fields.customData !== undefined) text("customData", fields.customData, CUSTOM_DATA_MAX);

  if (fields.login !== undefined) {
    if (fields.login !== null && !LOGIN.test(fields.login)) {
      reject("login", "must be 1 to 70 letters, digits or . - _ @ +");
    }
    columns.login = fields.login;
    columns.loginKey = fields.login?.toLowerCase() ?? null;
  }
  if (fields.email !== undefined) {
    if (fields.email !== null) {
      text("email", fields.email, TEXT_MAX);
      if (!isEmail(fields.email)) reject("email", "must be an e-mail address");
    }
    columns.email = fields.email;
    columns.emailKey = fields.email === null ? null : emailKey(fields.email);
  }
  if (fields.blobId !== undefined) {
    columns.blobId = fields.blobId === null ? null : BigInt(fields.blobId);
  }
  const { timezone } = fields;
  if (timezone !== undefined) {
    if (timezone !== null && (timezone < TIMEZONE.min || timezone > TIMEZONE.max)) {
      reject("timezone", `must be from ${TIMEZONE.min} to ${TIMEZONE.max} minutes`);
    }
    columns.timezone = timezone;
  }
  const tags = fields.tags === undefined ? undefined : cleanTags(fields.tags ?? [], reject);

  const [first] = Object.entries(errors);
  if (first) throw new Fault("INVALID", `${first[0]} ${first[1][0]}`, errors);
  return { columns, tags };
}

function cleanTags(given: string[], reject: (field: string, message: string) => void): string[] {
  const tags = [...new Set(given.map((tag) => tag.trim()).filter((tag) => tag !== ""))];
  if (tags.length > TAGS_MAX) reject("tags", `are too many (maximum is ${TAGS_MAX})`);
  for (const tag of tags) {
    const problem = tag.includes(",") ? "must not contain a comma" : textProblem(tag, TEXT_MAX);
    if (problem) reject("tags", problem);
  }
  return tags;
}
