import type { PushEnvironment, PushService } from "../../src/push/channel";
import type { Push as Payload } from "../../src/push/payload/push";
import type { Outcome, Provider, Target } from "../../src/push/provider/provider";

/** What a service was asked to send. */
export interface Sent {
  applicationId: number;
  environment: PushEnvironment;
  service: PushService;
  push: Payload;
  target: Target;
}

/** The port of push services, kept in memory: what is sent, and answers as a test tells it. */
export class RecordingProviders {
  readonly sent: Sent[] = [];
  /** Answer by the device's token; accepted unless told otherwise. */
  readonly answers = new Map<string, (attempt: number) => Outcome | Promise<Outcome>>();
  /** Services without credentials. */
  readonly missing = new Set<PushService>();
  private readonly attempts = new Map<string, number>();

  readonly open = async (
    applicationId: number,
    environment: PushEnvironment,
    service: PushService,
  ): Promise<Provider | null> => {
    if (this.missing.has(service)) return null;
    return {
      send: async (push, target) => {
        this.sent.push({ applicationId, environment, service, push, target });
        const attempt = (this.attempts.get(target.token) ?? 0) + 1;
        this.attempts.set(target.token, attempt);
        const answer = this.answers.get(target.token);
        return answer
          ? answer(attempt)
          : { kind: "accepted", providerId: `p-${target.deliveryId}` };
      },
      check: async () => null,
      close: async () => undefined,
    };
  };

  /** Tokens that were sent to so far, in any order. */
  tokens(): string[] {
    return this.sent.map(({ target }) => target.token).sort();
  }
}
