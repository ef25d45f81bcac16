import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { parse } from "qs";
import type { JsonSchema } from "../../../scripts/openapi/schema";

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: JsonSchema;
}
interface Content {
  content?: Record<string, { schema: JsonSchema }>;
}
interface Operation {
  parameters?: Parameter[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content & { $ref?: string }>;
}
interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, Content> };
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** An HTTP exchange. */
export interface Exchange {
  method: string;
  /** Path with the query. */
  path: string;
  /** The JSON value, or the text of a form. */
  body: unknown;
  status: number;
  answer: unknown;
}

/**
 * Forbids additional properties in objects, so that responses contain nothing that is not
 * documented.
 */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  const open = "properties" in schema && !("additionalProperties" in schema);
  return open && schema.properties && "type" in schema
    ? { ...inner, additionalProperties: false }
    : inner;
}

/** Validates exchanges against schema/openapi.json. */
export class OpenApiConformity {
  private readonly api: OpenApi = JSON.parse(
    readFileSync(join(__dirname, "../../../schema/openapi.json"), "utf8"),
  );
  private readonly ajv = this.validator(false);
  /** For queries, whose values are text. */
  private readonly queries = this.validator(true);

  private validator(coerceTypes: boolean): Ajv2020 {
    const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes });
    addFormats(ajv);
    return ajv;
  }

  /** The documented path that matches a request; literal segments take precedence. */
  pathOf(method: string, path: string): string | undefined {
    const segments = path.replace(/(\.json)?(\?.*)?$/, "").split("/");
    const fits = (template: string) => {
      const parts = template.split("/");
      return (
        parts.length === segments.length &&
        parts.every((part, index) => part === segments[index] || part.startsWith("{"))
      );
    };
    return Object.keys(this.api.paths)
      .filter((template) => this.api.paths[template]?.[method.toLowerCase()] && fits(template))
      .sort((a, b) => a.split("{").length - b.split("{").length)[0];
  }

  /** Violations of the document in an exchange. */
  violations(exchange: Exchange): string[] {
    const { method, path, body, status, answer } = exchange;
    const template = this.pathOf(method, path) ?? "";
    const operation = this.api.paths[template]?.[method.toLowerCase()];
    if (!operation) return [`${method} ${path} is no operation`];
    const response = operation.responses[String(status)];
    if (!response) return [`${method} ${template} does not state ${status}`];
    const name = response.$ref?.split("/").pop();
    const { content } = name === undefined ? response : (this.api.components.responses[name] ?? {});
    return [
      // Refused requests need not match.
      ...(status < 400 ? this.requestMisfits(operation, path, body) : []),
      ...this.bodyMisfits("answer", content?.[JSON_TYPE], answer ?? undefined, this.ajv),
    ];
  }

  private requestMisfits(operation: Operation, path: string, body: unknown): string[] {
    const { requestBody, parameters = [] } = operation;
    const stated = parameters.filter((parameter) => parameter.in === "query");
    const query = {
      type: "object",
      properties: Object.fromEntries(stated.map(({ name, schema }) => [name, schema])),
      required: stated.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    };
    // A list is sent as one parameter per item, by the name that the document has.
    const sent: Record<string, string | string[]> = {};
    for (const [name, text] of new URLSearchParams(path.split("?")[1] ?? "")) {
      const known = sent[name];
      const isList = stated.find((one) => one.name === name)?.schema.type === "array";
      sent[name] = known !== undefined || isList ? [known ?? [], text].flat() : text;
    }
    const misfits = this.problems("query", this.compiled(this.queries, query), sent);
    if (body === undefined) {
      return requestBody?.required ? [...misfits, "the body is left out"] : misfits;
    }
    const content = requestBody?.content ?? {};
    const inBody =
      typeof body === "string"
        ? this.bodyMisfits("form", content[FORM_TYPE], parse(body), this.queries)
        : this.bodyMisfits("request", content[JSON_TYPE], body, this.ajv);
    return [...misfits, ...inBody];
  }

  private bodyMisfits(
    what: string,
    content: { schema: JsonSchema } | undefined,
    body: unknown,
    ajv: Ajv2020,
  ): string[] {
    if (!content) return body === undefined ? [] : [`no ${what} is described`];
    return this.problems(what, this.compiled(ajv, content.schema), body);
  }

  private compiled(ajv: Ajv2020, schema: JsonSchema): ValidateFunction {
    return ajv.compile(closed({ ...schema, components: this.api.components }) as JsonSchema);
  }

  private problems(what: string, validate: ValidateFunction, value: unknown): string[] {
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}
