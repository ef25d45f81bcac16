import type { UserViewer } from "../../core/viewer";
import type { Identity } from "../../identity/identity";
import { type Call, findCalls } from "./call-list";
import type { KnownCall } from "./known-calls";
import type { Records } from "./records";
import { WaitingCalls } from "./waiting-calls";

const channelOf = (userId: number) => `calls:${userId}`;

/** A call that changed, as participants are told of it on the bus. */
type Notice = [id: number, sessionId: string];

/** Tells everybody who takes part in calls, on whichever node, that these changed. */
export async function tellChanges(
  { identity, log }: Pick<Records, "identity" | "log">,
  calls: readonly KnownCall[],
): Promise<void> {
  const told = new Map<number, Notice[]>();
  for (const { id, sessionId, callerId, callees } of calls) {
    for (const userId of [callerId, ...callees.keys()]) {
      if (userId === null) continue;
      const notices = told.get(userId);
      if (notices) notices.push([id, sessionId]);
      else told.set(userId, [[id, sessionId]]);
    }
  }
  try {
    await Promise.all(
      [...told].map(([userId, notices]) =>
        identity.bus.publish(channelOf(userId), JSON.stringify(notices)),
      ),
    );
  } catch (error) {
    // The records stand in the database, where everybody can read their own.
    log.warn({ err: error }, "participants could not be told of their calls");
  }
}

/**
 * Follows one's own calls as they change, or those of one sessionID. What waits for a slow subscriber
 * is bounded, and no reason to disconnect it: others decide how often they call.
 */
export async function watchCalls(
  identity: Identity,
  viewer: UserViewer,
  sessionId: string | null,
): Promise<AsyncIterableIterator<Call>> {
  let leave: () => Promise<void> = async () => undefined;
  const waiting = new WaitingCalls(() => void leave());
  leave = await identity.bus.subscribe(channelOf(viewer.userId), (message) => {
    if (message === "") return;
    for (const [id, name] of JSON.parse(message) as Notice[]) {
      if (sessionId === null || name === sessionId) waiting.add(id);
    }
  });
  return reading(identity, viewer, waiting);
}

/** Reads each call when its turn has come, so that what waits is small and what is shown is new. */
function reading(
  identity: Identity,
  { userId }: UserViewer,
  waiting: WaitingCalls,
): AsyncIterableIterator<Call> {
  return {
    async next() {
      for (;;) {
        const id = await waiting.next();
        if (id === null) return { value: undefined, done: true };
        const [call] = await findCalls(identity, userId, [id]);
        if (call) return { value: call, done: false };
      }
    },
    async return() {
      waiting.close();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
