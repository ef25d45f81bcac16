import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { TestNode } from "../../support/node";
import { emptyFolder, freshDatabase, hasServices } from "../../support/operations/database";
import { managedProcesses, type ServiceProcess } from "../../support/process";
import { applicationToken, newUser, rest, signedParameters } from "../../support/rest-client";

const { environment, start } = managedProcesses();

/** Resolves to the address of the service once it is ready. */
async function ready(service: ServiceProcess): Promise<{ baseUrl: string }> {
  return { baseUrl: (await service.ready()).rest };
}

function credentialsOf(variables: Record<string, string>) {
  const path = join(variables.DATA_DIR ?? "", "credentials.json");
  return { path, text: readFileSync(path, "utf8") };
}

/** Describes a node in a separate process for the support functions. */
function asNode(baseUrl: string, variables: Record<string, string>): TestNode {
  const { application_id, auth_key, auth_secret, account_key } = JSON.parse(
    credentialsOf(variables).text,
  );
  const application = {
    id: application_id,
    authKey: auth_key,
    authSecret: auth_secret,
    accountKey: account_key,
  };
  return { baseUrl, application } as TestNode;
}

it("creates an application at the first start, and keeps it at later starts", async () => {
  // The embedded database is created from scratch here, as at a first start.
  const variables = await environment(hasServices ? freshDatabase() : emptyFolder());
  const first = start(variables);
  const { baseUrl } = await ready(first);
  const { path, text } = credentialsOf(variables);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const credentials = JSON.parse(text);
  expect(credentials).toEqual({
    base_url: baseUrl,
    graphql_url: `${baseUrl}/graphql`,
    chat_url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+$/),
    chat_domain: "localhost",
    application_id: expect.any(Number),
    auth_key: expect.stringMatching(/^[\w-]{16,}$/),
    auth_secret: expect.stringMatching(/^[\w-]{40,}$/),
    account_key: expect.stringMatching(/^[\w-]{40,}$/),
  });
  // Standard output is not a terminal here, so it may be a log that others can read.
  for (const secret of [credentials.auth_secret, credentials.account_key, credentials.auth_key]) {
    expect(first.output()).not.toContain(secret);
  }
  expect((await rest({ baseUrl }, "GET", "/readyz")).status).toBe(200);
  await applicationToken(asNode(baseUrl, variables));

  first.child.kill("SIGTERM");
  expect(await first.exited).toBe(0);

  const second = start(variables);
  const again = await ready(second);
  // Ports may differ, which the file says; the rest stays.
  expect(JSON.parse(credentialsOf(variables).text)).toEqual({
    ...credentials,
    base_url: again.baseUrl,
    graphql_url: `${again.baseUrl}/graphql`,
    chat_url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+$/),
  });
  await applicationToken(asNode(again.baseUrl, variables));
});

it("serves probes, metrics and the OpenAPI document", async () => {
  const { baseUrl } = await ready(start(await environment()));
  expect((await rest({ baseUrl }, "GET", "/healthz")).body).toEqual({ status: "ok" });
  expect((await rest({ baseUrl }, "GET", "/readyz")).body).toEqual({ status: "ready" });
  await rest({ baseUrl }, "GET", "/session");
  const metrics = await rest({ baseUrl }, "GET", "/metrics");
  expect(metrics.text).toContain(
    'signalbox_operations_total{protocol="rest",operation="currentSession",code="UNAUTHENTICATED"} 1\n',
  );
  const api = await rest({ baseUrl }, "GET", "/openapi.json");
  expect(Object.keys(api.body.paths)).toContain("/session");
});

it("keeps acknowledged writes when it is killed", async () => {
  const variables = await environment();
  const first = start(variables);
  const node = asNode((await ready(first)).baseUrl, variables);
  const user = await newUser(node);
  const used = signedParameters(node);
  const { body } = await rest(node, "POST", "/session", { body: used });
  first.child.kill("SIGKILL");
  expect(await first.exited).toBe("SIGKILL");

  const again = asNode((await ready(start(variables))).baseUrl, variables);
  const session = await rest(again, "GET", "/session", { token: user.token });
  expect([session.status, session.body.session.user.login]).toEqual([200, user.login]);
  const { token } = body.session;
  expect((await rest(again, "GET", "/session", { token })).status).toBe(200);
  const replayed = await rest(again, "POST", "/session", { body: used });
  expect([replayed.status, Object.keys(replayed.body.errors)]).toEqual([422, ["nonce"]]);
});

it("refuses to start a second process where only one may run, with the reason", async () => {
  // With Redis several nodes may share PostgreSQL, so the second one runs without Redis.
  const variables = await environment();
  await ready(start(variables));
  const second = start({ ...variables, REDIS_URL: "" });
  expect(await second.exited).toBe(1);
  expect(second.output()).toMatch(hasServices ? /REDIS_URL/ : /another process|process \d+/i);
  expect(second.output()).not.toMatch(/\n +at /);
});

it("lists all problems of the configuration at once", async () => {
  const service = start({
    PORT: "http",
    LOG_LEVEL: "loud",
    DATABASE_URL: "mysql://root:hunter2@db",
    TRUST_PROXY: "10.0.0.0/33",
  });
  expect(await service.exited).toBe(1);
  const output = service.output();
  for (const name of ["PORT", "LOG_LEVEL", "DATABASE_URL", "TRUST_PROXY"]) {
    expect(output).toMatch(new RegExp(`^ {2}- ${name} `, "m"));
  }
  expect(output).not.toContain("hunter2");
  expect(output).not.toMatch(/\n +at /);
});

it("reports without a stack trace that a port is in use", async () => {
  const blocker = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => blocker.once("listening", resolve));
  const { port } = blocker.address() as { port: number };
  try {
    const service = start({ ...(await environment()), PORT: String(port) });
    expect(await service.exited).toBe(1);
    expect(service.output()).toContain(String(port));
    expect(service.output()).not.toMatch(/\n +at /);
  } finally {
    blocker.close();
  }
});
