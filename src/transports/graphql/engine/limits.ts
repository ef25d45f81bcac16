import { costLimitRule } from "@escape.tech/graphql-armor-cost-limit";
import { maxAliasesRule } from "@escape.tech/graphql-armor-max-aliases";
import { maxDepthRule } from "@escape.tech/graphql-armor-max-depth";
import { maxDirectivesRule } from "@escape.tech/graphql-armor-max-directives";
import {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  type ValidationContext,
  type ValidationRule,
} from "graphql";
import type { Config } from "../../../core/config";
import { Fault } from "../../../core/errors";
import { subscriptionRootRule, valueDepthRule } from "./document-rules";

/** Configuration of the limits for clients' operations. */
export type DocumentLimits = Pick<
  Config,
  | "GRAPHQL_MAX_DEPTH"
  | "GRAPHQL_MAX_ALIASES"
  | "GRAPHQL_MAX_DIRECTIVES"
  | "GRAPHQL_MAX_TOKENS"
  | "GRAPHQL_MAX_COST"
  | "GRAPHQL_CACHE"
  | "INTROSPECTION"
>;

const options = (limit: object) => ({
  ...limit,
  flattenFragments: true,
  // Reported like every other validation error; the libraries throw by default.
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, error: GraphQLError) => {
      const message = error.message.replace("Syntax Error: ", "");
      context?.reportError(
        new GraphQLError(message, { originalError: new Fault("TOO_LARGE", message) }),
      );
    },
  ],
});

/**
 * Validation rules that bound the size of an operation. They run before the rules of the GraphQL
 * specification, some of which are slow on oversized documents. graphql's own rule bounds the depth of
 * introspection.
 */
export function limitRules(limits: DocumentLimits): ValidationRule[] {
  return [
    maxDepthRule(options({ n: limits.GRAPHQL_MAX_DEPTH })),
    maxAliasesRule(options({ n: limits.GRAPHQL_MAX_ALIASES, allowList: [] })),
    maxDirectivesRule(options({ n: limits.GRAPHQL_MAX_DIRECTIVES })),
    costLimitRule(options({ maxCost: limits.GRAPHQL_MAX_COST })),
    valueDepthRule,
    subscriptionRootRule,
    ...(limits.INTROSPECTION ? [] : [NoSchemaIntrospectionCustomRule]),
  ] as ValidationRule[];
}
