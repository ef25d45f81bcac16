import { WebSocket } from "ws";
import {
  createSignalbox,
  type Signalbox,
  type SignalboxOptions,
} from "../../../client/src/index.ts";
import type { TestNode } from "../../support/node";

const open = new Set<Signalbox>();

/** Opens a client of a node as a program on Node.js does, without media objects. */
export function openSignalbox(
  node: Pick<TestNode, "baseUrl">,
  options: Omit<SignalboxOptions, "url">,
): Signalbox {
  const signalbox = createSignalbox({ url: node.baseUrl, WebSocket, ...options });
  open.add(signalbox);
  return signalbox;
}

/** Closes all clients that {@link openSignalbox} has opened. */
export function closeSignalboxes(): void {
  for (const signalbox of open) signalbox.close();
  open.clear();
}
