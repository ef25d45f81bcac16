import type { PushService } from "../channels/channel";
import { explainRefusal } from "../providers/port/refusal";
import type { CredentialCheckResult } from "./check-credentials";

const NAMES: Readonly<Record<PushService, string>> = {
  apns: "Apple's push service",
  fcm: "Firebase Cloud Messaging",
  web: "The browsers' push services",
};

/** Says the result of a check of credentials as a sentence. */
export function describeCheck(service: PushService, result: CredentialCheckResult): string {
  const name = NAMES[service];
  switch (result.kind) {
    case "accepted":
      return service === "web"
        ? "The key pair is valid. Browsers' push services have no account to ask; they check it with each push."
        : `${name} accepts the credentials.`;
    case "refused": {
      const meaning = explainRefusal(service, result.reason);
      const reason = meaning === null ? result.reason : `${meaning} (${result.reason})`;
      return `${name} refuses the credentials: ${reason}.`;
    }
    case "unreachable":
      return `${name} gave no answer about the credentials: ${result.reason}. They are unchanged; check again later.`;
  }
}
