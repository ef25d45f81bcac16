import tls from "node:tls";
import type { LiveCertificate } from "../../../src/core/tls/certificate";
import { type Certificate, parseCertificate } from "../../../src/core/tls/pem";
import { generateSelfSigned } from "../../../src/core/tls/self-signed";

let made: Promise<Certificate> | undefined;

/** A self-signed certificate for `chat.example` and localhost, shared by all tests of a file. */
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
  made ??= generateSelfSigned("chat.example", Date.now()).then(({ cert, key }) =>
    parseCertificate(cert, key),
  );
  return made;
}

/** Options of a TLS client that trusts {@link testCertificate} and verifies the server's name. */
export async function trustOptions(): Promise<{ ca: string; servername: string }> {
  return { ca: (await certificate()).cert, servername: "chat.example" };
}

const connect = tls.connect;
const trusted: string[] = [];

/**
 * Makes client libraries trust a certificate, process-wide: they call `tls.connect` without an option for
 * authorities.
 */
export function trustGlobally(cert: string): void {
  trusted.push(cert);
  Object.assign(tls, {
    connect: (options: tls.ConnectionOptions, ...rest: []) =>
      connect({ ca: trusted, ...options }, ...rest),
  });
}
