import type { Command } from "commander";
import { printText } from "../../core/console";
import { isStdinTerminal } from "../../core/terminal";
import { CommandError } from "./connection/command-error";
import type { Invocation } from "./connection/document-command";
import { endStoredSession, keepSignIn } from "./connection/member";
import { ask, promptSecret, readSecret } from "./connection/option-values";
import { passwordPrompt, refuseTypedPassword } from "./connection/server";
import { toJson } from "./connection/table";

interface SignInOptions {
  email?: string;
  password?: string;
}

/** Adds `sign-in` and `sign-out`, which keep and end a member's session for a server. */
export function addSignIn(program: Command, invocation: () => Invocation): void {
  program
    .command("sign-in")
    .description("Signs in as a member of the account, and keeps the session for other commands.")
    .option("--email <text>", "E-mail address of the member; prompted for on a terminal.")
    .option(
      "--password <text>",
      "The member's password (- for standard input, @FILE for a file); prompted for on a terminal.",
    )
    .action(async (options: SignInOptions) => {
      const { access, json } = invocation();
      const server = access();
      refuseTypedPassword(server);
      const email = options.email ?? (await askFor("--email", () => ask("E-mail address: ")));
      const password =
        options.password === undefined
          ? await askFor("--password", () => promptSecret(passwordPrompt(server)))
          : await readSecret("--password", options.password);
      const { member, expiresAt } = await keepSignIn(server, { email, password });
      const { url } = server;
      printText(
        json
          ? toJson({ url, ...member, expiresAt })
          : `Signed in at ${url} as ${member.email} (${member.role}). The session ends 12 hours after its last use, or with signalbox sign-out.`,
      );
    });
  program
    .command("sign-out")
    .description("Ends the session that sign-in, or a command of the owner, keeps for the server.")
    .action(async () => {
      const { access, json } = invocation();
      const server = access();
      const email = await endStoredSession(server);
      const { url } = server;
      printText(json ? toJson({ url, email }) : `Signed out ${email} at ${url}.`);
    });
}

function askFor(flag: string, prompt: () => Promise<string>): Promise<string> {
  if (isStdinTerminal()) return prompt();
  throw new CommandError(`${flag} is missing, and standard input is no terminal to ask on.`);
}
