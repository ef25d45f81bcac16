import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError, readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { type LiveCertificate, openCertificate } from "../../src/core/tls/certificate";
import { makeSelfSigned } from "../../src/core/tls/self-signed";

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

async function open(variables: Record<string, string> = {}, lookMs?: number) {
  const config = readConfig({ DATA_DIR: folder, CHAT_DOMAIN: "chat.example", ...variables });
  const certificate = await openCertificate(config, { clock: { now: () => now }, log, lookMs });
  opened.push(certificate);
  return certificate;
}

const FILES = () => ({ TLS_CERT_FILE: path("cert.pem"), TLS_KEY_FILE: path("key.pem") });

/** Writes a certificate and its key as an authority's client would. */
async function issue(madeAt = NOW): Promise<string> {
  const { cert, key } = await makeSelfSigned("chat.example", madeAt);
  writeFileSync(path("cert.pem"), cert);
  writeFileSync(path("key.pem"), key);
  return cert;
}

describe("where no certificate is named", () => {
  it("a self-signed one is made: P-256, for the domain and this machine, for ten years", async () => {
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

  it("its key is its owner's alone, and nothing else is left in the folder", async () => {
    await open();
    expect(readdirSync(folder).sort()).toEqual(["tls-cert.pem", "tls-key.pem"]);
    expect(statSync(path("tls-key.pem")).mode & 0o777).toBe(0o600);
  });

  it("it is kept across starts until a month before it ends, or another domain is named", async () => {
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
  ])("it is made anew when a file is %s", async (_name, file, text) => {
    const first = (await open()).current.cert;
    writeFileSync(path(file), text);
    const second = (await open()).current.cert;
    expect(second).not.toBe(first);
    expect(readFileSync(path("tls-cert.pem"), "utf8")).toBe(second);
  });

  it("it is renewed in a node that runs for so long", async () => {
    const certificate = await open({}, 5);
    const first = certificate.current.cert;
    now = NOW + 3_640 * DAY;
    await new Promise<void>((resolve) => certificate.onChange(resolve));
    expect(certificate.current.cert).not.toBe(first);
  });

  it("and the folder cannot be written to, it says so", async () => {
    writeFileSync(path("file"), "");
    await expect(open({ DATA_DIR: join(path("file"), "x") })).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});

describe("named files", () => {
  it("are used, with all that stands behind the first certificate", async () => {
    const cert = await issue();
    const above = (await makeSelfSigned("authority.example", NOW)).cert;
    writeFileSync(path("cert.pem"), cert + above);
    expect((await open(FILES())).current.cert).toBe(cert + above);
    expect(readdirSync(folder).sort()).toEqual(["cert.pem", "key.pem"]);
  });

  const encrypted = () =>
    generateKeyPairSync("ec", {
      namedCurve: "P-256",
      privateKeyEncoding: {
        ...{ type: "pkcs8", format: "pem" },
        ...{ cipher: "aes-256-cbc", passphrase: "secret" },
      },
      publicKeyEncoding: { type: "spki", format: "pem" },
    }).privateKey;
  const stranger = () =>
    generateKeyPairSync("ec", { namedCurve: "P-256" })
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString();

  it.each<[string, string, () => string | null, RegExp]>([
    ["a certificate that is not there", "cert.pem", () => null, /TLS_CERT_FILE is not there/],
    ["a key that is not there", "key.pem", () => null, /TLS_KEY_FILE is not there/],
    ["no certificate", "cert.pem", () => "hello", /TLS_CERT_FILE holds no certificate in PEM/],
    [
      "a damaged certificate",
      "cert.pem",
      () => "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      /TLS_CERT_FILE holds a certificate that is damaged \(number 1\)/,
    ],
    ["no key", "key.pem", () => "hello", /TLS_KEY_FILE holds no private key in PEM/],
    ["an encrypted key", "key.pem", encrypted, /TLS_KEY_FILE is encrypted/],
    ["another key", "key.pem", stranger, /TLS_KEY_FILE holds the key of another certificate/],
  ])("stop the start with %s, and its path", async (_name, file, text, words) => {
    await issue();
    const content = text();
    if (content === null) rmSync(path(file));
    else writeFileSync(path(file), content);
    const error: Error = await open(FILES()).then(
      () => new Error("it started"),
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toMatch(words);
    expect(error.message).toContain(path(file));
  });

  it("are named together, or not at all", () => {
    for (const [given, missing] of [
      ["TLS_CERT_FILE", "TLS_KEY_FILE"],
      ["TLS_KEY_FILE", "TLS_CERT_FILE"],
    ] as const) {
      expect(() => readConfig({ [given]: "x.pem" })).toThrow(`${missing} is needed with ${given}`);
    }
  });

  it("are read again when they change, and only together", async () => {
    await issue();
    const certificate = await open(FILES(), 5);
    const first = certificate.current.cert;
    let changes = 0;
    const changed = new Promise<void>((resolve) => {
      certificate.onChange(() => {
        changes += 1;
        resolve();
      });
    });
    const next = await makeSelfSigned("chat.example", NOW);
    writeFileSync(path("cert.pem"), next.cert);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect([certificate.current.cert, changes]).toEqual([first, 0]);
    writeFileSync(path("key.pem"), next.key);
    await changed;
    expect(certificate.current).toMatchObject(next);
    await certificate.reload();
    expect(changes).toBe(1);
  });

  it("are read again when that is asked for", async () => {
    await issue();
    const certificate = await open(FILES());
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
