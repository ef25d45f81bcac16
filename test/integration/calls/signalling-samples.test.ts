import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { connectGraphqlWs, type GraphqlClient } from "../../support/calls/graphql-signals";
import { closeAfterEach } from "../../support/close-after-each";
import { startNode, type TestNode } from "../../support/node";
import {
  type PrintedFolder,
  type PrintedProgram,
  printedFolder,
} from "../../support/printed-programs";
import { newUser, rest, signIn, type TestUser } from "../../support/rest-client";

/** Runs the programs and commands that docs/SIGNALING.md prints; test/system runs those for browsers. */

const COMMANDS = Array.from(
  readFileSync(join(__dirname, "../../../docs/SIGNALING.md"), "utf8").matchAll(
    /^```sh\n(curl [\s\S]+?)^```$/gm,
  ),
  ([, command = ""]) => command,
);

const STUN = "stun:stun.example:3478";

let node: TestNode;
let folder: PrintedFolder;
let alice: TestUser;
let bob: TestUser;
const closing = closeAfterEach();
beforeAll(async () => {
  node = await startNode({ CHAT_DOMAIN: "localhost", TURN_URLS: STUN });
  // The ids that the document assumes.
  [alice, bob] = [await newUser(node), await newUser(node)];
  expect([node.application.id, alice.id, bob.id]).toEqual([1, 1, 2]);
  folder = await printedFolder(node);
});
afterAll(async () => {
  await folder?.close();
  await node.stop();
});

const connect = async (user: TestUser): Promise<GraphqlClient> =>
  closing(await connectGraphqlWs(node, user));

/** A program that uses the modules of the document, as the user of a token. */
const runAs = (user: TestUser, code: string) =>
  folder.runCode(code, { SESSION: JSON.stringify({ url: node.graphqlUrl, token: user.token }) });
const SESSION = "const session = JSON.parse(process.env.SESSION);";

/** Acts until the program prints a line that contains a text, since subscriptions are not confirmed. */
async function actUntilPrinted(
  program: PrintedProgram,
  text: string,
  act: () => Promise<unknown>,
): Promise<string> {
  let printed: string | undefined;
  const reading = (async () => {
    while (printed === undefined) {
      const line = await program.next();
      if (line.includes(text)) printed = line;
    }
  })();
  const acting = (async () => {
    while (printed === undefined) await act();
  })();
  await Promise.all([reading, acting]);
  return printed as unknown as string;
}

const call = (callId: string) => ({
  to: { userId: bob.id },
  ...{ signalType: "call", callId, callType: "VIDEO", sdp: "v=0\r\n" },
});

test("sign-in.mjs prints the id and the token of a user, or the error", async () => {
  const { next, ended } = folder.run("sign-in.mjs", [bob.login, bob.password]);
  const [id, token] = (await next()).split(" ");
  expect(Number(id)).toBe(bob.id);
  expect(await ended).toBe(0);
  expect((await rest(node, "GET", "/session", { token })).body.session.user_id).toBe(bob.id);

  const refused = folder.run("sign-in.mjs", [bob.login, "wrong horse"]);
  await expect(refused.next()).rejects.toThrow(/Unauthorized/);
  expect(await refused.ended).toBe(1);
});

test("listen.mjs prints every signal to the user", async () => {
  const sender = await connect(alice);
  const program = folder.run("listen.mjs", [], { TOKEN: bob.token });
  await actUntilPrinted(program, "callId: 'listened'", () => sender.send(call("listened")));
});

test("answers.mjs prints the calls that another device settled", async () => {
  const [caller, phone] = [await connect(alice), await connect(bob)];
  const tab = await signIn(node, bob);
  const program = folder.run("answers.mjs", [], { TOKEN: tab.token });
  let count = 0;
  const line = await actUntilPrinted(program, "Stop ringing", async () => {
    const callId = `settled-${++count}`;
    await caller.send(call(callId));
    await phone.send({
      to: { userId: alice.id, device: caller.device },
      ...{ signalType: "accept", callId, sdp: "v=0\r\n" },
    });
  });
  expect(line).toMatch(/^Stop ringing settled-\d+: graphql-\d+ sent accept\.$/);
  expect(line).toContain(`: ${phone.device} sent`);
});

