import type { Caller } from "../../../src/core/caller";
import { Fault } from "../../../src/core/errors";
import {
  type SampleApi,
  sampleSession,
  sampleUser,
  startSampleApi,
} from "../../support/rest/rest-sample";

let api: SampleApi;

beforeAll(async () => {
  api = await startSampleApi();
});
afterAll(() => api.close());
beforeEach(() => {
  for (const name of Object.keys(api.resolvers)) delete api.resolvers[name];
  Object.assign(api.resolvers, {
    currentSession: () => sampleSession({ user: sampleUser() }),
    createSession: () => ({ session: sampleSession() }),
    destroySession: () => ({ destroyed: true }),
    login: () => ({ user: sampleUser(), session: sampleSession() }),
    logout: () => ({ session: sampleSession() }),
    createUser: () => ({ user: sampleUser() }),
    updateUser: () => ({ user: sampleUser() }),
    deleteUser: () => ({ deletedUserId: "12" }),
    rejectCall: () => ({ callId: "s" }),
    user: () => sampleUser(),
    users: () => ({ limit: 100, offset: 0, totalCount: 1, nodes: [sampleUser()] }),
    accountSettings: () => ({
      accountKey: "k",
      apiEndpoint: "https://api.example.com",
      chatEndpoint: "chat.example.com",
      turnserverEndpoint: "turn.example.com",
    }),
    search: () => ({ asked: "x", secret: null }),
  });
  api.expiresAt = null;
  api.received();
  api.callers();
  api.logged();
});

interface Sent {
  method?: string;
  json?: unknown;
  form?: string;
  type?: string;
  body?: string | Uint8Array;
  headers?: Record<string, string>;
}

