import { Fault } from "../errors";

/** Maximum length of a name or URL, in characters. */
export const NAME_MAX = 255;

/** Checks the name of an account or an application. @throws Fault INVALID on name */
export function checkName(name: string): void {
  const problem = name.trim() === "" ? "must not be empty" : textProblem(name, NAME_MAX);
  if (problem) throw Fault.field("name", problem);
}

/** Checks the URL of a service. @throws Fault INVALID on the field if it is not http(s) */
export function checkWebUrl(field: string, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url !== null && url.username === "" && url.password === "";
  const problem =
    plain && /^https?:$/.test(url.protocol)
      ? textProblem(text, NAME_MAX)
      : "must be a URL that begins with http:// or https://";
  if (problem) throw Fault.field(field, problem);
}

/** Checks the length of a text, in characters. @returns the problem, or null */
export function textProblem(value: string, max: number): string | null {
  // A character is one or two UTF-16 code units.
  const fits = value.length <= max || (value.length <= 2 * max && [...value].length <= max);
  return fits ? null : `is too long (maximum is ${max} characters)`;
}
