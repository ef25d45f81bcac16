import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
} from "graphql";
import { wireValues } from "../../src/transports/rest/coerce";
import type { SelectedField, Selection } from "../../src/transports/rest/selection";

/** A JSON Schema (2020-12), as used in OpenAPI 3.1. */
export type JsonSchema = { [key: string]: unknown };

const SCALARS: Record<string, JsonSchema> = {
  Int: { type: "integer", format: "int32" },
  SafeInt: { type: "integer", format: "int64" },
  Float: { type: "number" },
  String: { type: "string" },
  ID: { type: "string" },
  Boolean: { type: "boolean" },
  DateTime: { type: "string", format: "date-time" },
  // Stated, because generators take an object without properties for an empty one.
  JSONObject: { type: "object", additionalProperties: true },
};

const REF = "#/components/schemas/";

/** The schema, extended to allow null. Some generators cannot read null as a value of an enum, nor nested unions. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: "null" }] };
  if (type === undefined || values) return { anyOf: [schema, { type: "null" }] };
  return { ...schema, type: [type, "null"].flat() };
}

const INTEGERS = ["Int", "SafeInt"];

/** The schema of accepted non-null values of an input type. */
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
  return { ...(SCALARS[type.toString()] ?? {}) };
}

/** As {@link inputSchema}, for a value in a body, where an integer may be text. */
export function bodySchema(type: GraphQLInputType, csv: boolean): JsonSchema {
  const schema = inputSchema(type, csv);
  if (!INTEGERS.includes(getNullableType(type).toString())) return schema;
  return { ...schema, type: ["integer", "string"], pattern: "^-?\\d{1,16}$" };
}

/** Schemas of responses. A selection that is a single fragment becomes a shared schema under `components`. */
export class ResponseSchemas {
  readonly components: Record<string, JsonSchema> = {};

  /** Schema of an object with these keys; a reference if the selection is a fragment. */
  selection(selection: Selection): JsonSchema {
    const { fragment } = selection;
    if (!fragment) return this.object(selection);
    this.components[fragment] ??= this.object(selection);
    return { $ref: REF + fragment };
  }

  /**
   * Schema of one key's value.
   * @param present whether the value is never null
   */
  field(field: SelectedField, present = false): JsonSchema {
    const { omit, csv, description, type } = field;
    // A key that is omitted if null is never null.
    const isNonNull = present || (omit !== undefined && !omit.when && !omit.unless);
    const schema = csv
      ? { type: ["string", "null"], description: "Comma-separated; null if empty." }
      : isNonNull
        ? this.inner(getNullableType(type), field)
        : this.value(type, field);
    if (!description || schema.description || "$ref" in schema) return schema;
    // Further paragraphs are about members of accounts, who have no REST routes.
    return { ...schema, description: description.split("\n\n")[0] };
  }

  /**
   * Inline schema of an object with these keys.
   * @param present whether its values are never null
   */
  object({ fields }: Selection, present = false): JsonSchema {
    const required = fields
      .filter(({ omit, alwaysPresent }) => alwaysPresent && !omit)
      .map(({ key }) => key);
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
