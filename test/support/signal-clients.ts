import { client, type XmlNode, type XmppClient, xml } from "@xmpp/client";
import { createClient } from "graphql-ws";
import { type Connection, type DomElement, Strophe } from "strophe.js";
import { WebSocket } from "ws";
import { type RawClient, signInRaw } from "./chat";
import type { TestUser } from "./client";
import type { TestNode } from "./node";
import { domTree, parseXml, type Tree, treeOf, xmppTree } from "./xml-tree";

// Both chat libraries look for the browser's.
Object.assign(globalThis, { WebSocket });
Strophe.setLogLevel(Strophe.LogLevel.FATAL);

const CHAT_LIBRARIES_END = 5_000;

/** What has arrived, and waiting for more. */
export class Arrivals<T> {
  private readonly items: T[] = [];
  private readonly waiting: { resolve(item: T): void; reject(error: unknown): void }[] = [];
  private ended: Error | null = null;

  push(item: T): void {
    const first = this.waiting.shift();
    if (first) first.resolve(item);
    else this.items.push(item);
  }

  /** Nothing will come any more: whoever waits fails with the reason. */
  end(reason: string): void {
    this.ended ??= new Error(reason);
    for (const { reject } of this.waiting.splice(0)) reject(this.ended);
  }

  /** The next that was not taken; jest's own time-out ends a wait in vain. */
  async next(): Promise<T> {
    const [item] = this.items.splice(0, 1);
    if (item !== undefined) return item;
    if (this.ended) throw this.ended;
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }
}
