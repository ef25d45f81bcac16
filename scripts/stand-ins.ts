/**
 * Starts stand-ins for the push services of Apple, Google and the browsers, to try pushes without accounts
 * there, and prints every notification that they receive:
 *
 *     npm run stand-ins [-- --set-up --folder FOLDER --host HOST --apns-port N --fcm-port N --web-port N --quiet]
 */
import { join, relative } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { readConfig } from "../src/core/config";
import { CODES } from "../tools/stand-ins/behaviour";
import { FILES, writeCredentials } from "../tools/stand-ins/files";
import { logPushes } from "../tools/stand-ins/push-log";
import { type StandIns, startStandIns } from "../tools/stand-ins/start";
import { loadStandInKeys } from "../tools/stand-ins/stored-keys";
import { prepareTrial } from "./stand-in-set-up";

const say = (text: string) => process.stdout.write(`${text}\n`);

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError("must be a port from 0 to 65535");
  }
  return Number(text);
}

interface Options {
  folder?: string;
  host: string;
  apnsPort: number;
  fcmPort: number;
  webPort: number;
  setUp?: boolean;
  quiet?: boolean;
}

const command = new Command("stand-ins")
  .description("Stand-ins for the push services, to try pushes without accounts there.")
  .option("--folder <folder>", "folder for keys and credentials (default: stand-ins in DATA_DIR)")
  .option("--host <host>", "address to listen on", "127.0.0.1")
  .option("--apns-port <port>", "port of the APNs stand-in", port, 4301)
  .option("--fcm-port <port>", "port of the FCM stand-in", port, 4302)
  .option("--web-port <port>", "port of the Web Push stand-in", port, 4303)
  .option("--set-up", "configure the running server, and create a user with a device of each kind")
  .option("--quiet", "do not print notifications");

/** Instructions for setting the credentials and sending pushes. */
function describe({ apns, fcm, web, credentials, devices }: StandIns, folder: string): string {
  const file = (name: string) => relative("", join(folder, name));
  const { keyId, teamId, bundleId } = credentials.apns;
  const set = (service: string, ...options: string[]) =>
    `  npx signalbox push set-${service} --app 1 --environment development \\\n    ${options.join(" ")}` +
    ` \\\n    --ca @${file(FILES.authority)}`;
  return `
Stand-ins for the push services are ready. Press Ctrl-C to stop them.

  APNs  ${apns.url}
  FCM   ${fcm.url}  (access tokens: ${fcm.tokenUrl})
  Web   ${web.url}

Credentials are in ${relative("", folder) || "."} and are reused by the next start.
The server must be allowed to reach this machine: ALLOW_PRIVATE_NETWORKS=true

${set("apns", `--key @${file(FILES.apnsKey)} --key-id ${keyId} --team-id ${teamId}`, `--bundle-id ${bundleId} --base-url ${apns.url}`)}
${set("fcm", `--service-account @${file(FILES.fcm)} --base-url ${fcm.url}`)}
${set("web", `--private-key @${file(FILES.webKey)} --subject mailto:push@example.com`)}

Devices to subscribe (${file(FILES.devices)}; any other token in the same format works too):

  apns  ${devices.apns}
  gcm   ${devices.fcm}
  web   web_endpoint ${devices.web.endpoint}
        web_auth     ${devices.web.auth}
        web_p256dh   ${devices.web.p256dh}

To simulate a failure, start a device's token with 0000 (apns) or code- (gcm, and the end of a web_endpoint),
followed by one of: ${Object.keys(CODES).join(" ")}
(statuses; a001 closes the connection, a002 resets it, a003 takes 3 s, a004 never responds).
`;
}

async function main(): Promise<void> {
  const options = command.parse().opts<Options>();
  const { folder = join(readConfig().DATA_DIR, "stand-ins") } = options;
  const keys = loadStandInKeys(folder);
  const standIns = await startStandIns(keys, options);
  writeCredentials(folder, keys, standIns);
  if (options.setUp) {
    const { applicationId, userId } = await prepareTrial(standIns);
    say(`
Stand-ins for the push services are ready, and the server sends to them. Press Ctrl-C to stop them. Now try:

  npx signalbox push test --app ${applicationId} --user ${userId}
`);
  } else say(describe(standIns, folder));
  if (!options.quiet) logPushes(standIns, say);
  const end = () => void standIns.close().then(() => process.exit(0));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  // The reader of the output is gone.
  process.stdout.once("error", end);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
