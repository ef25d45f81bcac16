import type { App } from "../../src/app";

/** The buckets of a period: their length in seconds, the unit of time that they begin with, and their number. */
const PERIODS = [
  [60, "minute", 60],
  [3_600, "hour", 24],
  [86_400, "day", 30],
] as const;

/** Stores statistics of an application as a working month, day and hour leave them: a wave with some noise. */
export async function addDemoFigures({ store }: App, applicationId: string): Promise<void> {
  for (const [seconds, unit, buckets] of PERIODS) {
    await store.query(
      {
        name: "demo_statistics",
        text: `INSERT INTO application_statistics (application_id, seconds, starts_at, requests, signals, sign_ups, sign_ins,
            failed_sign_ins, calls, conferences, pushes_accepted, pushes_failed, pushes_unregistered, pushes_retried,
            errors_not_found, errors_unauthenticated, errors_limited, sockets_graphql, sockets_xmpp, sockets_janus, sessions)
          SELECT $1::bigint, $2::int, date_trunc($3, now(), 'UTC') - n * $2::int * interval '1 second',
            w * 184, w * 21, w / 6, w * 3, w / 12, w, w / 5, w * 9, w / 20, w / 15, w / 10, w / 4, w / 3, w / 40,
            w * 6, w * 2, w / 4, w * 20
          FROM generate_series(0, $4::int - 1) AS n,
            LATERAL (SELECT (70 - 45 * cos(n * 6.28 / $4) + 9 * sin(n * 2.7) + 7)::int AS w) AS wave
          ON CONFLICT DO NOTHING`,
      },
      [applicationId, seconds, unit, buckets],
    );
  }
}
