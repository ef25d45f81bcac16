-- The columns of incoming-call pushes get the names of their fields.
ALTER TABLE "applications" RENAME COLUMN "wake_phones" TO "incoming_call_push";
ALTER TABLE "applications" RENAME COLUMN "wake_after_seconds" TO "incoming_call_push_delay_seconds";
ALTER TABLE "applications" RENAME COLUMN "wake_environment" TO "incoming_call_push_environment";
ALTER TABLE "call_participants" RENAME COLUMN "woken_at" TO "pushed_at";

-- The job queues get new names, too. pg-boss creates their tables with the first job, so they may be missing. The old
-- queues are deleted, so that a node of the previous version gets an error and no job waits there for ever.
DO $$
DECLARE
  renamed RECORD;
BEGIN
  IF to_regclass('pgboss.queue') IS NULL THEN
    RETURN;
  END IF;
  FOR renamed IN
    SELECT r.before, r.after
    FROM (VALUES ('call-wake', 'call-push'), ('push-expand', 'push-fan-out')) AS r (before, after)
    JOIN pgboss.queue q ON q.name = r.before
  LOOP
    PERFORM pgboss.create_queue(renamed.after, '{"policy":"standard"}');
    UPDATE pgboss.job SET name = renamed.after WHERE name = renamed.before;
    -- Rows with pending checks would prevent that their table is dropped.
    SET CONSTRAINTS ALL IMMEDIATE;
    PERFORM pgboss.delete_queue(renamed.before);
    SET CONSTRAINTS ALL DEFERRED;
  END LOOP;
  UPDATE pgboss.job SET data = jsonb_build_object('pushes', data -> 'wakes')
  WHERE name = 'call-push' AND data ? 'wakes';
END
$$;
