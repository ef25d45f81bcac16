import { checkElement, checkText } from "../../xml/rules";
import type { FieldSignal } from "./signal";
import { SIGNAL_FIELDS } from "./signal-fields";
import { checkUserInfo } from "./user-info";

/**
 * Checks that a signal can be written as a stanza: its characters, names and depth.
 * @throws Fault INVALID on the field that cannot be written
 */
export function checkSignal(signal: FieldSignal): void {
  checkText("id", signal.id);
  checkText("signalType", signal.type);
  // The address is sent to a chat server unescaped.
  if (signal.to.resource !== undefined) checkText("to.device", signal.to.resource);
  for (const { key, check } of SIGNAL_FIELDS) {
    const value = signal[key];
    if (value !== undefined) check(value as never);
  }
  if (signal.parameters) checkUserInfo(signal.parameters, "parameters");
  for (const element of signal.extra) checkElement("extra", element);
}
