import { readFileSync } from "node:fs";
import { join } from "node:path";

const README = join(__dirname, "../../README.md");
const GUIDE = join(__dirname, "../../docs/FRONTEND.md");
const HEAD = "## Ten minutes to a call in your own page\n";

/** What a section of README.md prints. */
export interface PrintedSteps {
  /** The blocks of commands, in order. */
  readonly commands: readonly string[];
  /** Where the page is to be opened. */
  readonly address: string;
  /** The names of the users who are to sign in. */
  readonly names: readonly string[];
  /** The blocks of code, with the file of examples/react that each names. */
  readonly excerpts: readonly (readonly [file: string, code: string])[];
}

/** Reads "Ten minutes to a call in your own page". @throws Error if README.md has no such section */
export function printedSteps(): PrintedSteps {
  const [, rest] = readFileSync(README, "utf8").split(HEAD);
  const [section] = rest?.split(/^## /m) ?? [];
  const address = /^Open (\S+) in two tabs/m.exec(section ?? "")?.[1];
  if (section === undefined || address === undefined) throw new Error("README.md has no steps");
  const blocks = section.matchAll(/^```sh\n([\s\S]+?)^```$/gm);
  const excerpts = section.matchAll(/^```tsx?\n\/\/ (\S+)\n([\s\S]+?)^```$/gm);
  return {
    commands: Array.from(blocks, ([, block = ""]) => block),
    address,
    names: Array.from(section.matchAll(/\bas `(\w+)`/g), ([, name = ""]) => name),
    excerpts: Array.from(excerpts, ([, file = "", code = ""]) => [file, code] as const),
  };
}

/** The commands of "A phone in the local network" in docs/FRONTEND.md, as they are run in one shell each. */
export function printedPhoneSteps(): { certificate: string; page: string } {
  const [, rest = ""] = readFileSync(GUIDE, "utf8").split("### A phone in the local network\n");
  const commands = /^```sh\n([\s\S]+?)^```$/m.exec(rest)?.[1]?.replaceAll("\\\n", "").trim();
  const [certificate = "", , page = ""] = commands?.split("\n") ?? [];
  return { certificate, page };
}
