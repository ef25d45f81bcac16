import { createPublicKey, randomBytes } from "node:crypto";
import type { ApnsCredentials } from "../../../src/domain/push/credentials/credentials";
import type { ApnsPush } from "../../../src/domain/push/payload/push-payload";
import { openApns } from "../../../src/domain/push/providers/apns/apns";
import type { Provider } from "../../../src/domain/push/providers/port/provider";
import type { ProviderOptions } from "../../../src/domain/push/providers/port/provider-options";
import { type ApnsStandIn, startApns } from "../../../tools/stand-ins/apns";
import { fingerprintOf } from "../../../tools/stand-ins/apns-rules";
import {
  type Certified,
  makeAppleCertificate,
  makeAuthority,
  makeServerCertificate,
} from "../../../tools/stand-ins/certificates";
import { newApnsKey } from "../../../tools/stand-ins/stored-keys";
import { type ProviderFixture, targetOf, testOptions } from "./provider-fixture";

const BUNDLE = "com.example.app";

/** An APNs provider connected to its stand-in. */
export interface ApnsFixture extends ProviderFixture {
  standIn: ApnsStandIn;
  push: ApnsPush;
  authority: Certified;
  token: ApnsCredentials & { kind: "token" };
  /** A certificate that the stand-in issued. */
  certificate: ApnsCredentials & { kind: "certificate" };
  openWith(credentials: ApnsCredentials, options?: Partial<ProviderOptions>): Provider;
}

/** Starts the stand-in on a free port. */
export async function startApnsFixture(): Promise<ApnsFixture> {
  const authority = makeAuthority();
  const key = newApnsKey();
  const issued = makeAppleCertificate(authority, BUNDLE);
  const standIn = await startApns(
    { server: makeServerCertificate(authority), authority: authority.certificate },
    {
      bundleIds: [BUNDLE, "com.example.other"],
      keys: new Map([["KEY0000001", { teamId: "TEAM000001", publicKey: createPublicKey(key) }]]),
      certificates: new Set([fingerprintOf(issued)]),
    },
  );
  const address = { baseUrl: standIn.url, ca: authority.certificate };
  const token: ApnsFixture["token"] = {
    service: "apns",
    kind: "token",
    bundleId: BUNDLE,
    key,
    keyId: "KEY0000001",
    teamId: "TEAM000001",
    ...address,
  };
  const certificate: ApnsFixture["certificate"] = {
    service: "apns",
    kind: "certificate",
    bundleId: BUNDLE,
    ...issued,
    ...address,
  };
  const openWith = (credentials: ApnsCredentials, options?: Partial<ProviderOptions>) =>
    openApns(credentials, "production", testOptions(options));
  return {
    standIn,
    authority,
    token,
    certificate,
    openWith,
    open: (options) => openWith(token, options),
    openForged: () => openWith({ ...token, key: newApnsKey() }),
    openUntrusted: () => openWith({ ...token, ca: undefined }),
    openUnreachable: () => openWith({ ...token, baseUrl: "https://127.0.0.1:9" }),
    push: {
      channel: "apns",
      payload: JSON.stringify({ aps: { alert: "Grüße" }, room: "12" }),
      pushType: "alert",
      priority: 10,
      expiration: 1_900_000_000,
    },
    device: () => targetOf(randomBytes(32).toString("hex").replace(/^0000/, "1111")),
    script: ({ token: device }, ...behaviours) => standIn.script.set(device, ...behaviours),
    receivedDevices: () => standIn.received.items.map(({ device }) => device),
    connections: () => new Set(standIn.received.items.map(({ connection }) => connection)).size,
    dropConnections: standIn.dropConnections,
    secrets: [key, key.split("\n")[1]!, issued.privateKey],
    close: standIn.close,
  };
}
