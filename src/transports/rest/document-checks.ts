import { type ASTNode, getNullableType, isListType, type OperationDefinitionNode } from "graphql";
import type { RestDirective, RestMethod } from "./directives";
import type { SelectedField, Selection } from "./selection";

/** Reports an error at a node of a document. */
export type Report = (node: ASTNode, text: string) => void;

const PATH = /^(\/([A-Za-z0-9_.-]+|\{[a-z][a-z0-9_]*\}))+$/;

/** Checks the rules of `@rest` that GraphQL's validation does not cover. */
export function checkRest(
  node: OperationDefinitionNode,
  rest: RestDirective,
  report: Report,
): void {
  if (!PATH.test(rest.path)) {
    report(node, `"${rest.path}" is not a path of literal segments and {parameters}`);
  } else if (rest.path.endsWith(".json")) {
    report(node, "The path must not end in .json, which every path accepts already");
  }
  if (rest.status !== 200 && rest.status !== 201) {
    report(node, `The status of a success must be 200 or 201, not ${rest.status}`);
  }
  if (rest.body !== "JSON" && rest.pick)
    report(node, `pick requires the body JSON, not ${rest.body}`);
  if (rest.pick === "") report(node, "pick is empty");
}

/** Key that identifies conflicting routes: the path without the names of its parameters. */
export function routeKey(method: RestMethod, path: string): string {
  return `${method} ${path.replace(/\{[^{}]{0,64}\}/g, "{}")}`;
}

/** Checks `pick`, `@omit` and `@csv` against what the operation selects. */
export function checkSelection(
  operation: OperationDefinitionNode,
  selection: Selection,
  pick: readonly string[],
  report: Report,
): void {
  let current: Selection | undefined = selection;
  for (const [index, key] of pick.entries()) {
    const field: SelectedField | undefined = current?.fields.find(
      (candidate) => candidate.key === key,
    );
    if (!field) {
      report(operation, `pick: the key "${key}" is not selected`);
      break;
    }
    if (field.omit || (isListType(getNullableType(field.type)) && index < pick.length - 1)) {
      report(operation, `pick cannot go through "${key}"`);
    }
    current = field.selection;
  }
  checkFields(selection, report);
}

function checkFields(selection: Selection, report: Report): void {
  const keys = new Set(selection.fields.map(({ key }) => key));
  for (const { omit, csv, type, node, selection: inner } of selection.fields) {
    for (const sibling of [omit?.when, omit?.unless]) {
      if (sibling !== undefined && !keys.has(sibling)) {
        report(node, `@omit: "${sibling}" is not selected next to it`);
      }
    }
    if (csv && (inner || !isListType(getNullableType(type)))) {
      report(node, `@csv requires a list of scalars, not ${type}`);
    }
    if (inner) checkFields(inner, report);
  }
}
