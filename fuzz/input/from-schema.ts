import type { Random } from "../../test/support/noise";
import type { World } from "../deployment/world";
import { chance, pick, several } from "./random";
import { sample } from "./samples";
import { hostileName, hostileText, hostileValue } from "./values";

/** As much of a JSON schema as schema/openapi.json has. */
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

/** A value of a schema, hostile in places. */
export class SchemaValues {
  constructor(
    private readonly schemas: Record<string, JsonSchema>,
    /** How many values in a hundred are not what the schema says. */
    private readonly hostility: number,
  ) {}

  make(random: Random, world: World, schema: JsonSchema, name = ""): unknown {
    const resolved = this.#resolve(schema);
    if (chance(random, this.hostility)) return hostileValue(random);
    const named = sample(random, world, name);
    if (named !== undefined && !resolved.properties && chance(random, 85)) return named;
    if (resolved.anyOf) return this.make(random, world, pick(random, resolved.anyOf), name);
    if (resolved.enum) return pick(random, resolved.enum);
    const type = Array.isArray(resolved.type) ? pick(random, resolved.type) : resolved.type;
    switch (type) {
      case "object":
        return this.#object(random, world, resolved);
      case "array":
        return several(random, 0, 3, () => this.make(random, world, resolved.items ?? {}, name));
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

  #object(random: Random, world: World, { properties = {}, required = [] }: JsonSchema): object {
    const made: Array<[string, unknown]> = [];
    for (const [name, schema] of Object.entries(properties)) {
      const sent = chance(random, required.includes(name) ? 95 : 45);
      if (sent) made.push([name, this.make(random, world, schema, name)]);
    }
    if (chance(random, 5)) made.push([hostileName(random), hostileValue(random)]);
    return Object.fromEntries(made);
  }

  #resolve(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? schema : (this.schemas[name] ?? {});
  }
}
