import type { Command, Help } from "commander";

/** What the help of the whole says below the list of commands. */
export const EXAMPLES = `
Examples:
  signalbox app create --name "My shop"
  signalbox token --app 1 --login alice
  signalbox --json user list --app 1 --search ali
  signalbox app update --app 1 --facebook-app-id 123 --facebook-app-secret @secret.txt

Commands ask a running server as the owner of the account; migrate and doctor work without one. Of
an option marked "- for standard input", - reads the value from there and @FILE from a file, so that
it stands in no list of processes. All variables of the environment: docs/CONFIG.md.`;

/** Options of a command that stand in the list of all commands at most. */
const NEEDS_MAX = 2;

/** Commander's help, with every command of every group in one list, each with what it must be given. */
export const HELP: Partial<Help> = {
  showGlobalOptions: true,
  visibleCommands: (command) => leavesOf(command),
  subcommandTerm: (command) => [pathOf(command), ...needsOf(command)].join(" "),
  visibleGlobalOptions: (command) =>
    rootOf(command) === command
      ? []
      : [...rootOf(command).options].filter(({ long }) => long !== "--version"),
};

function leavesOf(command: Command): Command[] {
  return command.commands.flatMap((each) => (each.commands.length > 0 ? leavesOf(each) : [each]));
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

/** What a command must be given; of much, the beginning: the whole stands in the command's own help. */
function needsOf({ options }: Command): string[] {
  const needs = options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  return needs.length > NEEDS_MAX ? [...needs.slice(0, NEEDS_MAX), "…"] : needs;
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}
