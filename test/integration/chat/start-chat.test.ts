import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { generateSelfSigned } from "../../../src/core/tls/self-signed";
import { FREE_CHAT_PORTS } from "../../support/ports";
import { managedProcesses, type ServiceProcess } from "../../support/process";

/** The chat endpoint of a server process: its URLs, its certificate and its shutdown. */

const { environment, start } = managedProcesses();

/** The port of XMPP over TLS, once the service is ready. */
async function tlsPort(service: ServiceProcess): Promise<number> {
  const { chat, conferences } = await service.ready();
  const at = (scheme: string) => expect.stringMatching(`^${scheme}://127\\.0\\.0\\.1:\\d+$`);
  expect(chat).toEqual({ ws: at("ws"), wss: at("wss"), tcp: at("xmpp"), tls: at("xmpps") });
  expect(conferences).toEqual({ ws: at("ws") });
  return Number(chat.tls?.split(":").at(-1));
}

/** Connects to the endpoint over TLS; returns the socket and the endpoint's certificate. */
async function connectAndInspect(port: number) {
  const socket = connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false });
  await new Promise((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
  });
  return { socket, certificate: socket.getPeerX509Certificate()?.toString() };
}

it("logs the URL of each transport, and keeps its self-signed certificate across starts", async () => {
  const database = await environment();
  const variables = { ...database, ...FREE_CHAT_PORTS };
  const shown: (string | undefined)[] = [];
  for (let count = 0; count < 2; count += 1) {
    const service = start(variables);
    const { socket, certificate } = await connectAndInspect(await tlsPort(service));
    socket.destroy();
    shown.push(certificate);
    service.child.kill("SIGTERM");
    expect(await service.exited).toBe(0);
  }
  const folder = database.DATA_DIR ?? "";
  expect(shown[0]).toBe(readFileSync(join(folder, "tls-cert.pem"), "utf8"));
  expect(shown[1]).toBe(shown[0]);
  expect(statSync(join(folder, "tls-key.pem")).mode & 0o777).toBe(0o600);
});

it("reloads its certificate on SIGHUP, and ends streams with system-shutdown", async () => {
  const database = await environment();
  const folder = database.DATA_DIR ?? "";
  const files = {
    TLS_CERT_FILE: join(folder, "own-cert.pem"),
    TLS_KEY_FILE: join(folder, "own-key.pem"),
  };
  const issue = async () => {
    const { cert, key } = await generateSelfSigned("localhost", Date.now());
    writeFileSync(files.TLS_CERT_FILE, cert);
    writeFileSync(files.TLS_KEY_FILE, key);
    return cert;
  };
  const first = await issue();
  const service = start({ ...database, ...FREE_CHAT_PORTS, ...files });
  const port = await tlsPort(service);
  const before = await connectAndInspect(port);
  expect(before.certificate).toBe(first);
  let received = "";
  before.socket.on("data", (data) => {
    received += data;
  });

  const second = await issue();
  service.child.kill("SIGHUP");
  await service.waitForOutput(/the TLS certificate has been replaced/);
  const after = await connectAndInspect(port);
  expect(after.certificate).toBe(second);
  after.socket.destroy();

  // The open stream continues until the server ends it.
  const ended = new Promise((resolve) => before.socket.once("close", resolve));
  service.child.kill("SIGTERM");
  await ended;
  expect(received).toMatch(/<stream:stream .*<system-shutdown .*<\/stream:stream>$/);
  expect(await service.exited).toBe(0);
});

it("reports an unreadable certificate file and a port in use", async () => {
  const variables = { ...(await environment()), ...FREE_CHAT_PORTS };
  const wrong = { TLS_CERT_FILE: "/nowhere/cert.pem", TLS_KEY_FILE: "/nowhere/key.pem" };
  const service = start({ ...variables, ...wrong });
  expect(await service.exited).toBe(1);
  expect(service.output()).toContain('TLS_CERT_FILE does not exist (it is "/nowhere/cert.pem")');
  expect(service.output()).not.toMatch(/\n +at /);

  const blocker = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => blocker.once("listening", resolve));
  const { port } = blocker.address() as { port: number };
  try {
    const blocked = start({ ...variables, XMPP_TCP_PORT: String(port) });
    expect(await blocked.exited).toBe(1);
    expect(blocked.output()).toMatch(
      new RegExp(
        `^Port ${port} on 127.0.0.1 \\(XMPP_TCP_PORT\\) is in use.*set XMPP_TCP_PORT to another port`,
        "m",
      ),
    );
    expect(blocked.output()).not.toMatch(/\n +at /);
  } finally {
    blocker.close();
  }
});
