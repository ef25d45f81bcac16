/**
 * Services that the setup starts and the teardown stops. Both run in one process, but with separate module
 * caches.
 */
export const RUNNING: { stop(): Promise<void> }[] = running();

function running(): { stop(): Promise<void> }[] {
  const place = Symbol.for("signalbox.test.services");
  const found: unknown = Reflect.get(globalThis, place);
  if (Array.isArray(found)) return found;
  const made: { stop(): Promise<void> }[] = [];
  Reflect.set(globalThis, place, made);
  return made;
}
