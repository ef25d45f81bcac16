import { Extensions } from "type-graphql";
import type { Caller } from "../core/caller";
import { Fault } from "../core/errors";
import {
  type Access,
  type AccountViewer,
  allows,
  type UserViewer,
  type Viewer,
} from "../core/viewer";
import { findOwner, isOwnerToken } from "./account/account-sessions";
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
  private owner: Promise<AccountViewer> | null = null;

  constructor(
    private readonly identity: Identity,
    private readonly caller: Pick<Caller, "token" | "origin">,
  ) {}

  /**
   * The session.
   * @throws Fault UNAUTHENTICATED without a valid token, FORBIDDEN from a web page that the
   * application does not admit
   */
  session(): Promise<Session> {
    this.looked ??= this.look();
    return this.looked;
  }

  private async look(): Promise<Session> {
    const { token, origin } = this.caller;
    const session = await findSession(this.identity, token);
    await this.identity.origins.check(session.applicationId, origin);
    this.found = session;
    return session;
  }

  /** The account's owner who is calling. @throws Fault UNAUTHENTICATED */
  account(): Promise<AccountViewer> {
    this.owner ??= findOwner(this.identity, this.caller.token);
    return this.owner;
  }

  /** The token that the session was found by. */
  get ownToken(): string {
    return this.caller.token ?? "";
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
    if (isOwnerToken(this.caller.token)) {
      await this.account();
      if (access !== "account") throw new Fault("FORBIDDEN", OWNER_REFUSED);
      return;
    }
    const { kind } = await this.viewer();
    if (access === "account") throw new Fault("FORBIDDEN", SESSION_REFUSED);
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

const OWNER_REFUSED =
  "An account owner's token may not do that: a session of the application is needed";
const SESSION_REFUSED = "A session may not do that: an account owner's token is needed";
