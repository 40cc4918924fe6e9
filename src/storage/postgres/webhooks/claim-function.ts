/**
 * The function that claims deliveries of a registration for a process. One process at a time has deliveries of a registration, so that
 * its limit of concurrent attempts is the limit of all (decision 050): others get none until it has no claims, or is gone. Within a
 * function, each statement sees what transactions have written for which it had to wait.
 */

/** A process whose slot was not updated for this long is gone, or frozen. */
export const SILENT_MS = 20_000;
/** Largest difference between the clocks of processes that decide what is due. */
const SKEW_MS = 60_000;

/** The last process with deliveries of a registration. */
export const CLAIM_FUNCTION = `
  CREATE TABLE svc.lane (registration_id text COLLATE "C" PRIMARY KEY, owner text COLLATE "C" NOT NULL) WITH (fillfactor = 50);
  CREATE FUNCTION svc.claim_deliveries(registration text, is_retry boolean, now_ms bigint, most int, me text)
    RETURNS SETOF svc.delivery LANGUAGE plpgsql AS $$
  DECLARE holder text;
  BEGIN
    SELECT owner INTO holder FROM svc.lane WHERE registration_id = registration FOR UPDATE;
    IF holder IS NULL THEN
      INSERT INTO svc.lane VALUES (registration, me) ON CONFLICT DO NOTHING;
      SELECT owner INTO holder FROM svc.lane WHERE registration_id = registration FOR UPDATE;
    END IF;
    IF holder <> me THEN
      IF EXISTS (SELECT FROM svc.slot WHERE id = holder AND used_at > clock_timestamp() - interval '${SILENT_MS} ms')
        AND EXISTS (SELECT FROM svc.delivery WHERE status = 'pending' AND registration_id = registration
          AND due_ms <= now_ms + ${SKEW_MS} AND claimed_by = holder) THEN
        RETURN;
      END IF;
      UPDATE svc.lane SET owner = me WHERE registration_id = registration;
    END IF;
    RETURN QUERY UPDATE svc.delivery SET claimed_by = me WHERE id IN (
      SELECT id FROM svc.delivery WHERE status = 'pending' AND registration_id = registration AND (attempts > 0) = is_retry AND due_ms <= now_ms
      ORDER BY due_ms LIMIT most FOR UPDATE
    ) RETURNING *;
  END $$;`;
