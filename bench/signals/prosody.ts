import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram, freePort } from "../../scripts/services/binaries";
import { startMeasured } from "../measured-process";
import { type Account, DOMAIN } from "./job";
import { type Certificate, type ComparedServer, probe } from "./server";

/**
 * Prosody with only what signals need: no connection log, limits, offline messages or federation. Passwords
 * are stored in plain text, so a sign-in costs no hash.
 */
const configuration = (folder: string, certificate: Certificate, tls: number, http: number) => `
run_as_root = true
pidfile = "${folder}/prosody.pid"
data_path = "${folder}/data"
certificates = "${folder}"
log = { error = "*console" }
interfaces = { "127.0.0.1" }
network_backend = "epoll"
network_settings = { tcp_backlog = 1024 }
modules_enabled = { "saslauth"; "websocket"; "ping" }
modules_disabled = { "offline"; "s2s"; "s2s_auth_certs" }
authentication = "internal_plain"
c2s_ports = {}
c2s_direct_tls_ports = { ${tls} }
c2s_direct_tls_ssl = { certificate = "${certificate.certFile}"; key = "${certificate.keyFile}" }
http_ports = { ${http} }
http_interfaces = { "127.0.0.1" }
https_ports = {}
consider_websocket_secure = true
VirtualHost "${DOMAIN}"
ssl = { certificate = "${certificate.certFile}"; key = "${certificate.keyFile}" }
`;

/** Prosody's encoding of file names: all characters but letters and digits as `%` and the hex code. */
const escapeName = (name: string) =>
  name.replace(/[^A-Za-z0-9]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** Prepares a folder for Prosody with these accounts. */
export async function prosody(
  folder: string,
  certificate: Certificate,
  accounts: Account[],
): Promise<ComparedServer> {
  const program = findProgram("prosody");
  const store = join(folder, "data", escapeName(DOMAIN), "accounts");
  await mkdir(store, { recursive: true });
  for (const { userId, applicationId, secret } of accounts) {
    const file = join(store, `${escapeName(`${userId}-${applicationId}`)}.dat`);
    await writeFile(file, `return { ["password"] = "${secret}" };\n`);
  }
  return {
    accounts,
    async start() {
      const tlsPort = await freePort();
      const http = await freePort();
      const file = join(folder, "prosody.cfg.lua");
      await writeFile(file, configuration(folder, certificate, tlsPort, http));
      const measured = await startMeasured({
        program,
        args: ["-F", "--config", file],
        environment: { HOME: folder },
        ready: async () => Promise.all([probe(tlsPort), probe(http)]),
      });
      return { ...measured, tlsPort, websocketUrl: `ws://127.0.0.1:${http}/xmpp-websocket` };
    },
  };
}
