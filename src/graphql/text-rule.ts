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
import { Fault, type FieldErrors } from "../core/errors";
import { isText, isTextThroughout, NOT_TEXT } from "../core/text";

/** What a scalar holds: text, a JSON value with text inside, or no text. */
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

/** Notes the path of every part of a coerced value that is not text. */
type Check = (value: unknown, path: string, wrong: Set<string>) => void;

interface NamedCheck {
  name: string;
  check: Check;
}

/**
 * Applies the rule of core/text.ts to the arguments of every field, from variables and literals alike.
 * The checks are made from the schema, so a new field is covered without being named. What is marked
 * with `@Password` is exempt.
 * @throws Error at the start for a scalar that the table above does not know
 */
export function checkTexts(schema: GraphQLSchema): void {
  const checks = new TextChecks();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    for (const field of Object.values(type.getFields())) {
      const check = checks.ofArguments(field.args);
      if (!check) continue;
      // The arguments of a subscription are the same for each of its events.
      if (field.subscribe) field.subscribe = checked(field.subscribe, check);
      else field.resolve = checked(field.resolve ?? defaultFieldResolver, check);
    }
  }
}

type Resolve = GraphQLFieldResolver<unknown, unknown>;

function checked(resolve: Resolve, check: Check): Resolve {
  return (source, args, context, info) => {
    const wrong = new Set<string>();
    check(args, "", wrong);
    const [first] = wrong;
    if (first === undefined) return resolve(source, args, context, info);
    const fields: FieldErrors = Object.fromEntries([...wrong].map((path) => [path, [NOT_TEXT]]));
    throw new Fault("INVALID", `${first} ${NOT_TEXT}`, fields);
  };
}

const checkText: Check = (value, path, wrong) => {
  if (typeof value === "string" && !isText(value)) wrong.add(path);
};

const checkJson: Check = (value, path, wrong) => {
  if (!isTextThroughout(value)) wrong.add(path);
};

/**
 * Makes the checks of input types. A path holds the names of input fields below the argument. It ends
 * at a list of objects, whose name stands for all that is inside.
 */
class TextChecks {
  private readonly objects = new Map<GraphQLInputObjectType, NamedCheck[]>();

  /** The check of a field's arguments; null where none of them holds text. */
  ofArguments(args: readonly GraphQLArgument[]): Check | null {
    const checks = args.flatMap((argument) =>
      // The fields of an input object are known by their own names.
      this.named(argument).map((each) => ({ ...each, path: isObject(argument) ? "" : each.name })),
    );
    if (checks.length === 0) return null;
    return (values, _path, wrong) => {
      for (const { name, check, path } of checks) {
        const value = (values as Record<string, unknown>)[name];
        if (value !== null && value !== undefined) check(value, path, wrong);
      }
    };
  }

  private named({ name, type, extensions }: GraphQLArgument | GraphQLInputField): NamedCheck[] {
    if (extensions.password === true) return [];
    const check = this.of(type, true);
    return check ? [{ name, check }] : [];
  }

  /** @param naming whether fields inside add their names to the path */
  private of(type: GraphQLInputType, naming: boolean): Check | null {
    if (isNonNullType(type)) return this.of(type.ofType, naming);
    if (isListType(type)) {
      const check = this.of(type.ofType, false);
      if (!check) return null;
      return (items, path, wrong) => {
        for (const item of items as unknown[]) {
          if (item !== null && item !== undefined) check(item, path, wrong);
        }
      };
    }
    if (isInputObjectType(type)) return this.ofObject(type, naming);
    if (isEnumType(type)) return null;
    const kind = SCALARS[type.name];
    if (kind === undefined) throw new Error(`whether ${type.name} holds text is not known`);
    return kind === "none" ? null : kind === "text" ? checkText : checkJson;
  }

  private ofObject(type: GraphQLInputObjectType, naming: boolean): Check | null {
    let checks = this.objects.get(type);
    if (!checks) {
      checks = [];
      // Known before its fields are: an input may hold itself.
      this.objects.set(type, checks);
      checks.push(...Object.values(type.getFields()).flatMap((field) => this.named(field)));
    }
    const fields = checks;
    return (value, path, wrong) => {
      for (const { name, check } of fields) {
        const inner = (value as Record<string, unknown>)[name];
        if (inner === null || inner === undefined) continue;
        check(inner, !naming ? path : path === "" ? name : `${path}.${name}`, wrong);
      }
    };
  }
}

function isObject({ type }: GraphQLArgument): boolean {
  return isInputObjectType(isNonNullType(type) ? type.ofType : type);
}
