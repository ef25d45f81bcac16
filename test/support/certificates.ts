import tls from "node:tls";
import type { LiveCertificate } from "../../src/core/tls/certificate";
import { type Certificate, parseCertificate } from "../../src/core/tls/pem";
import { makeSelfSigned } from "../../src/core/tls/self-signed";

let made: Promise<Certificate> | undefined;

/** One self-signed certificate for `chat.example` and this machine, for all tests of a file. */
export async function testCertificate(): Promise<LiveCertificate> {
  const current = await certificate();
  return {
    context: current.context,
    current,
    onChange() {},
    reload: async () => undefined,
    close() {},
  };
}

function certificate(): Promise<Certificate> {
  made ??= makeSelfSigned("chat.example", Date.now()).then(({ cert, key }) =>
    parseCertificate(cert, key),
  );
  return made;
}

/** Options of a TLS client that trusts {@link testCertificate} and checks who it is talking to. */
export async function trusting(): Promise<{ ca: string; servername: string }> {
  return { ca: (await certificate()).cert, servername: "chat.example" };
}

const connect = tls.connect;
const trusted: string[] = [];

/**
 * Has client libraries trust a certificate, which is a matter of the whole process for them: they open
 * TLS by `tls.connect`, and look for the authorities that Node brings.
 */
export function trustEverywhere(cert: string): void {
  trusted.push(cert);
  Object.assign(tls, {
    connect: (options: tls.ConnectionOptions, ...rest: []) =>
      connect({ ca: trusted, ...options }, ...rest),
  });
}
