import { addLiveCall } from "../../support/calls/calls";
import { ownersEnvironment, runCommand } from "../../support/cli/command-line";
import { addConference } from "../../support/conferences/stored-conference";
import { startNode, type TestNode } from "../../support/node";
import { addFailedJob } from "../../support/operations/failed-jobs";
import { addEvent } from "../../support/push/push";
import { addSubscription } from "../../support/push/push-devices";
import { newUser, type TestUser } from "../../support/rest-client";

/** The commands for what is live: calls, conferences, health, statistics and pushes. */

let node: TestNode;
let app: string[];
let ann: TestUser;
let bob: TestUser;
beforeAll(async () => {
  node = await startNode();
  app = ["--app", String(node.application.id)];
  [ann, bob] = [await newUser(node), await newUser(node)];
});
afterAll(() => node.stop());

const signalbox = (args: string[]) => runCommand(args, ownersEnvironment(node));

/** The JSON output of a command that must succeed. */
async function runJson(...args: string[]) {
  const { code, out, err } = await signalbox(["--json", ...args]);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out);
}

it("lists calls, shows one with its signals, and ends it", async () => {
  const id = String(await addLiveCall(node, ann, bob));
  const ofBob = [
    "call",
    "list",
    ...app,
    "--user",
    String(bob.id),
    "--states",
    "ringing",
    "accepted",
  ];
  expect((await runJson(...ofBob)).nodes).toMatchObject([{ id, state: "RINGING" }]);
  expect(await runJson("call", "show", "--call", id)).toMatchObject({
    id,
    callerId: String(ann.id),
    participants: [{ userId: String(ann.id) }, { userId: String(bob.id) }],
  });
  expect(await runJson("call", "signals", "--call", id)).toEqual([]);
  expect(await runJson("call", "end", "--call", id)).toMatchObject({
    id,
    state: "HUNG_UP",
    endReason: "ENDED_BY_MEMBER",
  });
  expect((await runJson(...ofBob)).nodes).toEqual([]);
  expect((await runJson("call", "list", ...app, "--states", "hung-up")).nodes).toHaveLength(1);
});

it("lists conferences, shows one with its participants, and closes it", async () => {
  const { id } = await addConference(node, ann);
  const open = ["conference", "list", ...app, "--open", "true"];
  expect((await runJson(...open)).nodes).toMatchObject([{ id, closedAt: null }]);
  expect(await runJson("conference", "show", "--conference", id)).toMatchObject({ id });
  expect(await runJson("conference", "participants", "--conference", id)).toMatchObject([
    { id: String(ann.id) },
  ]);
  const closed = await runJson("conference", "close", "--conference", id);
  expect(closed).toMatchObject({ id, closedAt: expect.any(String) });
  expect((await runJson(...open)).nodes).toEqual([]);
});

it("shows checks, nodes, queues and failed jobs, and runs one again", async () => {
  const checks = await signalbox(["health", "checks"]);
  expect(checks.out).toMatch(/^status +name +detail +fix\n/);
  expect(checks.out).toMatch(/^OK +database /m);
  expect(await runJson("health", "nodes")).toMatchObject([{ missing: false }]);
  const queues = await runJson("health", "queues");
  expect(queues).toEqual(expect.arrayContaining([expect.objectContaining({ failed: 0 })]));
  const job = await addFailedJob(node);
  const { nodes } = await runJson("health", "failed-jobs");
  expect(nodes).toMatchObject([{ id: job, applicationId: String(node.application.id) }]);
  expect(await runJson("health", "retry-job", ...app, "--job", job)).toMatchObject({ jobId: job });
});

it("shows statistics of an application and of the account, and what is live", async () => {
  const figures = { requests: expect.any(Number), signIns: expect.any(Number) };
  const ofApp = ["statistics", "app", ...app, "--period", "day"];
  expect((await runJson(...ofApp)).totals).toMatchObject(figures);
  const ofAccount = await runJson("statistics", "account", "--period", "hour");
  expect(ofAccount.totals).toMatchObject(figures);
  expect(await runJson("statistics", "activity", ...app)).toMatchObject({
    sessions: { isExact: true },
    calls: { isExact: true },
  });
  const table = await signalbox(ofApp);
  expect(table.out).toMatch(/^totals\.requests +\d+$/m);
});

it("sends a push to a user, lists pushes and stops one", async () => {
  const send = ["push", "send", ...app, "--environment", "development", "--body", "Hello"];
  const refused = await signalbox([...send, "--users", String(bob.id)]);
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/No one can receive/)]);
  await addSubscription(node, ann);
  const sent = await runJson(...send, "--title", "Shop", "--users", String(ann.id));
  expect(sent).toMatchObject([{ id: expect.any(String), channel: "GCM" }]);
  const scheduled = String(await addEvent(node, ann));
  const listed = (await runJson("push", "events", ...app)).nodes;
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([scheduled, sent[0].id]);
  expect(await runJson("push", "stop", "--event", scheduled)).toMatchObject({ id: scheduled });
  const missing = await signalbox(["push", "stop", "--event", "999999"]);
  expect([missing.code, missing.err]).toEqual([1, expect.stringMatching(/^There is no such/)]);
});
