import { embeddedTemplate } from "./template";

/** Jest's global setup: creates the migrated database that `freshDatabase` copies. */
export default async function setup(): Promise<void> {
  process.env.TEST_TEMPLATE = await embeddedTemplate();
}
