-- Applies batches, each sent as a small program, and returns a verdict for each: 1 applied, 0 stale, 2 met a row that
-- another transaction has locked. `patient` waits for such rows instead.
--
-- A program is a list of operations (`ops`) and, in the order in which they are read, the numbers, texts and bodies
-- that they are about; commit/batch_program.py writes them. `starts` has four offsets for each batch, into the four
-- lists, and four for the end. A row's columns are sent in the order of its class, sorted by type:
-- tests/postgres/test_columns.py compares both sides.
--
-- A program's expectations come first and lock what they check. Every query in a function sees what was committed before
-- it began, so what is checked after a lock was granted stays true until the transaction ends.

CREATE OR REPLACE FUNCTION apply_N(
    patient boolean, starts bigint[], ops text[], numbers bigint[], texts text[], bodies bytea[]
) RETURNS smallint[]
LANGUAGE plpgsql SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    verdicts smallint[] := ARRAY[]::smallint[];
    verdict smallint;
    -- How many numbers, texts and bodies have been read.
    i integer;
    t integer;
    b integer;
    found_line record;
    known bigint;
    is_new boolean;
    revisited bigint;  -- the last step whose dead writes were visited: see `drop_pending`
    removed record;
BEGIN
    FOR batch IN 0 .. cardinality(starts) / 4 - 2 LOOP
        verdict := 1;
        revisited := NULL;
        i := starts[4 * batch + 2];
        t := starts[4 * batch + 3];
        b := starts[4 * batch + 4];
        FOR step IN starts[4 * batch + 1] + 1 .. starts[4 * batch + 5] LOOP
            -- The branches are tried one after the other, so rows come first: every batch has some.
            CASE ops[step]

            -- ------------------------------------------------------------------------------ rows
            WHEN 'put stamped line' THEN
                LOOP
                    UPDATE line SET
                        thread = numbers[i + 3], namespace = texts[t + 1], version = numbers[i + 4],
                        seq = numbers[i + 5], head_line = numbers[i + 6], head_seq = numbers[i + 7],
                        checkpoints = numbers[i + 8],
                        size = numbers[i + 9], updated_at = numbers[i + 10], forks = numbers[i + 11],
                        overlays = numbers[i + 12], base_line = numbers[i + 13], base_seq = numbers[i + 14],
                        base_era = numbers[i + 15], is_copy = numbers[i + 16], journal = numbers[i + 17],
                        base_journal = numbers[i + 18], epoch = numbers[i + 19], worker = texts[t + 2],
                        lease_at = numbers[i + 20], lease_ttl = numbers[i + 21], sum = numbers[i + 22],
                        stamps = (numbers[i + 23] || stamps)[1:8]
                    WHERE tree = numbers[i + 1] AND line = numbers[i + 2];
                    EXIT WHEN FOUND;
                    INSERT INTO line (
                        tree, line, thread, namespace, version, seq, head_line, head_seq, checkpoints, size, updated_at,
                        forks, overlays, base_line, base_seq, base_era, is_copy, journal, base_journal, epoch, worker,
                        lease_at, lease_ttl, sum, stamps
                    ) VALUES (
                        numbers[i + 1], numbers[i + 2], numbers[i + 3], texts[t + 1], numbers[i + 4], numbers[i + 5],
                        numbers[i + 6], numbers[i + 7], numbers[i + 8], numbers[i + 9], numbers[i + 10],
                        numbers[i + 11], numbers[i + 12], numbers[i + 13], numbers[i + 14], numbers[i + 15],
                        numbers[i + 16], numbers[i + 17], numbers[i + 18], numbers[i + 19], texts[t + 2],
                        numbers[i + 20], numbers[i + 21], numbers[i + 22], ARRAY[numbers[i + 23]]
                    ) ON CONFLICT DO NOTHING;
                    EXIT WHEN FOUND;
                END LOOP;
                i := i + 23;
                t := t + 2;
            WHEN 'put checkpoint', 'put checkpoint with settled' THEN
                is_new := ops[step] = 'put checkpoint with settled' AND NOT EXISTS (
                    SELECT 1 FROM checkpoint
                    WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 3]
                );
                INSERT INTO checkpoint (
                    tree, line, seq, id, parent_id, parent_seq, parent_thread, parent_digest, chain_start, depth, step,
                    source, node, next, run_id, status, label, metadata, created_at, journal_seq, size, origin, era,
                    digest, manifest, sum, settled_era, settled_sum, settled_body
                ) VALUES (
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], texts[t + 1], texts[t + 2], numbers[i + 4],
                    texts[t + 3], bodies[b + 1], numbers[i + 5], numbers[i + 6], numbers[i + 7], texts[t + 4],
                    texts[t + 5], bodies[b + 2], texts[t + 6], texts[t + 7], texts[t + 8], bodies[b + 3],
                    numbers[i + 8], numbers[i + 9], numbers[i + 10], texts[t + 9], numbers[i + 11], bodies[b + 4],
                    bodies[b + 5], numbers[i + 12], CASE WHEN is_new THEN numbers[i + 17] END,
                    CASE WHEN is_new THEN numbers[i + 18] END, CASE WHEN is_new THEN bodies[b + 6] END
                ) ON CONFLICT (tree, line, seq) DO UPDATE SET
                    id = excluded.id, parent_id = excluded.parent_id, parent_seq = excluded.parent_seq,
                    parent_thread = excluded.parent_thread, parent_digest = excluded.parent_digest,
                    chain_start = excluded.chain_start, depth = excluded.depth, step = excluded.step,
                    source = excluded.source, node = excluded.node, next = excluded.next, run_id = excluded.run_id,
                    status = excluded.status, label = excluded.label, metadata = excluded.metadata,
                    created_at = excluded.created_at, journal_seq = excluded.journal_seq, size = excluded.size,
                    origin = excluded.origin, era = excluded.era, digest = excluded.digest,
                    manifest = excluded.manifest, sum = excluded.sum;
                IF is_new THEN
                    DELETE FROM settled
                    WHERE tree = numbers[i + 13] AND line = numbers[i + 14] AND seq = numbers[i + 15]
                        AND number = numbers[i + 16] AND era = numbers[i + 17];
                ELSIF ops[step] = 'put checkpoint with settled' THEN
                    PERFORM put_settled_N(
                        numbers[i + 13], numbers[i + 14], numbers[i + 15], numbers[i + 16], numbers[i + 17],
                        numbers[i + 18], bodies[b + 6]
                    );
                END IF;
                IF ops[step] = 'put checkpoint with settled' THEN
                    i := i + 6;
                    b := b + 1;
                END IF;
                i := i + 12;
                t := t + 9;
                b := b + 5;
            WHEN 'put chunk' THEN
                PERFORM put_chunk_N(
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4], numbers[i + 5], bodies[b + 1],
                    numbers[i + 6]
                );
                i := i + 6;
                b := b + 1;
            WHEN 'put pending', 'put pending exclusively', 'put pending if free' THEN
                PERFORM put_pending_N(
                    ops[step] <> 'put pending if free', ops[step] = 'put pending exclusively', numbers[i + 1],
                    numbers[i + 2], numbers[i + 3], texts[t + 1], numbers[i + 4], numbers[i + 5], texts[t + 2],
                    bodies[b + 1], numbers[i + 6]
                );
                i := i + 6;
                t := t + 2;
                b := b + 1;
            WHEN 'put settled' THEN
                PERFORM put_settled_N(
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4], numbers[i + 5], numbers[i + 6],
                    bodies[b + 1]
                );
                i := i + 6;
                b := b + 1;
            WHEN 'put journal' THEN
                INSERT INTO journal (tree, line, seq, kind, key, created_at, body, sum) VALUES (
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], texts[t + 1], texts[t + 2], numbers[i + 4],
                    bodies[b + 1], numbers[i + 5]
                ) ON CONFLICT (tree, line, seq) DO UPDATE SET
                    kind = excluded.kind, key = excluded.key, created_at = excluded.created_at, body = excluded.body,
                    sum = excluded.sum;
                i := i + 5;
                t := t + 2;
                b := b + 1;
            WHEN 'put overlay' THEN
                INSERT INTO overlay (tree, line, seq, era, hidden, label, status, sum) VALUES (
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4], numbers[i + 5], texts[t + 1],
                    texts[t + 2], numbers[i + 6]
                ) ON CONFLICT (tree, line, seq, era) DO UPDATE SET
                    hidden = excluded.hidden, label = excluded.label, status = excluded.status, sum = excluded.sum;
                i := i + 6;
                t := t + 2;
            WHEN 'put log' THEN
                INSERT INTO log (tree, log, base_log, base_pos, sum) VALUES (
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4], numbers[i + 5]
                ) ON CONFLICT (tree, log) DO UPDATE SET
                    base_log = excluded.base_log, base_pos = excluded.base_pos, sum = excluded.sum;
                i := i + 5;
            WHEN 'put run' THEN
                PERFORM put_run_N(numbers[i + 1], numbers[i + 2], texts[t + 1], numbers[i + 3]);
                i := i + 3;
                t := t + 1;
            WHEN 'put thread' THEN
                LOOP
                    UPDATE thread SET
                        tree = numbers[i + 1], line = numbers[i + 2], generation = numbers[i + 3],
                        created_at = numbers[i + 4], metadata = bodies[b + 1], from_thread = texts[t + 2],
                        from_checkpoint = texts[t + 3], sum = numbers[i + 5]
                    WHERE id = texts[t + 1];
                    EXIT WHEN FOUND;
                    INSERT INTO thread (
                        id, tree, line, generation, created_at, metadata, from_thread, from_checkpoint, sum
                    ) VALUES (
                        texts[t + 1], numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4], bodies[b + 1],
                        texts[t + 2], texts[t + 3], numbers[i + 5]
                    ) ON CONFLICT DO NOTHING;
                    EXIT WHEN FOUND;
                END LOOP;
                i := i + 5;
                t := t + 3;
                b := b + 1;
            WHEN 'put tag' THEN
                PERFORM put_tag_N(texts[t + 1], texts[t + 2], texts[t + 3], numbers[i + 1]);
                i := i + 1;
                t := t + 3;
            WHEN 'put quarantine' THEN
                INSERT INTO quarantine (number, kind, body, reason, created_at, sum) VALUES (
                    numbers[i + 1], texts[t + 1], bodies[b + 1], texts[t + 2], numbers[i + 2], numbers[i + 3]
                )
                ON CONFLICT (number) DO UPDATE SET
                    kind = excluded.kind, body = excluded.body, reason = excluded.reason,
                    created_at = excluded.created_at, sum = excluded.sum;
                i := i + 3;
                t := t + 2;
                b := b + 1;
            WHEN 'put tombstone' THEN
                INSERT INTO tombstone (hash, generation, last, sum)
                VALUES (bodies[b + 1], numbers[i + 1], texts[t + 1], numbers[i + 2])
                ON CONFLICT (hash) DO UPDATE SET
                    generation = excluded.generation, last = excluded.last, sum = excluded.sum;
                i := i + 2;
                t := t + 1;
                b := b + 1;
            WHEN 'put early_write', 'put early_write if free' THEN
                PERFORM put_early_write_N(
                    ops[step] = 'put early_write', texts[t + 1], texts[t + 2], texts[t + 3], texts[t + 4],
                    numbers[i + 1], texts[t + 5], numbers[i + 2], bodies[b + 1], numbers[i + 3]
                );
                i := i + 3;
                t := t + 5;
                b := b + 1;

            -- ------------------------------------------------------------------------------ expectations
            WHEN 'write line at', 'read line at' THEN
                found_line := hold_line_N(patient, ops[step] = 'write line at', numbers[i + 1], numbers[i + 2]);
                IF NOT found_line.held THEN
                    verdict := 2;
                ELSE
                    verdict := (coalesce(found_line.version, 0) = numbers[i + 3])::integer;
                END IF;
                i := i + 3;
            WHEN 'write root at', 'read root at' THEN
                found_line := hold_line_N(patient, ops[step] = 'write root at', numbers[i + 1], numbers[i + 2]);
                IF NOT found_line.held THEN
                    verdict := 2;
                ELSE
                    verdict := coalesce(
                        found_line.forks = numbers[i + 3] AND found_line.epoch = numbers[i + 4]
                        AND found_line.journal = numbers[i + 5], false
                    )::integer;
                END IF;
                i := i + 5;
            WHEN 'write forks at', 'read forks at' THEN
                found_line := hold_line_N(patient, ops[step] = 'write forks at', numbers[i + 1], numbers[i + 2]);
                IF NOT found_line.held THEN
                    verdict := 2;
                ELSE
                    verdict := coalesce(found_line.forks = numbers[i + 3], false)::integer;
                END IF;
                i := i + 3;
            WHEN 'hold line' THEN
                found_line := hold_line_N(patient, false, numbers[i + 1], numbers[i + 2]);
                IF NOT found_line.held THEN
                    verdict := 2;
                END IF;
                i := i + 2;
            WHEN 'namespace free' THEN
                IF NOT claim_N(
                    patient, 'namespace ' || numbers[i + 1] || ' ' || numbers[i + 2] || ' ' || texts[t + 1]
                ) THEN
                    verdict := 2;
                ELSIF EXISTS (
                    SELECT 1 FROM line
                    WHERE tree = numbers[i + 1] AND thread = numbers[i + 2]
                        AND hashtextextended(namespace, 0) = hashtextextended(texts[t + 1], 0)
                        AND namespace = texts[t + 1]
                ) THEN
                    verdict := 0;
                END IF;
                i := i + 2;
                t := t + 1;
            WHEN 'clock near' THEN
                verdict := (
                    abs(extract(epoch FROM clock_timestamp()) * 1000000 - numbers[i + 1]) <= numbers[i + 2]
                )::integer;
                i := i + 2;
            WHEN 'thread absent' THEN
                IF NOT claim_N(patient, 'thread ' || texts[t + 1]) THEN
                    verdict := 2;
                ELSIF EXISTS (SELECT 1 FROM thread WHERE id = texts[t + 1]) THEN
                    verdict := 0;
                END IF;
                t := t + 1;
            WHEN 'thread at' THEN
                verdict := holds_thread_at_N(patient, texts[t + 1], numbers[i + 1]);
                i := i + 1;
                t := t + 1;
            WHEN 'tombstone at' THEN
                IF NOT claim_N(patient, 'tombstone ' || encode(bodies[b + 1], 'hex')) THEN
                    verdict := 2;
                ELSE
                    SELECT generation INTO known FROM tombstone WHERE hash = bodies[b + 1];
                    verdict := (coalesce(known, 0) = numbers[i + 1])::integer;
                END IF;
                i := i + 1;
                b := b + 1;
            WHEN 'id free' THEN
                IF EXISTS (
                    SELECT 1 FROM checkpoint
                    WHERE tree = numbers[i + 1] AND line = numbers[i + 2]
                        AND left(id, 64) = left(texts[t + 1], 64) AND id = texts[t + 1]
                ) THEN
                    verdict := 0;
                END IF;
                i := i + 2;
                t := t + 1;
            WHEN 'key free' THEN
                IF EXISTS (
                    SELECT 1 FROM journal
                    WHERE tree = numbers[i + 1] AND line = numbers[i + 2]
                        AND hashtextextended(key, 0) = hashtextextended(texts[t + 1], 0) AND key = texts[t + 1]
                ) THEN
                    verdict := 0;
                END IF;
                i := i + 2;
                t := t + 1;
            WHEN 'checkpoint there' THEN
                verdict := holds_checkpoint_N(patient, numbers[i + 1], numbers[i + 2], numbers[i + 3]);
                i := i + 3;
            WHEN 'checkpoint at' THEN
                verdict := holds_checkpoint_at_N(
                    patient, numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4]
                );
                i := i + 4;
            WHEN 'chunk at' THEN
                verdict := holds_chunk_N(patient, numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4]);
                i := i + 4;
            WHEN 'pending at' THEN
                verdict := holds_pending_N(
                    patient, numbers[i + 1], numbers[i + 2], numbers[i + 3], texts[t + 1], numbers[i + 4],
                    numbers[i + 5], numbers[i + 6]
                );
                i := i + 6;
                t := t + 1;
            WHEN 'early_write at' THEN
                IF NOT claim_N(patient, 'early_write ' || texts[t + 1]) THEN
                    verdict := 2;
                ELSE
                    SELECT count(*) INTO known FROM early_write
                    WHERE hashtextextended(thread, 0) = hashtextextended(texts[t + 1], 0)
                        AND hashtextextended(namespace, 0) = hashtextextended(texts[t + 2], 0)
                        AND hashtextextended(checkpoint, 0) = hashtextextended(texts[t + 3], 0)
                        AND thread = texts[t + 1] AND namespace = texts[t + 2] AND checkpoint = texts[t + 3];
                    verdict := (known = numbers[i + 1])::integer;
                END IF;
                i := i + 1;
                t := t + 3;
            WHEN 'write early_write' THEN
                IF NOT claim_N(patient, 'early_write ' || texts[t + 1], true) THEN
                    verdict := 2;
                END IF;
                t := t + 1;
            WHEN 'hold task' THEN
                IF NOT claim_N(
                    patient, 'task ' || numbers[i + 1] || ' ' || numbers[i + 2] || ' ' || numbers[i + 3]
                ) THEN
                    verdict := 2;
                END IF;
                i := i + 3;

            -- ------------------------------------------------------------------------------ removals
            WHEN 'drop thread' THEN
                DELETE FROM thread WHERE id = texts[t + 1];
                t := t + 1;
            WHEN 'drop quarantine' THEN
                DELETE FROM quarantine WHERE number = numbers[i + 1];
                i := i + 1;
            WHEN 'drop tombstone' THEN
                DELETE FROM tombstone WHERE hash = bodies[b + 1];
                b := b + 1;
            WHEN 'drop tag' THEN
                DELETE FROM tag
                WHERE hashtextextended(key, 0) = hashtextextended(texts[t + 1], 0)
                    AND hashtextextended(value, 0) = hashtextextended(texts[t + 2], 0)
                    AND left(thread, 256) = left(texts[t + 3], 256)
                    AND key = texts[t + 1] AND value = texts[t + 2] AND thread = texts[t + 3];
                t := t + 3;
            WHEN 'drop line' THEN
                DELETE FROM line WHERE tree = numbers[i + 1] AND line = numbers[i + 2];
                DELETE FROM pending_slot WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq < 0;
                i := i + 2;
            WHEN 'drop checkpoint' THEN
                DELETE FROM checkpoint WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 3]
                RETURNING settled_era, settled_sum, settled_body INTO removed;
                IF removed.settled_body IS NOT NULL THEN
                    PERFORM put_settled_N(
                        numbers[i + 1], numbers[i + 2], numbers[i + 3] - 1, numbers[i + 3], removed.settled_era,
                        removed.settled_sum, removed.settled_body
                    );
                END IF;
                i := i + 3;
            WHEN 'drop overlay' THEN
                DELETE FROM overlay
                WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 3] AND era = numbers[i + 4];
                i := i + 4;
            WHEN 'drop log' THEN
                DELETE FROM log WHERE tree = numbers[i + 1] AND log = numbers[i + 2];
                i := i + 2;
            WHEN 'drop chunk' THEN
                DELETE FROM chunk WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND lo = numbers[i + 3];
                -- Free slots go too: this may be the last chunk of the log.
                DELETE FROM chunk_slot
                WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND (lo = numbers[i + 3] OR lo < 0);
                i := i + 3;
            WHEN 'drop chunks' THEN
                DELETE FROM chunk
                WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND lo BETWEEN numbers[i + 3] AND numbers[i + 4];
                DELETE FROM chunk_slot
                WHERE tree = numbers[i + 1] AND log = numbers[i + 2]
                    AND (lo BETWEEN numbers[i + 3] AND numbers[i + 4] OR lo < 0);
                i := i + 4;
            WHEN 'merge chunks' THEN
                DELETE FROM chunk
                WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND lo BETWEEN numbers[i + 3] AND numbers[i + 4];
                UPDATE chunk_slot SET lo = -1, body = ''
                WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND lo BETWEEN numbers[i + 3] AND numbers[i + 4];
                i := i + 4;
            WHEN 'drop pending', 'free pending' THEN
                IF drop_pending_N(
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], texts[t + 1], numbers[i + 4], numbers[i + 5],
                    revisited IS DISTINCT FROM numbers[i + 3]
                ) THEN
                    revisited := numbers[i + 3];
                END IF;
                IF ops[step] = 'drop pending' THEN
                    DELETE FROM pending_slot WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq < 0;
                END IF;
                i := i + 5;
                t := t + 1;
            WHEN 'clear pending_slot' THEN
                DELETE FROM pending_slot WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq < 0;
                i := i + 2;
            WHEN 'drop settled' THEN
                DELETE FROM settled
                WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 3]
                    AND number = numbers[i + 4] AND era = numbers[i + 5];
                IF NOT FOUND THEN
                    UPDATE checkpoint SET settled_era = NULL, settled_sum = NULL, settled_body = NULL
                    WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 4]
                        AND seq = numbers[i + 3] + 1 AND settled_era = numbers[i + 5];
                END IF;
                i := i + 5;
            WHEN 'drop early_write' THEN
                DELETE FROM early_write
                WHERE hashtextextended(thread, 0) = hashtextextended(texts[t + 1], 0)
                    AND thread = texts[t + 1] AND namespace = texts[t + 2] AND checkpoint = texts[t + 3]
                    AND task_id = texts[t + 4] AND idx = numbers[i + 1];
                i := i + 1;
                t := t + 4;
            WHEN 'drop early_write of' THEN
                DELETE FROM early_write
                WHERE hashtextextended(thread, 0) = hashtextextended(texts[t + 1], 0)
                    AND thread = texts[t + 1] AND created_at < numbers[i + 1];
                i := i + 1;
                t := t + 1;
            WHEN 'drop early_write before' THEN
                DELETE FROM early_write WHERE created_at < numbers[i + 1];
                i := i + 1;
            WHEN 'drop journal' THEN
                DELETE FROM journal WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 3];
                i := i + 3;
            WHEN 'drop run' THEN
                DELETE FROM run WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND run_id = texts[t + 1];
                i := i + 2;
                t := t + 1;
            WHEN 'drop tree' THEN
                DELETE FROM line WHERE tree = numbers[i + 1];
                DELETE FROM checkpoint WHERE tree = numbers[i + 1];
                DELETE FROM overlay WHERE tree = numbers[i + 1];
                DELETE FROM log WHERE tree = numbers[i + 1];
                DELETE FROM chunk WHERE tree = numbers[i + 1];
                DELETE FROM chunk_slot WHERE tree = numbers[i + 1];
                DELETE FROM pending WHERE tree = numbers[i + 1];
                DELETE FROM pending_slot WHERE tree = numbers[i + 1];
                DELETE FROM settled WHERE tree = numbers[i + 1];
                DELETE FROM journal WHERE tree = numbers[i + 1];
                DELETE FROM run WHERE tree = numbers[i + 1];
                i := i + 1;
            END CASE;
            IF verdict <> 1 THEN
                EXIT;
            END IF;
        END LOOP;
        verdicts := verdicts || verdict;
    END LOOP;
    RETURN verdicts;
END $$;
