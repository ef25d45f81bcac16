import type { PushEnvironment } from "../store/generated/enums";
import type { Store } from "../store/store";

/** How an application sends incoming-call pushes. */
export interface CallPushSettings {
  /** Seconds after which users with a connected device get a push, too. */
  delaySeconds: number;
  /** Builds of the app that pushes are for. */
  environment: PushEnvironment;
}

const FIND = {
  name: "call_push_settings",
  text: `SELECT id, wake_after_seconds, wake_environment FROM applications
    WHERE id = ANY($1::bigint[]) AND wake_phones`,
};

interface Row {
  id: number;
  wake_after_seconds: number;
  wake_environment: PushEnvironment;
}

/** Reads the settings of those applications that send incoming-call pushes, by id. */
export async function findCallPushSettings(
  { query }: Pick<Store, "query">,
  applicationIds: readonly number[],
): Promise<Map<number, CallPushSettings>> {
  const rows = await query<Row>(FIND, [[...new Set(applicationIds)]]);
  return new Map(
    rows.map((row) => [
      row.id,
      { delaySeconds: row.wake_after_seconds, environment: row.wake_environment },
    ]),
  );
}
