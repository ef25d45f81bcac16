import type { Random } from "../../tools/seeded-random";
import type { Fixture } from "../deployment/fixture";
import { chance, pick, several } from "./random";
import { sample } from "./samples";
import { hostileName, hostileText, hostileValue } from "./values";

/** The subset of JSON Schema that schema/openapi.json uses. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

/** Generates values of a schema, some of them hostile. */
export class SchemaValues {
  constructor(
    private readonly schemas: Record<string, JsonSchema>,
    /** Percentage of values that do not match the schema. */
    private readonly hostility: number,
  ) {}

  make(random: Random, fixture: Fixture, schema: JsonSchema, name = ""): unknown {
    const resolved = this.resolve(schema);
    if (chance(random, this.hostility)) return hostileValue(random);
    const named = sample(random, fixture, name);
    if (named !== undefined && !resolved.properties && chance(random, 85)) return named;
    if (resolved.anyOf) return this.make(random, fixture, pick(random, resolved.anyOf), name);
    if (resolved.enum) return pick(random, resolved.enum);
    const type = Array.isArray(resolved.type) ? pick(random, resolved.type) : resolved.type;
    switch (type) {
      case "object":
        return this.object(random, fixture, resolved);
      case "array":
        return several(random, 0, 3, () => this.make(random, fixture, resolved.items ?? {}, name));
      case "integer":
      case "number":
        return chance(random, 80) ? random(200) : -random(2 ** 31);
      case "boolean":
        return chance(random, 50);
      case "null":
        return null;
      default:
        return resolved.format === "date-time" ? "2030-01-01T00:00:00Z" : hostileText(random);
    }
  }

  private object(
    random: Random,
    fixture: Fixture,
    { properties = {}, required = [] }: JsonSchema,
  ): object {
    const made: Array<[string, unknown]> = [];
    for (const [name, schema] of Object.entries(properties)) {
      const sent = chance(random, required.includes(name) ? 95 : 45);
      if (sent) made.push([name, this.make(random, fixture, schema, name)]);
    }
    if (chance(random, 5)) made.push([hostileName(random), hostileValue(random)]);
    return Object.fromEntries(made);
  }

  private resolve(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? schema : (this.schemas[name] ?? {});
  }
}
