import { newId, newToken } from "../core/random";
import type { Sealer } from "../core/sealer";
import type { Transaction } from "../store/store";
import { AUTH_SECRET_PURPOSE } from "./secret-key";

/** An inserted application with its credentials. */
export interface NewApplication {
  id: number;
  authKey: string;
  authSecret: string;
}

/** Inserts an application with new credentials; the database holds the sealed secret. */
export async function insertApplication(
  { prisma }: Transaction,
  sealer: Sealer,
  accountId: bigint,
  name: string,
): Promise<NewApplication> {
  const authSecret = newToken();
  const { id, authKey } = await (await prisma()).application.create({
    data: {
      accountId,
      name,
      authKey: newId(),
      webOrigins: [],
      authSecret: sealer.seal(authSecret, AUTH_SECRET_PURPOSE),
    },
    select: { id: true, authKey: true },
  });
  return { id: Number(id), authKey, authSecret };
}
