import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../../scripts/services/binaries";
import { Arrivals } from "../support/arrivals";

/** The script by which ejabberd asks who may sign in, beside a service that does what a test wants. */

const SCRIPT = join(__dirname, "../../deploy/ejabberd/signalbox-sign-in");
const SECRET = "what ejabberd shows";

/** A question as the service was asked it. */
interface Asked {
  user: string;
  authorization: string | undefined;
  answer: ServerResponse;
}

let folder: string;
let service: Server;
let script: ChildProcess;
let asked: Arrivals<Asked>;
let answers: Arrivals<string>;

beforeEach(async () => {
  asked = new Arrivals();
  answers = new Arrivals();
  folder = mkdtempSync(join(tmpdir(), "signalbox-script-"));
  writeFileSync(join(folder, "secret"), `${SECRET}\n`);
  service = createServer((request, answer) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const { authorization } = request.headers;
      asked.push({ user: JSON.parse(body).user, authorization, answer });
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
      answers.push(chunk.subarray(at, at + 4).toString("hex"));
    }
  });
});
afterEach(() => {
  script.kill("SIGKILL");
  service.closeAllConnections();
  service.close();
  rmSync(folder, { recursive: true, force: true });
});

const YES = "00020001";
const NO = "00020000";

function question(text: string): void {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(text));
  script.stdin?.write(Buffer.concat([length, Buffer.from(text)]));
}

const allow = ({ answer }: Asked, allowed = true) => answer.end(JSON.stringify({ allowed }));

describe("the authentication script of ejabberd", () => {
  it("returns the responses of the service, on one connection", async () => {
    const sockets = new Set<unknown>();
    for (const allowed of [true, false, true]) {
      question("auth:42-7:chat.example:a:password");
      const asking = await asked.next();
      expect([asking.user, asking.authorization]).toEqual(["42-7", `Bearer ${SECRET}`]);
      sockets.add(asking.answer.socket);
      allow(asking, allowed);
      expect(await answers.next()).toBe(allowed ? YES : NO);
    }
    expect(sockets.size).toBe(1);
  });

  it("retries when its keep-alive connection was closed", async () => {
    question("auth:42-7:chat.example:password");
    allow(await asked.next());
    expect(await answers.next()).toBe(YES);
    question("auth:43-7:chat.example:password");
    (await asked.next()).answer.socket?.destroy();
    const again = await asked.next();
    expect(again.user).toBe("43-7");
    allow(again);
    expect(await answers.next()).toBe(YES);
  });

  it("refuses in time when the service does not respond, without a retry", async () => {
    question("auth:42-7:chat.example:password");
    allow(await asked.next());
    expect(await answers.next()).toBe(YES);
    // On the connection that was kept: a second try there would be as long again.
    question("auth:43-7:chat.example:password");
    expect((await asked.next()).user).toBe("43-7");
    expect(await answers.next()).toBe(NO);
    question("auth:44-7:chat.example:password");
    const next = await asked.next();
    expect(next.user).toBe("44-7");
    allow(next);
    expect(await answers.next()).toBe(YES);
  });
});
