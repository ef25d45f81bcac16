import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse } from "graphql";
import { selectsField } from "../../src/domain/users/lists/selected-fields";

/** The resolve info of the operation's first field. */
function infoOf(text: string) {
  const { definitions } = parse(text);
  const operation = definitions[0] as OperationDefinitionNode;
  const fragments = definitions.filter(
    (node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION,
  );
  return {
    fieldNodes: operation.selectionSet.selections.filter((node) => node.kind === Kind.FIELD),
    fragments: Object.fromEntries(fragments.map((node) => [node.name.value, node])),
  };
}

test.each([
  ["{ users { totalCount } }", true],
  ["{ users { total_entries: totalCount } }", true],
  ["{ users { offset ... on UserConnection { totalCount } } }", true],
  [
    "{ users { ...Page } } fragment Page on UserConnection { ...Count } fragment Count on UserConnection { totalCount }",
    true,
  ],
  ["{ users { offset } again: users { pageInfo { hasNextPage } } }", true],
  ["{ users { nodes { id } } }", false],
  ["{ users { totalCount: offset } }", false],
  ["{ users { nodes { totalCount } } }", false],
])("%s selects the total: %s", (text, expected) => {
  expect(selectsField(infoOf(text), ["totalCount", "pageInfo"])).toBe(expected);
});
