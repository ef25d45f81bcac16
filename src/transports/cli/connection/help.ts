import type { Command, Help } from "commander";

/** Commands that work without a server, for people. */
export const WITHOUT_SERVER =
  "migrate, backup, restore, export, doctor and member reset-password work on\nDATA_DIR or the database, without a token.";

/** Text below the list of commands in `signalbox --help`. */
export const EXAMPLES = `
Examples:
  signalbox start
  signalbox sign-in --email you@example.com
  signalbox app create --name "My shop"
  signalbox token --app 1 --login alice
  signalbox --json user list --app 1 --search ali
  signalbox app update --app 1 --facebook-app-id 123 --facebook-app-secret @secret.txt

Commands call a running server as the member who signed in with sign-in, else as the owner of
DATA_DIR/owner.json. ${WITHOUT_SERVER} start and the demos run a server of their own.
For options marked "- for standard input", - reads the value from standard input and @FILE from a
file, so that it does not appear in the process list. Environment variables: docs/CONFIG.md.`;

/** Maximum number of required options shown for a command in the list of all commands. */
const REQUIRED_OPTIONS_MAX = 2;

/** Commander's help, with the commands of all groups in one list, each with its required options. */
export const HELP: Partial<Help> = {
  showGlobalOptions: true,
  visibleCommands: (command) => leavesOf(command),
  subcommandTerm: (command) =>
    [pathOf(command), ...argumentsOf(command), ...requiredOptionsOf(command)].join(" "),
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

function argumentsOf({ registeredArguments }: Command): string[] {
  return registeredArguments.map((argument) => `<${argument.name()}>`);
}

/** The first required options; the command's own help lists all. */
function requiredOptionsOf({ options }: Command): string[] {
  const required = options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  if (required.length <= REQUIRED_OPTIONS_MAX) return required;
  return [...required.slice(0, REQUIRED_OPTIONS_MAX), "…"];
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}
