-- Rows whose put is more than one statement. These functions are called by `apply`, which sets the search path.

-- A pending write goes to its slot if that is free and no other transaction is about to take it, else to `pending`. No
-- other transaction can be putting a write with the same key: see 'hold task' in `apply`. `exclusive` is true if this
-- transaction has locked the line's row exclusively; without `replaces`, an existing write stays as it is.
CREATE OR REPLACE FUNCTION put_pending_N(
    replaces boolean, exclusive boolean, in_tree bigint, in_line bigint, at bigint, of_task text, number bigint,
    in_era bigint, path text, given bytea, total bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    at_slot bigint := at % 2 * 2 + number;
    taken record;
    exists_already boolean;
BEGIN
    IF number BETWEEN 0 AND 1 THEN
        SELECT seq, task_id, era INTO taken FROM pending_slot
        WHERE tree = in_tree AND line = in_line AND slot = at_slot;
        exists_already := FOUND;
        IF exists_already AND taken.seq = at AND taken.task_id = of_task AND taken.era = in_era THEN
            IF replaces THEN
                UPDATE pending_slot SET task_path = path, body = given, sum = total
                WHERE tree = in_tree AND line = in_line AND slot = at_slot;
            END IF;
            RETURN;
        END IF;
        IF NOT (exists_already AND taken.seq >= 0) AND NOT EXISTS (
            SELECT 1 FROM pending
            WHERE tree = in_tree AND line = in_line AND seq = at
                AND hashtextextended(task_id, 0) = hashtextextended(of_task, 0) AND idx = number AND era = in_era
        ) THEN
            IF exists_already THEN
                PERFORM 1 FROM pending_slot
                WHERE tree = in_tree AND line = in_line AND slot = at_slot AND seq < 0 FOR UPDATE SKIP LOCKED;
                IF FOUND THEN
                    UPDATE pending_slot SET
                        seq = at, idx = number, era = in_era, sum = total, task_id = of_task, task_path = path,
                        body = given
                    WHERE tree = in_tree AND line = in_line AND slot = at_slot;
                    RETURN;
                END IF;
            ELSIF exclusive OR claim_N(false, 'slot ' || in_tree || ' ' || in_line || ' ' || at_slot) THEN
                INSERT INTO pending_slot (tree, line, seq, idx, era, sum, slot, task_id, task_path, body)
                VALUES (in_tree, in_line, at, number, in_era, total, at_slot, of_task, path, given)
                ON CONFLICT DO NOTHING;
                IF FOUND THEN
                    RETURN;
                END IF;
            END IF;
        END IF;
    END IF;
    INSERT INTO pending (tree, line, seq, task_id, idx, era, task_path, body, sum)
    VALUES (in_tree, in_line, at, of_task, number, in_era, path, given, total)
    ON CONFLICT (tree, line, seq, hashtextextended(task_id, 0), idx, era) DO UPDATE SET
        task_path = excluded.task_path, body = excluded.body, sum = excluded.sum
    WHERE replaces AND pending.task_id = excluded.task_id;
    IF NOT FOUND AND EXISTS (
        SELECT 1 FROM pending
        WHERE tree = in_tree AND line = in_line AND seq = at
            AND hashtextextended(task_id, 0) = hashtextextended(of_task, 0)
            AND idx = number AND era = in_era AND task_id <> of_task
    ) THEN
        RAISE EXCEPTION 'the task id % has the same hash as another one', of_task USING ERRCODE = 'HF002';
    END IF;
END $$;

-- In the row of the checkpoint that settled the step, if that has room for it, else in `settled`.
CREATE OR REPLACE FUNCTION put_settled_N(
    in_tree bigint, in_line bigint, at bigint, by_number bigint, in_era bigint, total bigint, given bytea
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE checkpoint SET settled_body = given, settled_sum = total
    WHERE tree = in_tree AND line = in_line AND seq = by_number AND by_number = at + 1 AND settled_era = in_era;
    IF NOT FOUND THEN
        INSERT INTO settled (tree, line, seq, number, era, body, sum)
        VALUES (in_tree, in_line, at, by_number, in_era, given, total)
        ON CONFLICT (tree, line, seq, number, era) DO UPDATE SET body = excluded.body, sum = excluded.sum;
    END IF;
END $$;

-- A small change goes to its slot if that is free, everything else to `chunk`. A position is written once.
CREATE OR REPLACE FUNCTION put_chunk_N(
    in_tree bigint, in_log bigint, from_pos bigint, to_pos bigint, of_kind bigint, given bytea, total bigint
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF of_kind = 1 AND from_pos = to_pos AND octet_length(given) <= 1800 THEN
        INSERT INTO chunk_slot (tree, log, lo, sum, slot, body)
        SELECT in_tree, in_log, from_pos, total, from_pos % 32, given
        WHERE NOT EXISTS (SELECT 1 FROM chunk WHERE tree = in_tree AND log = in_log AND lo = from_pos)
        ON CONFLICT (tree, log, slot) DO UPDATE SET lo = excluded.lo, sum = excluded.sum, body = excluded.body
        WHERE chunk_slot.lo < 0;
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM chunk_slot WHERE tree = in_tree AND log = in_log AND lo = from_pos) THEN
        INSERT INTO chunk (tree, log, lo, hi, kind, body, sum)
        VALUES (in_tree, in_log, from_pos, to_pos, of_kind, given, total)
        ON CONFLICT DO NOTHING;
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    RAISE EXCEPTION 'value log % has a chunk at position % already', in_log, from_pos USING ERRCODE = 'HF001';
END $$;

CREATE OR REPLACE FUNCTION put_run_N(in_tree bigint, in_line bigint, of_run text, total bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE run SET sum = total WHERE tree = in_tree AND line = in_line AND run_id = of_run;
    IF FOUND THEN
        RETURN;
    END IF;
    PERFORM claim_N(true, 'run ' || in_tree || ' ' || in_line || ' ' || of_run);
    INSERT INTO run (tree, line, run_id, sum)
    SELECT in_tree, in_line, of_run, total
    WHERE NOT EXISTS (SELECT 1 FROM run WHERE tree = in_tree AND line = in_line AND run_id = of_run);
END $$;

-- All columns of a tag but its checksum are its key, so an existing row is this one, unless its checksum is damaged.
CREATE OR REPLACE FUNCTION put_tag_N(of_key text, of_value text, of_thread text, total bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    known bigint;
BEGIN
    FOR turn IN 1 .. 2 LOOP
        SELECT sum INTO known FROM tag
        WHERE hashtextextended(key, 0) = hashtextextended(of_key, 0)
            AND hashtextextended(value, 0) = hashtextextended(of_value, 0)
            AND left(thread, 256) = left(of_thread, 256)
            AND key = of_key AND value = of_value AND thread = of_thread;
        IF known = total THEN
            RETURN;
        END IF;
        -- No unique index covers tags: with the claim, a second look is final.
        IF turn = 1 THEN
            PERFORM claim_N(true, 'tags ' || of_thread);
        END IF;
    END LOOP;
    IF known IS NULL THEN
        INSERT INTO tag (key, value, thread, sum) VALUES (of_key, of_value, of_thread, total);
    ELSE
        UPDATE tag SET sum = total
        WHERE hashtextextended(key, 0) = hashtextextended(of_key, 0)
            AND hashtextextended(value, 0) = hashtextextended(of_value, 0)
            AND left(thread, 256) = left(of_thread, 256)
            AND key = of_key AND value = of_value AND thread = of_thread;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION put_early_write_N(
    replaces boolean, of_thread text, in_namespace text, of_checkpoint text, of_task text, number bigint, path text,
    at bigint, given bytea, total bigint
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO early_write (thread, namespace, checkpoint, task_id, idx, task_path, created_at, body, sum)
    VALUES (of_thread, in_namespace, of_checkpoint, of_task, number, path, at, given, total)
    ON CONFLICT (
        hashtextextended(thread, 0), hashtextextended(namespace, 0), hashtextextended(checkpoint, 0),
        hashtextextended(task_id, 0), idx
    ) DO UPDATE SET
        task_path = excluded.task_path, created_at = excluded.created_at, body = excluded.body, sum = excluded.sum
    WHERE replaces AND early_write.thread = excluded.thread AND early_write.namespace = excluded.namespace
        AND early_write.checkpoint = excluded.checkpoint AND early_write.task_id = excluded.task_id;
    IF NOT FOUND AND NOT EXISTS (
        SELECT 1 FROM early_write
        WHERE hashtextextended(thread, 0) = hashtextextended(of_thread, 0)
            AND thread = of_thread AND namespace = in_namespace AND checkpoint = of_checkpoint
            AND task_id = of_task AND idx = number
    ) THEN
        RAISE EXCEPTION 'the task id % has the same hash as another one', of_task USING ERRCODE = 'HF002';
    END IF;
END $$;

-- Frees the write's slot, or removes it from `pending`.
CREATE OR REPLACE FUNCTION drop_pending_N(
    in_tree bigint, in_line bigint, at bigint, of_task text, number bigint, in_era bigint, revisit boolean
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF number BETWEEN 0 AND 1 THEN
        UPDATE pending_slot SET seq = -1, task_id = '', task_path = '', body = ''
        WHERE tree = in_tree AND line = in_line AND slot = at % 2 * 2 + number
            AND seq = at AND task_id = of_task AND era = in_era;
        IF FOUND THEN
            RETURN false;
        END IF;
    END IF;
    -- The writes of the step before are usually dead by now. An index reuses the space of dead entries without a vacuum
    -- once a query has visited them, and no other query would.
    IF revisit THEN
        PERFORM count(*) FROM pending WHERE tree = in_tree AND line = in_line AND seq = at - 1;
    END IF;
    DELETE FROM pending
    WHERE tree = in_tree AND line = in_line AND seq = at
        AND hashtextextended(task_id, 0) = hashtextextended(of_task, 0) AND task_id = of_task
        AND idx = number AND era = in_era;
    RETURN true;
END $$;
