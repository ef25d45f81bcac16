import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(__dirname, "../..");

/** Loads what a node loads before it reads its configuration, and reports the paths of all modules. */
const PROGRAM = `
require(process.argv[1]);
console.log(JSON.stringify(Object.keys(require.cache)));`;

/** Packages that only some nodes or some requests use. */
const LAZY = [
  "@electric-sql/pglite",
  "@parse/node-apn",
  "@prisma/client",
  "apn",
  "firebase-admin",
  "ioredis",
  "nodemailer",
  "pglite-prisma-adapter",
  "qrcode",
  "web-push",
];

test("a start loads no package that only some nodes or requests use", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["-r", join(ROOT, "tools/run-typescript.js"), "-e", PROGRAM, join(ROOT, "src/app.ts")],
    { maxBuffer: 10_000_000 },
  );
  const paths = JSON.parse(stdout) as string[];
  const isLoaded = (name: string) => paths.some((path) => path.includes(`node_modules/${name}/`));
  expect(isLoaded("fastify")).toBe(true);
  expect(LAZY.filter(isLoaded)).toEqual([]);
});
