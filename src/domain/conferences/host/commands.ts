import type { HostedConference } from "./hosted-conference";

/** The commands that run on the hosting node; arguments and results are JSON. */
export const COMMANDS = [
  "join",
  "leave",
  "remove",
  "removeNumbers",
  "publish",
  "watch",
  "signal",
  "closePeer",
  "repeatStreams",
  "figures",
  "checkRights",
  "setMuted",
  "muteParticipant",
  "update",
  "close",
] as const satisfies ReadonlyArray<keyof HostedConference>;

/** The name of a command. */
export type CommandName = (typeof COMMANDS)[number];
/** The arguments of a command. */
export type CommandArgs<Name extends CommandName> = Parameters<HostedConference[Name]>;
/** The result of a command. */
export type CommandResult<Name extends CommandName> = Awaited<ReturnType<HostedConference[Name]>>;

/** The commands that also run with CONFERENCES=off: participants leave, and conferences end. */
const WITHOUT_MEDIA: readonly CommandName[] = [
  "leave",
  "remove",
  "removeNumbers",
  "checkRights",
  "close",
];

/** Whether a command needs conferences to be on. */
export function needsMedia(name: CommandName): boolean {
  return !WITHOUT_MEDIA.includes(name);
}

/** Whether a command changes nothing, so that it may run again when a call is repeated. */
export function isReadOnly(name: string): boolean {
  return name === "figures";
}

/** Whether a text from another node names a command. */
export function isCommand(name: string): name is CommandName {
  return (COMMANDS as readonly string[]).includes(name);
}
