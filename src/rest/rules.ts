import { type ASTNode, getNullableType, isListType, type OperationDefinitionNode } from "graphql";
import type { RestDirective, RestMethod } from "./directives";
import type { SelectedField, Selection } from "./selection";

/** Notes a mistake in a document where it stands. */
export type Report = (node: ASTNode, text: string) => void;

const PATH = /^(\/([A-Za-z0-9_.-]+|\{[a-z][a-z0-9_]*\}))+$/;

/** Checks what GraphQL's validation cannot see of `@rest`. */
export function checkRest(
  node: OperationDefinitionNode,
  rest: RestDirective,
  report: Report,
): void {
  if (!PATH.test(rest.path)) {
    report(node, `"${rest.path}" is no path of literal segments and {parameters}`);
  } else if (rest.path.endsWith(".json")) {
    report(node, "Every path may end in .json as it is");
  }
  if (rest.status !== 200 && rest.status !== 201) {
    report(node, `A success has status 200 or 201, not ${rest.status}`);
  }
  if (rest.body !== "JSON" && rest.pick)
    report(node, `Nothing can be picked for a body ${rest.body}`);
  if (rest.pick === "") report(node, "pick is empty");
}

/** What two routes collide on: the path with its parameters unnamed. */
export function routeKey(method: RestMethod, path: string): string {
  return `${method} ${path.replace(/\{[^{}]{0,64}\}/g, "{}")}`;
}

/** Checks `pick`, `@omit` and `@csv` against what the operation selects. */
export function checkAnswer(
  operation: OperationDefinitionNode,
  selection: Selection,
  pick: readonly string[],
  report: Report,
): void {
  let place: Selection | undefined = selection;
  for (const [index, key] of pick.entries()) {
    const field: SelectedField | undefined = place?.fields.find((known) => known.key === key);
    if (!field) {
      report(operation, `pick finds no "${key}" among the keys that are selected`);
      break;
    }
    if (field.omit || (isListType(getNullableType(field.type)) && index < pick.length - 1)) {
      report(operation, `pick cannot go through "${key}"`);
    }
    place = field.selection;
  }
  checkFields(selection, report);
}

function checkFields(selection: Selection, report: Report): void {
  const keys = new Set(selection.fields.map(({ key }) => key));
  for (const { omit, csv, type, node, selection: inner } of selection.fields) {
    for (const sibling of [omit?.when, omit?.unless]) {
      if (sibling !== undefined && !keys.has(sibling)) {
        report(node, `@omit names "${sibling}", which is not selected beside it`);
      }
    }
    if (csv && (inner || !isListType(getNullableType(type)))) {
      report(node, `@csv is for lists of text, not for ${type}`);
    }
    if (inner) checkFields(inner, report);
  }
}
