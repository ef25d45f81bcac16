import { embeddedTemplate } from "./template";

const { compileChanged }: { compileChanged(folders: string[], report: () => void): boolean } =
  require("../../bin/compile.js");

/** Jest's global setup: compiles the modules that pages load, and creates the database that `freshDatabase` copies. */
export default async function setup(): Promise<void> {
  compileChanged(["client/src"], () => {});
  process.env.TEST_TEMPLATE = await embeddedTemplate();
}
