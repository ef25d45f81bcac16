import { getIntrospectionQuery } from "graphql";
import { graphql } from "../../tools/graphql/graphql-http";
import { openBrowser } from "../support/calls/browser";
import { eventually } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";
import { newUser } from "../support/rest-client";

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

it("GraphiQL's introspection query is within the limits", async () => {
  const query = getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true });
  const { data, errors } = await graphql(node, query);
  expect(errors).toBeUndefined();
  expect(data.__schema.subscriptionType.name).toBe("Subscription");
});

it("serves the page and its files without third-party resources", async () => {
  const page = await fetch(node.graphqlUrl, { headers: { accept: "text/html" } });
  expect(page.headers.get("content-type")).toMatch("text/html");
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1]);
  expect(files.length).toBeGreaterThanOrEqual(5);
  expect(html).not.toMatch(/https?:/);
  for (const file of files) {
    const answer = await fetch(`${node.baseUrl}${file}`);
    expect([file, answer.status, (await answer.text()).length > 500]).toEqual([file, 200, true]);
  }
});

it("its welcome fits a narrow editor, and names the command that prints a token", async () => {
  const script = await (await fetch(`${node.baseUrl}/graphql/assets/page.js`)).text();
  const welcomes = Array.from(script.matchAll(/"(# (?:[^"\\]|\\.)*)"/g), ([text]) =>
    String(JSON.parse(text)),
  );
  expect(welcomes).toHaveLength(2);
  expect(welcomes[0]).toContain("npx signalbox token --app 1");
  const lines = welcomes.flatMap((text) => text.split("\n"));
  expect(lines.filter((line) => line.length > 45)).toEqual([]);
});

it("is disabled by the configuration", async () => {
  const quiet = await startNode({ GRAPHIQL: "false" });
  try {
    const page = await fetch(quiet.graphqlUrl, { headers: { accept: "text/html" } });
    expect(page.headers.get("content-type")).not.toMatch("text/html");
    expect((await fetch(`${quiet.baseUrl}/graphql/assets/page.js`)).status).toBe(404);
  } finally {
    await quiet.stop();
  }
});

it("runs a query and a subscription in a real browser", async () => {
  const browser = await openBrowser();
  try {
    const [alice, bob] = [await newUser(node), await newUser(node)];
    const page = await browser.newPage();
    const foreign: string[] = [];
    page.on("request", (request) => {
      const { host, protocol } = new URL(request.url());
      if (protocol.startsWith("http") && host !== new URL(node.baseUrl).host) foreign.push(host);
    });
    const type = async (editor: string, text: string) => {
      await page.evaluate(
        `document.querySelector(${JSON.stringify(`${editor} .CodeMirror`)})
          .CodeMirror.setValue(${JSON.stringify(text)})`,
      );
      // GraphiQL needs a moment to parse the input.
      await page.waitForTimeout(1_000);
    };
    // Polled from here, because the page's policy forbids eval.
    const result = (text: string) =>
      eventually(
        () => page.evaluate('document.querySelector(".result-window")?.textContent ?? ""'),
        (shown) => String(shown).includes(text),
      );
    const tokens: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") tokens.push(request.headers()["svc-token"]);
    });
    await page.goto(node.graphqlUrl);
    await page.waitForSelector(".graphiql-query-editor .CodeMirror");
    // The header that waits for a token is not sent.
    await eventually(
      async () => tokens.length,
      (count) => count > 0,
    );
    expect(tokens).toEqual(tokens.map(() => undefined));
    await type(
      ".graphiql-editor-tool .graphiql-editor:not(.hidden)",
      JSON.stringify({ "Svc-Token": alice.token }),
    );
    await type(".graphiql-query-editor", "{ currentSession { user { login } } }");
    await page.click(".graphiql-execute-button");
    await result(alice.login);

    await type(
      ".graphiql-query-editor",
      "subscription Calls { callSignals { signalType callId } }",
    );
    await page.click(".graphiql-execute-button");
    // The subscription starts a moment later, so the call is repeated as a client would.
    const call = `mutation($to: ID!) { sendSignal(input: {to: {userId: $to},
      signal: {call: {callId: "browser-call", callType: VIDEO, sdp: "v=0"}}}) { id } }`;
    const repeat = setInterval(() => {
      void graphql(node, call, { to: alice.id }, bob.token);
    }, 500);
    await result("browser-call").finally(() => clearInterval(repeat));
    expect(foreign).toEqual([]);
  } finally {
    await browser.dispose();
  }
});
