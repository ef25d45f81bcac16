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

/** Makes a value from those of the operation's own variables; undefined where it is left out. */
export type Build = (values: Readonly<Record<string, unknown>>) => unknown;

/** An argument that is handed over as one variable. */
export interface LiftedArgument {
  variable: string;
  build: Build;
}

/** An operation as the engine gets it. */
export interface EngineText {
  text: string;
  /** Variables of the document that the text still declares. */
  direct: string[];
  lifted: LiftedArgument[];
  /** Where each variable goes: argument or input field names joined by dots, without the argument. */
  uses: Array<[path: string, variable: string]>;
}

const PRIVATE = /^(rest|param|omit|csv)$/;

function holdsVariable(node: ValueNode): boolean {
  if (node.kind === Kind.VARIABLE) return true;
  if (node.kind === Kind.LIST) return node.values.some(holdsVariable);
  return node.kind === Kind.OBJECT && node.fields.some(({ value }) => holdsVariable(value));
}

/**
 * Rewrites an operation for the engine: without the private directives and the descriptions, and with
 * every argument that is a literal with variables in it as one variable of the argument's type.
 *
 * That last step is for absent groups. `user: {login: $login}` without `$login` would reach the
 * resolver as `user: {}`; built here, a group that may be left out and of which nothing was sent is
 * left out. It also spares the executor the literal at every request.
 * @param fragments of all documents; those that are used go into the text
 */
export function toEngineText(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): EngineText {
  const defaults = new Map<string, unknown>();
  const declared = new Map<string, VariableDefinitionNode>();
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    declared.set(name, definition);
    if (definition.defaultValue) defaults.set(name, valueFromASTUntyped(definition.defaultValue));
  }
  const taken = new Set(declared.keys());
  const lifted: LiftedArgument[] = [];
  const added: VariableDefinitionNode[] = [];
  const uses: EngineText["uses"] = [];
  const types = new TypeInfo(schema);

  const lift = (node: ArgumentNode): ArgumentNode | undefined => {
    const type = types.getArgument()?.type;
    if (!type || types.getDirective()) return undefined;
    if (node.value.kind === Kind.VARIABLE) {
      uses.push([node.name.value, node.value.name.value]);
      return undefined;
    }
    if (!holdsVariable(node.value)) return undefined;
    const variable: VariableNode = {
      kind: Kind.VARIABLE,
      name: { kind: Kind.NAME, value: freeName(node.name.value, taken) },
    };
    lifted.push({ variable: variable.name.value, build: compile(node.value, type, defaults) });
    uses.push(...usesIn(node.value, []));
    added.push({ kind: Kind.VARIABLE_DEFINITION, variable, type: parseType(String(type)) });
    return { ...node, value: variable };
  };
  const rewritten: OperationDefinitionNode = visit(
    operation,
    visitWithTypeInfo(types, {
      enter: (node) => (node.kind === Kind.ARGUMENT ? lift(node) : stripped(node)),
    }),
  );
  const bodies = usedFragments(rewritten, fragments).map((fragment) =>
    visit(fragment, { enter: stripped }),
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

/** Takes away a private directive, or the description of a definition; leaves any other node. */
function stripped(node: ASTNode): ASTNode | null | undefined {
  if (node.kind === Kind.DIRECTIVE) return PRIVATE.test(node.name.value) ? null : undefined;
  if (node.kind !== Kind.OPERATION_DEFINITION && node.kind !== Kind.FRAGMENT_DEFINITION) {
    return undefined;
  }
  return node.description ? { ...node, description: undefined } : undefined;
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`;
  taken.add(name);
  return name;
}

/** Compiles a literal with variables in it. Null-able objects without a single value are left out. */
function compile(
  node: ValueNode,
  type: GraphQLInputType,
  defaults: ReadonlyMap<string, unknown>,
): Build {
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value;
    const fallback = defaults.get(name);
    return (values) => (Object.hasOwn(values, name) ? values[name] : fallback);
  }
  if (!holdsVariable(node)) {
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
    throw new TypeError(`A ${node.kind} cannot hold a variable`);
  }
  const known = named.getFields();
  const fields = node.fields.flatMap(({ name, value }) => {
    const field = known[name.value];
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

function usesIn(node: ValueNode, path: string[]): EngineText["uses"] {
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
