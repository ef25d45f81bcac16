import { useEffect, useRef } from "react";

/** Reads again whenever a value changes. */
export function useReadAgain(value: string, refetch: () => unknown): void {
  const last = useRef(value);
  useEffect(() => {
    if (last.current === value) return;
    last.current = value;
    void refetch();
  }, [value, refetch]);
}
