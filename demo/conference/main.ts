import { createDemoUsers } from "../call/demo-users";
import { createColors } from "../colors";
import { pathInPackage } from "../format";
import { onInterruption } from "../interruption";
import { Printer } from "../printer";
import { NoServerError, startServer } from "../server";
import { createDemoConference, serveConferencePage } from "./demo-conference";

/**
 * A conference between browser tabs: starts a server with a temporary database and its embedded media server,
 * creates users, a conference and a link for guests, and serves the page. Removes everything when the command ends.
 */
const { NO_COLOR, CONFERENCE_PAGE_PORT } = process.env;

/** Preferred port of the page. */
const PORT = Number(CONFERENCE_PAGE_PORT ?? 4011);

const { stdout } = process;
const terminal = stdout.isTTY === true;
const printer = new Printer(
  stdout,
  stdout.columns ?? 80,
  terminal,
  createColors(terminal && !NO_COLOR),
);
const { bold, dim, red } = printer.colors;
const closing: (() => Promise<void>)[] = [];

async function main(): Promise<void> {
  printer.line();
  printer.line(bold("A conference in tabs"));
  printer.line();
  printer.line(dim("Starting a server with a new database (takes up to half a minute) …"));
  const { credentials, janusUrl } = await startServer((stop) => closing.push(stop));
  const people = await createDemoUsers(credentials);
  const [ann, ben] = people;
  if (!ann || !ben) throw new Error("The demo needs two users.");
  const conference = await createDemoConference(credentials, ann);
  const page = await serveConferencePage(credentials, people, conference, janusUrl, PORT);
  closing.push(() => page.close());

  printer.line();
  printer.row("User", `${page.url}?user=${ann.login}`);
  printer.row("Legacy", `${page.url}?user=${ben.login}&protocol=janus`);
  printer.row("Guest", `${page.url}#${conference.linkSecret}`);
  printer.row("This code", pathInPackage("demo/conference/page"));
  printer.line(
    dim("  It stands on the package in client/; janus-conference.js is a legacy client."),
  );
  printer.line();
  printer.line("Open each in a tab and join. Ctrl+C stops the server and removes its data.");
  printer.line();
}

/** Closes everything in reverse order. */
async function cleanUp(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close().catch(() => undefined);
}

onInterruption(cleanUp);

main().catch((error: unknown) => {
  process.exitCode = 1;
  printer.line(red(error instanceof NoServerError ? error.message : String(error)));
  return cleanUp();
});
