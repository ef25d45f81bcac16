import { join, relative } from "node:path";
import { answeredCall } from "./answered-call";
import { createColors } from "./colors";
import { pathInPackage } from "./format";
import { onInterruption } from "./interruption";
import { type CleanUpSteps, createParticipants, removeParticipants } from "./participants";
import { formatMs, Printer } from "./printer";
import { rejectedCall } from "./rejected-call";
import { findServer, NoServerError, type Server, startServer } from "./server";
import { median, StepFailed, StepRunner } from "./step-runner";

/**
 * The demo: two users with different protocols call each other. It uses the server whose credentials.json is
 * named by SIGNALBOX_CREDENTIALS, else the one in DATA_DIR, else a server that it starts itself.
 */
const { SIGNALBOX_CREDENTIALS, DATA_DIR, NO_COLOR, COLUMNS } = process.env;

/** Pause between steps on a terminal, in milliseconds. */
const PAUSE_MS = 300;

const { stdout } = process;
const terminal = stdout.isTTY === true;
const printer = new Printer(
  stdout,
  stdout.columns ?? (Number(COLUMNS) || 80),
  terminal,
  createColors(terminal && !NO_COLOR),
);
const { bold, dim, green, red } = printer.colors;
const cleanUpSteps: CleanUpSteps = [];
let stopServer = async () => {};
let interrupted = false;
const runner = new StepRunner(printer, terminal ? PAUSE_MS : 0);

async function main(): Promise<void> {
  printer.line();
  printer.line(bold("Signalbox demo"));
  printer.line();
  const { server, own } = await chooseServer();
  const { credentials } = server;
  printer.row("Server", `${credentials.base_url}  ${dim(own ? "started by the demo" : "running")}`);
  printer.row("Alice", `a legacy client  ${dim("XMPP over WebSocket, REST")}`);
  printer.row("Bob", `a new client  ${dim("GraphQL over WebSocket")}`);

  runner.section("Two users");
  const participants = await createParticipants(runner, credentials, cleanUpSteps);
  runner.section("An answered call");
  await answeredCall(runner, participants);
  runner.section("A rejected call");
  await rejectedCall(runner, participants);
  runner.section("Clean-up");
  await removeParticipants(runner, participants, cleanUpSteps);

  printer.line();
  const total = formatMs(runner.elapsed());
  printer.line(green(bold(`All ${runner.steps} steps passed in ${total}.`)));
  const times = runner.signalTimes;
  printer.line(`A signal took ${formatMs(median(times))} (median of ${times.length}).`);
  printer.line();
  const url = own
    ? "npx signalbox start, then http://127.0.0.1:4000/graphql"
    : credentials.graphql_url;
  printer.row("GraphiQL", `${url}  ${dim("in a browser")}`);
  printer.row("This code", `${pathInPackage("demo/main.ts")}  ${dim("for you to copy")}`);
  printer.row("More", pathInPackage("README.md"));
  printer.line();
}

async function chooseServer(): Promise<{ server: Server; own: boolean }> {
  const path = SIGNALBOX_CREDENTIALS || join(DATA_DIR || ".data", "credentials.json");
  const running = await findServer(path);
  if (running) return { server: running, own: false };
  if (SIGNALBOX_CREDENTIALS) {
    throw new NoServerError(
      `SIGNALBOX_CREDENTIALS is ${path}, but there is no such file or its server does not answer.`,
    );
  }
  const shown = relative(".", path) || path;
  printer.line(
    dim(`No server is running for ${shown}; starting one (takes up to half a minute) …`),
  );
  printer.line();
  const server = await startServer((stop) => {
    stopServer = stop;
  });
  return { server, own: true };
}

/** Undoes all steps and stops the server. A step that cannot be undone does not stop the others. */
async function cleanUp(): Promise<void> {
  for (const step of cleanUpSteps.splice(0).reverse()) await step().catch(() => undefined);
  await stopServer();
}

onInterruption(async () => {
  interrupted = true;
  // The current step may still create what is to be removed.
  await runner.stop();
  await cleanUp();
});

main()
  .catch((error: unknown) => {
    // Errors during the shutdown are expected.
    if (interrupted) return;
    process.exitCode = 1;
    if (error instanceof StepFailed) {
      printer.line(red(bold("The demo stopped at the failed step.")));
    } else printer.line(red(error instanceof NoServerError ? error.message : String(error)));
    printer.line();
  })
  .finally(() => (interrupted ? undefined : cleanUp()));
