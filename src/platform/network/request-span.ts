import { inSpan, isTraced } from "../../core/tracing";
import type { HttpResponse } from "./http-response";

/**
 * Sends a request in a span of the current trace (OpenTelemetry semantic conventions "HTTP client"). Its context is not
 * sent, because the servers are those of others. Without path and query, which may be a secret.
 * @param server null for a server that a client has chosen: its address is that client's text
 */
export function inRequestSpan(
  method: string,
  server: URL | null,
  send: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  if (!isTraced()) return send();
  const attributes = {
    "http.request.method": method,
    ...(server && {
      "server.address": server.hostname,
      "server.port": Number(server.port) || (server.protocol === "https:" ? 443 : 80),
    }),
  };
  return inSpan(method, "client", attributes, async (span) => {
    const response = await send();
    span?.setAttribute("http.response.status_code", response.status);
    if (response.status >= 400) span?.setAttribute("error.type", String(response.status));
    return response;
  });
}
