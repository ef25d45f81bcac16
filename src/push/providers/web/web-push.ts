import { encrypt } from "web-push";
import type { WebPushCredentials } from "../../credentials/credentials";
import type { PushPayload } from "../../payload/push-payload";
import { Http1Sender } from "../http/http1-sender";
import { outcomeOfError } from "../http/response";
import { topicOf } from "../port/delivery-ids";
import { type Outcome, type Provider, type PushTarget, rejectingProvider } from "../port/provider";
import type { ProviderOptions } from "../port/provider-options";
import { checkEndpoint } from "./endpoint";
import { checkVapid, VapidTokens } from "./vapid";
import { readWebPushResponse } from "./web-push-response";

/**
 * Opens the browsers' push services (RFC 8030), whose addresses come with each device. The package web-push
 * encrypts (RFC 8291) and signs (RFC 8292). It does not send, because it reads responses without a size
 * limit, does not support http:, and signs a new token for each push.
 */
export function openWebPush(credentials: WebPushCredentials, options: ProviderOptions): Provider {
  const problem = checkVapid(credentials);
  if (problem) return rejectingProvider(problem);
  try {
    return new WebPushServices(credentials, new Http1Sender(credentials.ca, options), options);
  } catch {
    return rejectingProvider("the certificate of the authority cannot be read");
  }
}

class WebPushServices implements Provider {
  private readonly tokens: VapidTokens;

  constructor(
    credentials: WebPushCredentials,
    private readonly connections: Http1Sender,
    private readonly options: ProviderOptions,
  ) {
    this.tokens = new VapidTokens(credentials, options.clock);
  }

  async send(push: PushPayload, target: PushTarget): Promise<Outcome> {
    if (push.channel !== "web") {
      return refuse(`browsers do not support the channel ${push.channel}`);
    }
    const problem = checkEndpoint(target.token, this.options.connector.allowPrivate);
    if (problem) return refuse(`the endpoint ${problem}`);
    const body = encryptFor(target, push.payload);
    if (body === null) return refuse("the subscription's keys are invalid");
    const url = new URL(target.token);
    const headers = {
      "content-type": "application/octet-stream",
      "content-encoding": "aes128gcm",
      ttl: push.ttl,
      topic: topicOf(target.deliveryId),
      authorization: this.tokens.authorizationFor(url.origin),
    };
    try {
      const response = await this.connections.post(url, headers, body);
      return readWebPushResponse(response, this.options.clock.now());
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  /** {@link checkVapid} already checked the keys, and there is no service to ask. */
  async check(): Promise<string | null> {
    return null;
  }

  close(): Promise<void> {
    return this.connections.close();
  }
}

const refuse = (reason: string): Outcome => ({ kind: "failed", reason });

/** Encrypts the payload for one device; null if its keys are invalid. */
function encryptFor({ webP256dh, webAuth }: PushTarget, payload: string): Buffer | null {
  try {
    return encrypt(webP256dh ?? "", webAuth ?? "", payload, "aes128gcm").cipherText;
  } catch {
    return null;
  }
}
