import { Fault } from "../../core/errors";
import { checkName, checkWebUrl } from "../../core/text/field-checks";
import type { AccountDeps } from "./account-deps";
import { type Account, findAccountById, writeAccount } from "./account-queries";

/** What an owner may change. Absent: unchanged; null too for the name. */
export interface AccountChanges {
  name?: string | null;
  /** Null resets an endpoint to this deployment's. */
  apiEndpoint?: string | null;
  chatEndpoint?: string | null;
  turnserverEndpoint?: string | null;
}

const HOST = /^[A-Za-z0-9._:-]{1,255}$/;

/** Reads an account. @throws Fault UNAUTHENTICATED if it was deleted in the meantime */
export async function findAccount(deps: AccountDeps, accountId: number): Promise<Account> {
  const account = await findAccountById(deps.store, accountId);
  if (account === null) throw Fault.noSession();
  return account;
}

/** Changes an account. @throws Fault INVALID on an invalid field */
export async function updateAccount(
  deps: AccountDeps,
  accountId: number,
  changes: AccountChanges,
): Promise<Account> {
  const data = { ...checkAccount(changes), updatedAt: new Date(deps.clock.now()) };
  await writeAccount(deps.store, accountId, data);
  return findAccount(deps, accountId);
}

function checkAccount(changes: AccountChanges) {
  const { name, apiEndpoint, chatEndpoint, turnserverEndpoint } = changes;
  if (name !== undefined && name !== null) checkName(name);
  if (apiEndpoint) checkWebUrl("apiEndpoint", apiEndpoint);
  for (const [field, host] of Object.entries({ chatEndpoint, turnserverEndpoint })) {
    if (host && !HOST.test(host)) throw Fault.field(field, "must be a host name or an address");
  }
  return {
    name: name ?? undefined,
    apiEndpoint: emptyAsNull(apiEndpoint),
    chatEndpoint: emptyAsNull(chatEndpoint),
    turnserverEndpoint: emptyAsNull(turnserverEndpoint),
  };
}

const emptyAsNull = (text: string | null | undefined) => (text === "" ? null : text);
