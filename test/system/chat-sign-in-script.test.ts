import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../../scripts/services/binaries";
import { AsyncQueue } from "../../tools/async-queue";

/** The authentication script of ejabberd, with a stub of the auth endpoint. */

const SCRIPT = join(__dirname, "../../deploy/ejabberd/signalbox-sign-in");
const SECRET = "the sign-in secret";

/** A request that the auth endpoint received. */
interface AuthRequest {
  user: string;
  authorization: string | undefined;
  response: ServerResponse;
}

let folder: string;
let service: Server;
let script: ChildProcess;
let requests: AsyncQueue<AuthRequest>;
let results: AsyncQueue<string>;

beforeEach(async () => {
  requests = new AsyncQueue();
  results = new AsyncQueue();
  folder = mkdtempSync(join(tmpdir(), "signalbox-script-"));
  writeFileSync(join(folder, "secret"), `${SECRET}\n`);
  service = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const { authorization } = request.headers;
      requests.push({ user: JSON.parse(body).user, authorization, response });
    });
  });
  service.keepAliveTimeout = 0;
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  const { port } = service.address() as AddressInfo;
  script = spawn(
    findProgram("python3", "python3"),
    [SCRIPT, `http://127.0.0.1:${port}/chat/sign-in`, join(folder, "secret")],
    { stdio: ["pipe", "pipe", "ignore"] },
  );
  script.stdout?.on("data", (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; at += 4) {
      results.push(chunk.subarray(at, at + 4).toString("hex"));
    }
  });
});
afterEach(() => {
  script.kill("SIGKILL");
  service.closeAllConnections();
  service.close();
  rmSync(folder, { recursive: true, force: true });
});

const ALLOWED = "00020001";
const REFUSED = "00020000";

function send(text: string): void {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(text));
  script.stdin?.write(Buffer.concat([length, Buffer.from(text)]));
}

const respond = ({ response }: AuthRequest, allowed = true) =>
  response.end(JSON.stringify({ allowed }));

describe("the authentication script of ejabberd", () => {
  it("returns the responses of the service, on one connection", async () => {
    const sockets = new Set<unknown>();
    for (const allowed of [true, false, true]) {
      send("auth:42-7:chat.example:a:password");
      const request = await requests.next();
      expect([request.user, request.authorization]).toEqual(["42-7", `Bearer ${SECRET}`]);
      sockets.add(request.response.socket);
      respond(request, allowed);
      expect(await results.next()).toBe(allowed ? ALLOWED : REFUSED);
    }
    expect(sockets.size).toBe(1);
  });

  it("retries when its keep-alive connection was closed", async () => {
    send("auth:42-7:chat.example:password");
    respond(await requests.next());
    expect(await results.next()).toBe(ALLOWED);
    send("auth:43-7:chat.example:password");
    (await requests.next()).response.socket?.destroy();
    const again = await requests.next();
    expect(again.user).toBe("43-7");
    respond(again);
    expect(await results.next()).toBe(ALLOWED);
  });

  it("refuses in time when the service does not respond, without a retry", async () => {
    send("auth:42-7:chat.example:password");
    respond(await requests.next());
    expect(await results.next()).toBe(ALLOWED);
    // On the keep-alive connection: a retry would double the time.
    send("auth:43-7:chat.example:password");
    expect((await requests.next()).user).toBe("43-7");
    expect(await results.next()).toBe(REFUSED);
    send("auth:44-7:chat.example:password");
    const next = await requests.next();
    expect(next.user).toBe("44-7");
    respond(next);
    expect(await results.next()).toBe(ALLOWED);
  });
});
