import { encrypt } from "web-push";
import type { WebPushCredentials } from "../credential/credentials";
import type { Push } from "../payload/push";
import { topicOf } from "./delivery-names";
import { checkEndpoint } from "./endpoint";
import type { Outcome, Provider, Target } from "./provider";
import type { ProviderOptions } from "./provider-options";
import { unusable } from "./unusable";
import { checkVapid, VapidTokens } from "./vapid";
import { readWebPushAnswer } from "./web-push-answer";
import { outcomeOf } from "./wire/answer";
import { WebConnections } from "./wire/web-connections";

/**
 * Opens the browsers' push services (RFC 8030), which each device names itself. The package web-push
 * encrypts (RFC 8291) and signs (RFC 8292); it does not send, since it reads answers without bound,
 * cannot send to http:, and would sign anew for each push.
 */
export function openWebPush(credentials: WebPushCredentials, options: ProviderOptions): Provider {
  const wrong = checkVapid(credentials);
  if (wrong) return unusable(wrong);
  try {
    return new WebPushServices(credentials, new WebConnections(credentials.ca, options), options);
  } catch {
    return unusable("the certificate of the authority cannot be read");
  }
}

class WebPushServices implements Provider {
  private readonly tokens: VapidTokens;

  constructor(
    credentials: WebPushCredentials,
    private readonly connections: WebConnections,
    private readonly options: ProviderOptions,
  ) {
    this.tokens = new VapidTokens(credentials, options.clock);
  }

  async send(push: Push, target: Target): Promise<Outcome> {
    if (push.channel !== "web") {
      return refuse(`no push of channel ${push.channel} goes to a browser`);
    }
    const wrong = checkEndpoint(target.token, this.options.connector.allowPrivate);
    if (wrong) return refuse(`the endpoint ${wrong}`);
    const body = encryptFor(target, push.payload);
    if (body === null) return refuse("the keys of the subscription are not usable");
    const url = new URL(target.token);
    const headers = {
      "content-type": "application/octet-stream",
      "content-encoding": "aes128gcm",
      ttl: push.ttl,
      topic: topicOf(target.deliveryId),
      authorization: this.tokens.authorizationFor(url.origin),
    };
    try {
      const answer = await this.connections.post(url, headers, body);
      return readWebPushAnswer(answer, this.options.clock.now());
    } catch (error) {
      return outcomeOf(error);
    }
  }

  /** Nothing is left to ask once the keys belong together; see {@link checkVapid}. */
  async check(): Promise<string | null> {
    return null;
  }

  close(): Promise<void> {
    return this.connections.close();
  }
}

const refuse = (reason: string): Outcome => ({ kind: "refused", reason });

/** The body for one device; null where its keys are none. */
function encryptFor({ webP256dh, webAuth }: Target, payload: string): Buffer | null {
  try {
    return encrypt(webP256dh ?? "", webAuth ?? "", payload, "aes128gcm").cipherText;
  } catch {
    return null;
  }
}
