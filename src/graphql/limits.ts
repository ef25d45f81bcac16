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
import type { Config } from "../core/config";
import { Fault } from "../core/errors";
import { subscriptionRootRule, valueDepthRule } from "./operation/document-rules";

/** The part of the configuration that bounds operations of clients. */
export type Limits = Pick<
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
  // The libraries throw by default; reported, an excess reads like every other mistake.
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
 * Rules that bound what one operation may ask for. They run before the rules of the GraphQL
 * specification, some of which take long on what these refuse. Depth of introspection is bounded by
 * graphql's own rule.
 */
export function limitRules(limits: Limits): ValidationRule[] {
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
