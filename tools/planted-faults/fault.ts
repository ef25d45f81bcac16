import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/** The parts of the service that faults are planted in. */
export type Area =
  | "access"
  | "sessions"
  | "users"
  | "push"
  | "calls"
  | "inbox"
  | "conferences"
  | "rest"
  | "xmpp"
  | "janus"
  | "limits";

/** A small fault that the test suite must notice. */
export interface Fault {
  name: string;
  area: Area;
  /** What clients would see. */
  effect: string;
  /** Glob of the files that may contain the place: `*` within a folder, `**` over folders. */
  files: string;
  /** Matches exactly one place in these files: a piece of code and not a line, so that it survives moves. */
  find: RegExp;
  /** The text in place of the match. */
  replacement: string;
}

/** The place of a fault in a tree. */
export interface Place {
  /** Path of the source, relative to the root, with slashes. */
  file: string;
  /** Line of the match, from 1. */
  line: number;
  original: string;
  planted: string;
}

/** The path of every source of the service, relative to the root, with slashes. */
export function sourcesOf(root: string): string[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.split(sep).join("/")}`)
    .filter((path) => path.endsWith(".ts") && !path.includes("/generated/"));
}

/** Finds the place of a fault in a tree. @throws Error unless there is exactly one */
export function findPlace(root: string, fault: Fault, sources = sourcesOf(root)): Place {
  const pattern = patternOf(fault.files);
  const all = new RegExp(fault.find, `${fault.find.flags}g`);
  const places = sources
    .filter((file) => pattern.test(file))
    .flatMap((file) => {
      const original = readFileSync(join(root, file), "utf8");
      return Array.from(original.matchAll(all), ({ index, 0: match }): Place => {
        const end = original.slice(index + match.length);
        return {
          file,
          line: original.slice(0, index).split("\n").length,
          original,
          planted: original.slice(0, index) + fault.replacement + end,
        };
      });
    });
  const [place, ...more] = places;
  if (place && more.length === 0) return place;
  const found = places.map(({ file, line }) => `${file}:${line}`).join(", ") || "no place";
  throw new Error(`The fault ${fault.name} needs exactly one place in ${fault.files}: ${found}`);
}

/** The regular expression of a glob. */
function patternOf(glob: string): RegExp {
  const text = glob
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*\*\/|\*/g, (wildcard) => (wildcard === "*" ? "[^/]*" : "(?:.*/)?"));
  return new RegExp(`^${text}$`);
}
