import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { passwordPrompt, type ServerAccess } from "../../../src/transports/cli/connection/server";
import { commandLine, type Ended, endOf } from "../../support/cli/command-line";

/** Commands in a folder that somebody else has made, and that names a server of that person. */

const TOKEN = "token-of-the-environment";
const PASSWORD = "password-of-the-environment";

let place: string;
let foreign: Server;
let url: string;
/** What the server that the folder names has received. */
let received: string;
/** The folder of the start. */
const folder = () => join(place, "foreign");
/** The user's own data folder. */
const data = () => join(place, "data");

beforeAll(async () => {
  foreign = createServer((request, response) => {
    received += JSON.stringify(request.headers);
    request.on("data", (part) => {
      received += part;
    });
    request.on("end", () => response.end("{}"));
  }).listen(0, "127.0.0.1");
  await once(foreign, "listening");
  url = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
});
afterAll(() => foreign.close());
beforeEach(() => {
  received = "";
  place = mkdtempSync(join(tmpdir(), "signalbox-foreign-"));
  write("data/owner.json", JSON.stringify({ email: "owner@localhost", password: PASSWORD }));
  mkdirSync(folder());
});
afterEach(() => rmSync(place, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(place, path)), { recursive: true });
  writeFileSync(join(place, path), text);
}

/** Runs a command in the folder. */
function run(environment: Record<string, string>, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, commandLine(args), {
    cwd: folder(),
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: join(place, "config"), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return endOf(child);
}

/** Lists the applications, in the folder. */
const list = (environment: Record<string, string>, ...options: string[]) =>
  run(environment, ...options, "app", "list");

/** Ways in which a folder names a server. */
const ADDRESSES: Record<string, () => void> = {
  "SIGNALBOX_URL in .env": () => write("foreign/.env", `SIGNALBOX_URL=${url}`),
  "PORT in .env": () => write("foreign/.env", `PORT=${new URL(url).port}`),
  "PORT_BASE in .env": () => write("foreign/.env", `PORT_BASE=${new URL(url).port}`),
  "the URL of .data": () =>
    write("foreign/.data/credentials.json", JSON.stringify({ base_url: url })),
  "the URL of a DATA_DIR in .env": () => {
    write("foreign/.env", `DATA_DIR='${join(place, "other")}'`);
    write("other/credentials.json", JSON.stringify({ base_url: url }));
  },
};

describe.each(Object.entries(ADDRESSES))("that has %s", (_way, name) => {
  beforeEach(() => name());

  it("does not get a token of the environment or the command line", async () => {
    const refusal = `The address ${url} is from the current folder (.env or .data), but the token is not. If it is your server, pass --url ${url}.\n`;
    const refused = { code: 1, out: "", err: refusal };
    expect(await list({ SIGNALBOX_TOKEN: TOKEN })).toEqual(refused);
    expect(await list({}, "--token", TOKEN)).toEqual(refused);
    expect(received).toBe("");
    await list({ SIGNALBOX_TOKEN: TOKEN }, "--url", url);
    expect(received).toContain(TOKEN);
  });
});

it.each([
  ["sign-in"],
  ["sign-in", "--email", "me@example.com", "--password", PASSWORD],
  ["token", "--app", "1", "--login", "me"],
  ["token", "--app", "1", "--email", "me@example.com", "--password", PASSWORD],
])("does not get a password that is typed: %s", async (...args) => {
  write("foreign/.env", `SIGNALBOX_URL=${url}\nSIGNALBOX_TOKEN=token-of-the-folder`);
  const { code, err } = await run({}, ...args);
  const refusal = `The address ${url} is from the current folder (.env or .data), but the password that you type is not. If it is your server, pass --url ${url}.\n`;
  expect([code, err]).toEqual([1, refusal]);
  expect(received).toBe("");
});

it("gets a password that is typed with --url, and is named by the prompt", async () => {
  write("foreign/.env", `SIGNALBOX_URL=${url}`);
  const given = ["sign-in", "--email", "me@example.com", "--password", "typed"];
  await run({}, "--url", url, ...given);
  expect(received).toContain("typed");
  const access = { url: `${url}/\u001b[2K` } as ServerAccess;
  expect(passwordPrompt(access)).toBe(`Password for ${url}/?[2K: `);
});

it("does not get the password of a DATA_DIR of the environment", async () => {
  write("foreign/.env", `SIGNALBOX_URL=${url}`);
  const { code, err } = await list({ DATA_DIR: data() });
  expect([code, err]).toEqual([1, expect.stringContaining("but the password in DATA_DIR is not")]);
  expect(received).toBe("");
  await list({ DATA_DIR: data(), SIGNALBOX_URL: url });
  expect(received).toContain(PASSWORD);
});

it("gets its own token and its own password, and what a file names that the command line names", async () => {
  write("foreign/.env", `SIGNALBOX_URL=${url}\nSIGNALBOX_TOKEN=token-of-the-folder`);
  await list({});
  expect(received).toContain("token-of-the-folder");

  write("foreign/.env", `SIGNALBOX_URL=${url}`);
  write("foreign/.data/owner.json", '{"email":"owner@localhost","password":"of-the-folder"}');
  await list({});
  expect(received).toContain("of-the-folder");

  received = "";
  await list({ SIGNALBOX_TOKEN: TOKEN }, "--env-file", ".env");
  expect(received).toContain(TOKEN);
});
