import type { BrowserContext } from "playwright-core";
import { makeAuthority, makeServerCertificate } from "../../../tools/stand-ins/certificates";
import {
  type Subscription,
  startWebPush,
  type WebPushStandIn,
  type WebReceived,
} from "../../../tools/stand-ins/web-push";

/** The subscription of a browser: its only one, because the tests have one service worker. */
interface Subscribed extends Subscription {
  /** The VAPID key that it is for, in base64url. */
  key: string;
}

/** What a page calls in place of the browser's own push service, which tests cannot reach. */
interface PageBinding {
  browserPush(action: "get" | "end" | "subscribe", key?: string): Promise<Subscribed | null>;
}

/** The push service of a browser. It has a stand-in for each VAPID key, which refuses pushes signed by another one. */
export class BrowserPushService {
  /** The subscription of the browser. */
  current: Subscribed | null = null;
  /** Number of subscriptions so far. */
  count = 0;
  private readonly authority = makeAuthority();
  private readonly servers = new Map<string, WebPushStandIn>();

  /** The certificate to trust, as PEM. */
  get ca(): string {
    return this.authority.certificate;
  }

  /** All pushes that have arrived, with their decrypted texts. */
  get received(): WebReceived[] {
    return [...this.servers.values()].flatMap(({ received }) => received.items);
  }

  /** Makes the pages of a browser subscribe here. */
  async serve(context: BrowserContext): Promise<void> {
    await context.exposeFunction("browserPush", async (action: string, key = "") => {
      if (action === "end") this.current = null;
      if (action === "subscribe") this.current = await this.subscribe(key);
      return this.current;
    });
    await context.addInitScript(replacePushManager);
  }

  async close(): Promise<void> {
    for (const server of this.servers.values()) await server.close();
  }

  private async subscribe(key: string): Promise<Subscribed> {
    const authority = this.authority.certificate;
    const server =
      this.servers.get(key) ??
      (await startWebPush({ server: makeServerCertificate(this.authority), authority }, key));
    this.servers.set(key, server);
    this.count += 1;
    return { ...server.subscribe(), key };
  }
}

/** Replaces the push manager of a page by one of {@link BrowserPushService}. It runs in the page. */
function replacePushManager(): void {
  if (!window.isSecureContext) return;
  const { browserPush } = window as unknown as PageBinding;
  const bytesOf = (text: string) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) =>
      each.charCodeAt(0),
    );
  const textOf = (bytes: Uint8Array) =>
    btoa(String.fromCharCode(...bytes))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
  const shown = (subscribed: Subscribed | null) =>
    subscribed && {
      options: {
        userVisibleOnly: true,
        applicationServerKey: bytesOf(subscribed.key).buffer,
      },
      unsubscribe: async () => {
        await browserPush("end");
        return true;
      },
      toJSON: () => {
        const { endpoint, auth, p256dh } = subscribed;
        return { endpoint, expirationTime: null, keys: { auth, p256dh } };
      },
    };
  const manager = {
    getSubscription: async () => shown(await browserPush("get")),
    subscribe: async (options: { userVisibleOnly: boolean; applicationServerKey: Uint8Array }) => {
      // Chromium's rules.
      if (!options.userVisibleOnly || Notification.permission !== "granted") {
        throw new DOMException("Registration failed - permission denied", "NotAllowedError");
      }
      const existing = await browserPush("get");
      const key = textOf(options.applicationServerKey);
      if (existing && existing.key !== key) {
        throw new DOMException("Registration failed", "InvalidStateError");
      }
      return shown(existing ?? (await browserPush("subscribe", key)));
    },
  };
  Object.defineProperty(ServiceWorkerRegistration.prototype, "pushManager", {
    get: () => manager,
  });
}
