import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findProgram, freePort, run } from "../../../../scripts/services/binaries";
import {
  type ChatServer,
  type ChatServerOptions,
  configuration,
  quoted,
  runChatServer,
  ServerFolder,
} from "./chat-server";
import { listens } from "./ports";

const DEPLOY = join(__dirname, "../../../../deploy/ejabberd");

/** The folder of ejabberd's code, which depends on the architecture on Debian. */
function library(): string {
  const folders = readdirSync("/usr/lib").map((name) => join("/usr/lib", name));
  const found = folders.find((folder) => {
    try {
      return readdirSync(folder).some((name) => name.startsWith("ejabberd-"));
    } catch {
      return false;
    }
  });
  if (!found) throw new Error("ejabberd is not installed: apt-get install ejabberd");
  return found;
}

/** Starts Debian's ejabberd with the files of deploy/ejabberd. */
export async function startEjabberd(options: ChatServerOptions): Promise<ChatServer> {
  const program = findProgram("erl");
  const folder = await ServerFolder.make("ejabberd");
  // As described at the top of ejabberd.yml.
  await run("erlc", ["-o", folder.path, join(DEPLOY, "mod_signalbox.erl")]);
  const script = await folder.copy(join(DEPLOY, "signalbox-sign-in"));
  const secret = await folder.write("signalbox-secret", `${options.signInSecret}\n`);
  const { both } = await folder.certify();
  const [client, direct, http, component] = [
    ...[await freePort(), await freePort()],
    ...[await freePort(), await freePort()],
  ] as [number, number, number, number];
  const text = await configuration(join(DEPLOY, "ejabberd.yml"), [
    ["/usr/local/lib/signalbox/signalbox-sign-in", script],
    ["/etc/ejabberd/signalbox-secret", secret],
    ["/etc/ejabberd/certs/chat.example.pem", both],
    ["port: 5222", `port: ${client}`],
    ["port: 5223", `port: ${direct}`],
    ["port: 5280", `port: ${http}`],
    ["port: 8888", `port: ${component}`],
    ['ip: "::"', 'ip: "127.0.0.1"'],
    ["http://127.0.0.1:4000/chat/sign-in", options.signInUrl],
    ["change-this-component-secret", options.componentSecret],
    ["change-this-sign-in-secret", options.signInSecret],
    ["shared_addresses: []", `shared_addresses: [${quoted(options.shared)}]`],
  ]);
  const config = await folder.write("ejabberd.yml", text);
  // As ejabberdctl, but without a node name, which is for clusters and would start another daemon.
  const words = [
    "-noinput",
    "-pa",
    folder.path,
    "-mnesia",
    "dir",
    `"${join(folder.path, "mnesia")}"`,
    "-s",
    "ejabberd",
  ];
  const environment = {
    EJABBERD_CONFIG_PATH: config,
    EJABBERD_LOG_PATH: join(folder.path, "ejabberd.log"),
    ERL_CRASH_DUMP: join(folder.path, "crash.dump"),
    ERL_LIBS: library(),
  };
  const ports = { http, path: "/ws", client, component };
  return runChatServer(folder, { program, words, environment }, ports, () =>
    Promise.all([listens(component), listens(http), listens(client)]),
  );
}
