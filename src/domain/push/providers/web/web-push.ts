import { encrypt } from "web-push";
import type { HttpResponse } from "../../../../platform/network/http-response";
import type { WebPushCredentials } from "../../credentials/credentials";
import { contactProblem } from "../../credentials/vapid-contact";
import type { PushPayload } from "../../payload/push-payload";
import { Http1Sender } from "../http/http1-sender";
import {
  headerOf,
  isTransient,
  outcomeOfError,
  retryAfterOf,
  sanitizeReason,
} from "../http/response";
import { topicOf } from "../port/delivery-ids";
import { type Outcome, type Provider, type PushTarget, rejectingProvider } from "../port/provider";
import type { ProviderOptions } from "../port/provider-options";
import { checkEndpoint } from "./endpoint";
import { checkVapid, VapidTokens } from "./vapid";

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
    private readonly credentials: WebPushCredentials,
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
      topic: push.topic ?? topicOf(target.deliveryId),
      authorization: this.tokens.authorizationFor(url.origin),
    };
    try {
      const response = await this.connections.post(url, headers, body);
      return readWebPushResponse(response, this.options.clock.now());
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  /** {@link checkVapid} already checked the keys, and there is no service to ask. Only some refuse the contact. */
  async check(): Promise<string | null> {
    const problem = contactProblem(this.credentials.subject);
    return problem === null ? null : `the contact ${problem}`;
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

/** Maximum length of a message URL that is stored as its id; the server is not trusted. */
const LOCATION_MAX = 1000;

/**
 * Converts the response of a browser's push service to an outcome (RFC 8030 sections 5 and 7.3, RFC 8292
 * section 4.2).
 * @param now milliseconds since the Unix epoch
 */
export function readWebPushResponse(response: HttpResponse, now: number): Outcome {
  const { status, body } = response;
  if (status >= 200 && status < 300) {
    const location = headerOf(response, "location") ?? "";
    const valid = location !== "" && location.length <= LOCATION_MAX;
    return { kind: "accepted", providerId: valid ? location : null };
  }
  const details = sanitizeReason(body);
  const reason = details === "" ? `status ${status}` : `status ${status}: ${details}`;
  if (status === 404 || status === 410) return { kind: "unregistered", reason };
  if (isTransient(status)) return { kind: "retry", reason, delayMs: retryAfterOf(response, now) };
  if (status >= 300 && status < 400) {
    return { kind: "failed", reason: `status ${status}: a redirect, which is not followed` };
  }
  return { kind: "failed", reason };
}
