import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
} from "graphql";
import { wireValues } from "./coerce";
import type { SelectedField, Selection } from "./selection";

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 holds it. */
export type JsonSchema = { [key: string]: unknown };

const SCALARS: Record<string, JsonSchema> = {
  Int: { type: "integer", format: "int32" },
  SafeInt: { type: "integer", format: "int64" },
  Float: { type: "number" },
  String: { type: "string" },
  ID: { type: "string" },
  Boolean: { type: "boolean" },
  DateTime: { type: "string", format: "date-time" },
  JSONObject: { type: "object" },
};

const REF = "#/components/schemas/";

/** The schema, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (type === undefined) return { anyOf: [schema, { type: "null" }] };
  const nullable = { ...schema, type: [type, "null"].flat() };
  return values ? { ...nullable, enum: [...(values as unknown[]), null] } : nullable;
}

/** What is taken for true and false. */
const TRUTH: JsonSchema = {
  type: ["boolean", "integer", "string"],
  enum: [true, false, 1, 0, "true", "false", "1", "0"],
};
const WHOLE = ["Int", "SafeInt"];

/** The schema of what a client sends for an input type, null aside. */
export function inputSchema(type: GraphQLInputType, csv: boolean): JsonSchema {
  if (isNonNullType(type)) return inputSchema(type.ofType, csv);
  if (isListType(type)) {
    const list = { type: "array", items: inputSchema(type.ofType, false) };
    return csv ? { anyOf: [list, { type: "string", description: "Comma-separated." }] } : list;
  }
  if (isEnumType(type)) return { type: "string", enum: wireValues(type) };
  if (type.toString() === "ID") return { type: ["integer", "string"] };
  if (type.toString() === "DateTime") {
    return { anyOf: [{ type: "string", format: "date-time" }, { type: "integer" }] };
  }
  if (type.toString() === "Boolean") return TRUTH;
  return { ...(SCALARS[type.toString()] ?? {}) };
}

/** As {@link inputSchema}, of a value in a body, where a whole number may be text. */
export function bodySchema(type: GraphQLInputType, csv: boolean): JsonSchema {
  const schema = inputSchema(type, csv);
  if (!WHOLE.includes(getNullableType(type).toString())) return schema;
  return { ...schema, type: ["integer", "string"], pattern: "^-?\\d{1,16}$" };
}

/**
 * Schemas of answers. A selection that is one fragment becomes a schema of that name under
 * `components`, written once.
 */
export class AnswerSchemas {
  readonly components: Record<string, JsonSchema> = {};

  /** Of an object with these keys, by reference where it is a fragment. */
  selection(selection: Selection): JsonSchema {
    const { fragment } = selection;
    if (!fragment) return this.object(selection);
    this.components[fragment] ??= this.object(selection);
    return { $ref: REF + fragment };
  }

  /**
   * Of the value of one key.
   * @param present whether null is ruled out
   */
  field(field: SelectedField, present = false): JsonSchema {
    const { omit, csv, description, type } = field;
    // A key that is left out when it is null is never null.
    const sure = present || (omit !== undefined && !omit.when && !omit.unless);
    const schema = csv
      ? { type: ["string", "null"], description: "Comma-separated; null when there are none." }
      : sure
        ? this.inner(getNullableType(type), field)
        : this.value(type, field);
    if (!description || schema.description || "$ref" in schema) return schema;
    return { ...schema, description };
  }

  /**
   * Of an object with these keys, written out.
   * @param present whether its values are never null
   */
  object({ fields }: Selection, present = false): JsonSchema {
    const required = fields.filter(({ omit, certain }) => certain && !omit).map(({ key }) => key);
    return {
      type: "object",
      properties: Object.fromEntries(
        fields.map((field) => [field.key, this.field(field, present)]),
      ),
      ...(required.length > 0 && { required }),
    };
  }

  private value(type: GraphQLOutputType, field: SelectedField): JsonSchema {
    if (isNonNullType(type)) return this.inner(type.ofType, field);
    return orNull(this.inner(type, field));
  }

  private inner(type: GraphQLOutputType, field: SelectedField): JsonSchema {
    if (isListType(type)) return { type: "array", items: this.value(type.ofType, field) };
    if (field.selection) return this.selection(field.selection);
    if (isEnumType(type)) {
      return { type: "string", enum: wireValues(type) };
    }
    return { ...(SCALARS[type.toString()] ?? {}) };
  }
}
