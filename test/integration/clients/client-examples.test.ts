import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startNode, type TestNode } from "../../support/node";
import {
  bundleExample,
  clientExamples,
  compileExamples,
  countExamples,
  needsBrowser,
  placeExample,
} from "../../support/published-clients/client-examples";
import { newUser, type TestUser } from "../../support/rest-client";
import { newApiKey } from "../../support/sessions/api-keys";

/**
 * The examples in the documentation of @signalbox/client: each exported function and class has one. Those that need no
 * browser run here on Node.js; client-examples-browser.test.ts runs the others.
 */

const ROOT = join(__dirname, "../../..");
const run = promisify(execFile);
const { examples, missing } = clientExamples();

test("each exported function and class has an example", () => {
  expect(missing).toEqual([]);
  expect(examples.length).toBeGreaterThan(30);
  expect(examples).toHaveLength(countExamples());
});

test("the examples compile in strict mode, and a wrong one does not", () => {
  expect(compileExamples(examples)).toEqual([]);
  const wrong = { name: "wrong", file: "", language: "ts", code: "signalbox.calls.begin();" };
  expect(compileExamples([wrong])).toEqual([expect.stringContaining("'begin' does not exist")]);
});

describe("on Node.js", () => {
  const runnable = examples.filter((example) => !needsBrowser(example));
  let node: TestNode;
  let ann: TestUser;
  let folder: string;
  let apiKey: string;
  /** What an example finds. */
  let prelude: string;
  beforeAll(async () => {
    node = await startNode();
    ann = await newUser(node, { login: "ann", tag_list: "staff" });
    await newUser(node, { login: "alice" });
    await node.sql("UPDATE applications SET server_sessions_create_users = true");
    apiKey = await newApiKey(node, ["sessions"]);
    folder = await mkdtemp(join(tmpdir(), "signalbox-examples-"));
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const { token } = ann;
    // In one program with the example, so that both have the same classes.
    // Node.js before 22 has no WebSocket, and none has a base for the address of the backend.
    prelude = `
      import { createSignalbox as createGlobal } from "@signalbox/client";
      import { WebSocket as NodeWebSocket } from "ws";
      const { fetch: nodeFetch } = globalThis;
      globalThis.WebSocket ??= NodeWebSocket;
      Object.assign(globalThis, {
        fetch: async (url, init) =>
          url === "/session" ? Response.json({ token: "${token}" }) : nodeFetch(url, init),
        signalbox: createGlobal({ url: "${node.baseUrl}", session: () => "${token}" }),
      });
    `;
  });
  afterAll(async () => {
    await node?.stop();
    await rm(folder, { recursive: true });
  });

  test.each(
    runnable.map((example) => [example.name, example] as const),
  )("the example of %s runs", async (name, { code }) => {
    const { baseUrl, application } = node;
    const place = { baseUrl, application, userId: ann.id, apiKey };
    const file = join(folder, `${name}.mjs`);
    // A program ends by itself; an example may leave the client open.
    const program = `${prelude}${placeExample(code, place)}\nprocess.exit(0);`;
    await writeFile(file, await bundleExample(program, "node"));
    await run(process.execPath, [file], { cwd: folder, timeout: 60_000 });
  });
});
