import type { OutgoingHttpHeaders } from "node:http2";
import { Notification } from "apn";
import { type HttpResponse, NoResponse } from "../../../../platform/network/http-response";
import type { PushEnvironment } from "../../channels/channel";
import type { ApnsCredentials } from "../../credentials/credentials";
import type { ApnsPush, PushPayload } from "../../payload/push-payload";
import { Http2Sender } from "../http/http2-sender";
import {
  bodyOf,
  headerOf,
  isTransient,
  outcomeOfError,
  retryAfterOf,
  sanitizeReason,
} from "../http/response";
import { apnsIdOf } from "../port/delivery-ids";
import {
  checkUnavailable,
  type Outcome,
  type Provider,
  type PushTarget,
  rejectingProvider,
} from "../port/provider";
import type { ProviderOptions } from "../port/provider-options";
import { type ApnsAuth, openApnsAuth } from "./apns-auth";

const ADDRESSES: Readonly<Record<PushEnvironment, string>> = {
  development: "https://api.sandbox.push.apple.com",
  production: "https://api.push.apple.com",
};

/** Apple's device tokens are bytes in hexadecimal, and their length may change. */
const TOKEN = /^(?:[0-9a-f]{2}){1,2048}$/i;

/** Characters allowed in the topic header. Apple decides whether the topic is valid. */
const BUNDLE = /^[A-Za-z0-9._-]{1,255}$/;

/** A token that no device has. Credentials are valid if Apple refuses only this token. */
const NO_DEVICE = "0".repeat(64);

/**
 * Reasons that mean the device is no longer registered ("Handling notification responses from APNs"): its
 * token is for another environment or has expired. DeviceTokenNotForTopic is not one of them: every device
 * would get it if the bundle identifier of the credentials has a typo.
 */
const UNREGISTERED = new Set(["BadDeviceToken", "ExpiredToken", "Unregistered"]);

/** Reasons of transient errors with a status that otherwise means a permanent one. */
const TRANSIENT = new Set(["ExpiredProviderToken", "IdleTimeout"]);

/** Reason for a provider token that must be renewed. */
const EXPIRED_PROVIDER_TOKEN = "ExpiredProviderToken";

/** Reason for an invalid device token. */
const BAD_DEVICE_TOKEN = "BadDeviceToken";

/**
 * Opens Apple's push service ("Sending notification requests to APNs") with one persistent HTTP/2 connection.
 *
 * The package `apn` reads credentials, signs tokens and builds headers. It does not send, because its client
 * ignores Retry-After (it looks up a header name that Node never uses), loses the status of a response
 * without a body, does not limit in-flight pushes, and keeps a dead connection until the system closes it.
 * Both clients cost the same: 0.12 to 0.16 ms of CPU time per push.
 */
export function openApns(
  credentials: ApnsCredentials,
  environment: PushEnvironment,
  options: ProviderOptions,
): Provider {
  const { baseUrl } = credentials;
  const problem = baseUrl && options.connector.check(baseUrl);
  if (problem) return rejectingProvider(`the address of the service ${problem}`);
  try {
    const auth = openApnsAuth(credentials, environment, options.clock);
    return new Apns(credentials.bundleId, auth, ADDRESSES[environment], baseUrl, options);
  } catch (error) {
    return rejectingProvider(
      error instanceof Error ? error.message : "the credentials cannot be read",
    );
  }
}

class Apns implements Provider {
  private readonly sender: Http2Sender;
  private readonly path: string;
  private readonly headers = new WeakMap<ApnsPush, OutgoingHttpHeaders>();

  constructor(
    private readonly bundleId: string,
    private readonly auth: ApnsAuth,
    defaultUrl: string,
    baseUrl: string | undefined,
    private readonly options: ProviderOptions,
  ) {
    const { origin, pathname } = new URL(baseUrl ?? defaultUrl);
    this.sender = new Http2Sender({ ...options, origin, secureContext: auth.secureContext });
    this.path = `${pathname.replace(/\/$/, "")}/3/device/`;
  }

