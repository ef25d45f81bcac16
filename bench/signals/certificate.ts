import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProgram, run } from "../../scripts/services/binaries";
import { DOMAIN } from "./job";
import type { Certificate } from "./server";

/** Creates a self-signed P-256 certificate, which all servers share. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const certFile = join(folder, "cert.pem");
  const keyFile = join(folder, "key.pem");
  const bothFile = join(folder, "both.pem");
  await run(findProgram("openssl"), [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
    "-subj",
    `/CN=${DOMAIN}`,
    "-addext",
    `subjectAltName=DNS:${DOMAIN}`,
    "-keyout",
    keyFile,
    "-out",
    certFile,
  ]);
  await writeFile(bothFile, (await readFile(certFile, "utf8")) + (await readFile(keyFile, "utf8")));
  return { certFile, keyFile, bothFile };
}
