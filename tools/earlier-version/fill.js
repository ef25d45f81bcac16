/**
 * A test file of version 5edfd23: fills every table of a PostgreSQL database through that version, and dumps it while
 * the node runs, as a node leaves it that is killed. `make.ts` runs it there, as TypeScript.
 */
const { execFile } = require("node:child_process");
const { writeFile } = require("node:fs/promises");
const { promisify } = require("node:util");
const { generateVAPIDKeys } = require("web-push");
const { graphql, newUser, rest, signIn, signedParameters } = require("../support/client");
const { newSessionId, send, waitForCall } = require("../support/calls/calls");
const { addConference, guestToken } = require("../support/conferences/stored-conference");
const { openSocket } = require("../support/graphql/graphql-socket");
const { eventually } = require("../support/moving-clock");
const { startNode } = require("../support/node");
const { addFailedJob } = require("../support/operations/failed-jobs");
const { addDevice, addEvent, payload, postEvent } = require("../support/push/push");
const { addSubscription } = require("../support/push/push-devices");
const { RecordingProviders } = require("../support/push/recording-provider");
const { addMember, ownerCredentials } = require("../support/sessions/owner");

const SIGN_IN = "mutation ($input: SignInOwnerInput!) { signInOwner(input: $input) { token } }";
const RENAME = `mutation ($input: UpdateApplicationInput!) {
  updateApplication(input: $input) { application { id } } }`;
const CREDENTIALS = `mutation ($input: SetPushCredentialsInput!) {
  setPushCredentials(input: $input) { warning } }`;
const providers = new RecordingProviders();

/** What clients do: users, sessions, devices, pushes of which one waits, a call, conferences, changes of a member. */
async function use(node) {
  const ann = await newUser(node, {
    email: "ann@example.com",
    external_id: "ann-1",
    full_name: "Ann Müller",
    tag_list: "one,two",
    custom_data: '{"a":1}',
  });
  const ben = await newUser(node);
  await signIn(node, ann);
  await rest(node, "POST", "/session/web", { body: signedParameters(node) });
  const device = await addDevice(node, ben);
  const accepting = await addDevice(node, ann);
  await addSubscription(node, ann);
  providers.outcomes.set(device, () => ({ kind: "retry", reason: "busy", delayMs: 3_600_000 }));
  const message = payload({ data: { text: "Hello" } });
  for (const { id } of [ann, ben]) {
    await postEvent(node, ann, { push_type: "gcm", message, user: { ids: id } });
  }
  await eventually(
    () => providers.tokens(),
    (tokens) => tokens.includes(device) && tokens.includes(accepting),
  );
  await addEvent(node, ann);
  const callId = newSessionId();
  await send(node, ann, ben, "call", callId);
  await send(node, ben, ann, "accept", callId);
  await send(node, ann, ben, "hangUp", callId);
  await waitForCall(node, ann, callId, "HUNG_UP");
  const ringingId = newSessionId();
  await send(node, ben, ann, "call", ringingId);
  await waitForCall(node, ben, ringingId, "RINGING");
  const conference = await addConference(node, ann);
  const guest = await guestToken(node, conference);
  await node.sql("INSERT INTO conference_users (conference_id, user_id) VALUES ($1, $2)", [
    Number(conference.id),
    ben.id,
  ]);
  // Both need another service: a provider of identities, and a mail server.
  await node.sql(
    "INSERT INTO identities (application_id, user_id, provider, subject) VALUES ($1, $2, 'facebook', 'fb-ann')",
    [node.application.id, ann.id],
  );
  await node.sql(
    "INSERT INTO password_resets (user_id, token_hash, expires_at) VALUES ($1, sha256('reset'), now() + interval '1 hour')",
    [ben.id],
  );
  // The row of a node with a conference, which needs participants with media.
  await node.sql("INSERT INTO conference_nodes (id, lease_until) VALUES ('another node', now())");
  await addMember(node);
  await addFailedJob(node);
  const owner = ownerCredentials(node);
  const { data } = await graphql(node, SIGN_IN, { input: owner });
  const { token } = data.signInOwner;
  const applicationId = String(node.application.id);
  await graphql(node, RENAME, { input: { applicationId, name: "Renamed" } }, token);
  const web = {
    input: {
      applicationId,
      environment: "PRODUCTION",
      web: { subject: "mailto:push@example.com", ...generateVAPIDKeys() },
    },
  };
  const { errors } = await graphql(node, CREDENTIALS, web, token);
  if (errors) throw new Error(JSON.stringify(errors));
  const socket = await openSocket(node, ann.token);
  return {
    application: node.application,
    owner,
    token,
    ann,
    ben,
    device,
    callId,
    ringingId,
    conference,
    guest,
    socket,
  };
}

/** The tables without rows. */
async function emptyTables(node) {
  const tables = await node.sql(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const empty = [];
  for (const { name } of tables) {
    const rows = await node.sql(`SELECT FROM "${name}" LIMIT 1`);
    if (rows.length === 0) empty.push(name);
  }
  return empty;
}

test("fills every table, and dumps the database", async () => {
  const node = await startNode({}, { pushProvider: providers.open, jobsPollMs: 100 });
  try {
    const { socket, ...used } = await use(node);
    // Nodes count what has happened once a minute.
    for (let empty = ["all"]; empty.length > 0; empty = await emptyTables(node)) {
      if (empty[0] !== "all") console.log(`still empty: ${empty.join(", ")}`);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
    // In the session's settings of the server, which the dump does not have.
    const time = (await node.sql("SELECT now()::text AS time"))[0].time;
    const options = ["--inserts", "--rows-per-insert=50", "--no-owner", "--no-privileges"];
    const { stdout } = await promisify(execFile)(
      "pg_dump",
      [...options, `--dbname=${node.environment.DATABASE_URL}`],
      { maxBuffer: 2 ** 26 },
    );
    await socket.close();
    await writeFile(process.env.DUMP_FILE, stdout);
    await writeFile(
      `${process.env.DUMP_FILE}.json`,
      `${JSON.stringify({ time, ...used }, null, 2)}\n`,
    );
  } finally {
    await node.stop();
  }
});
