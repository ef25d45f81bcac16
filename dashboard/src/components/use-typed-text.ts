import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

/** Time after the last key before a text counts as typed, in milliseconds. */
const TYPING_MS = 250;

/**
 * The text of a field whose value stands in the URL. The field holds what is typed itself, since the URL follows a
 * moment later and would take letters back in between.
 * @param value that of the URL: one that something else has changed replaces what is typed
 * @param onChange gets the text after a pause
 * @returns the text to show, and a function that takes what is typed
 */
export function useTypedText(
  value: string,
  onChange: (text: string) => void,
): [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(value);
  // The text of the URL, then those that it has not shown yet.
  const sent = useRef([value]);
  const send = useDebouncedCallback((text: string) => {
    sent.current.push(text);
    onChange(text);
  }, TYPING_MS);
  useEffect(() => {
    const at = sent.current.lastIndexOf(value);
    if (at >= 0) {
      sent.current.splice(0, at);
      return;
    }
    // A button, or a link.
    send.cancel();
    sent.current = [value];
    setTyped(value);
  }, [value, send]);
  const type = (text: string) => {
    setTyped(text);
    send(text);
  };
  return [typed, type];
}
