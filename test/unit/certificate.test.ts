import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError, readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { type LiveCertificate, openCertificate } from "../../src/core/tls/certificate";
import { generateSelfSigned } from "../../src/core/tls/self-signed";

const DAY = 86_400_000;
const NOW = Date.parse("2026-01-15T12:00:00Z");
const log = openLog("silent");

let folder: string;
let now: number;
const opened: LiveCertificate[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-tls-"));
  now = NOW;
});
afterEach(() => {
  for (const certificate of opened.splice(0)) certificate.close();
  rmSync(folder, { recursive: true });
});

const path = (name: string) => join(folder, name);

async function open(variables: Record<string, string> = {}, checkMs?: number) {
  const config = readConfig({ DATA_DIR: folder, CHAT_DOMAIN: "chat.example", ...variables });
  const certificate = await openCertificate(config, { clock: { now: () => now }, log, checkMs });
  opened.push(certificate);
  return certificate;
}

const namedFiles = () => ({ TLS_CERT_FILE: path("cert.pem"), TLS_KEY_FILE: path("key.pem") });

/** Writes a certificate and its key to the named files. */
async function issue(madeAt = NOW): Promise<string> {
  const { cert, key } = await generateSelfSigned("chat.example", madeAt);
  writeFileSync(path("cert.pem"), cert);
  writeFileSync(path("key.pem"), key);
  return cert;
}

describe("without configured files", () => {
  it("a self-signed certificate is created: P-256, for the domain and localhost, for ten years", async () => {
    const { current } = await open();
    const x509 = new X509Certificate(current.cert);
    expect(x509.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: "prime256v1" });
    expect(x509.checkHost("chat.example")).toBe("chat.example");
    expect(x509.checkHost("localhost")).toBe("localhost");
    expect(x509.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(x509.checkHost("other.example")).toBeUndefined();
    expect(x509.ca).toBe(false);
    expect(x509.verify(x509.publicKey)).toBe(true);
    expect(Date.parse(x509.validFrom)).toBeLessThan(NOW);
    expect(Date.parse(x509.validTo)).toBe(NOW + 3_650 * DAY);
  });

  it("only the owner can read the key, and no other file remains in the folder", async () => {
    await open();
    expect(readdirSync(folder).sort()).toEqual(["tls-cert.pem", "tls-key.pem"]);
    expect(statSync(path("tls-key.pem")).mode & 0o777).toBe(0o600);
  });

  it("the certificate is kept across starts until a month before it expires, or the domain changes", async () => {
    const first = (await open()).current.cert;
    now = NOW + 3_619 * DAY;
    expect((await open()).current.cert).toBe(first);
    now = NOW + 3_621 * DAY;
    const second = (await open()).current.cert;
    expect(second).not.toBe(first);
    expect((await open()).current.cert).toBe(second);
    const other = (await open({ CHAT_DOMAIN: "other.example" })).current.cert;
    expect(new X509Certificate(other).checkHost("other.example")).toBe("other.example");
  });

  it.each([
    ["damaged", "tls-cert.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
    ["lost", "tls-key.pem", ""],
  ])("the certificate is created again when a file is %s", async (_name, file, text) => {
    const first = (await open()).current.cert;
    writeFileSync(path(file), text);
    const second = (await open()).current.cert;
    expect(second).not.toBe(first);
    expect(readFileSync(path("tls-cert.pem"), "utf8")).toBe(second);
  });

  it("a running node renews the certificate", async () => {
    const certificate = await open({}, 5);
    const first = certificate.current.cert;
    now = NOW + 3_640 * DAY;
    await new Promise<void>((resolve) => certificate.onChange(resolve));
    expect(certificate.current.cert).not.toBe(first);
  });

  it("a folder that is not writable is reported", async () => {
    writeFileSync(path("file"), "");
    await expect(open({ DATA_DIR: join(path("file"), "x") })).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});

describe("configured files", () => {
  it("are used, with the whole certificate chain", async () => {
    const cert = await issue();
    const above = (await generateSelfSigned("authority.example", NOW)).cert;
    writeFileSync(path("cert.pem"), cert + above);
    expect((await open(namedFiles())).current.cert).toBe(cert + above);
    expect(readdirSync(folder).sort()).toEqual(["cert.pem", "key.pem"]);
  });

  const encrypted = () =>
    generateKeyPairSync("ec", {
      namedCurve: "P-256",
      privateKeyEncoding: {
        type: "pkcs8",
        format: "pem",
        cipher: "aes-256-cbc",
        passphrase: "secret",
      },
      publicKeyEncoding: { type: "spki", format: "pem" },
    }).privateKey;
  const otherKey = () =>
    generateKeyPairSync("ec", { namedCurve: "P-256" })
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString();

  it.each<[string, string, () => string | null, RegExp]>([
    ["a missing certificate", "cert.pem", () => null, /TLS_CERT_FILE does not exist/],
    ["a missing key", "key.pem", () => null, /TLS_KEY_FILE does not exist/],
    ["no certificate", "cert.pem", () => "hello", /TLS_CERT_FILE contains no certificate in PEM/],
    [
      "a damaged certificate",
      "cert.pem",
      () => "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      /TLS_CERT_FILE contains a damaged certificate \(number 1\)/,
    ],
    ["no key", "key.pem", () => "hello", /TLS_KEY_FILE contains no private key in PEM/],
    ["an encrypted key", "key.pem", encrypted, /TLS_KEY_FILE is encrypted/],
    ["another key", "key.pem", otherKey, /TLS_KEY_FILE contains the key of another certificate/],
  ])("stop the start if there is %s, and the error contains the path", async (_name, file, text, words) => {
    await issue();
    const content = text();
    if (content === null) rmSync(path(file));
    else writeFileSync(path(file), content);
    const error: Error = await open(namedFiles()).then(
      () => new Error("it started"),
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toMatch(words);
    expect(error.message).toContain(path(file));
  });

  it("must be configured together", () => {
    for (const [given, missing] of [
      ["TLS_CERT_FILE", "TLS_KEY_FILE"],
      ["TLS_KEY_FILE", "TLS_CERT_FILE"],
    ] as const) {
      expect(() => readConfig({ [given]: "x.pem" })).toThrow(
        `${missing} is required with ${given}`,
      );
    }
  });

  it("are reloaded when they change, once certificate and key match", async () => {
    await issue();
    const certificate = await open(namedFiles(), 5);
    const first = certificate.current.cert;
    let changes = 0;
    const changed = new Promise<void>((resolve) => {
      certificate.onChange(() => {
        changes += 1;
        resolve();
      });
    });
    const next = await generateSelfSigned("chat.example", NOW);
    writeFileSync(path("cert.pem"), next.cert);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect([certificate.current.cert, changes]).toEqual([first, 0]);
    writeFileSync(path("key.pem"), next.key);
    await changed;
    expect(certificate.current).toMatchObject(next);
    await certificate.reload();
    expect(changes).toBe(1);
  });

  it("are reloaded on request; invalid files are ignored", async () => {
    await issue();
    const certificate = await open(namedFiles());
    const { context } = certificate;
    const next = await issue();
    await certificate.reload();
    expect(certificate.current.cert).toBe(next);
    expect(certificate.context).not.toBe(context);
    writeFileSync(path("cert.pem"), "hello");
    await certificate.reload();
    expect(certificate.current.cert).toBe(next);
  });
});
