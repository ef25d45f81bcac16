import { createPrivateKey, type KeyObject } from "node:crypto";
import type { SecureContext } from "node:tls";
import type { Answer } from "../../network/answer";
import type { FcmCredentials } from "../credential/credentials";
import type { FcmPush, Push } from "../payload/push";
import { FcmAccess } from "./fcm-access";
import { fcmReasonOf, isTokenRefused, readFcmAnswer } from "./fcm-answer";
import { couldNotAsk, type Outcome, type Provider, type Target } from "./provider";
import type { ProviderOptions } from "./provider-options";
import { unusable } from "./unusable";
import { isPassing, outcomeOf } from "./wire/answer";
import { Http2Sender, trusting } from "./wire/http2-sender";

const BASE_URL = "https://fcm.googleapis.com";

/** Longest registration token that is passed on; Firebase's have some 160 characters. */
const TOKEN_MAX = 4096;

/** A topic that nobody subscribes to, for a request that is only checked. */
const CHECK = JSON.stringify({ validate_only: true, message: { topic: "signalbox-check" } });

/**
 * Opens Firebase Cloud Messaging, HTTP v1: one HTTP/2 connection, kept.
 *
 * The package firebase-admin is left out. Its credentials ask for access tokens at Google's address
 * alone (that is written into google-auth-library twice; `token_uri` is ignored, and an agent changes
 * the host but not the path), without a time-out, and are not renewed when a token is refused. Its
 * client takes 0.22 to 0.26 ms of a processor's time a message, this one 0.12 to 0.17.
 */
export function openFcm(credentials: FcmCredentials, options: ProviderOptions): Provider {
  const { baseUrl, tokenUrl } = credentials;
  for (const address of [baseUrl, tokenUrl]) {
    const wrong = address && options.connector.check(address);
    if (wrong) return unusable(`the address of the service ${wrong}`);
  }
  const privateKey = readKey(credentials.privateKey);
  if (privateKey === null) return unusable("the private key is no RSA key that can be read");
  try {
    return new Fcm(credentials, privateKey, trusting(credentials.ca), options);
  } catch {
    return unusable("the certificate of the authority cannot be read");
  }
}

function readKey(pem: string): KeyObject | null {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === "rsa" ? key : null;
  } catch {
    return null;
  }
}

class Fcm implements Provider {
  private readonly sender: Http2Sender;
  private readonly access: FcmAccess;
  private readonly path: string;
  /** The body behind the device's token, which is the same for every device of an event. */
  private readonly bodies = new WeakMap<FcmPush, string>();

  constructor(
    credentials: FcmCredentials,
    privateKey: KeyObject,
    secureContext: SecureContext,
    private readonly options: ProviderOptions,
  ) {
    const { baseUrl, tokenUrl, clientEmail, projectId } = credentials;
    const { origin, pathname } = new URL(baseUrl ?? BASE_URL);
    this.sender = new Http2Sender({ ...options, origin, secureContext });
    this.access = new FcmAccess({ ...options, clientEmail, privateKey, tokenUrl, secureContext });
    const project = encodeURIComponent(projectId);
    this.path = `${pathname.replace(/\/$/, "")}/v1/projects/${project}/messages:send`;
  }

  async send(push: Push, target: Target): Promise<Outcome> {
    if (push.channel !== "gcm") {
      return { kind: "refused", reason: `no push of channel ${push.channel} goes to Firebase` };
    }
    const { token } = target;
    if (token === "" || token.length > TOKEN_MAX) {
      return { kind: "gone", reason: "the registration token has no such length" };
    }
    const body = `{"message":{"token":${JSON.stringify(token)}${this.bodyOf(push)}`;
    const answer = await this.post(body);
    return "kind" in answer ? answer : readFcmAnswer(answer, this.options.clock.now());
  }

  async check(): Promise<string | null> {
    const answer = await this.post(CHECK);
    if (!("kind" in answer)) {
      if (answer.status === 200) return null;
      const reason = fcmReasonOf(answer);
      return isPassing(answer.status) ? couldNotAsk(reason) : reason;
    }
    if (answer.kind === "refused") return answer.reason;
    return couldNotAsk(answer.kind === "later" ? answer.reason : "no answer");
  }

  async close(): Promise<void> {
    await this.sender.close();
    this.access.close();
  }

  /** The answer, or what becomes of a push that has none. */
  private async post(body: string): Promise<Answer | Outcome> {
    const access = await this.access.token();
    if ("outcome" in access) return access.outcome;
    const headers = {
      ":path": this.path,
      authorization: `Bearer ${access.token}`,
      "content-type": "application/json",
    };
    try {
      const answer = await this.sender.post(headers, body);
      if (isTokenRefused(answer)) this.access.refused(access.token);
      return answer;
    } catch (error) {
      return outcomeOf(error);
    }
  }

  private bodyOf(push: FcmPush): string {
    let body = this.bodies.get(push);
    if (body === undefined) {
      // Whom it goes to is said by the delivery alone, whatever the message's author wrote.
      const { token, topic, condition, name, ...message } = push.message;
      const rest = JSON.stringify(message).slice(1);
      body = `${rest === "}" ? "" : ","}${rest}}`;
      this.bodies.set(push, body);
    }
    return body;
  }
}