  async send(push: PushPayload, target: PushTarget): Promise<Outcome> {
    if (push.channel !== "apns" && push.channel !== "apns_voip") {
      return { kind: "failed", reason: `Apple does not support the channel ${push.channel}` };
    }
    if (!TOKEN.test(target.token)) return { kind: "unregistered", reason: BAD_DEVICE_TOKEN };
    const bundleId = target.bundleId ?? this.bundleId;
    if (!BUNDLE.test(bundleId)) return { kind: "failed", reason: "BadTopic" };
    try {
      const response = await this.post(push, bundleId, apnsIdOf(target.deliveryId), target.token);
      return readApnsResponse(response, this.options.clock.now());
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  async check(): Promise<string | null> {
    const push: ApnsPush = {
      channel: "apns",
      payload: '{"aps":{"content-available":1}}',
      pushType: "background",
      priority: 5,
      expiration: 0,
    };
    try {
      const response = await this.post(push, this.bundleId, apnsIdOf(0), NO_DEVICE);
      const reason = apnsReasonOf(response);
      if (response.status === 200 || reason === BAD_DEVICE_TOKEN) return null;
      return isTransient(response.status) ? checkUnavailable(reason) : reason;
    } catch (error) {
      return checkUnavailable(error instanceof NoResponse ? error.reason : "no answer");
    }
  }

  close(): Promise<void> {
    return this.sender.close();
  }

  private async post(
    push: ApnsPush,
    bundleId: string,
    id: string,
    device: string,
  ): Promise<HttpResponse> {
    const token = this.auth.token?.current();
    const headers: OutgoingHttpHeaders = {
      ":path": this.path + device,
      ...this.headersOf(push, push.channel === "apns_voip" ? voipTopic(bundleId) : bundleId),
      "apns-id": id,
    };
    // Of two attempts, or two pushes about one thing, that reach the device, the second replaces the first.
    if (push.pushType === "alert") headers["apns-collapse-id"] = push.collapseId ?? id;
    if (token !== undefined) headers.authorization = `bearer ${token}`;
    const response = await this.sender.post(headers, push.payload);
    if (
      token !== undefined &&
      response.status === 403 &&
      apnsReasonOf(response) === EXPIRED_PROVIDER_TOKEN
    ) {
      this.auth.token?.renewExpired(token);
    }
    return response;
  }

  /** The headers that most devices of an event share, cached for the last topic. */
  private headersOf(push: ApnsPush, topic: string): OutgoingHttpHeaders {
    const cached = this.headers.get(push);
    if (cached?.["apns-topic"] === topic) return cached;
    const { pushType, priority, expiration } = push;
    const expiry = expiration ?? -1;
    const notification = new Notification({ topic, pushType, priority, expiry });
    // The package's types omit this internal method.
    const headers = (notification as Notification & { headers(): OutgoingHttpHeaders }).headers();
    this.headers.set(push, headers);
    return headers;
  }
}

const voipTopic = (bundleId: string) =>
  bundleId.endsWith(".voip") ? bundleId : `${bundleId}.voip`;

/** Apple's reason, a single word, or the status without one. */
function apnsReasonOf(response: HttpResponse): string {
  const { reason } = bodyOf(response);
  return typeof reason === "string" ? sanitizeReason(reason) : `status ${response.status}`;
}

/**
 * Converts Apple's response to an outcome.
 * @param now milliseconds since the Unix epoch
 */
function readApnsResponse(response: HttpResponse, now: number): Outcome {
  const { status } = response;
  if (status === 200) {
    return { kind: "accepted", providerId: headerOf(response, "apns-id") ?? null };
  }
  const reason = apnsReasonOf(response);
  if (status === 410 || UNREGISTERED.has(reason)) return { kind: "unregistered", reason };
  if (isTransient(status) || TRANSIENT.has(reason)) {
    return { kind: "retry", reason, delayMs: retryAfterOf(response, now) };
  }
  return { kind: "failed", reason };
}
