import type { Command } from "commander";
import { CommandError } from "./connection/command-error";

/** The commands that bin/signalbox.js runs as programs of their own. */
const PROGRAMS: Record<string, string> = {
  start: "Starts the server, with its data in DATA_DIR or PostgreSQL.",
  demo: "Shows a call between two users in the terminal, with what each of them sends and receives.",
  "demo:call": "Serves a page for a call between two browser tabs, with a server of its own.",
  "demo:conference":
    "Serves a page for a conference between browser tabs, with a server of its own.",
};

/** Adds `start` and the demos to the help. They only arrive here with arguments that they do not have. */
export function addPrograms(program: Command): void {
  for (const [name, description] of Object.entries(PROGRAMS)) {
    program
      .command(name)
      .description(description)
      .action(() => {
        throw new CommandError(
          `signalbox ${name} has no options but --env-file; environment variables configure it.`,
        );
      });
  }
}
