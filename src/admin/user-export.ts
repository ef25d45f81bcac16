import { Fault } from "../core/errors";
import { parseId } from "../core/text/ids";
import type { AdminDeps } from "./admin-deps";

const rows = (what: string, order: string, from: string) =>
  `(SELECT coalesce(jsonb_agg(${what} ORDER BY ${order}), '[]') FROM ${from})`;

const EXPORT = {
  name: "export_user",
  text: `SELECT jsonb_build_object(
      'user', to_jsonb(u) - 'password_hash',
      'tags', ${rows("to_jsonb(t)", "t.position", "user_tags t WHERE t.user_id = u.id")},
      'identities', ${rows("to_jsonb(i)", "i.id", "identities i WHERE i.user_id = u.id")},
      'sessions', ${rows(
        "to_jsonb(s) - 'token_hash' - 'binding_code_hash'",
        "s.id",
        "sessions s WHERE s.user_id = u.id",
      )},
      'password_resets', ${rows(
        "to_jsonb(r) - 'token_hash'",
        "r.id",
        "password_resets r WHERE r.user_id = u.id",
      )},
      'subscriptions', ${rows("to_jsonb(p)", "p.id", "push_subscriptions p WHERE p.user_id = u.id")},
      'events', ${rows("to_jsonb(e) - 'request_hash'", "e.id", "push_events e WHERE e.user_id = u.id")},
      'deliveries', ${rows(
        "to_jsonb(d)",
        "d.id",
        `push_deliveries d JOIN push_subscriptions p ON p.id = d.subscription_id
          WHERE p.user_id = u.id`,
      )},
      'calls', ${rows(
        "to_jsonb(c) || jsonb_build_object('participation', to_jsonb(m))",
        "c.id",
        // A UNION, so that each part uses an index.
        `(SELECT k.id FROM calls k WHERE k.caller_id = u.id
            UNION SELECT k.call_id FROM call_participants k WHERE k.user_id = u.id) AS found
          JOIN calls c ON c.id = found.id
          LEFT JOIN call_participants m ON m.call_id = c.id AND m.user_id = u.id`,
      )},
      'incoming_call_pushes', ${rows(
        "to_jsonb(e)",
        "e.id",
        // Pushes for the user's calls: those that the user caused as the caller, and those sent to the user.
        `call_participants m JOIN calls c ON c.id = m.call_id JOIN push_events e ON e.call_id = c.id
          WHERE m.user_id = u.id
            AND (c.caller_id = u.id OR e.selector -> 'ids' = jsonb_build_array(u.id))`,
      )}
    ) AS found
    FROM users u WHERE u.application_id = $1 AND u.id = $2`,
};

/**
 * Exports all data of a user, by table and column in camelCase. Excludes hashes of passwords and tokens, and
 * the data of other users: their participation in calls, and the deliveries to their devices.
 * @throws Fault NOT_FOUND
 */
export async function exportUser(
  deps: Pick<AdminDeps, "store">,
  applicationId: number,
  userId: string,
): Promise<object> {
  const id = parseId(userId);
  const [row] =
    id === null ? [] : await deps.store.query<{ found: object }>(EXPORT, [applicationId, id]);
  if (!row) throw new Fault("NOT_FOUND", "There is no such user");
  return camelCase(row.found) as object;
}

/** Columns with a client's own JSON, whose keys are not converted. */
const VERBATIM = new Set(["selector"]);

function camelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      VERBATIM.has(name) ? field : camelCase(field),
    ]),
  );
}
