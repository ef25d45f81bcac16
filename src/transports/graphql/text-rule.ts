import {
  defaultFieldResolver,
  type GraphQLArgument,
  type GraphQLFieldResolver,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { Fault, type FieldErrors } from "../../core/errors";
import { INVALID_TEXT_MESSAGE, isValidText, isValidTextDeep } from "../../core/text/text";

/** Whether a scalar contains text, a JSON value with text inside, or no text. */
const SCALARS: Record<string, "text" | "json" | "none"> = {
  String: "text",
  ID: "text",
  JSON: "json",
  JSONObject: "json",
  Int: "none",
  SafeInt: "none",
  Float: "none",
  Boolean: "none",
  DateTime: "none",
};

/** Collects the paths of the parts of a coerced value that break the text rule. */
type Check = (value: unknown, path: string, invalid: Set<string>) => void;

interface NamedCheck {
  name: string;
  check: Check;
}

/**
 * Applies the text rule of core/text/text.ts to the arguments of every field, from variables and literals. The
 * checks are derived from the schema, so new fields are covered automatically. `@Password` arguments are
 * exempt.
 * @throws Error for a scalar that {@link SCALARS} does not list
 */
export function applyTextRule(schema: GraphQLSchema): void {
  const checks = new TextChecks();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    for (const field of Object.values(type.getFields())) {
      const check = checks.ofArguments(field.args);
      if (!check) continue;
      // A subscription's arguments do not change, so they are checked once and not for each event.
      if (field.subscribe) field.subscribe = checked(field.subscribe, check);
      else field.resolve = checked(field.resolve ?? defaultFieldResolver, check);
    }
  }
}

type Resolve = GraphQLFieldResolver<unknown, unknown>;

function checked(resolve: Resolve, check: Check): Resolve {
  return (source, args, context, info) => {
    const invalid = new Set<string>();
    check(args, "", invalid);
    const [first] = invalid;
    if (first === undefined) return resolve(source, args, context, info);
    const fields: FieldErrors = Object.fromEntries(
      [...invalid].map((path) => [path, [INVALID_TEXT_MESSAGE]]),
    );
    throw new Fault("INVALID", `${first} ${INVALID_TEXT_MESSAGE}`, fields);
  };
}

const checkText: Check = (value, path, invalid) => {
  if (typeof value === "string" && !isValidText(value)) invalid.add(path);
};

const checkJson: Check = (value, path, invalid) => {
  if (!isValidTextDeep(value)) invalid.add(path);
};

/**
 * Creates the checks of input types. A path consists of input field names below the argument. It ends at a
 * list of objects, because the path has no indexes.
 */
class TextChecks {
  private readonly objects = new Map<GraphQLInputObjectType, NamedCheck[]>();

  /** The check of a field's arguments, or null if none of them contains text. */
  ofArguments(args: readonly GraphQLArgument[]): Check | null {
    const checks = args.flatMap((argument) =>
      // Paths of an input object start at its fields, without the argument's name.
      this.named(argument).map((each) => ({ ...each, path: isObject(argument) ? "" : each.name })),
    );
    if (checks.length === 0) return null;
    return (values, _path, invalid) => {
      for (const { name, check, path } of checks) {
        const value = (values as Record<string, unknown>)[name];
        if (value !== null && value !== undefined) check(value, path, invalid);
      }
    };
  }

  private named({ name, type, extensions }: GraphQLArgument | GraphQLInputField): NamedCheck[] {
    if (extensions.password === true) return [];
    const check = this.of(type, true);
    return check ? [{ name, check }] : [];
  }

  /** @param withNames whether nested fields add their names to the path */
  private of(type: GraphQLInputType, withNames: boolean): Check | null {
    if (isNonNullType(type)) return this.of(type.ofType, withNames);
    if (isListType(type)) {
      const check = this.of(type.ofType, false);
      if (!check) return null;
      return (items, path, invalid) => {
        for (const item of items as unknown[]) {
          if (item !== null && item !== undefined) check(item, path, invalid);
        }
      };
    }
    if (isInputObjectType(type)) return this.ofObject(type, withNames);
    if (isEnumType(type)) return null;
    const kind = SCALARS[type.name];
    if (kind === undefined)
      throw new Error(`SCALARS does not say whether ${type.name} contains text`);
    return kind === "none" ? null : kind === "text" ? checkText : checkJson;
  }

  private ofObject(type: GraphQLInputObjectType, withNames: boolean): Check | null {
    let checks = this.objects.get(type);
    if (!checks) {
      checks = [];
      // Registered before its fields are visited, because an input may contain itself.
      this.objects.set(type, checks);
      checks.push(...Object.values(type.getFields()).flatMap((field) => this.named(field)));
    }
    const fields = checks;
    return (value, path, invalid) => {
      for (const { name, check } of fields) {
        const inner = (value as Record<string, unknown>)[name];
        if (inner === null || inner === undefined) continue;
        check(inner, !withNames ? path : path === "" ? name : `${path}.${name}`, invalid);
      }
    };
  }
}

function isObject({ type }: GraphQLArgument): boolean {
  return isInputObjectType(isNonNullType(type) ? type.ofType : type);
}
