import { RUNNING } from "./services";

/** Jest's global teardown with services: stops them. */
export default async function stopServices(): Promise<void> {
  await Promise.all(RUNNING.splice(0).map((service) => service.stop()));
}
