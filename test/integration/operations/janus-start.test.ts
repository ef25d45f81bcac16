import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** deploy/janus/start, with programs of the test in place of Janus and around sed. */

const START = join(__dirname, "../../../deploy/janus/start");
const SECRETS = {
  JANUS_API_SECRET: "1".repeat(48),
  JANUS_ADMIN_KEY: "2".repeat(48),
  JANUS_ADMIN_SECRET: "3".repeat(48),
};
const WRAPPER = `#!/bin/sh
printf '%s\\n' "$*" >>"$CALLS"
exec "$PROGRAM" "$@"
`;
/** Prints the files that it was started with. */
const JANUS = `#!/bin/sh
printf '%s\\n' "$*" >>"$CALLS"
cat "$2"/*.jcfg
rm -r "$2"
`;

let folder: string;
let environment: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-janus-start-"));
  mkdirSync(join(folder, "bin"));
  for (const name of ["sed", "cat"]) {
    const program = execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    writeFileSync(join(folder, "bin", name), WRAPPER.replace("$PROGRAM", program));
  }
  writeFileSync(join(folder, "bin/janus"), JANUS);
  for (const name of ["sed", "cat", "janus"]) chmodSync(join(folder, "bin", name), 0o755);
  environment = {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    TMPDIR: folder,
    CALLS: join(folder, "calls"),
    PUBLIC_ADDRESS: "203.0.113.7",
    RTP_PORTS: "20000-20099",
  };
  for (const [name, secret] of Object.entries(SECRETS)) {
    writeFileSync(join(folder, name), secret);
    environment[`${name}_FILE`] = join(folder, name);
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = () =>
  execFileSync("sh", [START, "--debug-level=4"], {
    env: environment,
    encoding: "utf8",
    stdio: "pipe",
  });

it("gives Janus the secrets in files, and no program a secret as an argument", () => {
  const files = start();
  expect(files).toContain(`api_secret = "${SECRETS.JANUS_API_SECRET}"`);
  expect(files).toContain(`admin_secret = "${SECRETS.JANUS_ADMIN_SECRET}"`);
  expect(files).toContain(`admin_key = "${SECRETS.JANUS_ADMIN_KEY}"`);
  expect(files).toContain('nat_1_1_mapping = "203.0.113.7"');
  expect(files).toContain('rtp_port_range = "20000-20099"');
  expect(files).not.toContain("replace-with-");
  const calls = readFileSync(join(folder, "calls"), "utf8");
  expect(calls).toMatch(/^--configs-folder \S+ --debug-level=4$/m);
  // The programs that read the files were noticed.
  expect(calls).toContain(environment.JANUS_API_SECRET_FILE);
  for (const secret of Object.values(SECRETS)) expect(calls).not.toContain(secret);
});

it.each(Object.keys(SECRETS))("does not start without the file of %s", (name) => {
  rmSync(join(folder, name));
  expect(start).toThrow(/No such file/);
});
