import { embeddedTemplate } from "./template";

/** Before all tests: makes the migrated database that `freshDatabase` copies. */
export default async function setup(): Promise<void> {
  process.env.TEST_TEMPLATE = await embeddedTemplate();
}
