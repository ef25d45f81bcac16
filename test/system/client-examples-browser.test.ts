import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { CALL_FLAGS, openBrowser } from "../support/calls/browser";
import { startNode, type TestNode } from "../support/node";
import {
  bundleExample,
  type ClientExample,
  clientExamples,
  needsBrowser,
  placeExample,
} from "../support/published-clients/client-examples";
import { newUser, type TestUser } from "../support/rest-client";

/** The examples in the documentation of @signalbox/client that need a browser. */

const examples = clientExamples().examples.filter(needsBrowser);

let node: TestNode;
let browser: BrowserContext & { dispose(): Promise<void> };
let server: Server;
let url: string;
let ann: TestUser;
let ben: TestUser;
/** The code of the page that is opened next. */
let code = "";
const errors: string[] = [];

beforeAll(async () => {
  node = await startNode();
  ann = await newUser(node, { login: "ann", full_name: "Ann" });
  ben = await newUser(node);
  browser = await openBrowser({ args: CALL_FLAGS });
  server = createServer(({ url = "" }, response) => {
    if (url === "/session") response.end(JSON.stringify({ token: ann.token }));
    else if (url === "/code.js") response.setHeader("Content-Type", "text/javascript").end(code);
    else {
      response.setHeader("Content-Type", "text/html");
      response.end(
        `<!doctype html><link rel="icon" href="data:,"><div id="root"></div><video></video>
         <script type="module" src="/code.js"></script>`,
      );
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  // Who is called by the examples.
  await open(`${clientOf(ben)}
    signalbox.calls.on("incoming", (call) => call.accept());
    await signalbox.session.current();`);
});
afterAll(async () => {
  await browser?.dispose();
  server?.close();
  server?.closeAllConnections();
  await node?.stop();
});
afterEach(async () => {
  for (const page of browser.pages().slice(2)) await page.close();
  expect(errors.splice(0)).toEqual([]);
});

/** A global client of a user, as the examples assume one. */
const clientOf = ({ token }: TestUser) => `
  import { createSignalbox as openGlobal } from "@signalbox/client";
  globalThis.signalbox ??= openGlobal({ url: "${node.baseUrl}", session: () => "${token}" });`;

/** Runs code in a new page until it has ended. */
async function open(text: string): Promise<Page> {
  code = await bundleExample(`${text}\nwindow.hasRun = true;`, "browser");
  const page = await browser.newPage();
  // Shorter than jest's timeout, so that a test that hangs reports the step.
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => errors.push(error.stack ?? error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.goto(url);
  await page.waitForFunction("window.hasRun").catch((error) => {
    throw new Error(`${error.message} ${errors.splice(0)}`);
  });
  return page;
}

const placed = ({ code }: ClientExample) =>
  placeExample(code, { baseUrl: node.baseUrl, application: node.application, userId: ben.id });

/** Renders the component that an example exports, in StrictMode, with what its properties ask for. */
const render = (example: ClientExample) => `
  import { createElement as element, StrictMode } from "react";
  import { createRoot } from "react-dom/client";
  import { createConference as conferenceOf } from "@signalbox/client";
  import { SignalboxProvider as Provider } from "@signalbox/client/react";
  ${placed(example).replaceAll("export function", "globalThis.Component = function")}
  ${clientOf(ann)}
  const text = String(Component);
  const properties = {
    call: /\\bcall\\b/.test(text) && (await signalbox.calls.start({ users: [${ben.id}], video: true })),
    stream: /\\bstream\\b/.test(text) && (await navigator.mediaDevices.getUserMedia({ video: true })),
  };
  if (/\\bconference\\b/.test(text)) {
    const { id } = await conferenceOf(signalbox.session, { name: "Example of ${example.name}" });
    properties.conference = await signalbox.conferences.join(id, { audio: true, video: true });
  }
  createRoot(document.getElementById("root")).render(
    element(StrictMode, null, element(Provider, { signalbox }, element(Component, properties))));`;

test("there are examples of calls, conferences and React", () => {
  const names = examples.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["Call", "Conference", "joinAsGuest", "useCall"]));
});

test.each(
  examples.map((example) => [example.name, example] as const),
)("the example of %s runs", async (_name, example) => {
  const isComponent = example.language === "tsx";
  const page = await open(isComponent ? render(example) : `${clientOf(ann)}\n${placed(example)}`);
  if (isComponent) await page.waitForSelector("#root > *", { state: "attached" });
});
