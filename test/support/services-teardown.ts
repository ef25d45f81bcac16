import { RUNNING } from "./services";

/** After all tests on real services: ends them. */
export default async function stopServices(): Promise<void> {
  await Promise.all(RUNNING.splice(0).map((service) => service.stop()));
}
