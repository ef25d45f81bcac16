import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, print, separateOperations } from "graphql";
import { packageRoot } from "../../src/core/package-root";

const PAGES = join(packageRoot(), "dashboard/src/pages");

/**
 * Reads an operation of a page of the dashboard, with its fragments.
 * @param file path below dashboard/src/pages, without the extension
 * @throws Error if the page does not have the operation
 */
export function readPageOperation(file: string, name: string): string {
  const document = parse(readFileSync(join(PAGES, `${file}.graphql`), "utf8"));
  const operation = separateOperations(document)[name];
  if (!operation) throw new Error(`${file}.graphql has no operation ${name}`);
  return print(operation);
}
