import { strings } from "../../strings.ts";

/** The name of a check, as a page shows it. */
export function checkName(name: string): string {
  return strings.health.names[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
}
