import { healthStrings } from "./strings.ts";

/** The name of a check, as a page shows it. */
export function checkName(name: string): string {
  return healthStrings.names[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
}
