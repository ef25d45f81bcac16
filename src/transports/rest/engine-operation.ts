import {
  type ArgumentNode,
  type ASTNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parseType,
  print,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  type VariableNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from "graphql";

/** Builds an argument's value from the values of the operation's variables; undefined if it is omitted. */
export type BuildValue = (values: Readonly<Record<string, unknown>>) => unknown;

/** An argument that is passed as a single variable. */
export interface LiftedArgument {
  variable: string;
  build: BuildValue;
}

/** An operation as passed to the engine. */
export interface EngineOperation {
  text: string;
  /** Variables of the document that `text` still declares. */
  direct: string[];
  lifted: LiftedArgument[];
  /** Where each variable is used: the argument's name, or the path of input fields below the argument. */
  uses: Array<[path: string, variable: string]>;
}

const REST_DIRECTIVES = /^(rest|param|omit|csv)$/;

function containsVariable(node: ValueNode): boolean {
  if (node.kind === Kind.VARIABLE) return true;
  if (node.kind === Kind.LIST) return node.values.some(containsVariable);
  return node.kind === Kind.OBJECT && node.fields.some(({ value }) => containsVariable(value));
}

/**
 * Rewrites an operation for the engine. Removes the REST directives and the descriptions, and lifts every
 * argument that is a literal with variables into one variable of the argument's type.
 *
 * Lifting omits empty groups: `user: {login: $login}` without `$login` would reach the resolver as `user:
 * {}`; when lifted, an optional group without values is omitted. It also saves evaluating the literal per
 * request.
 * @param fragments fragments of all documents; the text includes those that are used
 */
export function toEngineText(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): EngineOperation {
  const defaults = new Map<string, unknown>();
  const declared = new Map<string, VariableDefinitionNode>();
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    declared.set(name, definition);
    if (definition.defaultValue) defaults.set(name, valueFromASTUntyped(definition.defaultValue));
  }
  const usedNames = new Set(declared.keys());
  const lifted: LiftedArgument[] = [];
  const added: VariableDefinitionNode[] = [];
  const uses: EngineOperation["uses"] = [];
  const types = new TypeInfo(schema);

  const lift = (node: ArgumentNode): ArgumentNode | undefined => {
    const type = types.getArgument()?.type;
    if (!type || types.getDirective()) return undefined;
    if (node.value.kind === Kind.VARIABLE) {
      uses.push([node.name.value, node.value.name.value]);
      return undefined;
    }
    if (!containsVariable(node.value)) return undefined;
    const variable: VariableNode = {
      kind: Kind.VARIABLE,
      name: { kind: Kind.NAME, value: uniqueName(node.name.value, usedNames) },
    };
    lifted.push({ variable: variable.name.value, build: compile(node.value, type, defaults) });
    uses.push(...usesIn(node.value, []));
    added.push({ kind: Kind.VARIABLE_DEFINITION, variable, type: parseType(String(type)) });
    return { ...node, value: variable };
  };
  const rewritten: OperationDefinitionNode = visit(
    operation,
    visitWithTypeInfo(types, {
      enter: (node) => (node.kind === Kind.ARGUMENT ? lift(node) : strip(node)),
    }),
  );
  const bodies = usedFragments(rewritten, fragments).map((fragment) =>
    visit(fragment, { enter: strip }),
  );
  const direct = new Set<string>();
  for (const { selectionSet } of [rewritten, ...bodies]) {
    visit(selectionSet, {
      enter: (node) => void (node.kind === Kind.VARIABLE && direct.add(node.name.value)),
    });
  }
  const kept = [...declared.values()]
    .filter(({ variable }) => direct.has(variable.name.value))
    .map((node) => ({ ...node, description: undefined, directives: [] }));
  const final = { ...rewritten, variableDefinitions: [...kept, ...added] };
  return {
    text: [final, ...bodies].map(print).join("\n\n"),
    direct: kept.map(({ variable }) => variable.name.value),
    lifted,
    uses,
  };
}

/** Visitor that removes REST directives and the descriptions of definitions. */
function strip(node: ASTNode): ASTNode | null | undefined {
  if (node.kind === Kind.DIRECTIVE) return REST_DIRECTIVES.test(node.name.value) ? null : undefined;
  if (node.kind !== Kind.OPERATION_DEFINITION && node.kind !== Kind.FRAGMENT_DEFINITION) {
    return undefined;
  }
  return node.description ? { ...node, description: undefined } : undefined;
}

function uniqueName(wanted: string, usedNames: Set<string>): string {
  let name = wanted;
  for (let count = 2; usedNames.has(name); count++) name = `${wanted}${count}`;
  usedNames.add(name);
  return name;
}

/** Compiles a literal with variables. Nullable objects without any value are omitted. */
function compile(
  node: ValueNode,
  type: GraphQLInputType,
  defaults: ReadonlyMap<string, unknown>,
): BuildValue {
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value;
    const fallback = defaults.get(name);
    return (values) => (Object.hasOwn(values, name) ? values[name] : fallback);
  }
  if (!containsVariable(node)) {
    const constant = valueFromASTUntyped(node);
    return () => constant;
  }
  const inner = getNullableType(type);
  if (node.kind === Kind.LIST) {
    const items = node.values.map((item) =>
      compile(item, isListType(inner) ? inner.ofType : inner, defaults),
    );
    return (values) => items.map((build) => build(values) ?? null);
  }
  const named = getNamedType(inner);
  if (node.kind !== Kind.OBJECT || !isInputObjectType(named)) {
    throw new TypeError(`A ${node.kind} cannot contain a variable`);
  }
  const inputFields = named.getFields();
  const fields = node.fields.flatMap(({ name, value }) => {
    const field = inputFields[name.value];
    return field ? [{ name: name.value, build: compile(value, field.type, defaults) }] : [];
  });
  const optional = !isNonNullType(type);
  return (values) => {
    let built: Record<string, unknown> | undefined;
    for (const { name, build } of fields) {
      const value = build(values);
      if (value === undefined) continue;
      built ??= {};
      built[name] = value;
    }
    return built ?? (optional ? undefined : {});
  };
}

function usesIn(node: ValueNode, path: string[]): EngineOperation["uses"] {
  if (node.kind === Kind.VARIABLE) return [[path.join("."), node.name.value]];
  if (node.kind === Kind.LIST) return node.values.flatMap((item) => usesIn(item, path));
  if (node.kind !== Kind.OBJECT) return [];
  return node.fields.flatMap(({ name, value }) => usesIn(value, [...path, name.value]));
}

function usedFragments(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FragmentDefinitionNode[] {
  const used = new Map<string, FragmentDefinitionNode>();
  const follow = (node: OperationDefinitionNode | FragmentDefinitionNode) => {
    visit(node, {
      enter: (inner) => {
        const name = inner.kind === Kind.FRAGMENT_SPREAD ? inner.name.value : undefined;
        const fragment = name === undefined ? undefined : fragments.get(name);
        if (name === undefined || !fragment || used.has(name)) return;
        used.set(name, fragment);
        follow(fragment);
      },
    });
  };
  follow(operation);
  return [...used.values()];
}
