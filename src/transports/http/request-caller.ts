import type { IncomingHttpHeaders } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Caller } from "../../core/caller";

/** The caller of an HTTP request, whose session is looked up later. */
export function callerOf(request: FastifyRequest, protocol: "graphql" | "rest"): Caller {
  const { headers } = request;
  return {
    protocol,
    // Undefined, despite its type, if the connection was already closed.
    ip: request.ip ?? "",
    userAgent: headers["user-agent"],
    token: tokenOf(headers),
    apiKey: apiKeyOf(headers),
    origin: headers.origin,
    requestId: request.id,
  };
}

/** The API key of a request: its header Svc-Api-Key. Undefined if there is none, or an empty one. */
export function apiKeyOf({ "svc-api-key": apiKey }: IncomingHttpHeaders): string | undefined {
  return typeof apiKey === "string" && apiKey !== "" ? apiKey : undefined;
}

/** Whether a request has a token or an API key, neither of which browsers send by themselves. */
export function hasCredential(headers: IncomingHttpHeaders): boolean {
  return tokenOf(headers) !== undefined || apiKeyOf(headers) !== undefined;
}

/**
 * The token of a request: from the Svc-Token header, else a bearer token (RFC 6750 section 2.1). Undefined if there
 * is none, or an empty one.
 */
export function tokenOf({
  "svc-token": svcToken,
  authorization = "",
}: IncomingHttpHeaders): string | undefined {
  if (typeof svcToken === "string" && svcToken !== "") return svcToken;
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}
