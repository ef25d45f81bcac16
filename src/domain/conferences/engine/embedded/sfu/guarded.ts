/** Maximum number of errors that one process writes to its stderr. */
const ERRORS_MAX = 20;

let written = 0;

/**
 * A callback for the native library, which ends the process when a callback throws. What a client sends must never do
 * that to the other clients.
 */
export function guarded<Values extends unknown[]>(
  callback: (...values: Values) => void,
): (...values: Values) => void {
  return (...values) => {
    try {
      callback(...values);
    } catch (error) {
      written += 1;
      if (written <= ERRORS_MAX)
        process.emitWarning(error instanceof Error ? error : String(error));
    }
  };
}
