/** What the setup started and the teardown stops; both run in one process, with modules of their own. */
export const RUNNING: { stop(): Promise<void> }[] = running();

function running(): { stop(): Promise<void> }[] {
  const place = Symbol.for("signalbox.test.services");
  const found: unknown = Reflect.get(globalThis, place);
  if (Array.isArray(found)) return found;
  const made: { stop(): Promise<void> }[] = [];
  Reflect.set(globalThis, place, made);
  return made;
}
