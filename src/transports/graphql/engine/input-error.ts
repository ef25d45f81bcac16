/**
 * Messages about values that do not fit their type. graphql's messages repeat the value, which may contain a
 * password or a token. These keep the names of the schema and say what was expected, and nothing of the value.
 */

const START = /^Variable "\$\w+" got invalid value/;
const SUGGESTION = " Did you mean ";

/** What each scalar accepts. JSON accepts everything. */
export const ACCEPTED: Readonly<Record<string, string>> = {
  ID: "a string or an integer",
  String: "a string",
  Boolean: "true or false",
  Int: "an integer of 32 bits",
  SafeInt: "an integer from -(2^53 - 1) to 2^53 - 1",
  Float: "a number",
  DateTime: "a time in ISO 8601 or in Unix seconds, from 1970 to 9999",
  JSONObject: "an object",
};

/** graphql's reasons that repeat nothing of the input, except the name of an unknown field. */
const SAFE_REASONS = [
  /^Field "\w+" of required type "[\w![\]]+" was not provided\.?$/,
  /^Field "\w+" is not defined by type "?\w+"?\.?$/,
  /^Expected non-nullable type "[\w![\]]+" not to be null\.?$/,
  /^Expected type "\w+" to be an object\.?$/,
];
/** Reasons that are safe only if they are known to be graphql's. */
const ONE_OF_REASONS = [
  /^Exactly one key must be specified for OneOf type "\w+"\.?$/,
  /^Field "\w+" must be non-null\.?$/,
];

/** Whether a message is about the value of a variable. */
export function isVariableError(message: string): boolean {
  return START.test(message);
}

/**
 * graphql's message about a variable, without the value: the variable, the path and the reason. The client's
 * text is in the middle of the message, so only the start and the end are parsed.
 * @param cause graphql's message about only the value, if known; without it, the reason may be missing
 */
export function withoutValue(message: string, cause: string | undefined): string {
  const start = START.exec(message)?.[0];
  if (start === undefined) return message;
  const endsWithCause = cause !== undefined && message.endsWith(`; ${cause}`);
  const end = endsWithCause ? message.length - cause.length - 2 : message.lastIndexOf("; ");
  if (end < start.length) return start;
  const path = pathAtEnd(message.slice(start.length, end));
  const text = message.slice(end + 2);
  const reason = (endsWithCause ? knownReason(text) : undefined) ?? safeReason(text);
  return `${start}${path}${reason === undefined ? "" : `; ${reason}`}`;
}

/** A trailing ` at "input.user"` of a text, else an empty string. */
function pathAtEnd(text: string): string {
  const at = text.lastIndexOf(' at "');
  const path = at < 0 ? "" : text.slice(at);
  return /^ at "[\w.[\]]+"$/.test(path) ? path : "";
}

/** The reason with its suggestion; undefined if it may repeat the input. */
function safeReason(text: string): string | undefined {
  const [reason = ""] = text.split(SUGGESTION, 1);
  if (!SAFE_REASONS.some((known) => known.test(reason))) return undefined;
  const suggested = text.length > reason.length && text.endsWith("?") && !/[{}]/.test(text);
  return suggested ? text : reason;
}

/** The reason of a text that begins with graphql's or a scalar's own words; the value may follow. */
function knownReason(text: string): string | undefined {
  if (ONE_OF_REASONS.some((known) => known.test(text))) return text;
  // The second form is graphql's for another error of a scalar, whose text follows.
  const [, scalar = ""] =
    /^(\w+) (?:cannot represent|must be|is out of range)/.exec(text) ??
    /^Expected type "(\w+)"\./.exec(text) ??
    [];
  return Object.hasOwn(ACCEPTED, scalar)
    ? `Expected type "${scalar}": ${ACCEPTED[scalar]}`
    : enumReason(text);
}

const NOT_IN_ENUM = '" does not exist in "';

/** The reason of a value that an enum does not have, with graphql's suggestion of values. */
function enumReason(text: string): string | undefined {
  const [, name] = /^Enum "(\w+)" cannot represent/.exec(text) ?? [];
  if (name !== undefined) return `Expected a value of the enum "${name}"`;
  if (!text.startsWith('Value "')) return undefined;
  // The value comes before the last mark.
  const end = text.slice(text.lastIndexOf(NOT_IN_ENUM) + NOT_IN_ENUM.length);
  const [, type, suggestion = ""] = /^(\w+)" enum\.( Did you mean [\w", ]+\?)?$/.exec(end) ?? [];
  if (type === undefined) return undefined;
  const separator = suggestion === "" ? "" : ".";
  return `Expected a value of the enum "${type}"${separator}${suggestion}`;
}

/** The problem of an argument without its value; undefined if the message is about something else. */
export function argumentProblem(message: string): string | undefined {
  const [argument] = /^Argument "\w+"/.exec(message) ?? [];
  if (argument === undefined) return undefined;
  const type = /^Argument "\w+" of (?:required|non-null) type ("[\w![\]]+")/.exec(message)?.[1];
  return type === undefined
    ? `${argument} does not fit its type`
    : `${argument} of type ${type} is required and must not be null`;
}
