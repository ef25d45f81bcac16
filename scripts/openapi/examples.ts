import type { JsonSchema } from "./schema";

/** An example of an operation: a request and its success. */
export interface OperationExample {
  /** Texts of path and query parameters by wire name; a list for a name that ends in []. */
  parameters?: Readonly<Record<string, string | string[]>>;
  /** JSON body of the request. */
  request?: unknown;
  /** JSON body of the response. */
  response?: unknown;
}

/** Examples by the name of the operation. */
export type Examples = Readonly<Record<string, OperationExample | undefined>>;

/** The example of a parameter in the type of its schema: OpenAPI shows a number as a number. */
export function parameterExample(schema: JsonSchema, text: string | string[]): unknown {
  if (Array.isArray(text)) {
    return text.map((item) => parameterExample((schema.items ?? {}) as JsonSchema, item));
  }
  const types = [schema.type].flat();
  return types.includes("integer") && /^-?\d{1,16}$/.test(text) ? Number(text) : text;
}
