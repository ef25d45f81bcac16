/**
 * The global object of the modules that the files of a worker share. Test files have one of their own: a spy on
 * `setInterval` sees the calls of the service here alone.
 */
export const sharedGlobal: typeof globalThis = Reflect.get(globalThis, "sharedGlobal");
