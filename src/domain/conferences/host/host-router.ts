import { Fault } from "../../../core/errors";
import { newId } from "../../../core/random";
import { inSpan } from "../../../core/tracing";
import type { ParticipantRef } from "../model/conference";
import { findHost } from "../rows/host-queries";
import { findParticipant } from "../rows/participant-queries";
import {
  type CommandArgs,
  type CommandName,
  type CommandResult,
  isCommand,
  isReadOnly,
  needsMedia,
} from "./commands";
import { type HostDeps, NotHostedError } from "./host-deps";
import type { HostRegistry } from "./host-registry";
import { type HostedConference, notAParticipant } from "./hosted-conference";
import { NodeCalls } from "./node-calls";

/** How long a command looks for the host of its conference, in milliseconds: longer than a dead node's lease. */
const SEARCH_MS = 8_000;
/** Wait before the next look, in milliseconds. */
const RETRY_MS = 200;

/** Runs each command on the node that hosts its conference; for a change, this node becomes the host if none is. */
export class HostRouter {
  private readonly calls: NodeCalls;

  constructor(
    private readonly deps: HostDeps,
    private readonly registry: HostRegistry,
  ) {
    const { bus, log, node } = deps;
    this.calls = new NodeCalls(bus, log, node, (id, command, args) =>
      this.runHere(id, command, args),
    );
  }

  /** Begins to answer other nodes. */
  async open(): Promise<void> {
    if (!this.deps.alone) await this.calls.open();
  }

  close(): Promise<void> {
    return this.calls.close();
  }

  /**
   * Runs a command.
   * @throws Fault of the command; NOT_FOUND if the conference is closed or does not exist, UNAVAILABLE if its host
   * does not answer or a command that only reads finds none, UNSUPPORTED with CONFERENCES=off
   */
  run<Name extends CommandName>(
    conferenceId: number,
    name: Name,
    ...args: CommandArgs<Name>
  ): Promise<CommandResult<Name>> {
    return inSpan(`conference ${name}`, "internal", {}, () =>
      this.search(conferenceId, name, args),
    );
  }

  private async search<Name extends CommandName>(
    conferenceId: number,
    name: Name,
    args: CommandArgs<Name>,
  ): Promise<CommandResult<Name>> {
    if (!this.deps.engine && needsMedia(name)) {
      throw new Fault("UNSUPPORTED", "Conferences are off on this server");
    }
    const callId = newId();
    const giveUpAt = this.deps.clock.now() + SEARCH_MS;
    for (;;) {
      try {
        return await this.attempt(callId, conferenceId, name, args);
      } catch (error) {
        if (!(error instanceof NotHostedError)) throw error;
      }
      if (isReadOnly(name) || this.deps.clock.now() >= giveUpAt) {
        throw new Fault("UNAVAILABLE", "The conference's node does not answer", undefined, 1);
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  private async attempt<Name extends CommandName>(
    callId: string,
    conferenceId: number,
    name: Name,
    args: CommandArgs<Name>,
  ): Promise<CommandResult<Name>> {
    const hosted = this.registry.get(conferenceId);
    // Somebody who is no participant of a conference must not make a node its host.
    if (!hosted && isParticipantRef(args[0])) await this.requireParticipant(args[0]);
    const conference = hosted ?? (await this.acquireFor(name, conferenceId));
    if (conference) return this.execute(conference, name, args);
    const host = await findHost(this.deps.store, conferenceId);
    if (host === undefined) throw new Fault("NOT_FOUND", "There is no such conference");
    if (host === null || host === this.deps.node) throw new NotHostedError();
    return (await this.calls.call(host, callId, conferenceId, name, args)) as CommandResult<Name>;
  }

  /** @throws Fault NOT_FOUND */
  private async requireParticipant(ref: ParticipantRef): Promise<void> {
    const participant = await findParticipant(this.deps.store, ref);
    if (!participant || participant.leftAt !== null) throw notAParticipant();
  }

  /** Runs a command of another node. */
  private async runHere(conferenceId: number, name: string, args: unknown[]): Promise<unknown> {
    // The row names this node, also when it had to drop the conference.
    const conference =
      this.registry.get(conferenceId) ?? (await this.acquireFor(name, conferenceId));
    if (!conference || !isCommand(name)) throw new NotHostedError();
    return this.execute(conference, name, args as CommandArgs<typeof name>);
  }

  /** Makes this node the host, for a command that changes something: a reader must not take over a conference. */
  private async acquireFor(name: string, conferenceId: number): Promise<HostedConference | null> {
    return isReadOnly(name) ? null : this.registry.acquire(conferenceId);
  }

  private execute<Name extends CommandName>(
    conference: HostedConference,
    name: Name,
    args: CommandArgs<Name>,
  ): Promise<CommandResult<Name>> {
    const command = conference[name] as unknown as (
      ...given: CommandArgs<Name>
    ) => Promise<CommandResult<Name>>;
    return command.apply(conference, args);
  }
}

/** Whether the first argument of a command names a membership. */
function isParticipantRef(argument: unknown): argument is ParticipantRef {
  return typeof argument === "object" && argument !== null && "participantId" in argument;
}
