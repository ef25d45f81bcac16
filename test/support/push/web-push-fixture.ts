import { generateVAPIDKeys } from "web-push";
import type { WebPushCredentials } from "../../../src/domain/push/credentials/credentials";
import type { WebPush } from "../../../src/domain/push/payload/push-payload";
import type { Provider, PushTarget } from "../../../src/domain/push/providers/port/provider";
import type { ProviderOptions } from "../../../src/domain/push/providers/port/provider-options";
import { openWebPush } from "../../../src/domain/push/providers/web/web-push";
import { makeAuthority, makeServerCertificate } from "../../../tools/stand-ins/certificates";
import type { ServerOptions } from "../../../tools/stand-ins/secure-server";
import {
  type Subscription,
  startWebPush,
  type WebPushStandIn,
} from "../../../tools/stand-ins/web-push";
import { type ProviderFixture, targetOf, testOptions } from "./provider-fixture";

/** A web push provider connected to its stand-in. */
export interface WebPushFixture extends ProviderFixture {
  standIn: WebPushStandIn;
  push: WebPush;
  credentials: WebPushCredentials;
  /** Options for further servers with a certificate of the same authority. */
  serverOptions: ServerOptions;
  openWith(credentials: WebPushCredentials, options?: Partial<ProviderOptions>): Provider;
}

/** A delivery to a browser. */
export const targetIn = ({ endpoint, auth, p256dh }: Subscription): PushTarget => ({
  ...targetOf(endpoint),
  webAuth: auth,
  webP256dh: p256dh,
});

const deviceOf = ({ token }: PushTarget) => token.slice(token.lastIndexOf("/") + 1);

/** Starts the stand-in on a free port. */
export async function startWebPushFixture(): Promise<WebPushFixture> {
  const authority = makeAuthority();
  const pair = generateVAPIDKeys();
  const server = makeServerCertificate(authority);
  const serverOptions = { server, authority: authority.certificate };
  const standIn = await startWebPush(serverOptions, pair.publicKey);
  const credentials: WebPushCredentials = {
    service: "web",
    ...pair,
    subject: "mailto:push@example.com",
    ca: authority.certificate,
  };
  const openWith = (given: WebPushCredentials, options?: Partial<ProviderOptions>) =>
    openWebPush(given, testOptions(options));
  /** A provider that replaces the origin of each device's endpoint. */
  const openAtBase = (base: string): Provider => {
    const provider = openWith(credentials);
    const redirected = (target: PushTarget) => ({
      ...target,
      token: `${base}/push/${deviceOf(target)}`,
    });
    return {
      send: (push, target) => provider.send(push, redirected(target)),
      check: () => provider.check(),
      close: () => provider.close(),
    };
  };
  return {
    standIn,
    credentials,
    serverOptions,
    openWith,
    open: (options) => openWith(credentials, options),
    openForged: () => openWith({ ...credentials, ...generateVAPIDKeys() }),
    openUntrusted: () => openWith({ ...credentials, ca: undefined }),
    openUnreachable: () => openAtBase("https://127.0.0.1:9"),
    push: { channel: "web", payload: JSON.stringify({ message: "Grüße", room: 12 }), ttl: 3600 },
    device: () => targetIn(standIn.subscribe()),
    script: (target, ...behaviours) => standIn.script.set(deviceOf(target), ...behaviours),
    receivedDevices: () =>
      standIn.received.items.map(({ device }) => `${standIn.url}/push/${device}`),
    connections: () => new Set(standIn.received.items.map(({ connection }) => connection)).size,
    dropConnections: standIn.dropConnections,
    secrets: [pair.privateKey],
    close: standIn.close,
  };
}