async function send(path: string, sent: Sent = {}) {
  const { method = "GET", json, form, type, body, headers = {} } = sent;
  const media =
    type ?? (json !== undefined ? "application/json" : form !== undefined && FORM) ?? undefined;
  const response = await fetch(api.url + path, {
    method,
    headers: { ...headers, ...(media ? { "content-type": media } : {}) },
    body: json !== undefined ? JSON.stringify(json) : (form ?? body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    get body() {
      return JSON.parse(text);
    },
  };
}

const FORM = "application/x-www-form-urlencoded";
const SIGNED_FORM = "application_id=774&auth_key=k&timestamp=1353966601&nonce=33432&signature=s";
const SIGNED = {
  application_id: 774,
  auth_key: "k",
  timestamp: "1353966601",
  nonce: 33432,
  signature: "s",
};
const SIGNED_INPUT = {
  applicationId: 774,
  authKey: "k",
  timestamp: 1353966601,
  nonce: 33432,
  signature: "s",
};
const base = (text: string) => ({ errors: { base: [text] } });

describe("requests are passed to the operation", () => {
  const user = { login: "alice", password: "p4ss word&1" };
  const pairs = "user[login]=alice&user[password]=p4ss+word%261";
  const encoded = "user%5Blogin%5D=alice&user%5Bpassword%5D=p4ss%20word%261";
  const updates = { input: { id: "12", phone: null, tags: ["a", "b"], timezone: -60 } };
  const cases: Array<[what: string, path: string, sent: Sent, field: string, args: unknown]> = [
    [
      "JSON",
      "/session",
      { method: "POST", json: SIGNED },
      "createSession",
      { input: SIGNED_INPUT },
    ],
    [
      "a form",
      "/session",
      { method: "POST", form: SIGNED_FORM },
      "createSession",
      { input: SIGNED_INPUT },
    ],
    [
      "a nested form",
      "/session",
      { method: "POST", form: `${SIGNED_FORM}&${pairs}` },
      "createSession",
      { input: { ...SIGNED_INPUT, user } },
    ],
    [
      "a form with encoded brackets",
      "/session",
      { method: "POST", form: `${SIGNED_FORM}&${encoded}` },
      "createSession",
      { input: { ...SIGNED_INPUT, user } },
    ],
    [
      "nested JSON with unknown keys",
      "/session",
      { method: "POST", json: { ...SIGNED, user: { ...user, id: 1 }, token: "x" } },
      "createSession",
      { input: { ...SIGNED_INPUT, user } },
    ],
    [
      "JSON with PUT",
      "/users/12",
      { method: "PUT", json: { user: { phone: null, tag_list: "a, b", timezone: "-60" } } },
      "updateUser",
      updates,
    ],
    [
      "a form with PUT",
      "/users/12",
      { method: "PUT", form: "user[tag_list][]=a,b&user[timezone]=-60" },
      "updateUser",
      { input: { id: "12", tags: ["a", "b"], timezone: -60 } },
    ],
    ["PUT without a body", "/users/12", { method: "PUT" }, "updateUser", { input: { id: "12" } }],
    ["a path", "/users/12", {}, "user", { by: { id: "12" } }],
    ["a path with .json", "/users/12.json", {}, "user", { by: { id: "12" } }],
    ["a path with an empty query", "/users/12?", {}, "user", { by: { id: "12" } }],
    ["an encoded path", "/users/%31%32", {}, "user", { by: { id: "12" } }],
    ["DELETE", "/users/12", { method: "DELETE" }, "deleteUser", { input: { id: "12" } }],
    [
      "DELETE with a form",
      "/users/12",
      { method: "DELETE", form: "x=1" },
      "deleteUser",
      { input: { id: "12" } },
    ],
    [
      "DELETE with JSON",
      "/users/12.json",
      { method: "DELETE", json: {} },
      "deleteUser",
      { input: { id: "12" } },
    ],
    [
      "DELETE with a type and no body",
      "/users/12",
      { method: "DELETE", type: "application/json" },
      "deleteUser",
      { input: { id: "12" } },
    ],
    [
      "a query",
      "/users/v2?login[in][]=a&login[in][]=b&sort_asc=full_name&limit=5",
      {},
      "users",
      { filter: { login: { in: ["a", "b"] } }, sort: { asc: "FULL_NAME" }, limit: 5 },
    ],
    [
      "an encoded query",
      "/users/v2.json?login%5Bin%5D%5B%5D=a%26",
      {},
      "users",
      { filter: { login: { in: ["a&"] } } },
    ],
    [
      "a header",
      "/account_settings",
      { headers: { "Svc-Account-Key": "k" } },
      "accountSettings",
      { accountKey: "k" },
    ],
    [
      "JSON objects",
      "/calls/reject",
      { method: "POST", json: { recipientId: 12, sessionID: 7, userInfo: { busy: true } } },
      "rejectCall",
      { input: { recipientId: "12", callId: "7", userInfo: { busy: true } } },
    ],
    [
      "objects in a form",
      "/calls/reject",
      {
        method: "POST",
        form: "recipientId=12&sessionID=7&userInfo[busy]=true&userInfo[deep][x]=1&platform=iOS",
      },
      "rejectCall",
      {
        input: {
          recipientId: "12",
          callId: "7",
          platform: "iOS",
          userInfo: { busy: "true", deep: { x: "1" } },
        },
      },
    ],
  ];
  test.each(cases)("%s: %s", async (_what, path, sent, field, args) => {
    const { status } = await send(path, sent);
    expect([200, 201]).toContain(status);
    const received = JSON.parse(JSON.stringify(api.received()));
    expect(received).toEqual([[field, args]]);
  });

  test("passes on the caller, with every parameter of the body", async () => {
    await send("/session", {
      method: "POST",
      form: `${SIGNED_FORM}&user[login]=a+b&extra[]=1`,
      headers: { "Svc-Token": "t", "User-Agent": "agent" },
    });
    const [caller] = api.callers();
    const expected: Partial<Caller> = {
      protocol: "rest",
      ip: "127.0.0.1",
      userAgent: "agent",
      token: "t",
      requestId: "request-1",
    };
    expect(caller).toMatchObject(expected);
    expect(caller?.parameters?.()).toEqual([
      ["application_id", "774"],
      ["auth_key", "k"],
      ["timestamp", "1353966601"],
      ["nonce", "33432"],
      ["signature", "s"],
      ["user[login]", "a b"],
      ["extra[]", "1"],
    ]);
  });

  test("treats an empty token as none", async () => {
    await send("/session");
    await send("/session", { headers: { "Svc-Token": "" } });
    expect(api.callers().map(({ token }) => token)).toEqual([undefined, undefined]);
  });
});

describe("responses", () => {
  test("have the documented keys, in order", async () => {
    const { status, body, headers } = await send("/session");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    const user = {
      id: 12,
      login: "alice",
      email: null,
      external_user_id: null,
      external_id: null,
      facebook_id: null,
      twitter_id: null,
      full_name: "Alice A",
      phone: null,
      website: null,
      custom_data: null,
      user_tags: "a,b",
      avatar: null,
      blob_id: null,
      created_at: "2018-12-05T11:58:02Z",
      updated_at: "2018-12-05T11:58:02Z",
      last_request_at: null,
      timezone: null,
    };
    expect(body).toEqual({
      session: {
        id: 5,
        application_id: 774,
        user_id: null,
        nonce: 33432,
        token: "sample",
        ts: 1353966601,
        created_at: "2018-12-05T11:58:02Z",
        updated_at: "2018-12-05T11:58:02Z",
        user,
      },
    });
    expect(Object.keys(body.session.user)).toEqual(Object.keys(user));
  });

  test("an application session", async () => {
    api.resolvers.currentSession = () => sampleSession();
    const { session } = (await send("/session")).body;
    expect(session).toHaveProperty("device_id", null);
    expect(session).not.toHaveProperty("user");
  });

  test("a guest", async () => {
    api.resolvers.user = () => sampleUser({ isGuest: true, tags: [] });
    expect((await send("/users/12")).body.user).toMatchObject({
      is_guest: true,
      _id: "12",
      user_tags: null,
    });
  });

  const fixed: Array<[what: string, path: string, sent: Sent, status: number, text: RegExp]> = [
    ["a session", "/session", { method: "POST", json: SIGNED }, 201, /^\{"session":\{"id":5,/],
    ["a sign-in", "/login", { method: "POST", json: {} }, 200, /^\{"user":\{"id":12,/],
    ["a user", "/users", { method: "POST", form: "user[password]=x" }, 201, /^\{"user":\{"id":12,/],
    [
      "a list",
      "/users/v2",
      {},
      200,
      /^\{"limit":100,"skip":0,"total_entries":1,"items":\[\{"id":12,/,
    ],
    ["an update", "/users/12", { method: "PUT", json: {} }, 200, /^\{"user":\{"id":12,/],
    ["no body", "/session", { method: "DELETE" }, 200, /^$/],
    ["no body", "/login.json", { method: "DELETE" }, 200, /^$/],
    ["no body", "/users/12", { method: "DELETE" }, 200, /^$/],
    [
      "an empty object",
      "/calls/reject",
      { method: "POST", json: { recipientId: 1, sessionID: 2 } },
      200,
      /^\{\}$/,
    ],
    [
      "account settings",
      "/account_settings",
      { headers: { "svc-account-key": "k" } },
      200,
      /^\{"api_key":"k","api_endpoint":"https:\/\/api.example.com","chat_endpoint":"chat.example.com","turnserver_endpoint":"turn.example.com"\}$/,
    ],
  ];
  test.each(fixed)("%s of %s", async (_what, path, sent, status, text) => {
    const answer = await send(path, sent);
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
  });

  test("an empty body has no Content-Type and length 0", async () => {
    const { headers } = await send("/session", { method: "DELETE" });
    expect(headers.get("content-type")).toBeNull();
    expect(headers.get("content-length")).toBe("0");
  });

  test("send the session's expiration if a session was looked up", async () => {
    expect((await send("/session")).headers.get("svc-token-expirationdate")).toBeNull();
    api.expiresAt = new Date("2018-12-05T13:58:02.999Z");
    const { headers } = await send("/session");
    expect(headers.get("svc-token-expirationdate")).toBe("2018-12-05 13:58:02 UTC");
  });

  test("HEAD is GET without the body", async () => {
    const { status, text } = await send("/session", { method: "HEAD" });
    expect([status, text]).toEqual([200, ""]);
  });

  test("the OpenAPI document", async () => {
    const { status, body, headers } = await send("/openapi.json");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(body.openapi).toBe("3.1.0");
    expect(Object.keys(body.paths)).toContain("/users/v2");
  });
});

describe("requests that cannot be parsed are 400, with errors.base", () => {
  const post = (sent: Sent): Sent => ({ method: "POST", ...sent });
  const type = "The body must be application/json or application/x-www-form-urlencoded";
  const json = "application/json";
  const deep = `{"a":${"[".repeat(40)}${"]".repeat(40)}}`;
  const cases: Array<[what: string, path: string, sent: Sent, text: string]> = [
    ["malformed JSON", "/login", post({ body: "{", type: json }), "The body is not valid JSON"],
    ["a JSON list", "/login", post({ json: [1] }), "The body must be a JSON object"],
    ["JSON null", "/login", post({ json: null }), "The body must be a JSON object"],
    [
      "JSON nested too deeply",
      "/login",
      post({ body: deep, type: json }),
      "The body is nested too deeply",
    ],
    [
      "__proto__ in JSON",
      "/login",
      post({ body: '{"user":{"__proto__":{"x":1}}}', type: json }),
      "The name __proto__ is not allowed",
    ],
    [
      "__proto__ in a form",
      "/login",
      post({ form: "user[constructor][x]=1" }),
      "The name constructor is not allowed",
    ],
    [
      "__proto__ in a query",
      "/users/v2?login[prototype]=1",
      {},
      "The name prototype is not allowed",
    ],
    [
      "__proto__ in an unused query",
      "/session?__proto__[x]=1",
      {},
      "The name __proto__ is not allowed",
    ],
    [
      "invalid UTF-8",
      "/login",
      post({ body: new Uint8Array([0x7b, 0xff, 0x7d]), type: json }),
      "The body is not valid UTF-8",
    ],
    [
      "invalid percent-encoding in a form",
      "/login",
      post({ form: "login=%E0%A4%A" }),
      "A parameter is not valid percent-encoded UTF-8",
    ],
    [
      "invalid percent-encoding in a query",
      "/users/v2?login=%",
      {},
      "A parameter is not valid percent-encoded UTF-8",
    ],
    [
      "brackets nested too deeply",
      "/login",
      post({ form: "a[b][c][d][e][f][g]=1" }),
      "The parameters nest too deeply, or a list is too long",
    ],
    ["text", "/login", post({ body: "login=a", type: "text/plain" }), type],
    ["no type", "/login", post({ body: new Uint8Array([1]) }), type],
    ["XML", "/users/12", { method: "PUT", body: "<a/>", type: "application/xml" }, type],
    [
      "an invalid Content-Type",
      "/login",
      post({ body: "{}", type: "json" }),
      "The Content-Type is not valid",
    ],
    ["an invalid path", "/users/%zz", {}, "The URL is not valid"],
  ];
  test.each(cases)("%s", async (_what, path, sent, text) => {
    const { status, body, headers } = await send(path, sent);
    expect([status, body]).toEqual([400, base(text)]);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(api.received()).toEqual([]);
  });

  test("a body over the limit is 413", async () => {
    const login = "x".repeat(5000);
    const long = await send("/login", { method: "POST", json: { login } });
    expect([long.status, long.body]).toEqual([413, base("The body is too large")]);
    const bytes = (text: string) =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        },
      });
    const response = await fetch(`${api.url}/login`, {
      method: "POST",
      headers: { "content-type": json },
      body: bytes(JSON.stringify({ login })),
      duplex: "half",
    } as RequestInit);
    expect([response.status, await response.json()]).toEqual([413, base("The body is too large")]);
    expect(
      (await send("/login", { method: "POST", json: { login: "x".repeat(4000) } })).status,
    ).toBe(200);
  });
});

describe("unknown paths and methods are 404", () => {
  const cases: Array<[path: string, sent: Sent]> = [
    ["/", {}],
    ["/nothing", {}],
    ["/session/nothing", {}],
    ["/users/12/13", {}],
    ["/openapi", {}],
    ["/constructor", {}],
    ["/session", { method: "PATCH", json: {} }],
    ["/account_settings", { method: "POST", json: {} }],
    ["/users/12", { method: "POST", form: "a=b" }],
    ["/nothing", { method: "POST", body: "{", type: "application/json" }],
    [`/users/${"1".repeat(4000)}`, {}],
  ];
  test.each(cases)("case %#", async (path, sent) => {
    const { status, body, headers } = await send(path, sent);
    expect([status, body]).toEqual([404, base("Not found")]);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  });
});

describe("invalid parameters are 422, by name", () => {
  const cases: Array<[path: string, sent: Sent, errors: Record<string, string[]>]> = [
    [
      "/session",
      { method: "POST", json: { application_id: "x", nonce: [1], user: { login: {} } } },
      {
        application_id: ["must be a whole number"],
        auth_key: ["is required"],
        timestamp: ["is required"],
        nonce: ["must be a whole number"],
        signature: ["is required"],
        login: ["must be text"],
      },
    ],
    ["/users", { method: "POST" }, { password: ["is required"] }],
    [
      "/users",
      { method: "POST", form: "user=x" },
      { user: ["must be an object"], password: ["is required"] },
    ],
    [
      "/calls/reject",
      { method: "POST", form: "recipientId[$ne]=&userInfo=x" },
      {
        recipientId: ["must be text"],
        sessionID: ["is required"],
        userInfo: ["must be an object"],
      },
    ],
    ["/account_settings", {}, { "Svc-Account-Key": ["is required"] }],
    [
      "/users/v2?id=x&limit=y",
      {},
      { id: ["must be a whole number"], limit: ["must be a whole number"] },
    ],
    [
      "/users/12",
      { method: "PUT", json: { user: { login: ["a"], blob_id: "1e3", custom_data: { a: 1 } } } },
      {
        login: ["must be text"],
        blob_id: ["must be a whole number"],
        custom_data: ["must be text"],
      },
    ],
  ];
  test.each(cases)("%s %j", async (path, sent, errors) => {
    const { status, body } = await send(path, sent);
    expect([status, body]).toEqual([422, { errors }]);
    expect(api.received()).toEqual([]);
  });
});

describe("faults", () => {
  const cases: Array<[fault: Fault, status: number, body: unknown]> = [
    [Fault.noSession(), 401, base("Required session does not exist")],
    [new Fault("FORBIDDEN", "no"), 403, base("no")],
    [new Fault("NOT_FOUND", "no"), 404, base("no")],
    [new Fault("CONFLICT", "no"), 409, base("no")],
    [new Fault("FULL", "no"), 409, base("no")],
    [new Fault("INVALID", "no"), 422, base("no")],
    [new Fault("UNSUPPORTED", "no"), 501, base("no")],
    [
      new Fault("INVALID", "x", { fullName: ["is too long"], "user.tags": ["are too many"] }),
      422,
      { errors: { full_name: ["is too long"], tag_list: ["are too many"] } },
    ],
    [
      new Fault("INVALID", "x", { base: ["a"], oldPassword: ["b"] }),
      422,
      { errors: { base: ["a"], old_password: ["b"] } },
    ],
  ];
  test.each(cases)("case %#", async (fault, status, body) => {
    api.resolvers.createUser = () => {
      throw fault;
    };
    const answer = await send("/users", { method: "POST", form: "user[password]=x" });
    expect([answer.status, answer.body]).toEqual([status, body]);
    expect(api.logged()).toEqual([]);
  });

  test.each([
    [new Fault("LIMITED", "slow down", undefined, 2.1), 429, "3"],
    [new Fault("LIMITED", "slow down"), 429, "1"],
    [new Fault("UNAVAILABLE", "slow down", undefined, 30), 503, "30"],
    [new Fault("UNAVAILABLE", "slow down"), 503, null],
  ])("Retry-After: case %#", async (fault, status, seconds) => {
    api.resolvers.currentSession = () => Promise.reject(fault);
    const answer = await send("/session");
    expect([answer.status, answer.body]).toEqual([status, base("slow down")]);
    expect(answer.headers.get("retry-after")).toBe(seconds);
  });

  test("an error response has the expiration as well", async () => {
    api.expiresAt = new Date("2018-12-05T13:58:02Z");
    api.resolvers.currentSession = () => Promise.reject(new Fault("FORBIDDEN", "no"));
    const { headers } = await send("/session");
    expect(headers.get("svc-token-expirationdate")).toBe("2018-12-05 13:58:02 UTC");
  });

  test("null is 404", async () => {
    api.resolvers.user = () => null;
    const { status, body } = await send("/users/12");
    expect([status, body]).toEqual([404, base("Not found")]);
  });

  test.each([
    ["thrown", () => Promise.reject(new TypeError("SELECT secret FROM users"))],
    ["a missing value", () => ({ ...sampleSession(), token: null })],
    ["an internal fault", () => Promise.reject(new Fault("INTERNAL", "SELECT secret"))],
    [
      "a failing field next to successful ones",
      () => sampleSession({ user: { ...sampleUser(), createdAt: "never" } }),
    ],
  ])("unexpected errors are masked: %s", async (_what, resolve) => {
    api.resolvers.currentSession = resolve;
    const { status, text } = await send("/session");
    expect([status, text]).toEqual([500, '{"errors":{"base":["Internal server error"]}}']);
  });

  test("an unexpected error takes precedence over a fault", async () => {
    let count = 0;
    api.resolvers.search = () => {
      throw count++ === 0 ? new Fault("FORBIDDEN", "no") : new Error("broken");
    };
    const { status } = await send("/search/1/found", { headers: { "x-trace": "t" } });
    expect(status).toBe(500);
    expect(count).toBe(2);
  });

  test("an error outside the operation is masked and logged with the request id", async () => {
    api.failContext = new Error("SELECT secret");
    const { status, body } = await send("/session");
    api.failContext = undefined;
    expect([status, body]).toEqual([500, base("Internal server error")]);
    expect(api.logged()).toEqual([
      expect.objectContaining({ requestId: "request-1", msg: "A request failed" }),
    ]);
  });
});

describe("bytes that are not HTTP", () => {
  const head = "Host: x\r\nConnection: close\r\n";
  const cases: Array<[what: string, bytes: string | Buffer, status: number]> = [
    ["nonsense", "nonsense\r\n\r\n", 400],
    ["random bytes", Buffer.from([0, 255, 13, 10, 13, 10, 128]), 400],
    ["a malformed header", `GET /session HTTP/1.1\r\nHost x\r\n\r\n`, 400],
    ["endless headers", `GET /session HTTP/1.1\r\nX: ${"x".repeat(40_000)}\r\n\r\n`, 400],
    [
      "two Content-Length headers",
      `POST /login HTTP/1.1\r\n${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
      400,
    ],
    [
      "Content-Length with chunked encoding",
      `POST /login HTTP/1.1\r\n${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ["raw UTF-8 in a path", Buffer.from(`GET /users/é HTTP/1.1\r\n${head}\r\n`), 400],
    ["raw UTF-8 in a query", Buffer.from(`GET /users/v2?login=é HTTP/1.1\r\n${head}\r\n`), 400],
    ["an invalid path", `GET /users/%C3 HTTP/1.1\r\n${head}\r\n`, 400],
    ["a path outside the root", `GET /../../etc/passwd HTTP/1.1\r\n${head}\r\n`, 404],
    ["an unknown method", `BREW /session HTTP/1.1\r\n${head}\r\n`, 400],
    ["an unsupported method", `PROPFIND /session HTTP/1.1\r\n${head}\r\n`, 404],
    [
      "an invalid chunk",
      `POST /login HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
      400,
    ],
  ];
  test.each(cases)("%s", async (_what, bytes, status) => {
    const answer = await api.raw(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/\r\nContent-Type: application\/json; charset=utf-8\r\n/i);
    expect(answer).toMatch(/\{"errors":\{"base":\["[^"]+"\]\}\}/);
    expect(answer).not.toMatch(/node_modules|FST_ERR|\bat /);
    expect((await send("/session")).status).toBe(200);
  });
});
