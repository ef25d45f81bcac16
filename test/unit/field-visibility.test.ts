import { isInterfaceType, isObjectType } from "graphql";
import { restSchema, visibilityOf } from "../../src/transports/graphql/schema";

/** Every field whose name looks like a secret is marked by @VisibleTo, or harmless for a reason. */

const SUSPICIOUS =
  /secret|token|password|passphrase|key|credential|hash|private|certificate|signature|qrCode/i;

const HARMLESS: Record<string, string> = {
  "Account.accountKey": "public: accountSettings finds the endpoints by it",
  "AccountSettings.accountKey": "public: the key that the caller sent",
  "AdmitConferenceGuestPayload.token": "the caller's own new token",
  "AndroidNotification.": "a part of a push",
  "Application.apiKeys": "objects without the keys",
  "SessionEntry.apiKey": "an object without the key",
  "ApnsCredentialsType.certificateSubject": "names the certificate, which is public",
  "ApnsCredentialsType.certificateValidUntil": "a date",
  "ApnsCredentialsType.keyId": "names the key",
  "AppleNotification.bodyLocKey": "names a text of the app",
  "AppleNotification.titleLocKey": "names a text of the app",
  "Account.pushCredentialProblems": "what is wrong with credentials, without their secrets",
  "Application.accountKey": "public, as Account.accountKey",
  "Application.authKey": "public: every signed request holds it",
  "Application.emailNeedsPassword": "a setting",
  "Application.previousSecretValidUntil": "a date",
  "Application.pushCredentials": "an object without secrets",
  "AuditEntry.apiKey": "id and name of a key",
  "ClearPushCredentialsPayload.credentials": "an object without secrets",
  "CreateApiKeyPayload.apiKey": "an object without the key",
  "CreateApiKeyPayload.key": "the developer's own new key, of an operation of developers",
  "CreateConferenceLinkPayload.secret": "the caller's own new link, of an operation of users",
  "CreateWebSessionPayload.qrCode": "the caller's own new session",
  "FacebookSettings.appSecretSet": "whether there is one",
  "FcmCredentialsType.privateKeyId": "names the key",
  "FcmCredentialsType.tokenUrl": "an address",
  "FirebaseSettings.keysUrl": "an address of public keys",
  "IceServer.credential": "the caller's own, of an operation of users",
  "JwtSettings.secretSet": "whether there is one",
  "Mutation.": "an operation",
  "PushChannelDryRun.droppedKeys": "names of keys of a message",
  "PushDisplay.bodyLocKey": "names a text of the app",
  "PushDisplay.titleLocKey": "names a text of the app",
  "Query.": "an operation",
  "RevokeApiKeyPayload.revokedApiKeyId": "an id",
  "Session.token": "the caller's own token",
  "SetPushCredentialsPayload.credentials": "an object without secrets",
  "SignInMemberPayload.token": "the caller's own new token",
  "TwitterSettings.consumerKey": "public: names the app",
  "TwitterSettings.consumerSecretSet": "whether there is one",
  "WebPushCredentialsType.publicKey": "public",
};

/** Whether only developers and owners see a field. */
const isSecret = (field: Parameters<typeof visibilityOf>[0]) =>
  visibilityOf(field)?.role === "developer";

const FIELDS = Object.values(restSchema().getTypeMap()).flatMap((type) =>
  (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith("__")
    ? Object.values(type.getFields()).map((field) => ({
        name: `${type.name}.${field.name}`,
        field,
      }))
    : [],
);

test("a field whose name looks like a secret is marked, or named as harmless", () => {
  const unknown = FIELDS.filter(({ name, field }) => {
    if (!SUSPICIOUS.test(field.name) || isSecret(field)) return false;
    return !(name in HARMLESS) && !(`${name.split(".")[0]}.` in HARMLESS);
  });
  expect(unknown.map(({ name }) => name)).toEqual([]);
});

test("the fields of members only are nullable, and say who gets them", () => {
  const marked = FIELDS.filter(({ field }) => visibilityOf(field)?.role === "support");
  expect(marked.map(({ name }) => name).sort()).toEqual([
    "Call.applicationId",
    "Call.timeline",
    "Call.timelineTruncated",
    "Conference.applicationId",
    "Conference.engine",
    "Conference.hostNodeId",
    "Conference.origin",
    "ConferenceParticipant.audioMutedByModerator",
    "ConferenceParticipant.audioMutedByParticipant",
    "ConferenceParticipant.videoMutedByModerator",
    "ConferenceParticipant.videoMutedByParticipant",
    "SessionEntry.apiKey",
    "User.blockReason",
    "User.blockedAt",
  ]);
  for (const { field } of marked) {
    expect(String(field.type)).not.toMatch(/!$/);
    expect(typeof visibilityOf(field)?.applicationOf).toBe("function");
    expect(field.description).toMatch(
      /\bfor everybody but members of the application's account\.$/,
    );
  }
});

test("the secrets are nullable and say who gets them; the exceptions exist", () => {
  const marked = FIELDS.filter(({ field }) => isSecret(field));
  expect(marked.map(({ name }) => name).sort()).toEqual(["Application.authSecret"]);
  for (const { field } of marked) {
    expect(String(field.type)).not.toMatch(/!$/);
    expect(field.description).toMatch(/Null for members with the role support/);
  }
  const names = FIELDS.map(({ name }) => name);
  const unused = Object.keys(HARMLESS).filter(
    (name) => !names.some((each) => each === name || (name.endsWith(".") && each.startsWith(name))),
  );
  expect(unused).toEqual([]);
});
