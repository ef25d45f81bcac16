import { createPublicKey, randomBytes } from "node:crypto";
import type { FcmCredentials } from "../../../src/domain/push/credentials/credentials";
import type { FcmPush } from "../../../src/domain/push/payload/push-payload";
import { openFcm } from "../../../src/domain/push/providers/fcm/fcm";
import type { Provider } from "../../../src/domain/push/providers/port/provider";
import type { ProviderOptions } from "../../../src/domain/push/providers/port/provider-options";
import { makeAuthority, makeServerCertificate } from "../../../tools/stand-ins/certificates";
import { type FcmStandIn, startFcm } from "../../../tools/stand-ins/fcm";
import { newServiceKey } from "../../../tools/stand-ins/stored-keys";
import { type ProviderFixture, targetOf, testOptions } from "./provider-fixture";

/** An FCM provider connected to its stand-in. */
export interface FcmFixture extends ProviderFixture {
  standIn: FcmStandIn;
  push: FcmPush;
  credentials: FcmCredentials;
  openWith(credentials: FcmCredentials, options?: Partial<ProviderOptions>): Provider;
}

/** Starts the stand-in on a free port. */
export async function startFcmFixture(): Promise<FcmFixture> {
  const authority = makeAuthority();
  const privateKey = newServiceKey();
  const account = {
    projectId: "example-project",
    clientEmail: "push@example-project.iam.gserviceaccount.com",
    publicKey: createPublicKey(privateKey),
  };
  const standIn = await startFcm(
    { server: makeServerCertificate(authority), authority: authority.certificate },
    account,
  );
  const credentials: FcmCredentials = {
    service: "fcm",
    projectId: account.projectId,
    clientEmail: account.clientEmail,
    privateKey,
    baseUrl: standIn.url,
    tokenUrl: standIn.tokenUrl,
    ca: authority.certificate,
  };
  const openWith = (given: FcmCredentials, options?: Partial<ProviderOptions>) =>
    openFcm(given, testOptions(options));
  return {
    standIn,
    credentials,
    openWith,
    open: (options) => openWith(credentials, options),
    openForged: () => openWith({ ...credentials, privateKey: newServiceKey() }),
    openUnreachable: () => openWith({ ...credentials, baseUrl: "https://127.0.0.1:9" }),
    openUntrusted: () => openWith({ ...credentials, ca: undefined }),
    push: {
      channel: "gcm",
      message: {
        data: { message: "Grüße", room: "12" },
        notification: { title: "Hello" },
        android: { priority: "high", ttl: "3600s" },
      },
    },
    device: () => targetOf(`fcm:${randomBytes(60).toString("base64url")}`),
    script: ({ token }, ...behaviours) => standIn.script.set(token, ...behaviours),
    receivedDevices: () => standIn.received.items.map(({ device }) => device),
    // Requests for access tokens are not recorded, so their connections do not count.
    connections: () => new Set(standIn.received.items.map(({ connection }) => connection)).size,
    dropConnections: standIn.dropConnections,
    secrets: [privateKey, privateKey.split("\n")[1]!],
    close: standIn.close,
  };
}
