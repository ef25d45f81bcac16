import type { PushEnvironment, PushService } from "../../../src/domain/push/channels/channel";
import type { PushPayload as Payload } from "../../../src/domain/push/payload/push-payload";
import type {
  Outcome,
  Provider,
  PushTarget,
} from "../../../src/domain/push/providers/port/provider";

/** A push that was sent. */
export interface SentPush {
  applicationId: number;
  environment: PushEnvironment;
  service: PushService;
  push: Payload;
  target: PushTarget;
}

/** In-memory push providers that record pushes and return scripted outcomes. */
export class RecordingProviders {
  readonly sent: SentPush[] = [];
  /** Outcome by device token; accepted by default. */
  readonly outcomes = new Map<string, (attempt: number) => Outcome | Promise<Outcome>>();
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
        const answer = this.outcomes.get(target.token);
        return answer
          ? answer(attempt)
          : { kind: "accepted", providerId: `p-${target.deliveryId}` };
      },
      check: async () => null,
      close: async () => undefined,
    };
  };

  /** Tokens of all sent pushes, sorted. */
  tokens(): string[] {
    return this.sent.map(({ target }) => target.token).sort();
  }
}
