import fs from "node:fs/promises";
import { join } from "node:path";
import { readConfig } from "../../../src/core/config";
import { checkMachine } from "../../../src/core/startup/check-machine";
import { isDiskFull } from "../../../src/platform/store/database-errors";
import { graphql } from "../../../tools/graphql/graphql-http";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { emptyFolder, freshFolder } from "../../support/operations/database";
import { FREE_PORTS } from "../../support/ports";
import { newUser, rest } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/** A disk without space: what the checks, errors, /readyz and a first start say of it. */

const MIB = 1024 * 1024;

/** Lets every disk have an amount of free space. */
function haveFree(mib: number): void {
  jest
    .spyOn(fs, "statfs")
    .mockImplementation(
      async () => ({ bavail: mib, bsize: MIB }) as Awaited<ReturnType<typeof fs.statfs>>,
    );
}
afterEach(() => jest.restoreAllMocks());

const readiness = async ({ baseUrl }: TestNode) => (await fetch(`${baseUrl}/readyz`)).status;

it.each([
  [10_240, "OK", /is writable, 10 GB are free$/],
  [511, "WARNING", /^the disk is almost full: .* has 511 MB of free space$/],
  [31, "ERROR", /^the disk is full: .* has 31 MB of free space$/],
])("a running node with %d MB finds the data folder %s", async (mib, status, detail) => {
  const node = await startNode({ DATABASE_URL: "", REDIS_URL: "" });
  try {
    haveFree(mib);
    const { data } = await graphql(
      node,
      "{ health { checks { name status detail fix } } }",
      {},
      await ownerToken(node),
    );
    const found = data.health.checks.find(({ name }: { name: string }) => name === "data folder");
    expect(found).toMatchObject({ status, detail: expect.stringMatching(detail) });
    await eventually(
      () => readiness(node),
      (answer) => answer === (mib < 32 ? 503 : 200),
    );
  } finally {
    await node.stop();
  }
});

it("names a full disk in the error of a change that it refuses, and is not ready then", async () => {
  const node = await startNode({ DATABASE_URL: "", REDIS_URL: "" });
  try {
    const user = await newUser(node);
    expect(await readiness(node)).toBe(200);
    await node.app.store.execute(
      `CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER fill BEFORE UPDATE ON users FOR EACH STATEMENT EXECUTE FUNCTION fill()`,
    );
    const { status, body } = await rest(node, "PUT", `/users/${user.id}`, {
      token: user.token,
      body: { user: { full_name: "Ann" } },
    });
    expect([status, body]).toEqual([
      503,
      { errors: { base: ["The disk of the database is full; try again when it has space"] } },
    ]);
    await eventually(
      () => readiness(node),
      (answer) => answer === 503,
    );
  } finally {
    await node.stop();
  }
});

it("refuses a first start in one sentence, and no later one", async () => {
  const { environment, remove } = await emptyFolder();
  const stored = await freshFolder();
  try {
    haveFree(100);
    const config = readConfig({ ...FREE_PORTS, ...environment });
    await expect(checkMachine(config)).rejects.toThrow(
      new Error(
        `The disk of DATA_DIR (${environment.DATA_DIR}) has 100 MB of free space, and a new database needs 192 MB: free some space, or choose another folder.`,
      ),
    );
    const { DATA_DIR = "" } = stored.environment;
    await expect(fs.access(join(DATA_DIR, "db/PG_VERSION"))).resolves.toBeUndefined();
    await expect(checkMachine({ ...config, DATA_DIR })).resolves.toBeUndefined();
  } finally {
    await remove();
    await stored.remove();
  }
});

it.each([
  [{ code: "53100" }, true],
  [{ code: "ENOSPC" }, true],
  [{ cause: { originalCode: "53100" } }, true],
  [new Error("could not write to file: No space left on device"), true],
  [{ code: "53200" }, false],
  [new Error("full"), false],
])("%j is a full disk: %s", (error, expected) => {
  expect(isDiskFull(error)).toBe(expected);
});
