import { readFileSync } from "node:fs";

/**
 * Reads the values of the enums of a schema file, without a parser of GraphQL, which takes longer than a command. A value
 * has a line of its own, as schemaText prints it.
 * @returns the values by the name of the enum
 */
export function readEnums(path: string): ReadonlyMap<string, readonly string[]> {
  const enums = new Map<string, string[]>();
  let values: string[] | null = null;
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const name = /^enum (\w+) \{$/.exec(line)?.[1];
    if (name !== undefined) {
      values = [];
      enums.set(name, values);
    } else if (line === "}") values = null;
    else {
      const value = /^ {2}([A-Z][A-Z0-9_]*)(?: @deprecated\(.*)?$/.exec(line)?.[1];
      if (value !== undefined) values?.push(value);
    }
  }
  return enums;
}
