/** A node of the gateway, as its clients know it. */
export interface GatewayNode {
  graphqlUrl: string;
}

/** The header of a token or, by its form, of an API key; no header without one. */
export function credentialHeader(credential: string | undefined): Record<string, string> {
  if (!credential) return {};
  return { [credential.startsWith("sbk_") ? "Svc-Api-Key" : "Svc-Token"]: credential };
}

/** Calls GraphQL over HTTP, with a token or an API key. */
export async function graphql(
  node: GatewayNode,
  query: string,
  variables: Record<string, unknown> = {},
  credential?: string,
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
): Promise<{ data?: any; errors?: any[]; status: number }> {
  const response = await fetch(node.graphqlUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...credentialHeader(credential) },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}