test("ask.js sends signals, and throws errors with their code", async () => {
  const receiver = await connect(bob);
  const program = await runAs(
    alice,
    `import { ask, sendSignal } from "./ask.js";
    ${SESSION}
    const signal = { call: { callId: "asked", callType: "VIDEO", sdp: "v=0\\r\\n" } };
    console.log((await ask(session, "{ currentSession { user { id } } }")).currentSession.user.id);
    console.log(Object.keys((await sendSignal(session, { userId: "2" }, signal)).sendSignal).join());
    await sendSignal(session, { userId: "999" }, signal).catch(({ code }) => console.log(code));`,
  );
  expect([await program.next(), await program.next(), await program.next()]).toEqual([
    String(alice.id),
    "id,cursor",
    "NOT_FOUND",
  ]);
  let signal = await receiver.next();
  // Calls of the other tests may still ring.
  while (signal.callId !== "asked") signal = await receiver.next();
  expect(signal).toMatchObject({ signalType: "call", from: { userId: String(alice.id) } });
});

test("decline.js declines a call", async () => {
  const caller = await connect(alice);
  const program = await runAs(
    bob,
    `import { decline } from "./decline.js";
    ${SESSION}
    const from = { userId: "${alice.id}", device: "${caller.device}" };
    await decline(session, { callId: "declined", from }, { busy: true });`,
  );
  expect(await program.ended).toBe(0);
  expect(await caller.next()).toMatchObject({
    signalType: "reject",
    callId: "declined",
    userInfo: { busy: true },
    from: { userId: String(bob.id) },
  });
});

test("ice.js returns the ICE servers", async () => {
  const program = await runAs(
    bob,
    `import { iceServersOf } from "./ice.js";
    ${SESSION}
    console.log(JSON.stringify(await iceServersOf(session)));`,
  );
  const [server] = JSON.parse(await program.next());
  expect(server).toMatchObject({ urls: [STUN], username: null, credential: null });
});

test("the printed curl commands send a call and a reject", async () => {
  expect(COMMANDS).toHaveLength(2);
  const [send, reject] = COMMANDS as [string, string];
  const [caller, callee] = [await connect(alice), await connect(bob)];
  const { host } = new URL(node.baseUrl);
  const run = async (command: string, TOKEN: string) => {
    const own = command.replaceAll("127.0.0.1:4000", host);
    const env = { PATH: process.env.PATH, TOKEN };
    const { stdout } = await promisify(execFile)("sh", ["-c", own], { env });
    return JSON.parse(stdout);
  };
  const sent = await run(send, alice.token);
  let signal = await callee.next();
  while (signal.id !== sent.data.sendSignal.id) signal = await callee.next();
  expect(signal).toMatchObject({ signalType: "call", userInfo: { topic: "Planning" } });

  expect(await run(reject, bob.token)).toEqual({});
  expect(await caller.next()).toMatchObject({
    signalType: "reject",
    callId: signal.callId,
    userInfo: { busy: true },
  });
});

test("xmpp.mjs calls user 2, and prints what it receives", async () => {
  const callee = await connect(bob);
  callee.discard();
  const program = folder.run("xmpp.mjs", [], { TOKEN: alice.token });
  let signal = await callee.next();
  while (signal.from.device !== "laptop") signal = await callee.next();
  expect(signal).toMatchObject({ signalType: "call", callType: "VIDEO", sdp: "v=0\r\n" });
  await callee.send({ to: signal.from, signalType: "reject", callId: signal.callId });
  expect(await program.next()).toMatch(
    new RegExp(`^2-1@localhost/graphql-\\d+ reject ${signal.callId}$`),
  );
  program.child.kill();
});
