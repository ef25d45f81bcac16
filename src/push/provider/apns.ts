import type { OutgoingHttpHeaders } from "node:http2";
import { Notification } from "apn";
import { type Answer, Unanswered } from "../../network/answer";
import type { PushEnvironment } from "../channel";
import type { ApnsCredentials } from "../credential/credentials";
import type { ApnsPush, Push } from "../payload/push";
import { apnsReasonOf, BAD_TOKEN, EXPIRED, readApnsAnswer } from "./apns-answer";
import { type ApnsProof, proveToApns } from "./apns-credentials";
import { apnsIdOf } from "./delivery-names";
import { couldNotAsk, type Outcome, type Provider, type Target } from "./provider";
import type { ProviderOptions } from "./provider-options";
import { unusable } from "./unusable";
import { isPassing, outcomeOf } from "./wire/answer";
import { Http2Sender } from "./wire/http2-sender";

const ADDRESSES: Readonly<Record<PushEnvironment, string>> = {
  development: "https://api.sandbox.push.apple.com",
  production: "https://api.push.apple.com",
};

/** Apple's tokens are bytes in hexadecimal, of a length that may change. */
const TOKEN = /^(?:[0-9a-f]{2}){1,2048}$/i;

/** What a header holds; whether it is a topic is for Apple to say. */
const BUNDLE = /^[A-Za-z0-9._-]{1,255}$/;

/** A token that no device has: the credentials are good where this is all that is wrong. */
const NO_DEVICE = "0".repeat(64);

/**
 * Opens Apple's push service ("Sending notification requests to APNs"): one HTTP/2 connection, kept.
 *
 * The package `apn` reads the credentials, signs the tokens and writes the headers. It does not send:
 * its client loses Retry-After (it reads the header by a name that Node never uses), loses the status
 * of an answer without a body, knows no bound of pushes under way, and keeps a connection that is
 * dead until the system gives it up. Both cost the same, 0.12 to 0.16 ms of a processor's time a push.
 */
export function openApns(
  credentials: ApnsCredentials,
  environment: PushEnvironment,
  options: ProviderOptions,
): Provider {
  const { baseUrl } = credentials;
  const wrong = baseUrl && options.connector.check(baseUrl);
  if (wrong) return unusable(`the address of the service ${wrong}`);
  try {
    const proof = proveToApns(credentials, environment, options.clock);
    return new Apns(credentials.bundleId, proof, ADDRESSES[environment], baseUrl, options);
  } catch (error) {
    return unusable(error instanceof Error ? error.message : "the credentials cannot be read");
  }
}

class Apns implements Provider {
  private readonly sender: Http2Sender;
  private readonly path: string;
  private readonly headers = new WeakMap<ApnsPush, OutgoingHttpHeaders>();

  constructor(
    private readonly bundleId: string,
    private readonly proof: ApnsProof,
    ownAddress: string,
    baseUrl: string | undefined,
    private readonly options: ProviderOptions,
  ) {
    const { origin, pathname } = new URL(baseUrl ?? ownAddress);
    this.sender = new Http2Sender({ ...options, origin, secureContext: proof.secureContext });
    this.path = `${pathname.replace(/\/$/, "")}/3/device/`;
  }

  async send(push: Push, target: Target): Promise<Outcome> {
    if (push.channel !== "apns" && push.channel !== "apns_voip") {
      return { kind: "refused", reason: `no push of channel ${push.channel} goes to Apple` };
    }
    if (!TOKEN.test(target.token)) return { kind: "gone", reason: BAD_TOKEN };
    const bundleId = target.bundleId ?? this.bundleId;
    if (!BUNDLE.test(bundleId)) return { kind: "refused", reason: "BadTopic" };
    try {
      const answer = await this.post(push, bundleId, apnsIdOf(target.deliveryId), target.token);
      return readApnsAnswer(answer, this.options.clock.now());
    } catch (error) {
      return outcomeOf(error);
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
      const answer = await this.post(push, this.bundleId, apnsIdOf(0), NO_DEVICE);
      const reason = apnsReasonOf(answer);
      if (answer.status === 200 || reason === BAD_TOKEN) return null;
      return isPassing(answer.status) ? couldNotAsk(reason) : reason;
    } catch (error) {
      return couldNotAsk(error instanceof Unanswered ? error.reason : "no answer");
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
  ): Promise<Answer> {
    const token = this.proof.token?.current();
    const headers: OutgoingHttpHeaders = {
      ":path": this.path + device,
      ...this.headersOf(push, push.channel === "apns_voip" ? voipTopic(bundleId) : bundleId),
      "apns-id": id,
    };
    // A person who is shown both attempts sees one notification: the second takes the first's place.
    if (push.pushType === "alert") headers["apns-collapse-id"] = id;
    if (token !== undefined) headers.authorization = `bearer ${token}`;
    const answer = await this.sender.post(headers, push.payload);
    if (token !== undefined && answer.status === 403 && apnsReasonOf(answer) === EXPIRED) {
      this.proof.token?.expired(token);
    }
    return answer;
  }

  /** The headers that are the same for most devices of an event: kept for the last topic. */
  private headersOf(push: ApnsPush, topic: string): OutgoingHttpHeaders {
    const known = this.headers.get(push);
    if (known?.["apns-topic"] === topic) return known;
    const { pushType, priority, expiration } = push;
    const expiry = expiration ?? -1;
    const notification = new Notification({ topic, pushType, priority, expiry });
    // Left out of the package's types, like all that its own client calls.
    const made = (notification as Notification & { headers(): OutgoingHttpHeaders }).headers();
    this.headers.set(push, made);
    return made;
  }
}

const voipTopic = (bundleId: string) =>
  bundleId.endsWith(".voip") ? bundleId : `${bundleId}.voip`;
