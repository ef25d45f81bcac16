import type { ConferenceChanges } from "./conference-changes";
import type { HostedEngine } from "./hosted-engine";
import type { HostedMembers } from "./hosted-members";
import type { MemberMedia } from "./member-media";
import { SingleRun } from "./single-run";

/** What {@link ConferenceRecovery} needs of its conference. */
export interface ConferenceRecoveryOptions {
  changes: ConferenceChanges;
  members: HostedMembers;
  engine: HostedEngine;
  media: MemberMedia;
  /** Raises the generation of the conference; called within the changes. @throws NotHostedError */
  raiseGeneration(): Promise<void>;
  /** Closes the conference, because its media has harmed the media server. */
  end(): Promise<void>;
}

/**
 * Follows a media server that ends and comes back. A later check does what an outage of the database prevents.
 */
export class ConferenceRecovery {
  private readonly recovering: SingleRun;

  constructor(private readonly options: ConferenceRecoveryOptions) {
    const { changes } = options;
    this.recovering = new SingleRun(
      () => this.recover(),
      (error) => changes.logFailure(error),
    );
  }

  /** The engine has lost the room: nobody publishes any more. */
  onLost(): void {
    const { changes, media } = this.options;
    changes.background(() => media.correct());
  }

  /** Does what is to do; called when the engine answers again, and every second. */
  check(): void {
    this.recovering.start();
  }

  /** Tells the members to publish and to watch again; call it within the changes. */
  async announceReconnect(): Promise<void> {
    const { changes, members } = this.options;
    if (members.size === 0) return;
    await changes.change(
      async () => undefined,
      () => ({ type: "reconnect" }),
    );
  }

  private async recover(): Promise<void> {
    const { changes, engine, media, raiseGeneration, end } = this.options;
    if (engine.isHarmful) return end();
    if (engine.isRenewable()) {
      await changes.run(async () => {
        await raiseGeneration();
        await this.announceReconnect();
      });
      await engine.renew();
    }
    if (!media.isCorrect()) await changes.run(() => media.correct());
  }
}
