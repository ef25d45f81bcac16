import { Extensions } from "type-graphql";
import type { Caller } from "../core/caller";
import { Fault } from "../core/errors";
import { type Access, allows, type UserViewer, type Viewer } from "../core/viewer";
import type { Identity } from "./identity";
import type { Session } from "./session/session";
import { findSession, viewerOf } from "./session/sessions";

/** What the resolvers of this room are called with; one per request, or per operation on a socket. */
export interface IdentityContext {
  identity: Identity;
  caller: Caller;
  visit: Visit;
}

/** The caller's session within one request: looked up when first asked for, and once. */
export class Visit {
  private looked: Promise<Session> | null = null;
  private found: Session | null = null;

  constructor(
    private readonly identity: Identity,
    private readonly token: string | undefined,
  ) {}

  /** The session. @throws Fault UNAUTHENTICATED without a valid token */
  session(): Promise<Session> {
    this.looked ??= findSession(this.identity, this.token).then((session) => {
      this.found = session;
      return session;
    });
    return this.looked;
  }

  /** The token that the session was found by. */
  get ownToken(): string {
    return this.token ?? "";
  }

  /** The session as it stands, once it has been looked up. */
  get current(): Session | null {
    return this.found;
  }

  /** Puts a changed session in place of the one looked up. */
  replace(session: Session): void {
    this.found = session;
    this.looked = Promise.resolve(session);
  }

  /** Forgets a session that was destroyed. */
  end(): void {
    this.found = null;
    this.looked = Promise.reject(Fault.noSession());
    this.looked.catch(() => undefined);
  }

  /** Who is calling. @throws Fault UNAUTHENTICATED */
  async viewer(): Promise<Viewer> {
    return viewerOf(await this.session());
  }

  /** The user who is calling. @throws Fault UNAUTHENTICATED, FORBIDDEN without a user */
  async user(): Promise<UserViewer> {
    const viewer = await this.viewer();
    if (viewer.userId === null) throw forbidden();
    return viewer as UserViewer;
  }

  /** Lets pass who has this access. @throws Fault UNAUTHENTICATED, FORBIDDEN */
  async require(access: Access): Promise<void> {
    if (access === "public") return;
    const { kind } = await this.viewer();
    if (!allows(access, kind)) throw forbidden();
  }
}

/**
 * Names the access that an operation asks for. The schema does not start with an operation that
 * names none, and checks it before the operation runs, whichever door it came through.
 */
export function Allow(access: Access): MethodDecorator & PropertyDecorator {
  return Extensions({ access });
}

function forbidden(): Fault {
  return new Fault("FORBIDDEN", "This session may not do that: a session with a user is needed");
}
