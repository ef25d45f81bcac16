import { systemClock } from "../src/core/clock";
import { readConfig } from "../src/core/config";
import { createSignedRequest, type SigningKeys } from "../src/domain/sessions/signature";
import { asMember } from "../src/transports/cli/connection/member";
import { type Execute, executeWith, resolveAccess } from "../src/transports/cli/connection/server";
import type { StandIns } from "../tools/stand-ins/start";

const LOGIN = "push-trial";
const PASSWORD = "push trial, for nobody";

const FIRST = "{ account { applications { id authKey authSecret } } }";
const SET = `mutation ($input: SetPushCredentialsInput!) {
  setPushCredentials(input: $input) { warning }
}`;
const CREATE = `mutation ($input: CreateSessionInput!) {
  createSession(input: $input) { session { token userId } }
}`;
const SIGN_UP = "mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }";
const SUBSCRIBE = `mutation ($input: CreatePushSubscriptionInput!) {
  createPushSubscription(input: $input) { subscription { id } }
}`;

/** The recipient of the trial pushes. */
export interface Trial {
  applicationId: string;
  userId: string;
}

/**
 * Prepares the running server for a trial: sets the stand-ins' credentials for its first application, and
 * creates a user with a device of each kind.
 * @throws CommandError if the server is unreachable or rejects a request
 */
export async function prepareTrial(standIns: StandIns): Promise<Trial> {
  const access = resolveAccess({}, readConfig());
  const application = await asMember(access, async (ask) => {
    const { account } = await ask(FIRST);
    const [first] = (account as { applications: SigningKeys[] }).applications;
    if (!first) throw new Error("The account has no application.");
    await setStandInCredentials(ask, first.id, standIns);
    return first;
  });
  const user = { login: LOGIN, password: PASSWORD };
  const open = async (who?: object) => {
    const input = {
      ...createSignedRequest(application, Math.floor(systemClock.now() / 1000)),
      user: who,
    };
    const { createSession } = await executeWith(access)(CREATE, { input });
    return (createSession as { session: { token: string; userId: string } }).session;
  };
  const asSession = (token: string): Execute => executeWith(access, token);
  const { token } = await open();
  // Fails if an earlier trial created the user.
  await asSession(token)(SIGN_UP, { input: user }).catch(() => null);
  const session = await open(user);
  await subscribeAll(asSession(session.token), standIns);
  return { applicationId: application.id, userId: session.userId };
}

/** Sets the credentials of all stand-ins for an application. */
export async function setStandInCredentials(
  ask: Execute,
  applicationId: string,
  { credentials }: StandIns,
): Promise<void> {
  const { apns, fcm, web } = credentials;
  const { key, keyId, teamId, bundleId, baseUrl, ca } = apns;
  const serviceAccount = {
    type: "service_account",
    project_id: fcm.projectId,
    private_key_id: fcm.privateKeyId,
    private_key: fcm.privateKey,
    client_email: fcm.clientEmail,
    token_uri: fcm.tokenUrl,
  };
  const target = { applicationId, environment: "DEVELOPMENT" };
  for (const service of [
    { apns: { key, keyId, teamId, bundleId, baseUrl, ca } },
    { fcm: { serviceAccount, baseUrl: fcm.baseUrl, ca: fcm.ca } },
    { web: { privateKey: web.privateKey, subject: web.subject, ca: web.ca } },
  ]) {
    await ask(SET, { input: { ...target, ...service } });
  }
}

async function subscribeAll(ask: Execute, { devices }: StandIns): Promise<void> {
  const environment = "DEVELOPMENT";
  const { endpoint, auth, p256dh } = devices.web;
  for (const device of [
    { channel: "APNS", platform: "IOS", token: devices.apns, udid: "trial-ios" },
    { channel: "GCM", platform: "ANDROID", token: devices.fcm, udid: "trial-android" },
    { channel: "WEB", platform: "WEB", web: { endpoint, auth, p256dh }, udid: "trial-web" },
  ]) {
    await ask(SUBSCRIBE, { input: { ...device, environment } });
  }
}
