import { SignalboxError } from "@signalbox/client";
import { type MemberConnection, openMemberConnection } from "@signalbox/client/admin";
import {
  AcceptInvitationDocument,
  SignInMemberDocument,
  SignOutMemberDocument,
  SignOutMemberEverywhereDocument,
} from "./session.generated.ts";
import { storedToken, storeToken } from "./token-storage.ts";

/** Who is signed in, as far as the page knows. */
export interface Identity {
  memberId: string;
  email: string;
}

/** What the page shows of the session. */
export interface SessionState {
  /** Whether the page has a token. Without one it shows only the sign-in. */
  signedIn: boolean;
  /** Whether the service has refused the token: the sign-in then lies over the page, which waits for it. */
  expired: boolean;
  /** Whether the member has signed out on this page. */
  signedOut: boolean;
}

/** How a pending request for a new token ends. */
interface Waiting {
  resolve(token: string): void;
  reject(reason: SignalboxError): void;
}

/**
 * The session of the page. It owns the one connection, which asks for another token when the service refuses the present
 * one: requests and subscriptions wait while the member signs in over the page, and then continue.
 */
export class PageSession {
  #state: SessionState = { signedIn: false, expired: false, signedOut: false };
  readonly #listeners = new Set<() => void>();
  readonly #forgetters = new Set<() => void>();
  #waiting: Waiting | null = null;
  #identity: Identity | null = null;
  #token: string | null;
  #connection: MemberConnection;

  constructor() {
    this.#token = storedToken();
    this.#connection = this.#open(this.#token);
    this.#state = { ...this.#state, signedIn: this.#token !== null };
  }

  /** The connection of the present session; it changes with each sign-in that is not a renewal. */
  get connection(): MemberConnection {
    return this.#connection;
  }

  /** The member whom the page shows; null before it is known. */
  get identity(): Identity | null {
    return this.#identity;
  }

  readonly state = (): SessionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls a function when the session ends, so that it forgets what belongs to the member. */
  onEnd(forget: () => void): void {
    this.#forgetters.add(forget);
  }

  /** Says whose page this is, so that a sign-in over it by somebody else does not continue it. */
  identify(identity: Identity): void {
    this.#identity = identity;
  }

  /**
   * Signs a member in: over the page if it waits for a token, else from the sign-in page.
   * @throws SignalboxError
   */
  async signIn(input: { email: string; password: string }): Promise<void> {
    const { signInMember } = await this.#connection.queryWithoutToken(SignInMemberDocument, {
      input,
    });
    const { token, member } = signInMember;
    this.use(token, { memberId: member.id, email: member.email });
  }

  /**
   * Makes the receiver of an invitation a member, who is then signed in.
   * @param input the secret of the mail, and the password that the member chooses
   * @throws SignalboxError
   */
  async acceptInvitation(input: { secret: string; password: string }): Promise<void> {
    const { acceptInvitation } = await this.#connection.queryWithoutToken(
      AcceptInvitationDocument,
      { input },
    );
    const { token, member } = acceptInvitation;
    this.use(token, { memberId: member.id, email: member.email });
  }

  /** Continues with a new token of a member. */
  use(token: string, identity: Identity): void {
    const known = this.#identity;
    this.#keepToken(token);
    if (this.#waiting && known && known.memberId !== identity.memberId) {
      // The page may show and hold what the other member must not see.
      location.assign(import.meta.env.BASE_URL);
      return;
    }
    this.#identity = identity;
    if (this.#waiting) this.#waiting.resolve(token);
    else {
      this.#connection.close();
      this.#connection = this.#open(token);
      // Somebody else may have been signed in before, who opened an invitation.
      for (const forget of this.#forgetters) forget();
    }
    this.#waiting = null;
    this.#set({ signedIn: true, expired: false, signedOut: false });
  }

  /** Signs out: forgets everything here at once, and ends the token at the service as soon as that answers. */
  signOut(): void {
    const token = this.#waiting ? null : this.#token;
    this.leave();
    if (token !== null) void endToken(token);
  }

  /**
   * Ends all sessions of the member at the service, and then this one here.
   * @throws SignalboxError if the service does not end them: the member then stays signed in
   */
  async signOutEverywhere(): Promise<void> {
    await this.#connection.query(SignOutMemberEverywhereDocument, {});
    this.leave();
  }

  /** Forgets everything of a session that the service has ended. */
  leave(): void {
    this.#waiting?.reject(new SignalboxError("UNAUTHENTICATED", "Signed out"));
    this.#waiting = null;
    this.#keepToken(null);
    this.#identity = null;
    this.#connection.close();
    this.#connection = this.#open(null);
    for (const forget of this.#forgetters) forget();
    this.#set({ signedIn: false, expired: false, signedOut: true });
  }

  #keepToken(token: string | null): void {
    this.#token = token;
    storeToken(token);
  }

  #open(token: string | null): MemberConnection {
    return openMemberConnection({
      url: location.origin,
      token,
      source: () => this.#waitForSignIn(),
    });
  }

  #waitForSignIn(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#set({ ...this.#state, expired: true });
    });
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}

/**
 * Ends a token at the service, also while the page closes. It has a connection of its own: a token that the service
 * refuses asks nobody to sign in, and a member who has signed in since keeps the new one.
 */
async function endToken(token: string): Promise<void> {
  const source = () => Promise.reject(new SignalboxError("UNAUTHENTICATED", "Signed out"));
  const connection = openMemberConnection({ url: location.origin, token, source });
  try {
    await connection.query(SignOutMemberDocument, {}, { keepalive: true });
  } catch {
    // The token expires by itself.
  }
  connection.close();
}

/** The session of this page. */
export const session = new PageSession();
