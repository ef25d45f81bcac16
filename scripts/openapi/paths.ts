import type { RestDocument } from "../../src/transports/rest/documents";
import { pathNames } from "../../src/transports/rest/parameters";

/** Where a document is in OpenAPI. */
export interface OpenApiPath {
  path: string;
  /** Names of path parameters, by wire name. */
  names: ReadonlyMap<string, string>;
}

/**
 * The path of each document in OpenAPI. Paths that differ only in the names of their parameters would be ambiguous
 * (`/users/external/{id}` and `/users/external/{external_user_id}`), so they become one path, with the names of the first.
 * The routes themselves, and the keys of their errors, do not change.
 */
export function openApiPaths(documents: readonly RestDocument[]): Map<RestDocument, OpenApiPath> {
  const shapes = new Map<string, string>();
  return new Map(
    documents.map((document) => {
      const shape = document.path.replace(/\{[^{}]{0,64}\}/g, "{}");
      const path = shapes.get(shape) ?? document.path;
      shapes.set(shape, path);
      const own = pathNames(document.path);
      const names = pathNames(path).map((name, index): [string, string] => [
        own[index] ?? "",
        name,
      ]);
      return [document, { path, names: new Map(names) }];
    }),
  );
}
