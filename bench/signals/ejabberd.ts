import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram, freePort } from "../../scripts/services/binaries";
import { startMeasured } from "../measured-process";
import { type Account, DOMAIN } from "./job";
import type { Certificate, ComparedServer } from "./server";

/** Debian's folder of ejabberd's code. */
const LIBRARIES = "/usr/lib/x86_64-linux-gnu";

/**
 * ejabberd with only what signals need: no modules, shapers or log. Passwords are stored in plain text, so a
 * sign-in costs no hash.
 */
const configuration = (certificate: Certificate, tls: number, http: number) => `
loglevel: error
hosts: ["${DOMAIN}"]
certfiles: ["${certificate.bothFile}"]
auth_method: [internal]
auth_password_format: plain
listen:
  - {port: ${tls}, ip: "127.0.0.1", module: ejabberd_c2s, tls: true, backlog: 1024, max_stanza_size: 65536}
  - {port: ${http}, ip: "127.0.0.1", module: ejabberd_http, backlog: 1024, request_handlers: {/ws: ejabberd_http_ws}}
modules: {}
`;

/** Erlang code that registers accounts with consecutive ids and then prints `ready`. */
const register = ({ userId, applicationId, secret }: Account, count: number) =>
  `[ok = ejabberd_auth:try_register(iolist_to_binary([integer_to_binary(N), "-${applicationId}"]),
    <<"${DOMAIN}">>, <<"${secret}">>) || N <- lists:seq(${userId}, ${userId + count - 1})],
  io:format("ready~n").`;

/**
 * Prepares a folder for ejabberd. It starts without the ejabberdctl shell script and without a node name, so
 * it needs no epmd and does not conflict with another ejabberd.
 * @param accounts with consecutive user ids, of one application and with the same secret
 */
export async function ejabberd(
  folder: string,
  certificate: Certificate,
  accounts: Account[],
): Promise<ComparedServer> {
  const program = findProgram("erl");
  const [first] = accounts;
  if (!first) throw new Error("there are no accounts");
  const file = join(folder, "ejabberd.yml");
  const spool = join(folder, "spool");
  return {
    accounts,
    async start() {
      const tls = await freePort();
      const http = await freePort();
      await writeFile(file, configuration(certificate, tls, http));
      await rm(spool, { recursive: true, force: true });
      const measured = await startMeasured({
        program,
        args: [
          "-noinput",
          "+K",
          "true",
          "+P",
          "250000",
          ...QUIET,
          "-mnesia",
          "dir",
          `"${spool}"`,
          "-s",
          "ejabberd",
          "-eval",
          register(first, accounts.length),
        ],
        environment: {
          HOME: folder,
          ERL_LIBS: LIBRARIES,
          EJABBERD_CONFIG_PATH: file,
          EJABBERD_LOG_PATH: join(folder, "ejabberd.log"),
        },
        ready: /^ready$/m,
      });
      return { ...measured, tlsPort: tls, websocketUrl: `ws://127.0.0.1:${http}/ws` };
    },
  };
}

/** Disables busy waiting of idle schedulers, which would count as CPU time. */
const QUIET = ["+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none"];
