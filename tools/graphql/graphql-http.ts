/** A node of the gateway, as its clients know it. */
export interface GatewayNode {
  graphqlUrl: string;
}

/** Calls GraphQL over HTTP. */
export async function graphql(
  node: GatewayNode,
  query: string,
  variables: Record<string, unknown> = {},
  token?: string,
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
): Promise<{ data?: any; errors?: any[]; status: number }> {
  const response = await fetch(node.graphqlUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(token ? { "Svc-Token": token } : {}) },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}
