import type { AccountViewer } from "../../core/viewer";

/** A live connection of a member of an account, with the role that its subscriptions were admitted with. */
export interface MemberConnection
  extends Pick<AccountViewer, "accountSessionId" | "memberId" | "role"> {
  close(): void;
}

/** The end of a member's session, or of all connections of a member except those of one session. */
export type MemberEvent =
  | { kind: "member session"; accountSessionId: number }
  | { kind: "member"; memberId: number; exceptAccountSessionId?: number };

/** The connections of members of accounts on this node. */
export class MemberConnections {
  private readonly byMember = new Map<number, Set<MemberConnection>>();
  private readonly bySession = new Map<number, Set<MemberConnection>>();

  /** Tracks a connection. @returns a function that stops tracking it */
  track(connection: MemberConnection): () => void {
    const { memberId, accountSessionId } = connection;
    add(this.byMember, memberId, connection);
    add(this.bySession, accountSessionId, connection);
    return () => {
      remove(this.byMember, memberId, connection);
      remove(this.bySession, accountSessionId, connection);
    };
  }

  /** The connections that are open now. */
  tracked(): MemberConnection[] {
    return [...this.bySession.values()].flatMap((connections) => [...connections]);
  }

  /** Closes the connections that an event ends. */
  apply(event: MemberEvent): void {
    if (event.kind === "member session") {
      for (const connection of [...(this.bySession.get(event.accountSessionId) ?? [])]) {
        connection.close();
      }
      return;
    }
    for (const connection of [...(this.byMember.get(event.memberId) ?? [])]) {
      if (connection.accountSessionId !== event.exceptAccountSessionId) connection.close();
    }
  }
}

function add<T>(map: Map<number, Set<T>>, key: number, value: T): void {
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}

function remove<T>(map: Map<number, Set<T>>, key: number, value: T): void {
  const set = map.get(key);
  if (set?.delete(value) && set.size === 0) map.delete(key);
}
