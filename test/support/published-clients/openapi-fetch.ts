import type { Client } from "openapi-fetch";
import { loadPrinted } from "../printed-code";
import type { ClientLibrary } from "./client";
import { type RecipeConnection, recipeConnection } from "./connection";

/**
 * Types as openapi-typescript writes them from schema/openapi.json: the parts of these routes that the tests use.
 */
interface Paths {
  "/session": {
    get: {
      responses: { 200: Json<{ session: { user?: { login: string } } }>; 401: Json<Failure> };
    };
    post: {
      requestBody: Content<Record<string, unknown>>;
      responses: { 201: Json<{ session: { token: string } }>; 422: Json<Failure> };
    };
  };
  "/users/v2": {
    get: {
      parameters: {
        query: {
          user_tags?: string;
          "id[nin][]"?: number[];
          sort_asc?: string;
          limit?: number;
        };
      };
      responses: {
        200: Json<{ items: Array<{ id: number; login: string }>; total_entries: number }>;
        401: Json<Failure>;
        422: Json<Failure>;
      };
    };
  };
  "/calls/reject": {
    post: {
      requestBody: Content<{ recipientId: number; sessionID: string; userInfo: object }>;
      responses: { 200: Json<object>; 422: Json<Failure> };
    };
  };
}
interface Content<Body> {
  content: { "application/json": Body };
}
type Json<Body> = Content<Body>;
interface Failure {
  errors: Record<string, string[]>;
}

/** An error response, which openapi-fetch returns rather than throws. */
class Refused extends Error {
  constructor(
    readonly status: number,
    readonly body: Failure,
  ) {
    super(JSON.stringify(body));
  }
}

type Result<Data> = { data?: Data; error?: Failure; response: Response };

async function dataOf<Data>(sent: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await sent;
  if (error) throw new Refused(response.status, error);
  return data as Data;
}

interface Printed {
  openRest(url: string, connection: RecipeConnection): Client<Paths>;
}

/** openapi-fetch as docs/FRONTEND.md sets it up, with types that openapi-typescript writes. */
export const OPENAPI_FETCH: ClientLibrary = {
  name: "openapi-fetch",
  invalid: { code: 422, fields: ["limit"] },
  unauthenticated: 401,
  withoutToken: 401,
  reads: "GET",
  open({ baseUrl }, token) {
    const { openRest } = loadPrinted<Printed>("rest.ts");
    const connection = recipeConnection(baseUrl, token());
    const client = openRest(baseUrl, connection);
    return {
      async signIn(signed, login, password) {
        const body = { ...signed, user: { login, password } };
        return (await dataOf(client.POST("/session", { body }))).session.token;
      },
      async ownLogin() {
        return (await dataOf(client.GET("/session"))).session.user?.login;
      },
      // The list of the REST API has no cursors, and offset counts users who are gone: the next page excludes the
      // users that were read.
      async logins(tag, between) {
        const items: Array<{ id: number; login: string }> = [];
        for (let page = 1; ; page += 1) {
          const query = {
            ...{ user_tags: tag, sort_asc: "id", limit: 2 },
            ...(items.length > 0 && { "id[nin][]": items.map(({ id }) => id) }),
          };
          const found = await dataOf(client.GET("/users/v2", { params: { query } }));
          items.push(...found.items);
          if (found.items.length === found.total_entries) break;
          if (page === 1) await between();
        }
        return items.map(({ login }) => login);
      },
      reject: (recipientId, sessionID) =>
        dataOf(
          client.POST("/calls/reject", {
            body: { recipientId, sessionID, userInfo: { busy: true } },
          }),
        ),
      sendInvalid: () =>
        dataOf(client.GET("/users/v2", { params: { query: { user_tags: "a", limit: -1 } } })),
      refusalOf: (error) =>
        error instanceof Refused
          ? { code: error.status, fields: Object.keys(error.body.errors) }
          : { code: undefined, fields: [] },
      close: () => connection.close(),
    };
  },
};
