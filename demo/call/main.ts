import { createColors } from "../colors";
import { pathInPackage } from "../format";
import { onInterruption } from "../interruption";
import { Printer } from "../printer";
import { NoServerError, startServer } from "../server";
import { createDemoUsers } from "./demo-users";
import { servePage } from "./page-server";

/**
 * A call between two browser tabs: starts a server with a temporary database, creates three users and serves
 * the page. Removes everything when the command ends.
 */
const { NO_COLOR, CALL_PORT } = process.env;

/** Preferred port of the page. */
const PORT = Number(CALL_PORT ?? 4010);

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
  printer.line(bold("A call in two tabs"));
  printer.line();
  printer.line(dim("Starting a server with a new database (takes up to half a minute) …"));
  const { credentials } = await startServer((stop) => closing.push(stop));
  const people = await createDemoUsers(credentials);
  const page = await servePage(credentials, people, PORT);
  closing.push(() => page.close());

  printer.line();
  const [ann, ben] = people;
  printer.row("First tab", `${page.url}?user=${ann?.login}  ${dim("GraphQL")}`);
  printer.row("Second tab", `${page.url}?user=${ben?.login}&protocol=xmpp  ${dim("XMPP")}`);
  printer.row("This code", `${pathInPackage("demo/call/page")}  ${dim("for you to copy")}`);
  printer.line();
  printer.line("Sign in in both tabs, then call. Ctrl+C stops the server and removes its data.");
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
