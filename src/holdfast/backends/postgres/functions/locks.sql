-- What the expectations of a batch lock. A row that exists is locked itself; a name that is free is locked by an
-- advisory lock on the name, until the transaction ends. `patient` waits for a lock; without it, a locked row is
-- reported at once.
--
-- The names that are locked are part of the format: clients with different versions of the functions share them.
--
-- These functions are called by `apply`, which sets the search path.

CREATE OR REPLACE FUNCTION claim_N(patient boolean, name text, shared boolean DEFAULT false) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    number bigint := hashtextextended(current_schema() || ' ' || name, 0);
BEGIN
    IF NOT patient THEN
        IF shared THEN
            RETURN pg_try_advisory_xact_lock_shared(number);
        END IF;
        RETURN pg_try_advisory_xact_lock(number);
    END IF;
    IF shared THEN
        PERFORM pg_advisory_xact_lock_shared(number);
    ELSE
        PERFORM pg_advisory_xact_lock(number);
    END IF;
    RETURN true;
END $$;

-- Locks a line's row, exclusively if this batch writes it and shared if not, and returns what expectations compare.
CREATE OR REPLACE FUNCTION hold_line_N(
    patient boolean, writes boolean, in_tree bigint, wanted bigint,
    OUT held boolean, OUT version bigint, OUT forks bigint, OUT epoch bigint, OUT journal bigint
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    held := true;
    FOR turn IN 1 .. 2 LOOP
        IF patient AND writes THEN
            SELECT version, forks, epoch, journal INTO version, forks, epoch, journal
            FROM line WHERE tree = in_tree AND line = wanted FOR NO KEY UPDATE;
        ELSIF patient THEN
            SELECT version, forks, epoch, journal INTO version, forks, epoch, journal
            FROM line WHERE tree = in_tree AND line = wanted FOR SHARE;
        ELSIF writes THEN
            SELECT version, forks, epoch, journal INTO version, forks, epoch, journal
            FROM line WHERE tree = in_tree AND line = wanted FOR NO KEY UPDATE SKIP LOCKED;
        ELSE
            SELECT version, forks, epoch, journal INTO version, forks, epoch, journal
            FROM line WHERE tree = in_tree AND line = wanted FOR SHARE SKIP LOCKED;
        END IF;
        IF FOUND OR turn = 2 THEN
            EXIT;
        END IF;
        -- The line does not exist, or was skipped. A writer that creates a line claims it first, so that with the claim
        -- a second look is final.
        IF NOT claim_N(patient, 'line ' || in_tree || ' ' || wanted) THEN
            held := false;
            RETURN;
        END IF;
    END LOOP;
    IF version IS NULL AND NOT patient THEN
        held := NOT EXISTS (SELECT 1 FROM line WHERE tree = in_tree AND line = wanted);
    END IF;
END $$;

-- `holds_…` lock a row and return a verdict: 1 if it is as expected, 0 if not, 2 if another transaction has locked it.

CREATE OR REPLACE FUNCTION holds_thread_at_N(patient boolean, wanted text, at bigint) RETURNS smallint
LANGUAGE plpgsql AS $$
DECLARE
    known bigint;
BEGIN
    IF patient THEN
        SELECT line INTO known FROM thread WHERE id = wanted FOR UPDATE;
    ELSE
        SELECT line INTO known FROM thread WHERE id = wanted FOR UPDATE SKIP LOCKED;
        IF NOT FOUND AND EXISTS (SELECT 1 FROM thread WHERE id = wanted) THEN
            RETURN 2;
        END IF;
    END IF;
    RETURN coalesce(known = at, false)::integer;
END $$;

CREATE OR REPLACE FUNCTION holds_checkpoint_N(
    patient boolean, in_tree bigint, in_line bigint, wanted bigint
) RETURNS smallint LANGUAGE plpgsql AS $$
BEGIN
    IF patient THEN
        PERFORM 1 FROM checkpoint WHERE tree = in_tree AND line = in_line AND seq = wanted FOR KEY SHARE;
    ELSE
        PERFORM 1 FROM checkpoint WHERE tree = in_tree AND line = in_line AND seq = wanted FOR KEY SHARE SKIP LOCKED;
    END IF;
    IF FOUND THEN
        RETURN 1;
    END IF;
    IF patient OR NOT EXISTS (SELECT 1 FROM checkpoint WHERE tree = in_tree AND line = in_line AND seq = wanted) THEN
        RETURN 0;
    END IF;
    RETURN 2;
END $$;

CREATE OR REPLACE FUNCTION holds_checkpoint_at_N(
    patient boolean, in_tree bigint, in_line bigint, wanted bigint, total bigint
) RETURNS smallint LANGUAGE plpgsql AS $$
DECLARE
    known bigint;
BEGIN
    IF patient THEN
        SELECT sum INTO known FROM checkpoint WHERE tree = in_tree AND line = in_line AND seq = wanted FOR UPDATE;
    ELSE
        SELECT sum INTO known FROM checkpoint
        WHERE tree = in_tree AND line = in_line AND seq = wanted FOR UPDATE SKIP LOCKED;
        IF NOT FOUND AND EXISTS (SELECT 1 FROM checkpoint WHERE tree = in_tree AND line = in_line AND seq = wanted) THEN
            RETURN 2;
        END IF;
    END IF;
    RETURN coalesce(known = total, false)::integer;
END $$;

CREATE OR REPLACE FUNCTION holds_chunk_N(
    patient boolean, in_tree bigint, in_log bigint, at bigint, total bigint
) RETURNS smallint LANGUAGE plpgsql AS $$
DECLARE
    known bigint;
BEGIN
    IF patient THEN
        SELECT sum INTO known FROM chunk WHERE tree = in_tree AND log = in_log AND lo = at FOR UPDATE;
        IF NOT FOUND THEN
            SELECT sum INTO known FROM chunk_slot WHERE tree = in_tree AND log = in_log AND lo = at FOR UPDATE;
        END IF;
    ELSE
        SELECT sum INTO known FROM chunk WHERE tree = in_tree AND log = in_log AND lo = at FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            SELECT sum INTO known FROM chunk_slot
            WHERE tree = in_tree AND log = in_log AND lo = at FOR UPDATE SKIP LOCKED;
        END IF;
        IF NOT FOUND AND EXISTS (SELECT 1 FROM all_chunks WHERE tree = in_tree AND log = in_log AND lo = at) THEN
            RETURN 2;
        END IF;
    END IF;
    RETURN coalesce(known = total, false)::integer;
END $$;

-- Locks the write, in either table, whether its checksum is the expected one or not.
CREATE OR REPLACE FUNCTION holds_pending_N(
    patient boolean, in_tree bigint, in_line bigint, at bigint, of_task text, number bigint, in_era bigint, total bigint
) RETURNS smallint LANGUAGE plpgsql AS $$
DECLARE
    known bigint;
BEGIN
    IF patient THEN
        SELECT sum INTO known FROM pending_slot
        WHERE tree = in_tree AND line = in_line AND slot = at % 2 * 2 + number
            AND seq = at AND task_id = of_task AND idx = number AND era = in_era FOR UPDATE;
        IF NOT FOUND THEN
            SELECT sum INTO known FROM pending
            WHERE tree = in_tree AND line = in_line AND seq = at
                AND hashtextextended(task_id, 0) = hashtextextended(of_task, 0)
                AND task_id = of_task AND idx = number AND era = in_era FOR UPDATE;
        END IF;
        RETURN coalesce(known = total, false)::integer;
    END IF;
    SELECT sum INTO known FROM pending_slot
    WHERE tree = in_tree AND line = in_line AND slot = at % 2 * 2 + number
        AND seq = at AND task_id = of_task AND idx = number AND era = in_era FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        SELECT sum INTO known FROM pending
        WHERE tree = in_tree AND line = in_line AND seq = at
            AND hashtextextended(task_id, 0) = hashtextextended(of_task, 0)
            AND task_id = of_task AND idx = number AND era = in_era FOR UPDATE SKIP LOCKED;
    END IF;
    IF NOT FOUND AND (
        EXISTS (
            SELECT 1 FROM pending_slot
            WHERE tree = in_tree AND line = in_line AND slot = at % 2 * 2 + number
                AND seq = at AND task_id = of_task AND idx = number AND era = in_era
        )
        OR EXISTS (
            SELECT 1 FROM pending
            WHERE tree = in_tree AND line = in_line AND seq = at
                AND hashtextextended(task_id, 0) = hashtextextended(of_task, 0)
                AND task_id = of_task AND idx = number AND era = in_era
        )
    ) THEN
        RETURN 2;
    END IF;
    RETURN coalesce(known = total, false)::integer;
END $$;
