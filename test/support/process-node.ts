import { readFileSync } from "node:fs";
import { join } from "node:path";
import { graphql } from "../../tools/graphql/graphql-http";
import type { TestNode } from "./node";
import type { ServiceProcess } from "./process";

/** A node in its own process, as clients of tests use it. */
export type ProcessNode = Pick<TestNode, "baseUrl" | "graphqlUrl" | "chatUrl" | "application">;

const SIGN_IN = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";

const read = ({ DATA_DIR = "" }: Record<string, string>, file: string) =>
  JSON.parse(readFileSync(join(DATA_DIR, file), "utf8"));

/**
 * Waits until a node is ready.
 * @param environment of its database; one of its nodes has created the application
 */
export async function nodeOf(
  service: ServiceProcess,
  environment: Record<string, string>,
): Promise<ProcessNode> {
  const { rest, graphql, chat } = await service.ready();
  const made = read(environment, "credentials.json");
  return {
    baseUrl: rest,
    graphqlUrl: graphql,
    chatUrl: chat.ws ?? "",
    application: {
      id: made.application_id,
      authKey: made.auth_key,
      authSecret: made.auth_secret,
      accountKey: made.account_key,
    },
  };
}

/** Signs in as the owner that the first start has created. @returns the token */
export async function memberTokenOf(
  node: Pick<ProcessNode, "graphqlUrl">,
  environment: Record<string, string>,
): Promise<string> {
  const { data } = await graphql(node, SIGN_IN, { input: read(environment, "owner.json") });
  return data.signInMember.token;
}
