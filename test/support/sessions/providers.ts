import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A stand-in's response: a status with a body, or none at all. */
export type Reply =
  | { status: number; body: unknown; headers?: Record<string, string> }
  | { silent: true };

/** A local server that replaces a provider's API. */
export interface StandIn {
  baseUrl: string;
  /** Requested paths so far, without queries. */
  asked: string[];
  /** Protocol errors of the client so far. */
  complaints: string[];
  close(): Promise<void>;
}

async function standIn(
  answer: (request: IncomingMessage, url: URL, complain: (text: string) => void) => Reply,
): Promise<StandIn> {
  const asked: string[] = [];
  const complaints: string[] = [];
  const send = (response: ServerResponse, reply: Reply) => {
    if ("silent" in reply) return;
    const { status, body, headers } = reply;
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://stand-in");
    asked.push(url.pathname);
    const isToken = url.pathname === "/oauth2/token";
    if (request.method !== (isToken ? "POST" : "GET"))
      complaints.push(`the method ${request.method}`);
    send(
      response,
      answer(request, url, (text) => complaints.push(text)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    asked,
    complaints,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const same = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

const VERSION = "v19.0";
const BAD_TOKEN = { error: { message: "Invalid OAuth access token.", code: 190 } };

/** Facebook's data about an access token. */
export interface FacebookToken {
  debug: Reply;
  me: Reply;
}

/** A valid user token of an application. */
export function facebookToken(
  appId: string,
  person: { id: string; name?: string; email?: string },
  debug: Record<string, unknown> = {},
): FacebookToken {
  const data = { app_id: appId, type: "USER", is_valid: true, expires_at: 0, user_id: person.id };
  return {
    debug: { status: 200, body: { data: { ...data, scopes: ["email"], ...debug } } },
    me: { status: 200, body: person },
  };
}

/** The part of the Graph API that sign-in uses. */
export async function startFacebook(app: {
  appId: string;
  appSecret: string;
}): Promise<StandIn & { tokens: Map<string, FacebookToken> }> {
  const tokens = new Map<string, FacebookToken>();
  const server = await standIn((_request, url, complain) => {
    const { searchParams: query, pathname } = url;
    if (pathname === `/${VERSION}/debug_token`) {
      if (query.get("access_token") !== `${app.appId}|${app.appSecret}`) {
        complain("debug_token without the application's own token");
        return { status: 400, body: BAD_TOKEN };
      }
      // The application's own token.
      if (query.get("input_token") === query.get("access_token")) {
        const data = { app_id: app.appId, type: "APP", is_valid: true, scopes: [] };
        return { status: 200, body: { data } };
      }
      const known = tokens.get(query.get("input_token") ?? "");
      const unknown = { data: { error: { code: 190, message: "bad" }, is_valid: false } };
      return known?.debug ?? { status: 200, body: unknown };
    }
    if (pathname !== `/${VERSION}/me`) return { status: 404, body: BAD_TOKEN };
    const token = query.get("access_token") ?? "";
    const proof = createHmac("sha256", app.appSecret).update(token).digest("hex");
    if (!same(proof, query.get("appsecret_proof") ?? "")) complain("a wrong appsecret_proof");
    if (query.get("fields") !== "id,name,email") complain(`fields ${query.get("fields")}`);
    return tokens.get(token)?.me ?? { status: 400, body: BAD_TOKEN };
  });
  return { ...server, tokens };
}

/** Twitter's data about an access token: its secret and the response. */
export interface TwitterToken {
  secret: string;
  reply: Reply;
}

/** RFC 5849 section 3.6, implemented independently of the service. */
const percent = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

/** The part of Twitter's API that sign-in uses. It verifies every signature. */
export async function startTwitter(app: {
  consumerKey: string;
  consumerSecret: string;
}): Promise<StandIn & { tokens: Map<string, TwitterToken> }> {
  const tokens = new Map<string, TwitterToken>();
  const nonces = new Set<string>();
  const refused: Reply = {
    status: 401,
    body: { errors: [{ code: 32, message: "Could not authenticate you." }] },
  };
  const server = await standIn((request, url, complain) => {
    if (url.pathname === "/oauth2/token") {
      const pair = `${percent(app.consumerKey)}:${percent(app.consumerSecret)}`;
      const basic = `Basic ${Buffer.from(pair).toString("base64")}`;
      return request.headers.authorization === basic
        ? { status: 200, body: { token_type: "bearer", access_token: "app-token" } }
        : { status: 403, body: { errors: [{ code: 99, message: "Unable to verify." }] } };
    }
    if (url.pathname !== "/1.1/account/verify_credentials.json") {
      return { status: 404, body: { errors: [{ code: 34, message: "no such page" }] } };
    }
    const fields = new Map<string, string>();
    const header = request.headers.authorization ?? "";
    for (const [, name, value] of header.matchAll(/([a-z_]+)="([^"]*)"/g)) {
      fields.set(name ?? "", decodeURIComponent(value ?? ""));
    }
    if (!header.startsWith("OAuth ")) complain("no OAuth header");
    if (fields.get("oauth_version") !== "1.0") complain("oauth_version");
    if (fields.get("oauth_signature_method") !== "HMAC-SHA1") complain("oauth_signature_method");
    if (fields.get("oauth_consumer_key") !== app.consumerKey) complain("oauth_consumer_key");
    if (!/^\d{10}$/.test(fields.get("oauth_timestamp") ?? "")) complain("oauth_timestamp");
    const nonce = fields.get("oauth_nonce") ?? "";
    if (nonce === "" || nonces.has(nonce)) complain("a nonce comes twice");
    nonces.add(nonce);
    const signature = fields.get("oauth_signature") ?? "";
    fields.delete("oauth_signature");
    if (url.search !== "?include_email=true&skip_status=true") complain(`query ${url.search}`);

    const known = tokens.get(fields.get("oauth_token") ?? "");
    const pairs = [...fields, ...url.searchParams].map(([name, value]) => [
      percent(name),
      percent(value),
    ]);
    pairs.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1));
    const line = pairs.map((pair) => pair.join("=")).join("&");
    const base = `GET&${percent(`http://${request.headers.host}${url.pathname}`)}&${percent(line)}`;
    const key = `${percent(app.consumerSecret)}&${percent(known?.secret ?? "")}`;
    const right = createHmac("sha1", key).update(base).digest("base64");
    return known && same(right, signature) ? known.reply : refused;
  });
  return { ...server, tokens };
}

/** A server that publishes keys, like Google's for Firebase. */
export async function startKeys(
  first: Reply,
): Promise<StandIn & { keysUrl: string; publish(reply: Reply): void }> {
  let reply = first;
  const server = await standIn(() => reply);
  return {
    ...server,
    keysUrl: `${server.baseUrl}/keys`,
    publish(next) {
      reply = next;
    },
  };
}
