import { join } from "node:path";
import { findProgram, freePort } from "../../../../scripts/services/binaries";
import {
  type ChatServer,
  type ChatServerOptions,
  configuration,
  quoted,
  runChatServer,
  ServerFolder,
} from "./chat-server";
import { listens } from "./ports";

const DEPLOY = join(__dirname, "../../../../deploy/prosody");

/** Starts Debian's Prosody with the files of deploy/prosody. */
export async function startProsody(options: ChatServerOptions): Promise<ChatServer> {
  const program = findProgram("prosody");
  const folder = await ServerFolder.make("prosody");
  for (const module of ["mod_auth_signalbox.lua", "mod_signalbox_calls.lua"]) {
    await folder.copy(join(DEPLOY, module));
  }
  const { certificate, key } = await folder.certify();
  const [client, direct, http, component] = [
    ...[await freePort(), await freePort()],
    ...[await freePort(), await freePort()],
  ] as [number, number, number, number];
  const text = await configuration(join(DEPLOY, "prosody.cfg.lua"), [
    ["/usr/local/lib/signalbox/prosody", folder.path],
    ["/var/lib/prosody", folder.path],
    ["/run/prosody/prosody.pid", join(folder.path, "prosody.pid")],
    ["/var/log/prosody", folder.path],
    ["/etc/prosody/certs/chat.example.crt", certificate],
    ["/etc/prosody/certs/chat.example.key", key],
    ["c2s_ports = { 5222 }", `c2s_ports = { ${client} }`],
    ["c2s_direct_tls_ports = { 5223 }", `c2s_direct_tls_ports = { ${direct} }`],
    ["http_ports = { 5280 }", `http_ports = { ${http} }`],
    ["component_ports = { 5347 }", `component_ports = { ${component} }`],
    ['interfaces = { "*", "::" }', 'interfaces = { "127.0.0.1" }'],
    ["http://127.0.0.1:4000/chat/sign-in", options.signInUrl],
    ["change-this-component-secret", options.componentSecret],
    ["change-this-sign-in-secret", options.signInSecret],
    ["shared_addresses = {}", `shared_addresses = { ${quoted(options.shared)} }`],
  ]);
  const config = await folder.write("prosody.cfg.lua", text);
  const ports = { http, path: "/xmpp-websocket", client, component };
  return runChatServer(folder, { program, words: ["-F", "--config", config] }, ports, () =>
    Promise.all([listens(component), listens(http), listens(client)]),
  );
}
