import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(__dirname, "../..");

test("typedoc builds the pages of the client package: everything is documented, and no link is broken", async () => {
  const { stderr } = await promisify(execFile)(
    "npm",
    ["run", "docs", "-w", "client", "--", "--emit", "none"],
    { cwd: ROOT },
  );
  expect(stderr).toBe("");
});
