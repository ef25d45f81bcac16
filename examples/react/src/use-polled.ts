import { useEffect, useState } from "react";

/** Interval in milliseconds. */
const EVERY_MS = 4_000;

/** Loads something now and then while the component is shown. @param load a stable function */
export function usePolled<Value>(load: () => Promise<Value>): Value | null {
  const [value, setValue] = useState<Value | null>(null);
  useEffect(() => {
    let isOver = false;
    const run = () => {
      if (document.visibilityState === "hidden") return;
      // The next attempt may succeed.
      load().then(
        (loaded) => isOver || setValue(loaded),
        () => {},
      );
    };
    run();
    const timer = setInterval(run, EVERY_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [load]);
  return value;
}
