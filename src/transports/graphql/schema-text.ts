import type { FastifyInstance } from "fastify";
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";

/** The schema as text, with types and fields in alphabetical order. */
export function schemaText(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

/**
 * Registers GET /schema.graphql. It says what introspection says, so it exists only if introspection is enabled. The
 * type is text/plain, so that browsers show it.
 */
export function registerSchemaText(server: FastifyInstance, schema: GraphQLSchema): void {
  let text: string | undefined;
  server.get("/schema.graphql", { config: { counts: "request" } }, (_, reply) => {
    text ??= schemaText(schema);
    return reply
      .type("text/plain; charset=utf-8")
      .header("cache-control", "no-cache")
      .header("x-content-type-options", "nosniff")
      .send(text);
  });
}
