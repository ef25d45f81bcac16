import type { Caller } from "../../core/caller";
import { Fault } from "../../core/errors";
import {
  type AllowedCallers,
  type ApiKeyViewer,
  type MemberRole,
  type MemberViewer,
  roleAllows,
} from "../../core/viewer";
import { keyRefused, scopeRefused } from "./refusals";

/** Authentication of one request by an API key, which is looked up lazily. */
export class ApiKeyAuth {
  private lookup: Promise<ApiKeyViewer> | null = null;

  /**
   * @param find finds an API key; throws Fault UNAUTHENTICATED if it is unknown, expired or revoked
   * @param onFound called with the key that the request has
   */
  constructor(
    private readonly find: (key: string) => Promise<ApiKeyViewer>,
    private readonly caller: Pick<Caller, "apiKey"> & Partial<Pick<Caller, "protocol">>,
    private readonly onFound: (key: ApiKeyViewer) => void,
  ) {}

  /** Whether the request carries an API key, valid or not. */
  get isGiven(): boolean {
    return this.caller.apiKey !== undefined;
  }

  /** Returns the API key of the request. @throws Fault UNAUTHENTICATED */
  viewer(): Promise<ApiKeyViewer> {
    this.lookup ??= this.load();
    return this.lookup;
  }

  private async load(): Promise<ApiKeyViewer> {
    const { apiKey } = this.caller;
    if (apiKey === undefined) throw Fault.noSession();
    const key = await this.find(apiKey);
    this.onFound(key);
    return key;
  }

  /** Drops what was read of the key, so that the next check reads it again. */
  forget(): void {
    this.lookup = null;
  }

  /** Returns the key as who calls for the account: as a developer, for its application alone. @throws Fault UNAUTHENTICATED */
  async memberViewer(): Promise<MemberViewer> {
    const key = await this.viewer();
    const owns = async (applicationId: number) => applicationId === key.applicationId;
    return { kind: "member", accountId: key.accountId, role: "developer", key, owns };
  }

  /**
   * Whether the key sees what members with at least a given role see: it sees what support does, of its application, since
   * secrets stay with the members who set them.
   * @param applicationId as for RequestAuth.maySee
   * @returns null without a valid key, which a public operation ignores
   */
  async maySee(role: MemberRole, applicationId: number | null): Promise<boolean | null> {
    const key = this.isGiven ? await this.viewer().catch(() => null) : null;
    if (key === null) return null;
    const isOwn = applicationId === null || applicationId === key.applicationId;
    return isOwn && roleAllows(role, "support");
  }

  /** Checks that the key opens an operation. @throws Fault UNAUTHENTICATED, FORBIDDEN */
  async require({ client, keyScope }: AllowedCallers): Promise<void> {
    const { scopes } = await this.viewer();
    // The other REST-compatible paths are those of clients.
    if (keyScope === null || (client !== "public" && this.caller.protocol === "rest")) {
      throw keyRefused();
    }
    if (!scopes.includes(keyScope)) throw scopeRefused(keyScope);
  }
}
