import { healthStrings } from "./strings.ts";

/** What the jobs of a kind do, in words; the name of a kind that has none. */
export function jobLabel(name: string): string {
  const spaced = name.replaceAll("-", " ");
  return healthStrings.jobNames[name] ?? spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
