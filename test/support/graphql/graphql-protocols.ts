import { credentialHeader } from "../../../tools/graphql/graphql-http";
import { openSocket, type SocketResult } from "../../../tools/graphql/graphql-socket";
import type { TestNode } from "../node";

/** Runs an operation over a protocol of GraphQL. */
export type GraphqlProtocol = (
  node: TestNode,
  query: string,
  variables: object,
  token: string | undefined,
) => Promise<SocketResult>;

async function post(
  node: TestNode,
  body: object,
  headers: Record<string, string>,
): Promise<SocketResult> {
  const response = await fetch(node.graphqlUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return (await response.json()) as SocketResult;
}

const byPost: GraphqlProtocol = (node, query, variables, token) =>
  post(node, { query, variables }, credentialHeader(token));

const byBearer: GraphqlProtocol = (node, query, variables, token) =>
  post(node, { query, variables }, token ? { Authorization: `Bearer ${token}` } : {});

const byGet: GraphqlProtocol = async (node, query, variables, token) => {
  const parameters = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  const response = await fetch(`${node.graphqlUrl}?${parameters}`, {
    headers: { "Apollo-Require-Preflight": "1", ...credentialHeader(token) },
  });
  return (await response.json()) as SocketResult;
};

/** GraphQL over HTTP in its variants, by name. */
export const HTTP_PROTOCOLS: Record<string, GraphqlProtocol> = {
  "GraphQL by POST": byPost,
  "GraphQL by POST with a bearer token": byBearer,
  "GraphQL by GET": byGet,
};

/** Every protocol of GraphQL, for callers without a token. */
export const ANONYMOUS_PROTOCOLS: Record<
  string,
  (node: TestNode, query: string, variables?: object) => Promise<SocketResult>
> = {
  POST: (node, query, variables = {}) => byPost(node, query, variables, undefined),
  GET: (node, query, variables = {}) => byGet(node, query, variables, undefined),
  async WebSocket(node, query, variables = {}) {
    const socket = await openSocket(node);
    const answer = await socket.run(query, { ...variables });
    await socket.close();
    return answer;
  },
};
