CREATE SCHEMA golden;

CREATE FUNCTION golden.apply_1(patient boolean, starts bigint[], ops text[], numbers bigint[], texts text[], bodies bytea[]) RETURNS smallint[]
    LANGUAGE plpgsql
    SET search_path TO 'golden', 'pg_catalog'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
                    PERFORM put_settled_1(
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
                PERFORM put_chunk_1(
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4], numbers[i + 5], bodies[b + 1],
                    numbers[i + 6]
                );
                i := i + 6;
                b := b + 1;
            WHEN 'put pending', 'put pending exclusively', 'put pending if free' THEN
                PERFORM put_pending_1(
                    ops[step] <> 'put pending if free', ops[step] = 'put pending exclusively', numbers[i + 1],
                    numbers[i + 2], numbers[i + 3], texts[t + 1], numbers[i + 4], numbers[i + 5], texts[t + 2],
                    bodies[b + 1], numbers[i + 6]
                );
                i := i + 6;
                t := t + 2;
                b := b + 1;
            WHEN 'put settled' THEN
                PERFORM put_settled_1(
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
                PERFORM put_run_1(numbers[i + 1], numbers[i + 2], texts[t + 1], numbers[i + 3]);
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
                PERFORM put_tag_1(texts[t + 1], texts[t + 2], texts[t + 3], numbers[i + 1]);
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
                PERFORM put_early_write_1(
                    ops[step] = 'put early_write', texts[t + 1], texts[t + 2], texts[t + 3], texts[t + 4],
                    numbers[i + 1], texts[t + 5], numbers[i + 2], bodies[b + 1], numbers[i + 3]
                );
                i := i + 3;
                t := t + 5;
                b := b + 1;

            -- ------------------------------------------------------------------------------ expectations
            WHEN 'write line at', 'read line at' THEN
                found_line := hold_line_1(patient, ops[step] = 'write line at', numbers[i + 1], numbers[i + 2]);
                IF NOT found_line.held THEN
                    verdict := 2;
                ELSE
                    verdict := (coalesce(found_line.version, 0) = numbers[i + 3])::integer;
                END IF;
                i := i + 3;
            WHEN 'write root at', 'read root at' THEN
                found_line := hold_line_1(patient, ops[step] = 'write root at', numbers[i + 1], numbers[i + 2]);
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
                found_line := hold_line_1(patient, ops[step] = 'write forks at', numbers[i + 1], numbers[i + 2]);
                IF NOT found_line.held THEN
                    verdict := 2;
                ELSE
                    verdict := coalesce(found_line.forks = numbers[i + 3], false)::integer;
                END IF;
                i := i + 3;
            WHEN 'hold line' THEN
                found_line := hold_line_1(patient, false, numbers[i + 1], numbers[i + 2]);
                IF NOT found_line.held THEN
                    verdict := 2;
                END IF;
                i := i + 2;
            WHEN 'namespace free' THEN
                IF NOT claim_1(
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
            WHEN 'thread absent' THEN
                IF NOT claim_1(patient, 'thread ' || texts[t + 1]) THEN
                    verdict := 2;
                ELSIF EXISTS (SELECT 1 FROM thread WHERE id = texts[t + 1]) THEN
                    verdict := 0;
                END IF;
                t := t + 1;
            WHEN 'thread at' THEN
                verdict := holds_thread_at_1(patient, texts[t + 1], numbers[i + 1]);
                i := i + 1;
                t := t + 1;
            WHEN 'tombstone at' THEN
                IF NOT claim_1(patient, 'tombstone ' || encode(bodies[b + 1], 'hex')) THEN
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
                verdict := holds_checkpoint_1(patient, numbers[i + 1], numbers[i + 2], numbers[i + 3]);
                i := i + 3;
            WHEN 'checkpoint at' THEN
                verdict := holds_checkpoint_at_1(
                    patient, numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4]
                );
                i := i + 4;
            WHEN 'chunk at' THEN
                verdict := holds_chunk_1(patient, numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4]);
                i := i + 4;
            WHEN 'pending at' THEN
                verdict := holds_pending_1(
                    patient, numbers[i + 1], numbers[i + 2], numbers[i + 3], texts[t + 1], numbers[i + 4],
                    numbers[i + 5], numbers[i + 6]
                );
                i := i + 6;
                t := t + 1;
            WHEN 'early_write at' THEN
                IF NOT claim_1(patient, 'early_write ' || texts[t + 1]) THEN
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
                IF NOT claim_1(patient, 'early_write ' || texts[t + 1], true) THEN
                    verdict := 2;
                END IF;
                t := t + 1;
            WHEN 'hold task' THEN
                IF NOT claim_1(
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
                    PERFORM put_settled_1(
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
                IF drop_pending_1(
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

CREATE FUNCTION golden.chunks_1(in_tree bigint, logs bigint[], positions bigint[]) RETURNS TABLE(ask bigint, upto bigint, tree bigint, log bigint, lo bigint, hi bigint, kind smallint, body bytea, sum bigint)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'golden', 'pg_catalog'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH RECURSIVE
    want (ask, log, pos, start, depth) AS (
        SELECT
            asked.ask, asked.log, asked.pos,
            (
                SELECT chunk.lo FROM chunk
                WHERE chunk.tree = in_tree AND chunk.log = asked.log AND chunk.lo <= asked.pos AND chunk.kind = 0
                ORDER BY chunk.lo DESC LIMIT 1
            ),
            0
        FROM unnest(logs, positions) WITH ORDINALITY AS asked (log, pos, ask)
        UNION ALL
        SELECT
            want.ask, log.base_log, log.base_pos,
            (
                SELECT chunk.lo FROM chunk
                WHERE chunk.tree = in_tree AND chunk.log = log.base_log AND chunk.lo <= log.base_pos AND chunk.kind = 0
                ORDER BY chunk.lo DESC LIMIT 1
            ),
            want.depth + 1
        FROM want JOIN log ON log.tree = in_tree AND log.log = want.log
        WHERE want.start IS NULL AND (depth < 100 OR depth < (SELECT count(*) FROM log WHERE tree = in_tree))
    )
    SELECT want.ask, want.pos, part.tree, part.log, part.lo, part.hi, part.kind, part.body, part.sum
    FROM want JOIN all_chunks AS part ON part.tree = in_tree AND part.log = want.log
        AND part.lo BETWEEN coalesce(want.start, 0) AND want.pos
    ORDER BY want.ask, want.depth DESC, part.lo;
END $$;

CREATE FUNCTION golden.claim_1(patient boolean, name text, shared boolean DEFAULT false) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION golden.drop_pending_1(in_tree bigint, in_line bigint, at bigint, of_task text, number bigint, in_era bigint, revisit boolean) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
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

CREATE TABLE golden.checkpoint (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    step bigint NOT NULL,
    created_at bigint NOT NULL,
    size bigint NOT NULL,
    sum bigint NOT NULL,
    settled_sum bigint,
    parent_seq integer NOT NULL,
    chain_start integer NOT NULL,
    journal_seq integer NOT NULL,
    depth integer NOT NULL,
    era integer NOT NULL,
    settled_era integer,
    id text NOT NULL COLLATE pg_catalog."C",
    parent_id text COLLATE pg_catalog."C",
    parent_thread text COLLATE pg_catalog."C",
    parent_digest bytea,
    source text NOT NULL COLLATE pg_catalog."C",
    node text NOT NULL COLLATE pg_catalog."C",
    next bytea NOT NULL,
    run_id text COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    metadata bytea NOT NULL,
    origin text COLLATE pg_catalog."C",
    digest bytea NOT NULL,
    manifest bytea NOT NULL,
    settled_body bytea,
    CONSTRAINT checkpoint_check CHECK ((num_nulls(settled_body, settled_era, settled_sum) = ANY (ARRAY[0, 3])))
);
ALTER TABLE ONLY golden.checkpoint ALTER COLUMN manifest SET STORAGE EXTERNAL;
ALTER TABLE ONLY golden.checkpoint ALTER COLUMN settled_body SET STORAGE EXTERNAL;

CREATE TABLE golden.line (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    thread bigint NOT NULL,
    namespace text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    seq bigint NOT NULL,
    head_line bigint NOT NULL,
    head_seq bigint NOT NULL,
    checkpoints bigint NOT NULL,
    size bigint NOT NULL,
    updated_at bigint NOT NULL,
    forks bigint NOT NULL,
    overlays bigint NOT NULL,
    base_line bigint,
    base_seq bigint NOT NULL,
    base_era bigint NOT NULL,
    is_copy smallint NOT NULL,
    journal bigint NOT NULL,
    base_journal bigint NOT NULL,
    epoch bigint NOT NULL,
    worker text NOT NULL COLLATE pg_catalog."C",
    lease_at bigint NOT NULL,
    lease_ttl bigint NOT NULL,
    sum bigint NOT NULL,
    stamps bigint[] NOT NULL
)
WITH (fillfactor='60', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='500');

CREATE TABLE golden.thread (
    id text NOT NULL COLLATE pg_catalog."C",
    tree bigint NOT NULL,
    line bigint NOT NULL,
    generation bigint NOT NULL,
    created_at bigint NOT NULL,
    metadata bytea NOT NULL,
    from_thread text COLLATE pg_catalog."C",
    from_checkpoint text COLLATE pg_catalog."C",
    sum bigint NOT NULL
);

CREATE FUNCTION golden.find_1(wanted text, in_namespace text, of_tombstone bytea, OUT generation bigint, OUT last text, OUT thread golden.thread, OUT root golden.line, OUT own golden.line, OUT head golden.checkpoint) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'golden', 'pg_catalog'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
BEGIN
    SELECT tombstone.generation, tombstone.last INTO generation, last FROM tombstone WHERE hash = of_tombstone;
    SELECT * INTO thread FROM thread WHERE thread.id = wanted;
    IF thread IS NOT DISTINCT FROM NULL THEN
        RETURN;
    END IF;
    SELECT * INTO root FROM line WHERE line.tree = thread.tree AND line.line = thread.line;
    IF in_namespace = '' THEN
        own := root;
    ELSE
        SELECT * INTO own FROM line
        WHERE line.tree = thread.tree AND line.thread = thread.line
            AND hashtextextended(line.namespace, 0) = hashtextextended(in_namespace, 0)
            AND line.namespace = in_namespace;
    END IF;
    SELECT  -- without the settled_body, which may be large
        tree, line, seq, step, created_at, size, sum, NULL, parent_seq, chain_start, journal_seq, depth, era, NULL, id,
        parent_id, parent_thread, parent_digest, source, node, next, run_id, status, label, metadata, origin, digest,
        manifest, NULL
    INTO head FROM checkpoint
    WHERE checkpoint.tree = own.tree AND checkpoint.line = own.head_line AND checkpoint.seq = own.head_seq;
END $$;

CREATE FUNCTION golden.hold_line_1(patient boolean, writes boolean, in_tree bigint, wanted bigint, OUT held boolean, OUT version bigint, OUT forks bigint, OUT epoch bigint, OUT journal bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
        IF NOT claim_1(patient, 'line ' || in_tree || ' ' || wanted) THEN
            held := false;
            RETURN;
        END IF;
    END LOOP;
    IF version IS NULL AND NOT patient THEN
        held := NOT EXISTS (SELECT 1 FROM line WHERE tree = in_tree AND line = wanted);
    END IF;
END $$;

CREATE FUNCTION golden.holds_checkpoint_1(patient boolean, in_tree bigint, in_line bigint, wanted bigint) RETURNS smallint
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION golden.holds_checkpoint_at_1(patient boolean, in_tree bigint, in_line bigint, wanted bigint, total bigint) RETURNS smallint
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION golden.holds_chunk_1(patient boolean, in_tree bigint, in_log bigint, at bigint, total bigint) RETURNS smallint
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION golden.holds_pending_1(patient boolean, in_tree bigint, in_line bigint, at bigint, of_task text, number bigint, in_era bigint, total bigint) RETURNS smallint
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION golden.holds_thread_at_1(patient boolean, wanted text, at bigint) RETURNS smallint
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION golden.pending_1(in_tree bigint, of_line bigint, of_base bigint, of_era bigint, of_seq bigint, seqs bigint[]) RETURNS TABLE(kind integer, tree bigint, line bigint, seq bigint, task_id text, idx bigint, era bigint, task_path text, body bytea, sum bigint)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'golden', 'pg_catalog'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
DECLARE
    -- Each step may be settled by the checkpoint after it, in whose row its writes are then.
    next_seqs bigint[] := ARRAY(SELECT wanted + 1 FROM unnest(seqs) AS wanted);
BEGIN
    IF of_base IS NULL THEN
        RETURN QUERY
        SELECT
            1 AS kind, pending.tree, pending.line, pending.seq, pending.task_id, pending.idx, pending.era,
            pending.task_path, pending.body, pending.sum
        FROM pending WHERE tree = in_tree AND line = of_line AND seq = ANY(seqs)
        UNION ALL
        SELECT
            1, slot.tree, slot.line, slot.seq, slot.task_id, slot.idx, slot.era, slot.task_path, slot.body, slot.sum
        FROM pending_slot AS slot WHERE tree = in_tree AND line = of_line AND seq = ANY(seqs)
        UNION ALL
        SELECT
            0, settled.tree, settled.line, settled.seq, '', settled.number, settled.era, '', settled.body, settled.sum
        FROM settled WHERE tree = in_tree AND line = of_line AND seq = ANY(seqs)
        UNION ALL
        SELECT 0, checkpoint.tree, checkpoint.line, seq - 1, '', seq, settled_era, '', settled_body, settled_sum
        FROM checkpoint
        WHERE tree = in_tree AND line = of_line AND seq = ANY(next_seqs) AND settled_body IS NOT NULL
        ORDER BY 7, 1, 6;
    ELSE
        RETURN QUERY
        -- The lines below, each with the era and the number up to which it is visible. `chunks` has why depth is
        -- limited.
        WITH RECURSIVE seen (line, before_era, upto, depth) AS (
            VALUES
                (of_line, NULL::bigint, NULL::bigint, 0),
                (of_base, of_era, of_seq, 1)
            UNION ALL
            SELECT line.base_line, line.base_era, least(seen.upto, line.base_seq), seen.depth + 1
            FROM seen JOIN line ON line.tree = in_tree AND line.line = seen.line
            WHERE seen.depth > 0 AND line.base_line IS NOT NULL
                AND (depth < 100 OR depth < (SELECT count(*) FROM line WHERE tree = in_tree))
        ),
        wanted (seq, line, before_era, depth) AS (
            SELECT want.seq, seen.line, seen.before_era, seen.depth
            FROM seen JOIN unnest(seqs) AS want (seq) ON seen.upto IS NULL OR want.seq <= seen.upto
        ),
        found AS (
            SELECT
                1 AS kind, wanted.depth, wanted.before_era, pending.tree, pending.line, pending.seq, pending.task_id,
                pending.idx, pending.era, pending.task_path, pending.body, pending.sum
            FROM wanted
            JOIN pending ON pending.tree = in_tree AND pending.line = wanted.line AND pending.seq = wanted.seq
            UNION ALL
            SELECT
                1, wanted.depth, wanted.before_era, slot.tree, slot.line, slot.seq, slot.task_id, slot.idx, slot.era,
                slot.task_path, slot.body, slot.sum
            FROM wanted
            JOIN pending_slot AS slot
                ON slot.tree = in_tree AND slot.line = wanted.line AND slot.seq = wanted.seq
            UNION ALL
            SELECT
                0, wanted.depth, wanted.before_era, settled.tree, settled.line, settled.seq, '', settled.number,
                settled.era, '', settled.body, settled.sum
            FROM wanted
            JOIN settled ON settled.tree = in_tree AND settled.line = wanted.line AND settled.seq = wanted.seq
            UNION ALL
            SELECT
                0, wanted.depth, wanted.before_era, checkpoint.tree, checkpoint.line, wanted.seq, '', checkpoint.seq,
                settled_era, '', settled_body, settled_sum
            FROM wanted
            JOIN checkpoint
                ON checkpoint.tree = in_tree AND checkpoint.line = wanted.line AND checkpoint.seq = wanted.seq + 1
            WHERE settled_body IS NOT NULL
        )
        SELECT kind, tree, line, seq, task_id, idx, era, task_path, body, sum
        FROM found WHERE before_era IS NULL OR era < before_era
        ORDER BY depth DESC, era, kind, idx;
    END IF;
END $$;

CREATE FUNCTION golden.put_chunk_1(in_tree bigint, in_log bigint, from_pos bigint, to_pos bigint, of_kind bigint, given bytea, total bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION golden.put_early_write_1(replaces boolean, of_thread text, in_namespace text, of_checkpoint text, of_task text, number bigint, path text, at bigint, given bytea, total bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION golden.put_pending_1(replaces boolean, exclusive boolean, in_tree bigint, in_line bigint, at bigint, of_task text, number bigint, in_era bigint, path text, given bytea, total bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
            ELSIF exclusive OR claim_1(false, 'slot ' || in_tree || ' ' || in_line || ' ' || at_slot) THEN
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

CREATE FUNCTION golden.put_run_1(in_tree bigint, in_line bigint, of_run text, total bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE run SET sum = total WHERE tree = in_tree AND line = in_line AND run_id = of_run;
    IF FOUND THEN
        RETURN;
    END IF;
    PERFORM claim_1(true, 'run ' || in_tree || ' ' || in_line || ' ' || of_run);
    INSERT INTO run (tree, line, run_id, sum)
    SELECT in_tree, in_line, of_run, total
    WHERE NOT EXISTS (SELECT 1 FROM run WHERE tree = in_tree AND line = in_line AND run_id = of_run);
END $$;

CREATE FUNCTION golden.put_settled_1(in_tree bigint, in_line bigint, at bigint, by_number bigint, in_era bigint, total bigint, given bytea) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE checkpoint SET settled_body = given, settled_sum = total
    WHERE tree = in_tree AND line = in_line AND seq = by_number AND by_number = at + 1 AND settled_era = in_era;
    IF NOT FOUND THEN
        INSERT INTO settled (tree, line, seq, number, era, body, sum)
        VALUES (in_tree, in_line, at, by_number, in_era, given, total)
        ON CONFLICT (tree, line, seq, number, era) DO UPDATE SET body = excluded.body, sum = excluded.sum;
    END IF;
END $$;

CREATE FUNCTION golden.put_tag_1(of_key text, of_value text, of_thread text, total bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
            PERFORM claim_1(true, 'tags ' || of_thread);
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

CREATE TABLE golden.chunk (
    tree bigint NOT NULL,
    log bigint NOT NULL,
    lo bigint NOT NULL,
    hi bigint NOT NULL,
    kind smallint NOT NULL,
    body bytea NOT NULL,
    sum bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500', toast.autovacuum_vacuum_scale_factor='0.02', toast.autovacuum_vacuum_threshold='500');
ALTER TABLE ONLY golden.chunk ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE golden.chunk_slot (
    tree bigint NOT NULL,
    log bigint NOT NULL,
    lo bigint NOT NULL,
    sum bigint NOT NULL,
    slot smallint NOT NULL,
    body bytea NOT NULL
)
WITH (fillfactor='85', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='500');
ALTER TABLE ONLY golden.chunk_slot ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE VIEW golden.all_chunks AS
 SELECT chunk.tree,
    chunk.log,
    chunk.lo,
    chunk.hi,
    chunk.kind,
    chunk.body,
    chunk.sum
   FROM golden.chunk
UNION ALL
 SELECT chunk_slot.tree,
    chunk_slot.log,
    chunk_slot.lo,
    chunk_slot.lo AS hi,
    (1)::smallint AS kind,
    chunk_slot.body,
    chunk_slot.sum
   FROM golden.chunk_slot
  WHERE (chunk_slot.lo >= 0);

CREATE TABLE golden.pending (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    task_id text NOT NULL COLLATE pg_catalog."C",
    idx bigint NOT NULL,
    era bigint NOT NULL,
    task_path text NOT NULL COLLATE pg_catalog."C",
    body bytea NOT NULL,
    sum bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500');
ALTER TABLE ONLY golden.pending ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE golden.pending_slot (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    idx bigint NOT NULL,
    era bigint NOT NULL,
    sum bigint NOT NULL,
    slot smallint NOT NULL,
    task_id text NOT NULL COLLATE pg_catalog."C",
    task_path text NOT NULL COLLATE pg_catalog."C",
    body bytea NOT NULL
)
WITH (fillfactor='60', autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='500');
ALTER TABLE ONLY golden.pending_slot ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE VIEW golden.all_pending AS
 SELECT pending.tree,
    pending.line,
    pending.seq,
    pending.task_id,
    pending.idx,
    pending.era,
    pending.task_path,
    pending.body,
    pending.sum
   FROM golden.pending
UNION ALL
 SELECT pending_slot.tree,
    pending_slot.line,
    pending_slot.seq,
    pending_slot.task_id,
    pending_slot.idx,
    pending_slot.era,
    pending_slot.task_path,
    pending_slot.body,
    pending_slot.sum
   FROM golden.pending_slot
  WHERE (pending_slot.seq >= 0);

CREATE TABLE golden.settled (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    sum bigint NOT NULL,
    number integer NOT NULL,
    era integer NOT NULL,
    body bytea NOT NULL
);
ALTER TABLE ONLY golden.settled ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE VIEW golden.all_settled AS
 SELECT settled.tree,
    settled.line,
    settled.seq,
    settled.number,
    settled.era,
    settled.body,
    settled.sum
   FROM golden.settled
UNION ALL
 SELECT checkpoint.tree,
    checkpoint.line,
    (checkpoint.seq - 1) AS seq,
    checkpoint.seq AS number,
    checkpoint.settled_era AS era,
    checkpoint.settled_body AS body,
    checkpoint.settled_sum AS sum
   FROM golden.checkpoint
  WHERE (checkpoint.settled_body IS NOT NULL);

CREATE TABLE golden.early_write (
    thread text NOT NULL COLLATE pg_catalog."C",
    namespace text NOT NULL COLLATE pg_catalog."C",
    checkpoint text NOT NULL COLLATE pg_catalog."C",
    task_id text NOT NULL COLLATE pg_catalog."C",
    idx bigint NOT NULL,
    task_path text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    body bytea NOT NULL,
    sum bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='500');
ALTER TABLE ONLY golden.early_write ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE golden.format (
    application name NOT NULL,
    number integer NOT NULL,
    needed integer NOT NULL,
    functions jsonb DEFAULT '{}'::jsonb NOT NULL
);

CREATE TABLE golden.journal (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    key text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    body bytea NOT NULL,
    sum bigint NOT NULL
);
ALTER TABLE ONLY golden.journal ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE golden.log (
    tree bigint NOT NULL,
    log bigint NOT NULL,
    base_log bigint NOT NULL,
    base_pos bigint NOT NULL,
    sum bigint NOT NULL
);

CREATE TABLE golden."overlay" (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    era bigint NOT NULL,
    hidden smallint NOT NULL,
    label text COLLATE pg_catalog."C",
    status text COLLATE pg_catalog."C",
    sum bigint NOT NULL
);

CREATE TABLE golden.quarantine (
    number bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    body bytea NOT NULL,
    reason text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    sum bigint NOT NULL
);

CREATE TABLE golden.run (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    run_id text NOT NULL COLLATE pg_catalog."C",
    sum bigint NOT NULL
);

CREATE TABLE golden.tag (
    key text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    thread text NOT NULL COLLATE pg_catalog."C",
    sum bigint NOT NULL
);

CREATE TABLE golden.tombstone (
    hash bytea NOT NULL,
    generation bigint NOT NULL,
    last text NOT NULL COLLATE pg_catalog."C",
    sum bigint NOT NULL
);

INSERT INTO golden.checkpoint VALUES
	(131594772306283, 133645429513999, 1, 0, 1794884261613516, 2, 4072988260, NULL, 0, 1, 0, 1, 0, NULL, 'c0', NULL, NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x93ffd5b11aac03c1b1b8fea3606997c5', '\x82a86d65737361676573c40190a5636f756e74c40100', NULL),
	(131594772306283, 133645429513999, 2, 1, 1794884261620893, 15, 1792862964, NULL, 1, 1, 0, 2, 0, NULL, 'c1', 'c0', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x38966d90942a0d729a8e1de303db5f71', '\x82a86d65737361676573c40e91ac6d65737361676520303a2030a5636f756e74c40101', NULL),
	(131594772306283, 133645429513999, 3, 2, 1794884261622797, 31, 2904105928, NULL, 2, 1, 0, 3, 0, NULL, 'c2', 'c1', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x5bfd5fc8dab33ba92ae0b2e12319affb', '\x82a86d65737361676573c41e92ac6d65737361676520303a2030af6d65737361676520313a2037393139a5636f756e74c40102', NULL),
	(131594772306283, 133645429513999, 4, 3, 1794884261624792, 48, 2207962548, NULL, 3, 1, 0, 4, 0, NULL, 'c3', 'c2', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\xec7ae428aa324368288441b7c92daa5f', '\x82a86d6573736167657393cf0000015e51b50f9500c41081d3fa054ed42c4d62265b12359d7defa5636f756e74c40103', NULL),
	(131594772306283, 133645429513999, 5, 4, 1794884261626455, 65, 364926925, NULL, 4, 1, 0, 5, 0, NULL, 'c4', 'c3', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x55f1b06ca526f91271e6d87332dcf7c4', '\x82a86d6573736167657393cf0000015e51b50f9501c410ff53c0310179c4824bb81f664852ed75a5636f756e74c40104', NULL),
	(131594772306283, 133645429513999, 6, 5, 1794884261627696, 83, 2761066611, NULL, 5, 1, 0, 6, 0, NULL, 'c5', 'c4', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x69b9b5f8c76da803f41bf46c8f4bf1f6', '\x82a86d6573736167657393cf0000015e51b50f9502c410afa5bcbb11ef06322d88d6791df9f812a5636f756e74c40105', NULL),
	(131594772306283, 133645429513999, 7, 6, 1794884261628550, 101, 3663638396, NULL, 6, 1, 0, 7, 0, NULL, 'c6', 'c5', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\xcd9eb8287f660c31e4cc9618b59f5a2c', '\x82a86d6573736167657393cf0000015e51b50f9503c410df310f5c8931a242d8094df74c8a9734a5636f756e74c40106', NULL),
	(131594772306283, 133645429513999, 8, 7, 1794884261629416, 119, 2790473893, NULL, 7, 1, 0, 8, 0, NULL, 'c7', 'c6', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x95dd91a9fbd08840c96e7c5ab1a13a54', '\x82a86d6573736167657393cf0000015e51b50f9504c41061252c597d86a5b007ec842380670dcba5636f756e74c40107', NULL),
	(131594772306283, 133645429513999, 9, 8, 1794884261630197, 137, 4243793669, NULL, 8, 1, 0, 9, 0, NULL, 'c8', 'c7', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x5e66f714f69b0efae05fd6706562d0c1', '\x82a86d6573736167657393cf0000015e51b50f9505c410edde04cd37efbd6d7342daa9d06f3188a5636f756e74c40108', NULL),
	(131594772306283, 133645429513999, 10, 9, 1794884261631004, 155, 3467805279, NULL, 9, 1, 0, 10, 0, NULL, 'c9', 'c8', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x8899ffd9080b4eec6e4aa04d6f90187b', '\x82a86d6573736167657393cf0000015e51b50f9506c4102e759dbdae49c222e4dcaf3a6653c509a5636f756e74c40109', NULL),
	(131594772306283, 133645429513999, 11, 10, 1794884261631674, 173, 1691310567, NULL, 10, 1, 0, 11, 0, NULL, 'c10', 'c9', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x1e1cb7b9c3cf024e27030566867497dc', '\x82a86d6573736167657393cf0000015e51b50f9507c410240b427192f358308ea9a277f1c00f2da5636f756e74c4010a', NULL),
	(131594772306283, 133645429513999, 12, 11, 1794884261632387, 192, 4005880827, NULL, 11, 1, 0, 12, 0, NULL, 'c11', 'c10', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\xd3acd0c019ca9c86b502d2e05788c716', '\x82a86d6573736167657393cf0000015e51b50f9508c410b5bba72f26041588b18bce97915d5ea7a5636f756e74c4010b', NULL),
	(131594772306283, 133645429513999, 13, 12, 1794884261633048, 211, 1150214753, NULL, 12, 1, 0, 13, 0, NULL, 'c12', 'c11', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x0d25f194fb659c9098bb09de5ee69720', '\x82a86d6573736167657393cf0000015e51b50f9509c4101bb65cf8a2014969456aeac76c3acd71a5636f756e74c4010c', NULL),
	(131594772306283, 133645429513999, 14, 13, 1794884261633729, 231, 3576480082, NULL, 13, 1, 0, 14, 0, NULL, 'c13', 'c12', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\xa217ecebf98dfa8b41df9d035bb90b29', '\x82a86d6573736167657393cf0000015e51b50f950ac410a667e253cb952ef35d81bd282e7212a1a5636f756e74c4010d', NULL),
	(131594772306283, 133645429513999, 15, 14, 1794884261634327, 251, 831674847, NULL, 14, 1, 0, 15, 0, NULL, 'c14', 'c13', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x6429c8274416678a9fc48c8c5dce2b1c', '\x82a86d6573736167657393cf0000015e51b50f950bc4108f15ed937293b4334e705b7cc93a992ea5636f756e74c4010e', NULL),
	(131594772306283, 133645429513999, 16, 15, 1794884261634983, 271, 3893284144, NULL, 15, 1, 0, 16, 0, NULL, 'c15', 'c14', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x7ece32d69ea4c23072fe409321104e72', '\x82a86d6573736167657393cf0000015e51b50f950cc4104f64c5145ed0f5c7a00b8412dae677b2a5636f756e74c4010f', NULL),
	(131594772306283, 133645429513999, 17, 16, 1794884261635676, 293, 3978980796, NULL, 16, 1, 0, 17, 0, NULL, 'c16', 'c15', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x7fc57567458e457b0b73fa9467d3335f', '\x82a86d6573736167657393cf0000015e51b50f950dc410ee27d9543a4743448873fea7d9e83082a5636f756e74c40110', NULL),
	(131594772306283, 133645429513999, 18, 17, 1794884261636317, 313, 1877963393, NULL, 17, 1, 0, 18, 0, NULL, 'c17', 'c16', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x64e012708648e28daddae72aa6b9dea3', '\x82a86d6573736167657393cf0000015e51b50f950ec4103b744f46e70f18777da5efb30b5985faa5636f756e74c40111', NULL),
	(131594772306283, 133645429513999, 19, 18, 1794884261637037, 333, 3921487628, NULL, 18, 1, 0, 19, 0, NULL, 'c18', 'c17', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x58bafcf8b4244c5af941dc2c5711d1b1', '\x82a86d6573736167657393cf0000015e51b50f950fc41017f0991820559370f909b46c86c57adea5636f756e74c40112', NULL),
	(131594772306283, 133645429513999, 20, 19, 1794884261637679, 353, 4181708434, NULL, 19, 1, 0, 20, 0, NULL, 'c19', 'c18', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x7e7f60f02ca3b07bf44beb888faf728a', '\x82a86d6573736167657393cf0000015e51b50f9510c4106ff2ecfffac101b9e14d5b9e03984e96a5636f756e74c40113', NULL),
	(131594772306283, 133645429513999, 21, 20, 1794884261638282, 373, 3366512153, NULL, 20, 1, 0, 21, 0, NULL, 'c20', 'c19', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x3af40800e90703fdf3e2488967865652', '\x82a86d6573736167657393cf0000015e51b50f9511c410079d05634d7b2fa2d288ef04d49c010ea5636f756e74c40114', NULL),
	(131594772306283, 133645429513999, 22, 21, 1794884261638999, 393, 1113290030, NULL, 21, 1, 0, 22, 0, NULL, 'c21', 'c20', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x16799a216a4f95bc1cc7734d730255b4', '\x82a86d6573736167657393cf0000015e51b50f9512c4109a6b2af046c6be2242752cb6fee8610ca5636f756e74c40115', NULL),
	(131594772306283, 133645429513999, 23, 22, 1794884261639617, 413, 260880935, NULL, 22, 1, 0, 23, 0, NULL, 'c22', 'c21', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x22e2f6c42a8beb9522b01efde2e6875d', '\x82a86d6573736167657393cf0000015e51b50f9513c4101ddf0fc522f5df6de6861f93dc5427b2a5636f756e74c40116', NULL),
	(131594772306283, 133645429513999, 24, 23, 1794884261640224, 433, 2568689318, NULL, 23, 1, 0, 24, 0, NULL, 'c23', 'c22', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x9687d51f44f93afa9b81dc8f0b601d1b', '\x82a86d6573736167657393cf0000015e51b50f9514c41026479852c3b58cca9e133c80600df52ba5636f756e74c40117', NULL),
	(131594772306283, 133645429513999, 25, 24, 1794884261641004, 453, 4133029883, NULL, 24, 1, 0, 25, 0, NULL, 'c24', 'c23', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x058f24345ac0b83ce7dfbda381a5c931', '\x82a86d6573736167657393cf0000015e51b50f9515c4100447604d22d8f165f29615f76ee7c00fa5636f756e74c40118', NULL),
	(131594772306283, 133645429513999, 26, 25, 1794884261641629, 473, 3425205303, NULL, 25, 1, 0, 26, 0, NULL, 'c25', 'c24', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x00b3c155d9afab4a1bf328c70c1e55e8', '\x82a86d6573736167657393cf0000015e51b50f9516c410424c86d5f6eba0e229085dcb498cd8d5a5636f756e74c40119', NULL),
	(131594772306283, 133645429513999, 27, 26, 1794884261642224, 493, 3044999300, NULL, 26, 1, 0, 27, 0, NULL, 'c26', 'c25', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x17e143f05b44d8d2db2f171618277bc5', '\x82a86d6573736167657393cf0000015e51b50f9517c4102a2e269b17c7246065dd2fc91b6347c2a5636f756e74c4011a', NULL),
	(131594772306283, 133645429513999, 28, 27, 1794884261645730, 513, 1470143695, NULL, 27, 1, 0, 28, 0, NULL, 'c27', 'c26', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\xe0e1ff4d487e8c45fa11620136718236', '\x82a86d6573736167657393cf0000015e51b50f9518c410298aa009100e0b0681d2c081ea15a0bea5636f756e74c4011b', NULL),
	(131594772306283, 133645429513999, 29, 28, 1794884261646519, 533, 3096301810, NULL, 28, 1, 0, 29, 0, NULL, 'c28', 'c27', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\xb15404e4d111cb56d5fc12530ec49979', '\x82a86d6573736167657393cf0000015e51b50f9519c410c486568ecc81ed0f0b84fabc98251f60a5636f756e74c4011c', NULL),
	(131594772306283, 133645429513999, 30, 29, 1794884261647254, 553, 2071908150, NULL, 29, 1, 0, 30, 0, NULL, 'c29', 'c28', NULL, NULL, 'loop', 'talk', '\x', 'run-0', 'running', '', '\x', NULL, '\x0ebdcbc2e20ed23087ca8403f3abb0c1', '\x82a86d6573736167657393cf0000015e51b50f951ac410c511eee758af741a51997f2d12efa1c0a5636f756e74c4011d', NULL),
	(131594772306283, 133645429513999, 31, 30, 1794884261648569, 573, 2344883674, NULL, 30, 1, 0, 31, 0, NULL, 'c30', 'c29', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xe8366f61c55d5438a44951838aa5e80d', '\x82a86d6573736167657393cf0000015e51b50f951bc410d3e687e330f17d398bda77494ff243dea5636f756e74c4011e', NULL),
	(131594772306283, 133645429513999, 32, 31, 1794884261649517, 593, 2210558035, NULL, 31, 1, 0, 32, 0, NULL, 'c31', 'c30', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xe29fa37c5f45b2a43df36c2624616cf6', '\x82a86d6573736167657393cf0000015e51b50f951cc410f7b4012ee766b7ee91db1e237deb32baa5636f756e74c4011f', NULL),
	(131594772306283, 133645429513999, 33, 32, 1794884261650228, 613, 4255293253, NULL, 32, 1, 0, 33, 0, NULL, 'c32', 'c31', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x5a81b185b9d9478e448f4d3dceecfd82', '\x82a86d6573736167657393cf0000015e51b50f951dc410de64b397fef1d91dc9836304c4f613e1a5636f756e74c40120', NULL),
	(131594772306283, 133645429513999, 34, 33, 1794884261651158, 633, 173244750, NULL, 33, 1, 0, 34, 0, NULL, 'c33', 'c32', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x370320f5a5fb96cf8a74975bdc7ce355', '\x82a86d6573736167657393cf0000015e51b50f951ec41024909082490e6e9ddd639d2b9157ecdaa5636f756e74c40121', NULL),
	(131594772306283, 133645429513999, 35, 34, 1794884261653691, 653, 3395220543, NULL, 34, 1, 0, 35, 0, NULL, 'c34', 'c33', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x5652f86323f662bed14bad56a80870ae', '\x82a86d6573736167657393cf0000015e51b50f951fc410fd85e357ae175bfab239bcd50447bec1a5636f756e74c40122', NULL),
	(131594772306283, 133645429513999, 36, 35, 1794884261655191, 673, 2505244376, NULL, 35, 1, 0, 36, 0, NULL, 'c35', 'c34', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x03a3d4a7a754acbce08301b408f80710', '\x82a86d6573736167657393cf0000015e51b50f9520c41008c904b84cd8d66f3062e91f9feeb667a5636f756e74c40123', NULL),
	(131594772306283, 133645429513999, 37, 36, 1794884261656640, 693, 3078220939, NULL, 36, 1, 0, 37, 0, NULL, 'c36', 'c35', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x391e7aa8fdd8a3e716228284fdca0330', '\x82a86d6573736167657393cf0000015e51b50f9521c4106730cb9a52361594ca6306f782f5b57da5636f756e74c40124', NULL),
	(131594772306283, 133645429513999, 38, 37, 1794884261659285, 714, 3739622027, NULL, 37, 1, 0, 38, 0, NULL, 'c37', 'c36', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x581e8d09f3882b21df8ccd97c03fd550', '\x82a86d6573736167657393cf0000015e51b50f9522c4103e34cba452eba3669f30e5e35db66c40a5636f756e74c40125', NULL),
	(131594772306283, 133645429513999, 39, 38, 1794884261660930, 735, 1152221159, NULL, 38, 1, 0, 39, 0, NULL, 'c38', 'c37', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xa82bbaf34b110a33589c44549bcbd51d', '\x82a86d6573736167657393cf0000015e51b50f9523c410cceb7333441d1397c8e8d932261d8870a5636f756e74c40126', NULL),
	(131594772306283, 133645429513999, 40, 39, 1794884261661762, 756, 2481702173, NULL, 39, 1, 0, 40, 0, NULL, 'c39', 'c38', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x4d712f190d4714ca559293be243678f1', '\x82a86d6573736167657393cf0000015e51b50f9524c4106d317d2e4296e87520c4695f4e86fe2fa5636f756e74c40127', NULL),
	(131594772306283, 133645429513999, 41, 40, 1794884261666959, 777, 682564449, NULL, 40, 1, 0, 41, 0, NULL, 'c40', 'c39', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x2ebacd9c96db9c34f17af8de044b01bf', '\x82a86d6573736167657393cf0000015e51b50f9525c41032f6439d6e4475b1a9b9adf1facb0771a5636f756e74c40128', NULL),
	(131594772306283, 133645429513999, 42, 41, 1794884261668492, 798, 426605503, NULL, 41, 1, 0, 42, 0, NULL, 'c41', 'c40', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xbb40d30f554ad9b5cab782ad0cc28ab0', '\x82a86d6573736167657393cf0000015e51b50f9526c4109cafdfc75b82a33749eeeb596c35a7efa5636f756e74c40129', NULL),
	(131594772306283, 133645429513999, 43, 42, 1794884261669662, 819, 1545219177, NULL, 42, 1, 0, 43, 0, NULL, 'c42', 'c41', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xc91108488340661f53d5317736db3c76', '\x82a86d6573736167657393cf0000015e51b50f9527c410ff64bfc43eaee77d97b8f03234856cdda5636f756e74c4012a', NULL),
	(131594772306283, 133645429513999, 44, 43, 1794884261670795, 840, 2098557695, NULL, 43, 1, 0, 44, 0, NULL, 'c43', 'c42', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xfe5e167aa77586a245974e88643ac822', '\x82a86d6573736167657393cf0000015e51b50f9528c41032dc9000c2aa9db92a07d9c4582d9757a5636f756e74c4012b', NULL),
	(131594772306283, 133645429513999, 45, 44, 1794884261675603, 861, 453591551, NULL, 44, 1, 0, 45, 0, NULL, 'c44', 'c43', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xc8f2181a69a5afc34bb472c6c6a6707c', '\x82a86d6573736167657393cf0000015e51b50f9529c41082506d83359eb73648c101ce3b6bb4fca5636f756e74c4012c', NULL),
	(131594772306283, 133645429513999, 46, 45, 1794884261676894, 882, 874263825, NULL, 45, 1, 0, 46, 0, NULL, 'c45', 'c44', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xe89d99d1934dcbaf5a09c29db1e85ff3', '\x82a86d6573736167657393cf0000015e51b50f952ac41043ae7eb3fd8775c425f7bdb9c15e1597a5636f756e74c4012d', NULL),
	(131594772306283, 133645429513999, 47, 46, 1794884261677961, 903, 1952262061, NULL, 46, 1, 0, 47, 0, NULL, 'c46', 'c45', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x9c1e5e5dd7bcf4296d29a7368fcf5db5', '\x82a86d6573736167657393cf0000015e51b50f952bc41031fafa863730f4ea3124074b80da826ba5636f756e74c4012e', NULL),
	(131594772306283, 133645429513999, 48, 47, 1794884261683633, 924, 2052775637, NULL, 47, 1, 0, 48, 0, NULL, 'c47', 'c46', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x9cca52c097889de20861f10ce0fd050f', '\x82a86d6573736167657393cf0000015e51b50f952cc410ebaa0128a38220c92f4006707986ad84a5636f756e74c4012f', NULL),
	(131594772306283, 133645429513999, 49, 48, 1794884261685051, 945, 1915954140, NULL, 48, 1, 0, 49, 0, NULL, 'c48', 'c47', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x9cadce2636d4e7ea44849a083f41e164', '\x82a86d6573736167657393cf0000015e51b50f952dc4104f727a2e83f43f13cfafd47b1c57c621a5636f756e74c40130', NULL),
	(131594772306283, 133645429513999, 50, 49, 1794884261687209, 966, 3903278555, NULL, 49, 1, 0, 50, 0, NULL, 'c49', 'c48', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xb562f75e22de3b01bdc5d3ead9a81128', '\x82a86d6573736167657393cf0000015e51b50f952ec410f7e16f8d0fddc196a44949f8545bbf60a5636f756e74c40131', NULL);
INSERT INTO golden.checkpoint VALUES
	(131594772306283, 133645429513999, 51, 50, 1794884261695543, 987, 2332961286, NULL, 50, 1, 0, 51, 0, NULL, 'c50', 'c49', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x358a7f60adb33b2de79b2a2a9b994a0f', '\x82a86d6573736167657393cf0000015e51b50f952fc4105d3dbb10ab9c2ff40d51494f55758cafa5636f756e74c40132', NULL),
	(131594772306283, 133645429513999, 52, 51, 1794884261696851, 1008, 3682164351, NULL, 51, 1, 0, 52, 0, NULL, 'c51', 'c50', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x89a912b69cfc3d0fc044ba9f215cecb6', '\x82a86d6573736167657393cf0000015e51b50f9530c41023b7d2b7ab5413cb1aaf38f10b3233a0a5636f756e74c40133', NULL),
	(131594772306283, 133645429513999, 53, 52, 1794884261697900, 1029, 1685691913, NULL, 52, 1, 0, 53, 0, NULL, 'c52', 'c51', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xe1094b5bb5d440164ebec7af9ab4f2b6', '\x82a86d6573736167657393cf0000015e51b50f9531c410cc1c3141856610df31c3daecb8d1640ea5636f756e74c40134', NULL),
	(131594772306283, 133645429513999, 54, 53, 1794884261698851, 1050, 3715278348, NULL, 53, 1, 0, 54, 0, NULL, 'c53', 'c52', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x5e65a08b65e86d2e38cf4521cb5dfed8', '\x82a86d6573736167657393cf0000015e51b50f9532c41065943d5a38cda3df65b85c0710f01236a5636f756e74c40135', NULL),
	(131594772306283, 133645429513999, 55, 54, 1794884261699750, 1071, 3636569116, NULL, 54, 1, 0, 55, 0, NULL, 'c54', 'c53', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x393345fe3316eab4a72ff12bab2e6063', '\x82a86d6573736167657393cf0000015e51b50f9533c410529fa2b6793ad9f60d4f4c0254843a5ea5636f756e74c40136', NULL),
	(131594772306283, 133645429513999, 56, 55, 1794884261701987, 1092, 1001412223, NULL, 55, 1, 0, 56, 0, NULL, 'c55', 'c54', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xfa12fc71b79e315da9d860d258920b24', '\x82a86d6573736167657393cf0000015e51b50f9534c410441710bf96d8ae87ba47dd59dff7fbf8a5636f756e74c40137', NULL),
	(131594772306283, 133645429513999, 57, 56, 1794884261702773, 1113, 3220580097, NULL, 56, 1, 0, 57, 0, NULL, 'c56', 'c55', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x91760635327b2b086fa01afac6611185', '\x82a86d6573736167657393cf0000015e51b50f9535c4108c14037d287195576d442dac1cc8199ca5636f756e74c40138', NULL),
	(131594772306283, 133645429513999, 58, 57, 1794884261703449, 1134, 3538419422, NULL, 57, 1, 0, 58, 0, NULL, 'c57', 'c56', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xf11ae66a4e8eb0157f13e38932704271', '\x82a86d6573736167657393cf0000015e51b50f9536c410736631b5d63e397c15fd16ab1049be0ca5636f756e74c40139', NULL),
	(131594772306283, 133645429513999, 59, 58, 1794884261704146, 1155, 2469302056, NULL, 58, 1, 0, 59, 0, NULL, 'c58', 'c57', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x9dddbc0ba52462f38371764125f40255', '\x82a86d6573736167657393cf0000015e51b50f9537c410e81f3eaeeb67c3a82d9faf3b99b3f968a5636f756e74c4013a', NULL),
	(131594772306283, 133645429513999, 60, 59, 1794884261705028, 1176, 3661802153, NULL, 59, 1, 0, 60, 0, NULL, 'c59', 'c58', NULL, NULL, 'loop', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x72bfc01684ce4e96a3b40c9fc024e43c', '\x82a86d6573736167657393cf0000015e51b50f9538c4102995b0fb05049b939c8ca5a55b0a338ca5636f756e74c4013b', NULL),
	(131594772306283, 133645429513999, 61, 60, 1794884261707505, 1197, 3515238624, NULL, 60, 1, 0, 61, 0, NULL, 'c60', 'c59', NULL, NULL, 'loop', 'talk', '\x', 'run-2', 'running', '', '\x', NULL, '\x3ac3edc6923ab0fbb99156652bca9fe4', '\x82a86d6573736167657393cf0000015e51b50f9539c410d442fe77c3660470cdd06fecf801454ea5636f756e74c4013c', NULL),
	(131594772306283, 133645429513999, 62, 61, 1794884261708295, 1218, 3679333016, NULL, 61, 1, 0, 62, 0, NULL, 'c61', 'c60', NULL, NULL, 'loop', 'talk', '\x', 'run-2', 'running', '', '\x', NULL, '\x67cbe0051a40975fe7e2eb1c37b61c3b', '\x82a86d6573736167657393cf0000015e51b50f953ac4101bd3c3dcfddf2ac67ac0ee3c71d8d1f0a5636f756e74c4013d', NULL),
	(131594772306283, 133645429513999, 63, 62, 1794884261709302, 1239, 3703470752, NULL, 62, 1, 0, 63, 0, NULL, 'c62', 'c61', NULL, NULL, 'loop', 'talk', '\x', 'run-2', 'running', '', '\x', NULL, '\x5d1eab530c1b1939953beb67a933cf48', '\x82a86d6573736167657393cf0000015e51b50f953bc410d0deceac7c35069e8a15ee21e6c03fc1a5636f756e74c4013e', NULL),
	(131594772306283, 133645429513999, 64, 63, 1794884261710735, 1260, 3248509219, NULL, 63, 1, 0, 64, 0, NULL, 'c63', 'c62', NULL, NULL, 'loop', 'talk', '\x', 'run-2', 'running', '', '\x', NULL, '\xbcfebd87d42dd2cccc4fd413e5b360a5', '\x82a86d6573736167657393cf0000015e51b50f953cc4103dff3212e057579b2fe9f0de79b6ff61a5636f756e74c4013f', NULL),
	(131594772306283, 133645429513999, 65, 64, 1794884261711392, 1281, 1566814639, NULL, 64, 1, 0, 65, 0, NULL, 'c64', 'c63', NULL, NULL, 'loop', 'talk', '\x', 'run-2', 'running', '', '\x', NULL, '\xb403c991e342af34916937c65db8eac2', '\x82a86d6573736167657393cf0000015e51b50f953dc410847dc5897473003e261aa2ebab31f4daa5636f756e74c40140', NULL),
	(131594772306283, 133645429513999, 66, 65, 1794884261713638, 1302, 1193361967, NULL, 65, 1, 0, 66, 0, NULL, 'c65', 'c64', NULL, NULL, 'loop', 'talk', '\x', 'run-2', 'running', '', '\x', NULL, '\x4c8e52b61efa80cb55fe6a910012d573', '\x82a86d6573736167657393cf0000015e51b50f953ec4101c126f18c0356d18b64e9d7c939011c3a5636f756e74c40141', NULL),
	(131594772306283, 133645429513999, 67, 66, 1794884261714365, 1323, 2620188390, NULL, 66, 1, 0, 67, 0, NULL, 'c66', 'c65', NULL, NULL, 'loop', 'talk', '\x', 'run-2', 'running', '', '\x', NULL, '\x1ad43cc516ea751e32e3fd87768fa135', '\x82a86d6573736167657393cf0000015e51b50f953fc410e5479f17d52a0ddb8c1ddc647dac9adda5636f756e74c40142', NULL),
	(131594772306283, 133645429513999, 68, 67, 1794884261715522, 1344, 891925007, NULL, 67, 1, 0, 68, 0, NULL, 'c67', 'c66', NULL, NULL, 'loop', 'talk', '\x', 'run-2', 'running', '', '\x', NULL, '\x8a0985aecac104394d5a0d0ecc6700af', '\x82a86d6573736167657393cf0000015e51b50f9540c410711e4c14127e4c86904aae9d9af1ad25a5636f756e74c40143', NULL),
	(131594772306283, 133645429513999, 69, 68, 1794884261719174, 1365, 3196718343, NULL, 68, 1, 0, 69, 0, NULL, 'c68', 'c67', NULL, NULL, 'loop', 'talk', '\x', 'run-2', 'running', '', '\x', NULL, '\xb1db5282f0e4f30a0091f62df6175704', '\x82a86d6573736167657393cf0000015e51b50f9541c410d36518c5cdd74ae580583e645f17cfbea5636f756e74c40144', NULL),
	(131594772306283, 133645429513999, 70, 69, 1794884261719887, 1386, 3750442774, NULL, 69, 1, 0, 70, 0, NULL, 'c69', 'c68', NULL, NULL, 'loop', 'talk', '\x', 'run-2', 'running', '', '\x', NULL, '\x388be8390b3fc01d895be496bcd30b37', '\x82a86d6573736167657393cf0000015e51b50f9542c410157025b5a5452c7b9a5e830a30f3e5cba5636f756e74c40145', NULL),
	(131594772306283, 79351835294659, 71, 70, 1794884261747130, 1409, 3588550241, NULL, 70, 71, 0, 71, 0, NULL, 'f1', 'c69', 'chat', NULL, 'loop', '', '\x92a161a162', NULL, 'running', '', '\x', NULL, '\xa1c153e917bd5941976d111215774c0a', '\x82a86d6573736167657393cf00006a07e9848d9f00c41028cf220cdd30e6597e1187b9b38b9d67a5636f756e74c403cd03e8', NULL),
	(131594772306283, 79351835294659, 72, 71, 1794884261753332, 1422, 3958763219, 2177851519, 71, 71, 0, 72, 0, 0, 'f2', 'f1', NULL, NULL, 'loop', '', '\x', NULL, 'running', '', '\x', NULL, '\x9ea8174b9732c59f54bd3fba719d60af', '\x82a86d6573736167657393cf00006a07e9848d9f01c4104fa980967510d5548decf7fb6c813123a5636f756e74c403cd03e9', '\x9193a27432a170929300a86d65737361676573c40e91ac6d65737361676520303a20309301a5736d616c6cc40101'),
	(131594772306283, 84293263230983, 42, 40, 1794884261762993, 777, 1162142949, NULL, 41, 42, 0, 42, 0, NULL, '5FtiRx4AXypkofHh', 'c40', 'chat', NULL, 'fork', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\x8cea100d0570a2563b64bf8869439947', '\x82a86d6573736167657394cf0000015e51b50f9525c41032f6439d6e4475b1a9b9adf1facb0771c3a5636f756e74c401ff', NULL),
	(131594772306283, 82489766722161, 1, 30, 1794884261767356, 573, 3619104659, NULL, 0, 1, 0, 1, 0, NULL, '5FtiRx55L5VWQpMD', 'c30', 'chat', '\xe8366f61c55d5438a44951838aa5e80d', 'fork', 'talk', '\x', 'run-1', 'running', '', '\x', NULL, '\xea2a3c7a20dfa7e97fc120f66804d78e', '\x82a86d6573736167657394cf0000015e51b50f951bc410d3e687e330f17d398bda77494ff243dec3a5636f756e74c4011e', NULL),
	(131594772306283, 139264678315274, 1, 0, 1794884261773626, 12, 1716255271, NULL, 0, 1, 0, 1, 3, NULL, 's0', NULL, NULL, NULL, 'loop', '', '\x', NULL, 'running', '', '\x', 'c69', '\x5e203f9be165a40c954e5daf8fea543f', '\x9281a4706c616ec40891a6737465702030c40481a16e00', NULL),
	(131594772306283, 139264678315274, 2, 1, 1794884261776102, 19, 845400274, NULL, 1, 1, 0, 2, 3, NULL, 's1', 's0', NULL, NULL, 'loop', '', '\x', NULL, 'running', '', '\x', 'c69', '\x1286d3266a33d12869e97001d311de2b', '\x9281a4706c616ec40f92a6737465702031a6737465702031c40481a16e01', NULL),
	(131594772306283, 139264678315274, 3, 2, 1794884261782387, 26, 3866434719, NULL, 2, 1, 0, 3, 3, NULL, 's2', 's1', NULL, NULL, 'loop', '', '\x', NULL, 'running', '', '\x', 'c69', '\x73afea2927ce910e07fe60dfb6735d6d', '\x9281a4706c616ec41693a6737465702032a6737465702032a6737465702032c40481a16e02', NULL),
	(85927044533500, 13484317103662, 1, 0, 1794884261786291, 1, 2388719095, NULL, 0, 1, 0, 1, 0, NULL, '5FtiRx85yDx4cB7P', NULL, NULL, NULL, 'loop', '', '\x', NULL, 'completed', 'final', '\x81a4636f737401', NULL, '\x67e4525732ed9d9bbe66835412d781d5', '\x81a6616e73776572c4012a', NULL),
	(36607090221604, 85978745929858, 1, 0, 1794884261789209, 92, 2925344670, NULL, 0, 1, 0, 1, 0, NULL, '5FtiRx8dKdIHwi4i', NULL, NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x252702fecc322838818458777e000ca0', '\x81a86d6573736167657393cf0000770457c0168000c4108eb6572c5517b2348ddb011ec831a677', NULL),
	(36607090221604, 85978745929858, 2, 1, 1794884261790869, 315, 1465476377, NULL, 1, 1, 0, 2, 0, NULL, '5FtiRx8lowL1qHWY', '5FtiRx8dKdIHwi4i', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x7d820bdb7d8959be8054e53648f3383f', '\x81a86d6573736167657393cf0000770457c0168001c4108fd0255c5f2840ad85927b04490dd3aa', NULL),
	(36607090221604, 85978745929858, 3, 2, 1794884261792044, 545, 1363268978, NULL, 2, 1, 0, 3, 0, NULL, '5FtiRx8vVgZtN1l7', '5FtiRx8lowL1qHWY', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x17ca83a58d46912f0537e8c40ae972b7', '\x81a86d6573736167657393cf0000770457c0168002c410253ff3a5c4814b00d653aac17b10b5ae', NULL),
	(36607090221604, 85978745929858, 4, 3, 1794884261793764, 777, 3719121100, NULL, 3, 1, 0, 4, 0, NULL, '5FtiRx9GiXUl6oeH', '5FtiRx8vVgZtN1l7', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x3595fc139b230a2493c765a7cb61a8ad', '\x81a86d6573736167657393cf0000770457c0168003c41020af57b7aaf329ad92e0475c5055d153', NULL),
	(36607090221604, 85978745929858, 5, 4, 1794884261797327, 1010, 2011198715, NULL, 4, 1, 0, 5, 0, NULL, '5FtiRxA2mEM4MsCV', '5FtiRx9GiXUl6oeH', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x2f0fa4e2e47bb1962d6815e7a4fa8a49', '\x81a86d6573736167657393cf0000770457c0168004c410710a8a4b5bd14bb40201ba113bc6282d', NULL),
	(36607090221604, 85978745929858, 6, 5, 1794884261798238, 1248, 2545087544, NULL, 5, 1, 0, 6, 0, NULL, '5FtiRxACEGdQDLoS', '5FtiRxA2mEM4MsCV', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x624e1bab09a44b75fae928279af83e1a', '\x81a86d6573736167657393cf0000770457c0168005c4100e25d5a0ff9b4e076972a8ec2ff59f2e', NULL),
	(36607090221604, 85978745929858, 7, 6, 1794884261799057, 1490, 3358551270, NULL, 6, 1, 0, 7, 0, NULL, '5FtiRxACEGdQDVGn', '5FtiRxACEGdQDLoS', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x1e8e290a9abfaef5e6b142e7e77cdadc', '\x81a86d6573736167657393cf0000770457c0168006c410fded6d4f40d08ca5f14ce28518fafd83', NULL),
	(36607090221604, 85978745929858, 8, 7, 1794884261800282, 1736, 1162620683, NULL, 7, 1, 0, 8, 0, NULL, '5FtiRxASf854eW0w', '5FtiRxACEGdQDVGn', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xcba9fdca958ad879c8859060bd9123df', '\x81a86d6573736167657393cf0000770457c0168007c4105f267f29ebb8e20699eb1f27172fbb7d', NULL),
	(36607090221604, 85978745929858, 9, 8, 1794884261801171, 1985, 1944140775, NULL, 8, 1, 0, 9, 0, NULL, '5FtiRxAhjU7ULFHs', '5FtiRxASf854eW0w', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x5dad88407a1c43ba0658bdfc0808c0a8', '\x81a86d6573736167657393cf0000770457c0168008c410c0c8b2babb19c0dfa68a28c6571a3081', NULL),
	(36607090221604, 85978745929858, 10, 9, 1794884261802812, 2235, 2957480084, NULL, 9, 1, 0, 10, 0, NULL, '5FtiRxArR4DPpDy5', '5FtiRxAhjU7ULFHs', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xa4820161bf83f4281884c3ed9cdec7d2', '\x81a86d6573736167657393cf0000770457c0168009c4106ac2d57ba1c5d18fc48dd7c75a33fa56', NULL),
	(36607090221604, 85978745929858, 11, 10, 1794884261803922, 2488, 3797992448, NULL, 10, 1, 0, 11, 0, NULL, '5FtiRxAzaE48xFHw', '5FtiRxArR4DPpDy5', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x1bc73fd34c95d8f7557e19ad7c431925', '\x81a86d6573736167657393cf0000770457c016800ac410de86ffb58b65337971853e196b1a49c3', NULL),
	(36607090221604, 85978745929858, 12, 11, 1794884261806365, 2742, 1461173007, NULL, 11, 1, 0, 12, 0, NULL, '5FtiRxBVayrYMWda', '5FtiRxAzaE48xFHw', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x3d7a99d1d8a9b464e0968fe8bc0ce3d8', '\x81a86d6573736167657393cf0000770457c016800bc410c618d1388d801adaca1e578509440eb5', NULL),
	(36607090221604, 85978745929858, 13, 12, 1794884261807099, 2997, 2979635118, NULL, 12, 1, 0, 13, 0, NULL, '5FtiRxBdBgFzt1l3', '5FtiRxBVayrYMWda', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9880dfb9add14752c2e6c62d20edc9ae', '\x81a86d6573736167657393cf0000770457c016800cc4106dfcff988dfbc7ab80ae6eb3beea2d7e', NULL),
	(36607090221604, 85978745929858, 14, 13, 1794884261808424, 3254, 2587160870, NULL, 13, 1, 0, 14, 0, NULL, '5FtiRxBuZrrMc8gs', '5FtiRxBdBgFzt1l3', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x6afb9e97209bc0e67339670410f1c31c', '\x81a86d6573736167657393cf0000770457c016800dc41063150872b77f4d450ce282c3abce9f67', NULL),
	(36607090221604, 85978745929858, 15, 14, 1794884261809490, 3511, 3840129926, NULL, 14, 1, 0, 15, 0, NULL, '5FtiRxBzCeScmFEH', '5FtiRxBuZrrMc8gs', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xf16c093441517bbc140a13a308ffdc95', '\x81a86d6573736167657393cf0000770457c016800ec41016401762d44804c6575b0244dcd61b84', NULL),
	(36607090221604, 85978745929858, 16, 15, 1794884261810696, 3771, 3536598327, NULL, 15, 1, 0, 16, 0, NULL, '5FtiRxCEqthwACbb', '5FtiRxBzCeScmFEH', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x45ebd018cd1bc27cc8b636d7b639ab0f', '\x81a86d6573736167657393cf0000770457c016800fc410827ddf892cd9eadace342b7b77cf3971', NULL),
	(36607090221604, 85978745929858, 17, 16, 1794884261815179, 4030, 1024277840, NULL, 16, 1, 0, 17, 0, NULL, '5FtiRxD3oFqGn2xR', '5FtiRxCEqthwACbb', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xcf4709d138fb8e7feb39a98c01742986', '\x81a86d6573736167657393cf0000770457c0168010c4104a40d499f36cd1709d8bba7f98ae376b', NULL),
	(36607090221604, 85978745929858, 18, 17, 1794884261815914, 4289, 4251670226, NULL, 17, 1, 0, 18, 0, NULL, '5FtiRxD3oFqGnCDO', '5FtiRxD3oFqGn2xR', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x040d1b2e00102dd8ed7480a69c2726d8', '\x81a86d6573736167657393cf0000770457c0168011c410c8ac32a1a9d044032ada6cf7f9181884', NULL),
	(36607090221604, 85978745929858, 19, 18, 1794884261816644, 4548, 1076155499, NULL, 18, 1, 0, 19, 0, NULL, '5FtiRxD5FocBpUY2', '5FtiRxD3oFqGnCDO', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xa901fa60ee551f0ae1ab35cbb4e93a53', '\x81a86d6573736167657393cf0000770457c0168012c4109bdfe0ca415c49934358303add7f7c50', NULL),
	(36607090221604, 85978745929858, 20, 19, 1794884261817279, 4808, 563108476, NULL, 19, 1, 0, 20, 0, NULL, '5FtiRxDGqpHiFrBW', '5FtiRxD5FocBpUY2', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xb0a75620d3e852cede4a0f783250df55', '\x81a86d6573736167657393cf0000770457c0168013c4102b99acdab0cd254410cbdc23438f6491', NULL),
	(36607090221604, 85978745929858, 21, 20, 1794884261817927, 5068, 203579182, NULL, 20, 1, 0, 21, 0, NULL, '5FtiRxDLSMyuBdlL', '5FtiRxDGqpHiFrBW', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xf844cb7e2b5743fa41bb333f50eefcbe', '\x81a86d6573736167657393cf0000770457c0168014c410179bc694741aac374497252b40d51f19', NULL),
	(36607090221604, 85978745929858, 22, 21, 1794884261818796, 5328, 390810806, NULL, 21, 1, 0, 22, 0, NULL, '5FtiRxDRtZ1LFSDZ', '5FtiRxDLSMyuBdlL', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9851961ef1b8db67b99a607c7c7f76fc', '\x81a86d6573736167657393cf0000770457c0168015c410c27e0bc32e3057113cb7c66d6d8bf48c', NULL);
INSERT INTO golden.checkpoint VALUES
	(36607090221604, 85978745929858, 23, 22, 1794884261819689, 5589, 3502775815, NULL, 22, 1, 0, 23, 0, NULL, '5FtiRxDctNlrUbRE', '5FtiRxDRtZ1LFSDZ', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x5ddcba2784cb6b25b2ddd6202e09403a', '\x81a86d6573736167657393cf0000770457c0168016c410e48e67bf36ddef492e584d6d15d39e89', NULL),
	(36607090221604, 85978745929858, 24, 23, 1794884261820542, 5850, 522324815, NULL, 23, 1, 0, 24, 0, NULL, '5FtiRxDo61aOxWF0', '5FtiRxDctNlrUbRE', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x88b3512cab78b8a00ff07c808cc563b4', '\x81a86d6573736167657393cf0000770457c0168017c4103cd90e4d6c07edf4db48555f38f854a5', NULL),
	(36607090221604, 85978745929858, 25, 24, 1794884261821362, 6111, 1423765191, NULL, 24, 1, 0, 25, 0, NULL, '5FtiRxE0G6mnSFKN', '5FtiRxDo61aOxWF0', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x97e51c6a9ef072f92eb61a81ac91e904', '\x81a86d6573736167657393cf0000770457c0168018c410cca12158da6df5675cddef153d56e0f0', NULL),
	(36607090221604, 85978745929858, 26, 25, 1794884261822236, 6372, 1567144634, NULL, 25, 1, 0, 26, 0, NULL, '5FtiRxE9Hs5YwXGW', '5FtiRxE0G6mnSFKN', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x30df184b38d699ef112590f00853810d', '\x81a86d6573736167657393cf0000770457c0168019c410b16050fb3d4d37cc779652318823c5b7', NULL),
	(36607090221604, 85978745929858, 27, 26, 1794884261822969, 6634, 3243726124, NULL, 26, 1, 0, 27, 0, NULL, '5FtiRxECYvETjHNY', '5FtiRxE9Hs5YwXGW', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x1592326ab06055971e76713622fdac7d', '\x81a86d6573736167657393cf0000770457c016801ac4101543120a25095ce0395f962c5bcf663c', NULL),
	(36607090221604, 85978745929858, 28, 27, 1794884261824286, 6896, 889823666, NULL, 27, 1, 0, 28, 0, NULL, '5FtiRxEW9QlIATFe', '5FtiRxECYvETjHNY', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x0259eaaf094e9fafafecb4f49a42df51', '\x81a86d6573736167657393cf0000770457c016801bc410ffcb0fd755a956b1486ce937c14f90b4', NULL),
	(36607090221604, 85978745929858, 29, 28, 1794884261826294, 7158, 4198678454, NULL, 28, 1, 0, 29, 0, NULL, '5FtiRxEo8oo3hYtV', '5FtiRxEW9QlIATFe', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xb0f33d14b9e00b7e2671eae20bf79cee', '\x81a86d6573736167657393cf0000770457c016801cc41003ba4cb844833e2daaf63d7ad092c9bb', NULL),
	(36607090221604, 85978745929858, 30, 29, 1794884261827590, 7420, 2138961558, NULL, 29, 1, 0, 30, 0, NULL, '5FtiRxF4NHVHkEtn', '5FtiRxEo8oo3hYtV', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xc9ecee1a0e9938f2b8747266dd33d464', '\x81a86d6573736167657393cf0000770457c016801dc41037f041b21b1c6f3f09508b63791b556a', NULL),
	(36607090221604, 85978745929858, 31, 30, 1794884261830089, 7682, 3879445815, NULL, 30, 1, 0, 31, 0, NULL, '5FtiRxFWnpcczzcY', '5FtiRxF4NHVHkEtn', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x53c25a63b0811dd615d406a24513cbc7', '\x81a86d6573736167657393cf0000770457c016801ec410316f218f5238181bf5dc7a53a1c59f75', NULL),
	(36607090221604, 85978745929858, 32, 31, 1794884261830851, 7944, 1690480995, NULL, 31, 1, 0, 32, 0, NULL, '5FtiRxFY8nPWcfR7', '5FtiRxFWnpcczzcY', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x6115143c26922bd0e78eaed48f77ec0d', '\x81a86d6573736167657393cf0000770457c016801fc4101766e952473575b533f63dd3fa8930dd', NULL),
	(36607090221604, 85978745929858, 33, 32, 1794884261831822, 8207, 2776024498, NULL, 32, 1, 0, 33, 0, NULL, '5FtiRxFjhLeetC1k', '5FtiRxFY8nPWcfR7', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x45c2ba171a230df36c1490f6abe153bc', '\x81a86d6573736167657393cf0000770457c0168020c410149a2ff58cc352066f1a815a728f4738', NULL),
	(36607090221604, 85978745929858, 34, 33, 1794884261833579, 8470, 793606639, NULL, 33, 1, 0, 34, 0, NULL, '5FtiRxG0sumfo6oT', '5FtiRxFjhLeetC1k', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xd00326b6220d448223d49afa0d1232a3', '\x81a86d6573736167657393cf0000770457c0168021c410b4bac105dc9c5aa1b9d7c9ef5941730d', NULL),
	(36607090221604, 85978745929858, 35, 34, 1794884261834354, 8733, 1565091703, NULL, 34, 1, 0, 35, 0, NULL, '5FtiRxG5ia20KzMT', '5FtiRxG0sumfo6oT', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xd5a4f6272e6b8fd3a10fbd00fdfe65b8', '\x81a86d6573736167657393cf0000770457c0168022c4108d9bcd4b665d90799f8069708d2a40d4', NULL),
	(36607090221604, 85978745929858, 36, 35, 1794884261838712, 8996, 1173981209, NULL, 35, 1, 0, 36, 0, NULL, '5FtiRxGkPNkg2GX6', '5FtiRxG5ia20KzMT', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xf4cc31b59690957c2477a289e7d19b00', '\x81a86d6573736167657393cf0000770457c0168023c410b51ec703c1294eb4e4878421cb1d6fb8', NULL),
	(36607090221604, 85978745929858, 37, 36, 1794884261839445, 9259, 1345722, NULL, 36, 1, 0, 37, 0, NULL, '5FtiRxGzrkAhwIyG', '5FtiRxGkPNkg2GX6', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x29e9dc95cc6b143214083c0c9daadb72', '\x81a86d6573736167657393cf0000770457c0168024c4108a98481dcc1835cd710adbdff4f57c55', NULL),
	(36607090221604, 85978745929858, 38, 37, 1794884261840153, 9522, 3638791212, NULL, 37, 1, 0, 38, 0, NULL, '5FtiRxHAjT4RdCHx', '5FtiRxGzrkAhwIyG', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x0f6de7d63ef139cf1b4fc05c27ca11e6', '\x81a86d6573736167657393cf0000770457c0168025c4100fc8bc79fb5cfc0bf17f383635b9f122', NULL),
	(36607090221604, 85978745929858, 39, 38, 1794884261840871, 9785, 753275281, NULL, 38, 1, 0, 39, 0, NULL, '5FtiRxHE64lhoTt0', '5FtiRxHAjT4RdCHx', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xd0d1aa9551a6694da1b543c76a011030', '\x81a86d6573736167657393cf0000770457c0168026c4104c883a2e724c67231dc524fa2d063c0f', NULL),
	(36607090221604, 85978745929858, 40, 39, 1794884261841522, 10048, 1266522865, NULL, 39, 1, 0, 40, 0, NULL, '5FtiRxHLJUxCIR0E', '5FtiRxHE64lhoTt0', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x70daec4f80fcf5b5a7829012bc091c15', '\x81a86d6573736167657393cf0000770457c0168027c410f48f5bba00fe6c504d978182df0fcd8c', NULL),
	(36607090221604, 85978745929858, 41, 40, 1794884261842144, 10311, 1311825284, NULL, 40, 1, 0, 41, 0, NULL, '5FtiRxHPFneYdGJe', '5FtiRxHLJUxCIR0E', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xe73cf01da61f2f14bec4be304d8566bf', '\x81a86d6573736167657393cf0000770457c0168028c41092e6f70af1539f70a00807f39e3b1208', NULL),
	(36607090221604, 85978745929858, 42, 41, 1794884261842843, 10574, 1681419923, NULL, 41, 1, 0, 42, 0, NULL, '5FtiRxHWEhLYZq3Q', '5FtiRxHPFneYdGJe', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x5e5e50c345583670a7a1fec94824865c', '\x81a86d6573736167657393cf0000770457c0168029c410ad5789abf2e17da16bc49d4a62f46809', NULL),
	(36607090221604, 85978745929858, 43, 42, 1794884261849355, 10837, 3599493393, NULL, 42, 1, 0, 43, 0, NULL, '5FtiRxIeXOdItkXI', '5FtiRxHWEhLYZq3Q', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x5e3345fcc1838db5629667ad62682c05', '\x81a86d6573736167657393cf0000770457c016802ac4100b4431e9a5253f7b07be4c61bdbd524a', NULL),
	(36607090221604, 85978745929858, 44, 43, 1794884261850129, 11101, 1764878547, NULL, 43, 1, 0, 44, 0, NULL, '5FtiRxIny1mEyFMT', '5FtiRxIeXOdItkXI', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x03e2e6cb02c098f4fce95433ee172ce5', '\x81a86d6573736167657393cf0000770457c016802bc410b261256ee16de41f2a3daaf9c6424ec4', NULL),
	(36607090221604, 85978745929858, 45, 44, 1794884261851502, 11366, 3945838322, NULL, 44, 1, 0, 45, 0, NULL, '5FtiRxJ0ZVEAvTBu', '5FtiRxIny1mEyFMT', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x6d1326b185301e8535c961b888cbdbff', '\x81a86d6573736167657393cf0000770457c016802cc41076a31389cd086c2a80be275e1644f0cb', NULL),
	(36607090221604, 85978745929858, 46, 45, 1794884261852978, 11631, 2965843135, NULL, 45, 1, 0, 46, 0, NULL, '5FtiRxJ7oxwJ3y69', '5FtiRxJ0ZVEAvTBu', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x5e0e654ae73a9a4c87c0f3ed9edc219e', '\x81a86d6573736167657393cf0000770457c016802dc410e6b7456a1ad8826b612fd65d19b30039', NULL),
	(36607090221604, 85978745929858, 47, 46, 1794884261858728, 11897, 3318265864, NULL, 46, 1, 0, 47, 0, NULL, '5FtiRxKBwItfkAhZ', '5FtiRxJ7oxwJ3y69', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9a5ecc4f7f23de05e6150edec611ee38', '\x81a86d6573736167657393cf0000770457c016802ec410e43adc9f1f2395c7262ca681366bea9f', NULL),
	(36607090221604, 85978745929858, 48, 47, 1794884261863304, 12164, 638119821, NULL, 47, 1, 0, 48, 0, NULL, '5FtiRxKtuhkLWN12', '5FtiRxKBwItfkAhZ', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x5624640a6860d46676e029c3d12790cc', '\x81a86d6573736167657393cf0000770457c016802fc4101ccfa29c5825543942b080c5de16e086', NULL),
	(36607090221604, 85978745929858, 49, 48, 1794884261867892, 12431, 3675256401, NULL, 48, 1, 0, 49, 0, NULL, '5FtiRxLaVtWXclkQ', '5FtiRxKtuhkLWN12', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xd8f9acd30b79c85a7ddc59ca50d631eb', '\x81a86d6573736167657393cf0000770457c0168030c410c2cf49daed2b6ebef5c2c23c041d7694', NULL),
	(36607090221604, 85978745929858, 50, 49, 1794884261868904, 12699, 3945494188, NULL, 49, 1, 0, 50, 0, NULL, '5FtiRxLrWeyqHMdF', '5FtiRxLaVtWXclkQ', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x20d05d09aa339f35f28dadedbd9dc361', '\x81a86d6573736167657393cf0000770457c0168031c41010eeb120cf8868c1feb52ff150e64b83', NULL),
	(36607090221604, 85978745929858, 51, 50, 1794884261869870, 12967, 2538151497, NULL, 50, 1, 0, 51, 0, NULL, '5FtiRxLvMBmVTHvH', '5FtiRxLrWeyqHMdF', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9fcd11868e36d5f256a371cdfcd889ad', '\x81a86d6573736167657393cf0000770457c0168032c410f081efad5fb218170fc8d046f98182b4', NULL),
	(36607090221604, 85978745929858, 52, 51, 1794884261879826, 13236, 3897331849, NULL, 51, 1, 0, 52, 0, NULL, '5FtiRxNgsx5AftoJ', '5FtiRxLvMBmVTHvH', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x76dacf8133b36c12f39fdc69163e0ebb', '\x81a86d6573736167657393cf0000770457c0168033c4104a5686cc0047ae8d3e31b9a40fa5b73c', NULL),
	(36607090221604, 85978745929858, 53, 52, 1794884261880720, 13505, 3744761712, NULL, 52, 1, 0, 53, 0, NULL, '5FtiRxNjf6Pou97Y', '5FtiRxNgsx5AftoJ', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x1616c7320493117c8063219be89006a5', '\x81a86d6573736167657393cf0000770457c0168034c410235de7ad391b10a1d2b60c3b5eb17411', NULL),
	(36607090221604, 85978745929858, 54, 53, 1794884261881449, 13775, 2211517166, NULL, 53, 1, 0, 54, 0, NULL, '5FtiRxNzXru5APWJ', '5FtiRxNjf6Pou97Y', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x82f29ffec9c3bde9e50785f2b3acb02e', '\x81a86d6573736167657393cf0000770457c0168035c41009f70ae7f6bbb1ec86c96969b92d448e', NULL),
	(36607090221604, 85978745929858, 55, 54, 1794884261882189, 14045, 850706707, NULL, 54, 1, 0, 55, 0, NULL, '5FtiRxODkOStMp16', '5FtiRxNzXru5APWJ', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x610ffa17a973bd1d89aaddb52726eed0', '\x81a86d6573736167657393cf0000770457c0168036c410fd19535ccf6e5ed8d3f930d407675179', NULL),
	(36607090221604, 85978745929858, 56, 55, 1794884261882913, 14316, 879086240, NULL, 55, 1, 0, 56, 0, NULL, '5FtiRxODkOStMuDB', '5FtiRxODkOStMp16', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9a2094e9ee6bb115c1ae793ec10fa4ec', '\x81a86d6573736167657393cf0000770457c0168037c4109bfc8a61415e96f8faad4575560e2428', NULL),
	(36607090221604, 85978745929858, 57, 56, 1794884261891002, 14587, 122877560, NULL, 56, 1, 0, 57, 0, NULL, '5FtiRxPXIh0p4CT2', '5FtiRxODkOStMuDB', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x993f4a7850a2b2a806fabf43444a85ce', '\x81a86d6573736167657393cf0000770457c0168038c41024d46782c8bad441d82659925875ec8a', NULL),
	(36607090221604, 85978745929858, 58, 57, 1794884261891933, 14858, 2699836981, NULL, 57, 1, 0, 58, 0, NULL, '5FtiRxPaLbLSIF4G', '5FtiRxPXIh0p4CT2', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xe9a7390dae51e74dd818e24a4534995c', '\x81a86d6573736167657393cf0000770457c0168039c41052f93b6121135ab19c593ec0f9d424c0', NULL),
	(36607090221604, 85978745929858, 59, 58, 1794884261892791, 15130, 2028015244, NULL, 58, 1, 0, 59, 0, NULL, '5FtiRxPjScuJzVXC', '5FtiRxPaLbLSIF4G', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9dac2a4ebe3586a47b32fcac307df5e3', '\x81a86d6573736167657393cf0000770457c016803ac41090bd2f93854d910ba13059efd566cfa3', NULL),
	(36607090221604, 85978745929858, 60, 59, 1794884261893603, 15402, 154577132, NULL, 59, 1, 0, 60, 0, NULL, '5FtiRxPvPhiT8twy', '5FtiRxPjScuJzVXC', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xe9643e0c2615629a5a2a1149f9514d6d', '\x81a86d6573736167657393cf0000770457c016803bc410b5e09756eed5619ed416c35cb9500979', NULL),
	(36607090221604, 85978745929858, 61, 60, 1794884261895024, 15674, 2057402304, NULL, 60, 1, 0, 61, 0, NULL, '5FtiRxQ8WPkG7abO', '5FtiRxPvPhiT8twy', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x8a3f77e088d4e267157cbb55c3a1e4e4', '\x81a86d6573736167657393cf0000770457c016803cc4103d1583f21556e938c09be914641f7a37', NULL),
	(36607090221604, 85978745929858, 62, 61, 1794884261895777, 15947, 3844956830, NULL, 61, 1, 0, 62, 0, NULL, '5FtiRxQMPaGfLVtA', '5FtiRxQ8WPkG7abO', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x8b5103d54438f6dc6b118f10a56a4978', '\x81a86d6573736167657393cf0000770457c016803dc410290a99b8d8c4ca1b50ab7f261f8f83f2', NULL),
	(36607090221604, 85978745929858, 63, 62, 1794884261897149, 16220, 983865515, NULL, 62, 1, 0, 63, 0, NULL, '5FtiRxQg4qUA4yZD', '5FtiRxQMPaGfLVtA', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x015ba17481e0bcf426e4b670af199b8a', '\x81a86d6573736167657393cf0000770457c016803ec4101fc6ac244ad1c8acaa8c17e8328be1f9', NULL),
	(36607090221604, 85978745929858, 64, 63, 1794884261898704, 16493, 2322369319, NULL, 63, 1, 0, 64, 0, NULL, '5FtiRxQkRVX5yfvU', '5FtiRxQg4qUA4yZD', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x56f07ab2b5e5bcbf47e321c7b6521df5', '\x81a86d6573736167657393cf0000770457c016803fc410d02e4ba7e2cd60136e29316200a13bcd', NULL),
	(36607090221604, 85978745929858, 65, 64, 1794884261900138, 16768, 112360064, NULL, 64, 1, 0, 65, 0, NULL, '5FtiRxQyqm3opqbR', '5FtiRxQkRVX5yfvU', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x6a5304c76c17a4b0b6412ab8e0ca4dcb', '\x81a86d6573736167657393cf0000770457c0168040c410511e9a10e1b55e9eb461159bf60c69b0', NULL),
	(36607090221604, 85978745929858, 66, 65, 1794884261901261, 17043, 3592939664, NULL, 65, 1, 0, 66, 0, NULL, '5FtiRxREpc0mQH6r', '5FtiRxQyqm3opqbR', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xd5bb7fa3f06b8253c2e359a9b5fa923d', '\x81a86d6573736167657393cf0000770457c0168041c4108dcab21151f6b73844d90e604bc16172', NULL),
	(36607090221604, 85978745929858, 67, 66, 1794884261902647, 17318, 3625054919, NULL, 66, 1, 0, 67, 0, NULL, '5FtiRxRO1n7EZ3O3', '5FtiRxREpc0mQH6r', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x7e70b0aa5f4fd8114b527832ea92d777', '\x81a86d6573736167657393cf0000770457c0168042c410fb0a8a98a105e19af3862c61624f692a', NULL),
	(36607090221604, 85978745929858, 68, 67, 1794884261906789, 17594, 3566322815, NULL, 67, 1, 0, 68, 0, NULL, '5FtiRxS84ke7LtGw', '5FtiRxRO1n7EZ3O3', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xa7d255a4650ca8926e634f8f52a9e203', '\x81a86d6573736167657393cf0000770457c0168043c4103e2b2ecd648b6e347c41b2bbaf292149', NULL),
	(36607090221604, 85978745929858, 69, 68, 1794884261907588, 17870, 3733637145, NULL, 68, 1, 0, 69, 0, NULL, '5FtiRxSH6gwe89Rz', '5FtiRxS84ke7LtGw', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xb335084c39cc595a776f8ba9d95f636d', '\x81a86d6573736167657393cf0000770457c0168044c410a64e90fb083a6eec7572e2e7ebcd377b', NULL),
	(36607090221604, 85978745929858, 70, 69, 1794884261908280, 18146, 2732406353, NULL, 69, 1, 0, 70, 0, NULL, '5FtiRxSSgu3BmFK0', '5FtiRxSH6gwe89Rz', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x7ec0b5b4b73168461240ba3be4e51795', '\x81a86d6573736167657393cf0000770457c0168045c4105add8948f5240e731b4b11ba5ba46a48', NULL),
	(36607090221604, 85978745929858, 71, 70, 1794884261908977, 18422, 1532452655, NULL, 70, 1, 0, 71, 0, NULL, '5FtiRxSTuKWHXBS7', '5FtiRxSSgu3BmFK0', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x5f3e9e18fdb7c052cac0ef0fe3d0246c', '\x81a86d6573736167657393cf0000770457c0168046c41032824038d2e22e2cf455c6a4c660c032', NULL),
	(36607090221604, 85978745929858, 72, 71, 1794884261910543, 18700, 1141406146, NULL, 71, 1, 0, 72, 0, NULL, '5FtiRxSnwtXKvLzT', '5FtiRxSTuKWHXBS7', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9fd1c637154d4ae62b845cdb26b4bf78', '\x81a86d6573736167657393cf0000770457c0168047c4104d249a8a0e143e46166b18aef9d5cd78', NULL);
INSERT INTO golden.checkpoint VALUES
	(36607090221604, 85978745929858, 73, 72, 1794884261912002, 18978, 3757350718, NULL, 72, 1, 0, 73, 0, NULL, '5FtiRxSvjDpxbUNj', '5FtiRxSnwtXKvLzT', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x97638993731bc1e62bd32b2ad758560e', '\x81a86d6573736167657393cf0000770457c0168048c410ef1885d73ff89ba99f712808495d9248', NULL),
	(36607090221604, 85978745929858, 74, 73, 1794884261913449, 19256, 3261413194, NULL, 73, 1, 0, 74, 0, NULL, '5FtiRxTIJ0erXk6b', '5FtiRxSvjDpxbUNj', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x50c901123c21020dcd3ac7cbb7c6570e', '\x81a86d6573736167657393cf0000770457c0168049c4109729aeee875fe6c25095485fa9533cb0', NULL),
	(36607090221604, 85978745929858, 75, 74, 1794884261915238, 19534, 2352241022, NULL, 74, 1, 0, 75, 0, NULL, '5FtiRxTfg2JJE1Q4', '5FtiRxTIJ0erXk6b', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x2c5f9dd7b68b8385675d7dae0cb40b8d', '\x81a86d6573736167657393cf0000770457c016804ac41008b5f342f733f8eb29647c31252791bb', NULL),
	(36607090221604, 85978745929858, 76, 75, 1794884261915944, 19813, 209968070, NULL, 75, 1, 0, 76, 0, NULL, '5FtiRxTfg2JJE5cD', '5FtiRxTfg2JJE1Q4', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x3fc6f647aab935fa1685d2899b99c123', '\x81a86d6573736167657393cf0000770457c016804bc4103219da4510f31dd6df6d4f9864f8db64', NULL),
	(36607090221604, 85978745929858, 77, 76, 1794884261916973, 20092, 27946830, NULL, 76, 1, 0, 77, 0, NULL, '5FtiRxTpGmYQMA69', '5FtiRxTfg2JJE5cD', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x78ba99f56e238b2d3b9f348700b16849', '\x81a86d6573736167657393cf0000770457c016804cc41069583ea218b4aee8f0080711e5ee9408', NULL),
	(36607090221604, 85978745929858, 78, 77, 1794884261920172, 20371, 3931278937, NULL, 77, 1, 0, 78, 0, NULL, '5FtiRxUSRMWmxgeB', '5FtiRxTpGmYQMA69', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xc89b2eedeefd1ff2c0e2231b9125be58', '\x81a86d6573736167657393cf0000770457c016804dc410363cf5cad78d4a30d36502ccd423872d', NULL),
	(36607090221604, 85978745929858, 79, 78, 1794884261921570, 20650, 1034941767, NULL, 78, 1, 0, 79, 0, NULL, '5FtiRxUYnPXlHzQ0', '5FtiRxUSRMWmxgeB', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xa41d7ed8f3111e24195b39d1333a8c8c', '\x81a86d6573736167657393cf0000770457c016804ec410a0b56c740b409ec4a35c0481b7e79d7c', NULL),
	(36607090221604, 85978745929858, 80, 79, 1794884261933007, 20930, 2481096243, NULL, 79, 1, 0, 80, 0, NULL, '5FtiRxWNdg7UZPIx', '5FtiRxUYnPXlHzQ0', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x5964a83ca36e69d5283c3db094e0b6a6', '\x81a86d6573736167657393cf0000770457c016804fc410645980810eceb0f74ac51ee56c569654', NULL),
	(36607090221604, 85978745929858, 81, 80, 1794884261934600, 21210, 2590337899, NULL, 80, 1, 0, 81, 0, NULL, '5FtiRxWpw4rGJaUj', '5FtiRxWNdg7UZPIx', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x7082649cc217508f73b2870f502261f6', '\x81a86d6573736167657393cf0000770457c0168050c410a3225cdd8e9ba7ee832ea63f1cca537f', NULL),
	(36607090221604, 85978745929858, 82, 81, 1794884261935655, 21490, 3210686872, NULL, 81, 1, 0, 82, 0, NULL, '5FtiRxWtxS0l65PB', '5FtiRxWpw4rGJaUj', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xb01bf6acd4a8c3001e7ca7c892fe6a86', '\x81a86d6573736167657393cf0000770457c0168051c410737f533e5ba801bee465b26363697217', NULL),
	(36607090221604, 85978745929858, 83, 82, 1794884261936757, 21770, 3707073099, NULL, 82, 1, 0, 83, 0, NULL, '5FtiRxX8LnaZvHkV', '5FtiRxWtxS0l65PB', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x0a3d39f03b0c1d1c49e4c005e1a88852', '\x81a86d6573736167657393cf0000770457c0168052c4108eaddbf57034566256fee8db5f3f12f5', NULL),
	(36607090221604, 85978745929858, 84, 83, 1794884261938394, 22050, 1672800670, NULL, 83, 1, 0, 84, 0, NULL, '5FtiRxXW2QQNbeDT', '5FtiRxX8LnaZvHkV', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xf9a1cf1b7bc2fd25c8d3e590f6422f11', '\x81a86d6573736167657393cf0000770457c0168053c41054a000ff9e99e2062f5c245a600fc5a9', NULL),
	(36607090221604, 85978745929858, 85, 84, 1794884261942703, 22330, 3768948969, NULL, 84, 1, 0, 85, 0, NULL, '5FtiRxY8xh0735Ve', '5FtiRxXW2QQNbeDT', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xaa9e80439209baef3ff10a442e6a87fd', '\x81a86d6573736167657393cf0000770457c0168054c410029e177b33669a6a7162c9c986b4c902', NULL),
	(36607090221604, 85978745929858, 86, 85, 1794884261943621, 22611, 1891190777, NULL, 85, 1, 0, 86, 0, NULL, '5FtiRxYIEdylDI1i', '5FtiRxY8xh0735Ve', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x839670ccce529e44921b6e8b4bb51e94', '\x81a86d6573736167657393cf0000770457c0168055c410daff1c995c547bf38dd3be8c78c9fcad', NULL),
	(36607090221604, 85978745929858, 87, 86, 1794884261946511, 22892, 1264664212, NULL, 86, 1, 0, 87, 0, NULL, '5FtiRxYir3OQGcWD', '5FtiRxYIEdylDI1i', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xd3af8daf8788236af570de9bbf46d2d5', '\x81a86d6573736167657393cf0000770457c0168056c410d7476980c39dc250c9ac91acbc696dfd', NULL),
	(36607090221604, 85978745929858, 88, 87, 1794884261947571, 23173, 1078292763, NULL, 87, 1, 0, 88, 0, NULL, '5FtiRxYw3NklQ8dq', '5FtiRxYir3OQGcWD', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xce9867b1b711d292ad25c1f70e626a96', '\x81a86d6573736167657393cf0000770457c0168057c410266d65f60b4af9af8798c961026db581', NULL),
	(36607090221604, 85978745929858, 89, 88, 1794884261953180, 23454, 1085772471, NULL, 88, 1, 0, 89, 0, NULL, '5FtiRxZsrlQ6qA4a', '5FtiRxYw3NklQ8dq', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x204df656fc5912a3a119d2c790bfac04', '\x81a86d6573736167657393cf0000770457c0168058c410cf842cff43145a06a9b1edc3e06f8def', NULL),
	(36607090221604, 85978745929858, 90, 89, 1794884261958973, 23735, 1212336495, NULL, 89, 1, 0, 90, 0, NULL, '5FtiRxapkvjKHnUc', '5FtiRxZsrlQ6qA4a', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x83312a7cb88a1355626cd8f1ac31f6e6', '\x81a86d6573736167657393cf0000770457c0168059c41031e09500de313851d9381092a17c59ad', NULL),
	(36607090221604, 85978745929858, 91, 90, 1794884261960148, 24016, 3788934171, NULL, 90, 1, 0, 91, 0, NULL, '5FtiRxb7xXZCmLxh', '5FtiRxapkvjKHnUc', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x72d6009b34e34299db504ed7371e093a', '\x81a86d6573736167657393cf0000770457c016805ac410f76dc8d1e84e9f16c85254c0d8f5ff0c', NULL),
	(36607090221604, 85978745929858, 92, 91, 1794884261961101, 24298, 3660501067, NULL, 91, 1, 0, 92, 0, NULL, '5FtiRxbHfhFt2XTv', '5FtiRxb7xXZCmLxh', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xbadf0ad801f575a3baf6c623dccb8c1a', '\x81a86d6573736167657393cf0000770457c016805bc410c89077daee26fbf350e4c920459a2892', NULL),
	(36607090221604, 85978745929858, 93, 92, 1794884261961980, 24580, 333447830, NULL, 92, 1, 0, 93, 0, NULL, '5FtiRxbM88kvQX5J', '5FtiRxbHfhFt2XTv', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x0cd3b32484c8858671704a7f2dc577f1', '\x81a86d6573736167657393cf0000770457c016805cc4109b49c708f3f12d5d0319686ff91719fe', NULL),
	(36607090221604, 85978745929858, 94, 93, 1794884261962865, 24862, 2803637346, NULL, 93, 1, 0, 94, 0, NULL, '5FtiRxbTYqAZu5S5', '5FtiRxbM88kvQX5J', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x8977ec92d439250af4e7afff50a7cd51', '\x81a86d6573736167657393cf0000770457c016805dc410aa910f13da8c685c96db988fecf7b478', NULL),
	(36607090221604, 85978745929858, 95, 94, 1794884261963676, 25144, 1231010877, NULL, 94, 1, 0, 95, 0, NULL, '5FtiRxbgTF0SBWoz', '5FtiRxbTYqAZu5S5', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x407b531d0b028157b9470b631b46d83f', '\x81a86d6573736167657393cf0000770457c016805ec410414dfe0883719c861cd73a2b634057a5', NULL),
	(36607090221604, 85978745929858, 96, 95, 1794884261965157, 25426, 2655042193, NULL, 95, 1, 0, 96, 0, NULL, '5FtiRxbwzNx0vKLn', '5FtiRxbgTF0SBWoz', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x38c03f106be41da7ac796208da3bc8ef', '\x81a86d6573736167657393cf0000770457c016805fc410be674d0989c81b0a348976599e196c03', NULL),
	(36607090221604, 85978745929858, 97, 96, 1794884261967088, 25708, 557630101, NULL, 96, 1, 0, 97, 0, NULL, '5FtiRxc58MvEDeSB', '5FtiRxbwzNx0vKLn', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x0888646da4308b9b676a924352ebae2b', '\x81a86d6573736167657393cf0000770457c0168060c410e51653f28b7a36754671f202bd2717a7', NULL),
	(36607090221604, 85978745929858, 98, 97, 1794884261969882, 25990, 1292323174, NULL, 97, 1, 0, 98, 0, NULL, '5FtiRxce5b3zvgrC', '5FtiRxc58MvEDeSB', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x70f7d949cd766eaf5a5a4887910ab281', '\x81a86d6573736167657393cf0000770457c0168061c4105a972e6c54bb788d8404db076e4810ae', NULL),
	(36607090221604, 85978745929858, 99, 98, 1794884261973824, 26273, 717632355, NULL, 98, 1, 0, 99, 0, NULL, '5FtiRxdJVTT0iUe3', '5FtiRxce5b3zvgrC', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x16253c4a9f5906e5b4fcf4f24a7b987e', '\x81a86d6573736167657393cf0000770457c0168062c41094ac36697a51c3b7ec7b1beae0a736b0', NULL),
	(36607090221604, 85978745929858, 100, 99, 1794884261976667, 26556, 3619228752, NULL, 99, 1, 0, 100, 0, NULL, '5FtiRxdotJYvj8Jo', '5FtiRxdJVTT0iUe3', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x58068ed313981440738de947fba8b57a', '\x81a86d6573736167657393cf0000770457c0168063c41077408f0ce0abe9a18298394d9ab0e345', NULL),
	(36607090221604, 85978745929858, 101, 100, 1794884261978106, 26840, 323947941, NULL, 100, 1, 0, 101, 0, NULL, '5FtiRxeAEf8UdJBZ', '5FtiRxdotJYvj8Jo', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x440ae900add4e96f6f78f7a7faf8e477', '\x81a86d6573736167657393cf0000770457c0168064c4108b3d3e60e55c135608f066bef6b40e81', NULL),
	(36607090221604, 85978745929858, 102, 101, 1794884261980316, 27124, 343589888, NULL, 101, 1, 0, 102, 0, NULL, '5FtiRxeUJIpwrVL7', '5FtiRxeAEf8UdJBZ', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x181201089d4ba3288e4504dfa7468a12', '\x81a86d6573736167657393cf0000770457c0168065c41027b6eee062edb1de06ef14e7a609c809', NULL),
	(36607090221604, 85978745929858, 103, 102, 1794884261981568, 27408, 209932288, NULL, 102, 1, 0, 103, 0, NULL, '5FtiRxedRnHo0IGI', '5FtiRxeUJIpwrVL7', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xad44e81390ba79352894573a1ed89f50', '\x81a86d6573736167657393cf0000770457c0168066c41060c5cefeec0135da9d80832c80028362', NULL),
	(36607090221604, 85978745929858, 104, 103, 1794884261985267, 27692, 63296515, NULL, 103, 1, 0, 104, 0, NULL, '5FtiRxfJoRe85Y7X', '5FtiRxedRnHo0IGI', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9e59eaa667c4d993999c4d0f35afb94d', '\x81a86d6573736167657393cf0000770457c0168067c4103e38bdc73e4be1598f2d2f360a9fecc6', NULL),
	(36607090221604, 85978745929858, 105, 104, 1794884261986203, 27976, 3241561731, NULL, 104, 1, 0, 105, 0, NULL, '5FtiRxfWA26kK0yI', '5FtiRxfJoRe85Y7X', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x63cc0d9144ed6f768aa1ac6f425d69a3', '\x81a86d6573736167657393cf0000770457c0168068c410d568ae65b715237145ebab92859e4d98', NULL),
	(36607090221604, 85978745929858, 106, 105, 1794884261987021, 28260, 392118403, NULL, 105, 1, 0, 106, 0, NULL, '5FtiRxfWA26kKG9j', '5FtiRxfWA26kK0yI', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x1ae0988be1d27acd893f6aad35b2eb34', '\x81a86d6573736167657393cf0000770457c0168069c410cc6978a29f19ab6993fc4e9fcbfae683', NULL),
	(36607090221604, 85978745929858, 107, 106, 1794884261988273, 28545, 2392763941, NULL, 106, 1, 0, 107, 0, NULL, '5FtiRxfqqu2qN42g', '5FtiRxfWA26kKG9j', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xa1b4344b71650f642c1854c658a5e567', '\x81a86d6573736167657393cf0000770457c016806ac4105b09b76e3aa90d78153461e51a93b80e', NULL),
	(36607090221604, 85978745929858, 108, 107, 1794884261990255, 28830, 2960827053, NULL, 107, 1, 0, 108, 0, NULL, '5FtiRxg8YdFhxj7a', '5FtiRxfqqu2qN42g', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x0065d7bf7b982fa5f78eba5d6e323cbb', '\x81a86d6573736167657393cf0000770457c016806bc410872a3b6dc8e601a6eada9b4b27845505', NULL),
	(36607090221604, 85978745929858, 109, 108, 1794884261992300, 29115, 758766386, NULL, 108, 1, 0, 109, 0, NULL, '5FtiRxgMrllmY8xq', '5FtiRxg8YdFhxj7a', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x8873324e0190fc5d96b4eb997b4ab8fb', '\x81a86d6573736167657393cf0000770457c016806cc4100660d16fd124580cde0a0219c41ed1b3', NULL),
	(36607090221604, 85978745929858, 110, 109, 1794884261993064, 29400, 1612561419, NULL, 109, 1, 0, 110, 0, NULL, '5FtiRxgQESaBYOJ8', '5FtiRxgMrllmY8xq', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xbebaab763a9c2939eb4fe42b03e5a6f2', '\x81a86d6573736167657393cf0000770457c016806dc4102a527b643e44fa26e6a9d79a565d9368', NULL),
	(36607090221604, 85978745929858, 111, 110, 1794884261995074, 29685, 1227423984, NULL, 110, 1, 0, 111, 0, NULL, '5FtiRxgmrBRHAa0K', '5FtiRxgQESaBYOJ8', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x22e869be0d9571370ffbedefd0efcff8', '\x81a86d6573736167657393cf0000770457c016806ec410fa4a004898f50639116acfcde1fe9937', NULL),
	(36607090221604, 85978745929858, 112, 111, 1794884261995790, 29970, 4188036006, NULL, 111, 1, 0, 112, 0, NULL, '5FtiRxgsWbkF7aqo', '5FtiRxgmrBRHAa0K', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9f5807deed328f612b3033e8216c0953', '\x81a86d6573736167657393cf0000770457c016806fc410159bf1a37492f688693add36c486db04', NULL),
	(36607090221604, 85978745929858, 113, 112, 1794884261997288, 30255, 2331198858, NULL, 112, 1, 0, 113, 0, NULL, '5FtiRxhKNknuJGQN', '5FtiRxgsWbkF7aqo', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xb72c8515e6dc67ca165f18e96dfdf341', '\x81a86d6573736167657393cf0000770457c0168070c4105dd9378f7361c21fdfbb0f3b703c3306', NULL),
	(36607090221604, 85978745929858, 114, 113, 1794884261998495, 30540, 2346228765, NULL, 113, 1, 0, 114, 0, NULL, '5FtiRxhRdgM4ehHY', '5FtiRxhKNknuJGQN', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xebbd54945c24a795e33985831e36b3bf', '\x81a86d6573736167657393cf0000770457c0168071c4102f3f72766aaa22e84a9549f78893f31d', NULL),
	(36607090221604, 85978745929858, 115, 114, 1794884261999890, 30825, 3025460586, NULL, 114, 1, 0, 115, 0, NULL, '5FtiRxhaLffuhsSn', '5FtiRxhRdgM4ehHY', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xe97745f4b6034821be23281d2dca53c8', '\x81a86d6573736167657393cf0000770457c0168072c41086e97a7dfe3044b2507be0ef98b7b008', NULL),
	(36607090221604, 85978745929858, 116, 115, 1794884262001653, 31111, 1132691459, NULL, 115, 1, 0, 116, 0, NULL, '5FtiRxhrmfwLJaDB', '5FtiRxhaLffuhsSn', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xc9b4fb8d2b87ce43457f95099d5d4199', '\x81a86d6573736167657393cf0000770457c0168073c4100ccbb6f624236853ef3e3ef5bbebf57f', NULL),
	(36607090221604, 85978745929858, 117, 116, 1794884262002896, 31397, 3663154721, NULL, 116, 1, 0, 117, 0, NULL, '5FtiRxi9xG6C4scM', '5FtiRxhrmfwLJaDB', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x6d857b5bb298a4103f5bfcfcf3a07035', '\x81a86d6573736167657393cf0000770457c0168074c41050405cecc7c4b1e4dc3154a72fe0b66a', NULL),
	(36607090221604, 85978745929858, 118, 117, 1794884262004449, 31683, 3141084445, NULL, 117, 1, 0, 118, 0, NULL, '5FtiRxiM9Dx0Bz47', '5FtiRxi9xG6C4scM', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x44c3bf0cb2b1ce212c3453dffcee22bf', '\x81a86d6573736167657393cf0000770457c0168075c410797c1462a60d51c3a9d4d106922c8aa5', NULL),
	(36607090221604, 85978745929858, 119, 118, 1794884262005739, 31969, 1203046912, NULL, 118, 1, 0, 119, 0, NULL, '5FtiRxiX2a1MXt59', '5FtiRxiM9Dx0Bz47', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x610ad66d2ce9847e3ba8acd61d3571d3', '\x81a86d6573736167657393cf0000770457c0168076c410afb906a6f079d9b6b13f11fcfd41d10b', NULL),
	(36607090221604, 85978745929858, 120, 119, 1794884262007439, 32255, 1367191160, NULL, 119, 1, 0, 120, 0, NULL, '5FtiRxivHOwGV4nR', '5FtiRxiX2a1MXt59', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xdfa5e1c76c27d355e08b630218af3a75', '\x81a86d6573736167657393cf0000770457c0168077c410d1363a0d64ae18b402eb20d63b551440', NULL),
	(36607090221604, 85978745929858, 121, 120, 1794884262009018, 32541, 1271824114, NULL, 120, 1, 0, 121, 0, NULL, '5FtiRxj1Kr4b1mJP', '5FtiRxivHOwGV4nR', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x4ea0b3d3d2433f55a29cfa5a6f373f8e', '\x81a86d6573736167657393cf0000770457c0168078c41010ffdf9ef56b2119bbc3e15a896f49a8', NULL),
	(36607090221604, 85978745929858, 122, 121, 1794884262010662, 32827, 3438335195, NULL, 121, 1, 0, 122, 0, NULL, '5FtiRxjSE9pUwb9Q', '5FtiRxj1Kr4b1mJP', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x73d3c360a26c19ead8fecababb459ce4', '\x81a86d6573736167657393cf0000770457c0168079c4105a49dffb34506d47ab8f40a24fc803ab', NULL);
INSERT INTO golden.checkpoint VALUES
	(36607090221604, 85978745929858, 123, 122, 1794884262015073, 33113, 2179010827, NULL, 122, 1, 0, 123, 0, NULL, '5FtiRxk77EB5bq2p', '5FtiRxjSE9pUwb9Q', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xaf94857e327b34850aff302ff456f3f7', '\x81a86d6573736167657393cf0000770457c016807ac41089d4ffe72cfc993e8dfade3c9493161b', NULL),
	(36607090221604, 85978745929858, 124, 123, 1794884262015818, 33399, 76247367, NULL, 123, 1, 0, 124, 0, NULL, '5FtiRxkIOiF00uso', '5FtiRxk77EB5bq2p', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xfc56530830b53dbd38996ed0921fa579', '\x81a86d6573736167657393cf0000770457c016807bc41054a0edacbb55948141ca737e6341396f', NULL),
	(36607090221604, 85978745929858, 125, 124, 1794884262016547, 33685, 560647116, NULL, 124, 1, 0, 125, 0, NULL, '5FtiRxkNINQUloQE', '5FtiRxkIOiF00uso', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x08e6fbb7a89669949fe84bb0a425531d', '\x81a86d6573736167657393cf0000770457c016807cc410c58d704bd834f90496a8985d4b8bd85e', NULL),
	(36607090221604, 85978745929858, 126, 125, 1794884262017171, 33971, 2854095704, NULL, 125, 1, 0, 126, 0, NULL, '5FtiRxkW9uh3x6Q4', '5FtiRxkNINQUloQE', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x5525ccee49c6fa946ce4f66e46a7764c', '\x81a86d6573736167657393cf0000770457c016807dc410ab1740d1f2603798fe349d9d90e4a18d', NULL),
	(36607090221604, 85978745929858, 127, 126, 1794884262017855, 34257, 1884487129, NULL, 126, 1, 0, 127, 0, NULL, '5FtiRxkePlghzyzM', '5FtiRxkW9uh3x6Q4', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xb13baab415c57c4137fbf51ec70118ad', '\x81a86d6573736167657393cf0000770457c016807ec410bf215a7d1be7f9fdb4922aa7458f7d2a', NULL),
	(36607090221604, 85978745929858, 128, 127, 1794884262018664, 34545, 3746547730, NULL, 127, 1, 0, 128, 0, NULL, '5FtiRxkkK6qpgcSM', '5FtiRxkePlghzyzM', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x2b3e1ee4cee0071d1b00530affda6e37', '\x81a86d6573736167657393cf0000770457c016807fc410d4968b8b8f227fbcac44e9ee5cfe5f34', NULL),
	(36607090221604, 85978745929858, 129, 128, 1794884262023219, 34833, 3846288910, NULL, 128, 1, 0, 129, 0, NULL, '5FtiRxlYXMbhCJcg', '5FtiRxkkK6qpgcSM', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x6b1c82b8401f4cecf579194bd797e187', '\x81a86d6573736167657393cf0000770457c01680cc80c410edb161b30335fe178fcded2398ac6641', NULL),
	(36607090221604, 85978745929858, 130, 129, 1794884262024067, 35121, 1002661622, NULL, 129, 1, 0, 130, 0, NULL, '5FtiRxlamVcHKDCu', '5FtiRxlYXMbhCJcg', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x4df91ea4d641578a086fd24b6732d88a', '\x81a86d6573736167657393cf0000770457c01680cc81c41099941b84c4ffe557db8bb6cbb30d7243', NULL),
	(36607090221604, 85978745929858, 131, 130, 1794884262024789, 35409, 839597991, NULL, 130, 1, 0, 131, 0, NULL, '5FtiRxloLi8zNXYE', '5FtiRxlamVcHKDCu', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xfd58d8d850f45405ab4ef42a54b7cacb', '\x81a86d6573736167657393cf0000770457c01680cc82c410b5d1302dd9a5d3636c77ae856fd87805', NULL),
	(36607090221604, 85978745929858, 132, 131, 1794884262025428, 35697, 1772351070, NULL, 131, 1, 0, 132, 0, NULL, '5FtiRxlqTkL0yNyY', '5FtiRxloLi8zNXYE', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xfb5482581335d66899724d6f95118f96', '\x81a86d6573736167657393cf0000770457c01680cc83c4101bdc61dee814247f97bd352717d57d39', NULL),
	(36607090221604, 85978745929858, 133, 132, 1794884262026104, 35985, 3734263225, NULL, 132, 1, 0, 133, 0, NULL, '5FtiRxm8pATI45Er', '5FtiRxlqTkL0yNyY', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x6fce0748c747e823d0c6bb0fdc6d4a3a', '\x81a86d6573736167657393cf0000770457c01680cc84c410eeac1c142fcd09b89d8db0fe67e582ef', NULL),
	(36607090221604, 85978745929858, 134, 133, 1794884262026785, 36273, 3041367220, NULL, 133, 1, 0, 134, 0, NULL, '5FtiRxm8pATI45lu', '5FtiRxm8pATI45Er', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x92f46e534ca290cc5b5603583281af01', '\x81a86d6573736167657393cf0000770457c01680cc85c41024d5282c3517fe92d09f75bc898abe82', NULL),
	(36607090221604, 85978745929858, 135, 134, 1794884262027379, 36561, 2987048452, NULL, 134, 1, 0, 135, 0, NULL, '5FtiRxmF3ZwSxLc1', '5FtiRxm8pATI45lu', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x632451a9dc725b123d30d53589182496', '\x81a86d6573736167657393cf0000770457c01680cc86c41088507a4d59f7c344271c65384d90952c', NULL),
	(36607090221604, 85978745929858, 136, 135, 1794884262028156, 36849, 1437968376, NULL, 135, 1, 0, 136, 0, NULL, '5FtiRxmQ4kC9jTEB', '5FtiRxmF3ZwSxLc1', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x19b482248bd70153dff687c3d8b5c457', '\x81a86d6573736167657393cf0000770457c01680cc87c410836f820df73634f5c8c31995e1f4a758', NULL),
	(36607090221604, 85978745929858, 137, 136, 1794884262030150, 37137, 1628917468, NULL, 136, 1, 0, 137, 0, NULL, '5FtiRxmlWojZxDrL', '5FtiRxmQ4kC9jTEB', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x92d09fc4f81308e371863c7707110225', '\x81a86d6573736167657393cf0000770457c01680cc88c4105aaaacb67fa08ff4d45e3c3796a26f80', NULL),
	(36607090221604, 85978745929858, 138, 137, 1794884262031308, 37425, 2369986346, NULL, 137, 1, 0, 138, 0, NULL, '5FtiRxmsikSwlD78', '5FtiRxmlWojZxDrL', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xae845ec09ab7e3380b9c9c4ba41e6345', '\x81a86d6573736167657393cf0000770457c01680cc89c410537630183f57d6b6b5d53ca502825024', NULL),
	(36607090221604, 85978745929858, 139, 138, 1794884262033776, 37713, 1265041876, NULL, 138, 1, 0, 139, 0, NULL, '5FtiRxnBo6Ypt4qT', '5FtiRxmsikSwlD78', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9564506bc3465e473e4559ce41f00191', '\x81a86d6573736167657393cf0000770457c01680cc8ac4105981693f1222f58856a7801f69505dd4', NULL),
	(36607090221604, 85978745929858, 140, 139, 1794884262035026, 38001, 1157290581, NULL, 139, 1, 0, 140, 0, NULL, '5FtiRxnOgkgiJ4W2', '5FtiRxnBo6Ypt4qT', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9bdd97a919a71df5b63c331a0570d6d9', '\x81a86d6573736167657393cf0000770457c01680cc8bc410842cda2546040f4a7f1ad7c5efd76447', NULL),
	(36607090221604, 85978745929858, 141, 140, 1794884262036779, 38289, 2173281125, NULL, 140, 1, 0, 141, 0, NULL, '5FtiRxnkzdvl8jRy', '5FtiRxnOgkgiJ4W2', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x463f411cfde73d1518bab4c77608cf27', '\x81a86d6573736167657393cf0000770457c01680cc8cc41054056acb6baa04359b477c4ace34b621', NULL),
	(36607090221604, 85978745929858, 142, 141, 1794884262037839, 38578, 3385733747, NULL, 141, 1, 0, 142, 0, NULL, '5FtiRxnsQERE3ASV', '5FtiRxnkzdvl8jRy', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xe280739768a0687c9e2d0c883ad4ba59', '\x81a86d6573736167657393cf0000770457c01680cc8dc4109459dc48a4f996f322c2ef428b142fc2', NULL),
	(36607090221604, 85978745929858, 143, 142, 1794884262038985, 38867, 1493227232, NULL, 142, 1, 0, 143, 0, NULL, '5FtiRxo0fOHT7tbP', '5FtiRxnsQERE3ASV', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x9b3e24e55d89e8580b8e9b297e793d93', '\x81a86d6573736167657393cf0000770457c01680cc8ec410f2f3fa81c3c657a809c40ae1610059f5', NULL),
	(36607090221604, 85978745929858, 144, 143, 1794884262040347, 39156, 2330475841, NULL, 143, 1, 0, 144, 0, NULL, '5FtiRxoLUDgBXwOK', '5FtiRxo0fOHT7tbP', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x7015e6ccfa6b1b340473514167d2da24', '\x81a86d6573736167657393cf0000770457c01680cc8fc4100b3b72a95db7c17b4abf86e21eaeadc9', NULL),
	(36607090221604, 85978745929858, 145, 144, 1794884262041720, 39445, 2897534585, NULL, 144, 1, 0, 145, 0, NULL, '5FtiRxoZtA4KCeUV', '5FtiRxoLUDgBXwOK', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xef62368ed45f8ac83fd9c53b23e287f7', '\x81a86d6573736167657393cf0000770457c01680cc90c410bd407ab99692eb1aa4960ce5978ddb7c', NULL),
	(36607090221604, 85978745929858, 146, 145, 1794884262043132, 39734, 3286235169, NULL, 145, 1, 0, 146, 0, NULL, '5FtiRxosdr8sNegv', '5FtiRxoZtA4KCeUV', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xaecd8cc45577e46d93914ee34a5a62a9', '\x81a86d6573736167657393cf0000770457c01680cc91c410cf69efdf085d8d6d2e9396e12557b955', NULL),
	(36607090221604, 85978745929858, 147, 146, 1794884262044430, 40023, 2744395432, NULL, 146, 1, 0, 147, 0, NULL, '5FtiRxp1Fz0eUhHh', '5FtiRxosdr8sNegv', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\xda9906661793c7f126ebdbe6f6ce5004', '\x81a86d6573736167657393cf0000770457c01680cc92c410a27a620463689171d5fac1360ac7c4d8', NULL),
	(36607090221604, 85978745929858, 148, 147, 1794884262046124, 40312, 216278261, NULL, 147, 1, 0, 148, 0, NULL, '5FtiRxpUz0XqiWtk', '5FtiRxp1Fz0eUhHh', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x24bf36424062b0f68db22a24d2d85f72', '\x81a86d6573736167657393cf0000770457c01680cc93c4100490ab2eca942a66f87a60ebda780a83', NULL),
	(36607090221604, 85978745929858, 149, 148, 1794884262047044, 40601, 2506940775, NULL, 148, 1, 0, 149, 0, NULL, '5FtiRxpUz0XqiatV', '5FtiRxpUz0XqiWtk', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x0b732fe8309ee4b03ef63ce18783627b', '\x81a86d6573736167657393cf0000770457c01680cc94c41099afc10892f17fc529d7535f6fcdfc8e', NULL),
	(36607090221604, 85978745929858, 150, 149, 1794884262051134, 40890, 96628700, NULL, 149, 1, 0, 150, 0, NULL, '5FtiRxqH7kwwXbTi', '5FtiRxpUz0XqiatV', NULL, NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x7e67ce38fe1b3d0c4b04644496aad234', '\x81a86d6573736167657393cf0000770457c01680cc95c41008fd417ad13d0651ba7304f03d434f31', NULL),
	(36607090221604, 33460196055492, 101, 100, 1794884262062691, 26568, 1428662707, NULL, 100, 101, 0, 101, 0, NULL, '5FtiRxs7lUziodYC', '5FtiRxdotJYvj8Jo', 'long', NULL, 'update', '', '\x', NULL, 'running', '', '\x', NULL, '\x325738287da1a8148da7490a63df7e0e', '\x81a86d6573736167657393cf00007b749ea07abd00c41043b5bc5fef6147df72989ef612660742', NULL),
	(126148392243349, 135828601343715, 1, 0, 1794884262078704, 1, 2219992776, NULL, 0, 1, 0, 1, 0, NULL, '5FtiRxua5CIBcC6I', NULL, NULL, NULL, 'input', '', '\x', '5FtiRxua5CIBbz2z', 'running', '', '\x', NULL, '\xda0484dda19038b86b02a370e5ae3fdf', '\x81a16ec40100', NULL),
	(126148392243349, 135828601343715, 2, 1, 1794884262087658, 1, 2000699991, NULL, 1, 1, 2, 2, 0, NULL, '5FtiRxvzWx4F1iAX', '5FtiRxua5CIBcC6I', NULL, NULL, 'loop', '', '\x', '5FtiRxua5CIBbz2z', 'running', '', '\x', NULL, '\xfdec0a9844a1c1d4ab7d940c1e977ede', '\x81a16ec40101', NULL),
	(126148392243349, 135828601343715, 3, 2, 1794884262088602, 1, 2463934577, NULL, 2, 1, 2, 3, 0, NULL, '5FtiRxwPkCQTD2Gx', '5FtiRxvzWx4F1iAX', NULL, NULL, 'loop', '', '\x', '5FtiRxua5CIBbz2z', 'completed', '', '\x', NULL, '\xaea9ba706ea2557ad05166078f58355d', '\x81a16ec40101', NULL),
	(1339983503385, 2263822312615, 1, 0, 1794884262097161, 1, 1795965917, NULL, 0, 1, 0, 1, 0, NULL, '5FtiRxxiDzLDhfIN', NULL, NULL, NULL, 'input', '', '\x', '5FtiRxxiDzLDhRJG', 'running', '', '\x', NULL, '\x591847c61a4646e52f701f3384fad45c', '\x81a16ec40100', NULL),
	(1339983503385, 2263822312615, 2, 1, 1794884262104538, 1, 418995308, NULL, 1, 1, 0, 2, 0, NULL, '5FtiRxyqBEodRLEC', '5FtiRxxiDzLDhfIN', NULL, NULL, 'loop', '', '\x', '5FtiRxxiDzLDhRJG', 'interrupted', '', '\x', NULL, '\x45efab8d7cb02040f6bffdfc18450559', '\x81a16ec40100', NULL),
	(68534988255671, 10904488366889, 1, 0, 1794884262111553, 1, 390548005, NULL, 0, 1, 0, 1, 0, NULL, 'p0', NULL, NULL, NULL, 'loop', '', '\x', NULL, 'running', '', '\x', NULL, '\xbf91e0015c82b6bade824f0a4ccb744b', '\x81a16ec40100', NULL),
	(68534988255671, 10904488366889, 2, 1, 1794884262112696, 1, 3627735636, NULL, 1, 1, 0, 2, 0, NULL, 'p1', 'p0', NULL, NULL, 'loop', '', '\x', NULL, 'running', '', '\x', NULL, '\x1fc7314d4a537f33dbeeaca2618ff18b', '\x81a16ec40101', NULL),
	(68534988255671, 10904488366889, 3, 2, 1794884262113443, 1, 571056468, NULL, 2, 1, 0, 3, 0, NULL, 'p2', 'p1', NULL, NULL, 'loop', '', '\x', NULL, 'running', '', '\x', NULL, '\xc33889cb05720bcaa1072d9b170c0799', '\x81a16ec40102', NULL),
	(68534988255671, 10904488366889, 4, 3, 1794884262114192, 1, 232076962, NULL, 3, 1, 0, 4, 0, NULL, 'p3', 'p2', NULL, NULL, 'loop', '', '\x', NULL, 'running', '', '\x', NULL, '\x5266af2b759a02ba4b70d7188d9722af', '\x81a16ec40103', NULL),
	(68534988255671, 10904488366889, 5, 4, 1794884262114992, 1, 3288293987, NULL, 4, 1, 0, 5, 0, NULL, 'p4', 'p3', NULL, NULL, 'loop', '', '\x', NULL, 'running', '', '\x', NULL, '\x75b8f4f7f8fd6c4994e08a6d3c483d2c', '\x81a16ec40104', NULL),
	(68534988255671, 10904488366889, 6, 5, 1794884262115713, 1, 2990835155, NULL, 5, 1, 0, 6, 0, NULL, 'p5', 'p4', NULL, NULL, 'loop', '', '\x', NULL, 'running', '', '\x', NULL, '\xdc5bda66ce5dbd6e2478a5033552151e', '\x81a16ec40105', NULL),
	(127611421966595, 114789654487165, 1, -1, 1794884262138611, 184, 2243889187, NULL, 0, 1, 0, 1, 0, NULL, '1f1e232a-812c-6563-bfff-447bd3160e0a', NULL, NULL, NULL, 'input', '', '\x91a95f5f73746172745f5f', NULL, 'running', '', '\x82a7706172656e747380bd636f756e746572735f73696e63655f64656c74615f736e617073686f7481a56c696e657393c700010001', NULL, '\x1f8c492cd0f52f7ac28702b18d0d02f0', '\x9381a95f5f73746172745f5fc40f81a56c696e657391a67475726e203093cf000057a5cfcdd40e00c41088a15ec16c58b63c47df290a478ca65181a56c696e6573c400', NULL),
	(127611421966595, 114789654487165, 2, 0, 1794884262180120, 359, 452821841, 3951020729, 1, 1, 0, 2, 0, 0, '1f1e232a-813c-600a-8000-4e1b34ec095d', '1f1e232a-812c-6563-bfff-447bd3160e0a', NULL, NULL, 'loop', '', '\x91a3616464', NULL, 'running', '', '\x82a7706172656e747380bd636f756e746572735f73696e63655f64656c74615f736e617073686f7481a56c696e657393c700010102', NULL, '\x8cfb944a4f9abe148221a34a83e8bfc1', '\x9381ad6272616e63683a746f3a616464c401c093cf000057a5cfcdd40e01c410eeac16b3e831e614d24cb0469d10138481a56c696e6573c400', '\x9193c4109bd8b2a398fac17b230079505bb02169b97e5f5f70726567656c5f70756c6c2c205f5f73746172745f5f929300a56c696e6573c40891a67475726e20309301ad6272616e63683a746f3a616464c401c0'),
	(127611421966595, 114789654487165, 3, 1, 1794884262187166, 407, 1615710197, 3115234104, 2, 1, 0, 3, 0, 0, '1f1e232a-814c-6a2b-8001-11c319dc539f', '1f1e232a-813c-600a-8000-4e1b34ec095d', NULL, NULL, 'loop', 'add', '\x', NULL, 'completed', '', '\x82a7706172656e747380bd636f756e746572735f73696e63655f64656c74615f736e617073686f7481a56c696e657393c700010203', NULL, '\x9e91474c8f79c6508fdf7f73d6ae0692', '\x938093cf000057a5cfcdd40e02c410e982102119a88c65425d52c24756536b81a56c696e6573c400', '\x9193c41002661dc8f1eba373e326d59003ba0756b37e5f5f70726567656c5f70756c6c2c20616464919300a56c696e6573c40991a761667465722031'),
	(127611421966595, 114789654487165, 4, 2, 1794884262203679, 426, 2007521266, NULL, 3, 1, 0, 4, 0, NULL, '1f1e232a-81ed-690d-8002-ae783dfec726', '1f1e232a-814c-6a2b-8001-11c319dc539f', NULL, NULL, 'input', '', '\x91a95f5f73746172745f5f', NULL, 'running', '', '\x82a7706172656e747380bd636f756e746572735f73696e63655f64656c74615f736e617073686f7481a56c696e657393c700010204', NULL, '\xd8fb88f79a1d8df7cb0545f495437a07', '\x9381a95f5f73746172745f5fc40f81a56c696e657391a67475726e203193cf000057a5cfcdd40e03c410979b39e4d8bf90c8a20acb89a156b6ea81a56c696e6573c400', NULL),
	(127611421966595, 114789654487165, 5, 3, 1794884262230779, 517, 3536834903, 1005424816, 4, 1, 0, 5, 0, 0, '1f1e232a-81f1-6473-8003-4eb70181ca96', '1f1e232a-81ed-690d-8002-ae783dfec726', NULL, NULL, 'loop', '', '\x91a3616464', NULL, 'running', '', '\x81a7706172656e747380', NULL, '\xc75176bf38135f5634b99f359259bd4a', '\x9282a56c696e657393cf00006340be1587a900c4109f68d662bbcebe05b582e1e9cb03a3f9ad6272616e63683a746f3a616464c401c093cf000057a5cfcdd40e04c4109ed4ab84ae425d3bc8c02287369e924f', '\x9193c4106f0d985577b34c0135d0bd690c01d440b97e5f5f70726567656c5f70756c6c2c205f5f73746172745f5f929300a56c696e6573c40891a67475726e20319301ad6272616e63683a746f3a616464c401c0'),
	(127611421966595, 114789654487165, 6, 4, 1794884262235401, 409, 4221078716, 806873615, 5, 1, 0, 6, 0, 0, '1f1e232a-81f3-648c-8004-1e55db5c007c', '1f1e232a-81f1-6473-8003-4eb70181ca96', NULL, NULL, 'loop', 'add', '\x', NULL, 'completed', '', '\x82a7706172656e747380bd636f756e746572735f73696e63655f64656c74615f736e617073686f7481a56c696e657393c700010101', NULL, '\x1fe5e16f74006c1a61257f13c2d81776', '\x938093cf000057a5cfcdd40e05c410ca63ac05fda015f3fdabc19513ba665381a56c696e6573c400', '\x9193c4108db0ea89ea94acb07f2b73282d0da1efb37e5f5f70726567656c5f70756c6c2c20616464919300a56c696e6573c40991a761667465722033'),
	(127611421966595, 114789654487165, 7, 5, 1794884262256241, 428, 2504244303, NULL, 6, 1, 0, 7, 0, NULL, '1f1e232a-825a-6268-8005-429fa6c2e8a6', '1f1e232a-81f3-648c-8004-1e55db5c007c', NULL, NULL, 'input', '', '\x91a95f5f73746172745f5f', NULL, 'running', '', '\x82a7706172656e747380bd636f756e746572735f73696e63655f64656c74615f736e617073686f7481a56c696e657393c700010102', NULL, '\x91840e887c734066ec3990433288f785', '\x9381a95f5f73746172745f5fc40f81a56c696e657391a67475726e203293cf000057a5cfcdd40e06c410b1ab87b7bc92edf5f787354258527ab881a56c696e6573c400', NULL),
	(127611421966595, 114789654487165, 8, 6, 1794884262259619, 418, 3075556524, 2561816210, 7, 1, 0, 8, 0, 0, '1f1e232a-825d-6ab2-8006-c9bad475dc4e', '1f1e232a-825a-6268-8005-429fa6c2e8a6', NULL, NULL, 'loop', '', '\x91a3616464', NULL, 'running', '', '\x82a7706172656e747380bd636f756e746572735f73696e63655f64656c74615f736e617073686f7481a56c696e657393c700010203', NULL, '\x51fc5623b1c3ea897a328399be124dcc', '\x9381ad6272616e63683a746f3a616464c401c093cf000057a5cfcdd40e07c4101e0addeeb3343e05473efba079f0e7a781a56c696e6573c400', '\x9193c4101040390cb98244d81922b420fa4220beb97e5f5f70726567656c5f70756c6c2c205f5f73746172745f5f929300a56c696e6573c40891a67475726e20329301ad6272616e63683a746f3a616464c401c0'),
	(127611421966595, 114789654487165, 9, 7, 1794884262261194, 519, 3819157088, 3503465003, 8, 1, 0, 9, 0, 0, '1f1e232a-825f-6d61-8007-7a754ac3f611', '1f1e232a-825d-6ab2-8006-c9bad475dc4e', NULL, NULL, 'loop', 'add', '\x', NULL, 'completed', '', '\x81a7706172656e747380', NULL, '\x049f3d341218c9d216b1b25e949261cc', '\x9281a56c696e657393cf00007430033617ce00c410af9b8a564fcf5b630e99ed94a692243f93cf000057a5cfcdd40e08c410674c41df14b302880a9cbb09155156e9', '\x9193c41064c9926715495d17bb539cfb22f5f129b37e5f5f70726567656c5f70756c6c2c20616464919300a56c696e6573c40991a761667465722035'),
	(127611421966595, 114789654487165, 10, 8, 1794884262271092, 424, 4121054156, NULL, 9, 1, 0, 10, 0, NULL, '1f1e232a-8282-66e8-8008-d8299fe7e5ae', '1f1e232a-825f-6d61-8007-7a754ac3f611', NULL, NULL, 'input', '', '\x91a95f5f73746172745f5f', NULL, 'running', '', '\x82a7706172656e747380bd636f756e746572735f73696e63655f64656c74615f736e617073686f7481a56c696e657393c700010001', NULL, '\x7c950c0354d02d499a3967fb06e55b8c', '\x9282a95f5f73746172745f5fc40f81a56c696e657391a67475726e2033a56c696e657393cf00007430033617ce00c410af9b8a564fcf5b630e99ed94a692243f93cf000057a5cfcdd40e09c410d643acb45cffb7fa006b6a23e58a1526', NULL);
INSERT INTO golden.checkpoint VALUES
	(127611421966595, 114789654487165, 11, 9, 1794884262277587, 419, 2171469624, 1022642197, 10, 1, 0, 11, 0, 0, '1f1e232a-8285-6045-8009-d5c1fdbaed9c', '1f1e232a-8282-66e8-8008-d8299fe7e5ae', NULL, NULL, 'loop', '', '\x91a3616464', NULL, 'running', '', '\x82a7706172656e747380bd636f756e746572735f73696e63655f64656c74615f736e617073686f7481a56c696e657393c700010102', NULL, '\x93e896144e07948db54ae6df98ad4cbc', '\x9381ad6272616e63683a746f3a616464c401c093cf000057a5cfcdd40e0ac410d3e5c7401627bd91b272606442b5eb1981a56c696e6573c400', '\x9193c4103d3a739bb20c036fc06f1100a9360194b97e5f5f70726567656c5f70756c6c2c205f5f73746172745f5f929300a56c696e6573c40891a67475726e20339301ad6272616e63683a746f3a616464c401c0'),
	(127611421966595, 114789654487165, 12, 10, 1794884262291143, 407, 3148251538, 187196080, 11, 1, 0, 12, 0, 0, '1f1e232a-8286-6ede-800a-5727385a407e', '1f1e232a-8285-6045-8009-d5c1fdbaed9c', NULL, NULL, 'loop', 'add', '\x', NULL, 'completed', '', '\x82a7706172656e747380bd636f756e746572735f73696e63655f64656c74615f736e617073686f7481a56c696e657393c700010203', NULL, '\x5103da81b799dd0549bf21e7b48b1f87', '\x938093cf000057a5cfcdd40e0bc410361d49c4ea8abe0eb5d73ee7ae7230b881a56c696e6573c400', '\x9193c41048d90c66476206d1118b4d9a82346855b37e5f5f70726567656c5f70756c6c2c20616464919300a56c696e6573c40991a761667465722037');

INSERT INTO golden.chunk VALUES
	(131594772306283, 1504609374101, 0, 0, 0, '\x0093ac6d65737361676520303a2030af6d65737361676520313a2037393139b06d65737361676520323a203331363736', 455611451),
	(131594772306283, 1504609374101, 1, 32, 2, '\x0128b52ffd6012027d0b00f6d6412b70699203fcffffaa0300e1febfdc763456553522292929290b90080154015540f5ffffffffffffff3f93243900350033001d31afc55a929c21e6eb0af391efc33c724936727598cfeded22cf86792cab56e428214118e66bad96fcc8f1c0c1e3e18010214116e609a9109b318f6a6b05638bf7621ead2cd362beeaf8aec8af625eef0a56911b8504a198ef2ece26af89f952ba7ac94b4d481089f93e2c54f259601ef14a13c991c07c65351792df8079edb53301f3bd668d475e0174b58ebc1880f9cee5de98d7dcd43472d698af4e6633f2a887594d8ed760cf94c9ef18942ec5e47654a574c9eb16d45a9d02eed404c8c5949c11b4ed26f91eb0cb4b7235309f7b8d8de4013020004313d9019898148e76c38693dd17e1b2db7f50fd7036b64424bd20e29bd962c0ec6c452c581ceec37d82fb95cc732c36eed9ccf8d64a67db1f178bfbce7d061f3d1630f8ce63248f16a8e483b300711fe79f45bdf20fa90d6d6843335463e849d43c', 3530182373),
	(131594772306283, 1504609374101, 33, 64, 2, '\x0128b52ffd604202650b0036573e26802985363330bf8cd1d16400b838e228631a01fc234aa1959b2bbbc03ff0bfb596224dc6c916390032002e0074d2a40390ded59fac86f7413a8ff05e353c1ca4abaa3eb441fa469746359c14160806695425d21dc69b4404080a4542c2840562417a1015029d7a781b27e952babdfe80f42913356f60f1286b185f40fa58c327205d67f67c0ddf00e9acda5c1320bd37aaee6ab8024853c3146d5871f76edc8613c7711155fa346ae96cf898ffcd6cf810d7ea65c3f6d345b2e1c2435d5d34e92dbca27d49cfc2fd6f38f3812afe6e18d381e5dd6ef8d900e95e377cc920e9a71bb65c8099df543008870d5326b0e14504b89769c30379043b2050e348ea0130b140c0dbdd26e0ed9e12f076e70878bb3f147a20b09958f0deedae1b81ea55191b0d1d636f43cfd88ed03376d0e7dab64c75263e0202bbebe00cdfcb62bba102631d586b81590f8c75603571f0039a2223d24be3543ed6c5a97c58cc50720a9f59570f57e2623c01', 836326922),
	(36607090221604, 130860535780992, 0, 0, 0, '\x009182a4726f6c65a475736572a7636f6e74656e74d9466d65737361676520303a203020302030203020302030203020302030203020302030203020302030203020302030203020302030203020302030203020302030203020302030', 4081676537),
	(36607090221604, 130860535780992, 1, 32, 2, '\x0128b52ffd60541f3d57007a7dd8102d4035483aff7350afe4020baba2d8a008147661f0c2dbd910455194206e29659232c9d969a5aaaaaaaaaaaa95d80d01f900fe00b7bf6cfa23c4d3209044ac9754265d2e737cff39872fe7d4ec1e4edad338c6bc52b3a49e8b657d8ef2fada8c0149a45e326faed0efa69491dd380fe9e62e553e7954fc10d9d9c77ef6074b66b16965d1cb65d5feba9365a28bae640848226e95dbd85999cdf9d0369948645313356b0c6d577365693559eeaaa95dda1acb3e3d672ee7c95addd3162a8e112089d0afd8e342b2a7288b3c56f2f51c0b169a7b5b68b0c8499364439a527c47533aeb696cb7d194cf8ac68a679a2726d1dc658906adb834e9be4c29614e094d387ed54d95fd6374b47979a9393caac16379b2f234850a4ee7038d88112052a4105102060d152644a8307122c40b142252ac702182c409142e58b40090249101502396d83bcf1d7ff7a4b1689e1aaf698fd93dffe6a19dce3c1624113a3adfe3b79479ca0abd3c566967cf8d88e439ba967ab0af169a922e84fdebd97cddb5cc4594b443411269dbb66d6949478224529e77f564fe85ca6cad275256b9d4d1f80a5e8b919d5cfe99b254961c089248d658f912d2f884d634ab4f73a578a331c32acdbcaa2dcb61695c57544a1c079208fed8a331935fee8ad1e44d6634773ecb8ba169ce2f649a2ab5b3eb7465f3f510a7f8ea3a2c3daa26de309044ae05b1685caa553489e9348d5dbd4cd3aa1ad1d8e9d2ba95c60a62b943b7642136cf468124f23bedd772a5e9314b96e9f34a65fa62546ff9383d51615f681463acfbd914b6c56c0cb15c3647c323a6396b129fbf9a8276215348226ddbb6b5922f35900949a45cd5954db6986c8366beda5c16a272a2aba95ecf6a6c54ca2ba79a9663162012924812561151a94bcb5eb1a67fdd9d25bac65c5ece62334212c1abb5d4985939ac21a7d551fb9ae37f55e397966b8aeb4a6bae489545a7a758892797cb1321249123333c447b4db664abb196952b596b8d0b1915c3ec61612dafd4cfe8de8f0749e487662f84754def2b573cfdeb424fcdcaa9dc6f55a8ee7d3848224674724d9aad59558e30a914bba474d9ed4a68596b9044eaec59ee4c4fb917448f7d877785948887997455cadffeb5d9892aab07832462ca1f3d01ae4c2b7b29ce516d7993bdccdfd405297b6359e9fc1c16c31e8df2aa607dbb874c12a1a44284e37285795375fad05937b7b1e8e60aa9e407cd67f7c97fca7d4ac57667e36692d91455a1135de5b4bcb2a2423579792b9e82d5d64aa9d4154bab623443bb5096c1b32b9cc4d26253d26ee42189b46ddb5687245230cb95c22189a4ddb29b2b96b9218920bef58d1d5e960fbd188b1a92c8b914cbc7d51f7eb2a8dc5c3f211992c8d164f8a9eb569f1eab58317a5fde634822e623fac9f5319d8a3e7723332b3abb90440a0ba53f57594a3fa51c52b1f1fd65abdf846543a7d29685246297df8f951233ab689377c52e53928d51b1055d75900a4984f0ecb4831ba8127dc42866444644442449927492081202848121551bfd12607224a01196292ffb1c8b79764f8a21062340e2fd5760ac8abc049f067217cf3bb0474a52c4b8004b063d149025b84fd820042d055712021ac882af9d6c73201da07041b5e01be0519a2106ad649bb1f253a605b891ee8140e0c306289bd9705b1c828bf4d6783803fd02a4279a967588e15608eb507c7139fd3c98515fa290f58bed00f056be2bcd6eb54624876f9088444245a00fe82cfa8d036637051c1d8d5a296c4ad6f6368f868d38f8b7395a534ce91d32b76eb0252086c20337a29e30a8785d2030c2195a1a330d7a8d160d47c63117f055c432422ec32c0ce8f7d33a5f8fb9edaaef01e3e634e717811296adaa1b84c3da0024880c61071888b4848ce250016d916281743170c1bda8646123c5d3839b8a4482a88f93fae3c0933501324ae8f1de0e8de6ecd0b36bccd77098062441702137403f247784c4778427501441145a4e1c0ab6104f84fde1d5056868120820ebc612883418d1a8289622e4926a5403f03069ea1a0e2e079bb5419fa323f00a73069e43d48302318a80884846082b621782ea500582e1c0e0c4190363d3a42ec1eea99cda556d5c4563bd6a35827d1a9686d0de4c7639549237267b20b1b7b600652a8306bfc39403bc43ea20d0b0b540c551dd05bedc705c64c583711ea28ff2e47158922635aee35e7fa941daa0eadfaafbab3e5a9314a0038e408302bb9064f0310c6480505828f0099303760f0a0d8e44c2823ee3b1f81041f0009ab8ec57e7cbf6ace9090d5a7a2bcf02a2060a061f4013944a8028e4157c15e60ad009e90391823d19407518c5bed96e38fe9735a0c3d1adca4b72baf904b94a82298a37a4c2934e7f10c00fd3bf2d2e50cfb31fa4087084048210c2750057907640f55fe460ec6177b1fb04c78ade65df9a1d9eadf370112b2b38421c0043c2a13f0b01cd5f6481673068c0a4c3188828980d401c8afe0ce0a5db42fd56cc487c97b0484c8c2c7717a213bfd46d6d3ba52be8299083bbc1d0f2e4770d90b2a5f8f71f1d1cfcfba3757024f050a0233f8602107e41bb0eba81d27b70f9103550153c1c322010cafe3bf8489219a17434a768a901440c8d04157f60e5ca1502c1bd8e6f0414819e20410031900ef0fa17ed2fed91f001e7babae7ce0cbac5a2bec43bde20400baefdf8f85c60d45250c180bc58011ded97f2dd7d12686ccc5307501f102f460be00061fee1faba0be3e7d40597e0b0d04d4c1dca8d3012d72af3c4eb470bc82186d3f43e570d7735c20c7ec4c0640086c00fc0ef8fd20fa9b7be3f98a36e07997570e740a987ad6d4ea1d564aacf85a5fa5f7a00c789bddcbd52e893ba411addefc5676c80dafefaaefc67be3e3ad2acf797f99804b8016241130094820d02f5ca2f3b2b210f05d96f665d7e6a30517bc8a3e137e13c813b79518db7373e77043e009b3fe6f4ab36f87b5d837d334210e3365dc3b3e0d6a3548b1e5ebc41958062814cf9e25bc005de15cbb8f2d83a7e9f1bf005dc361eb22c55b58aff8bfbee1d203c731eb4ad38902b40fcb17bdb706c38e874ea34c1ea6b91d146d8b7bc9eb42b0ab8927488ea5180c1fce26b3101d01f1d9f8abf4347b943cd22b94b281062ae9b466a7a5ac019c183a1c1c2de616ab87a712308b3dcd872895c997e3963d9fddfd087e645f5d29b4edf1c60e24f028aff9dbc61f1933f8006096cf525e026b27b7f74d4722d2fee1b668545ddb142f8bb7bcd1d14dfa759bf550d4ec73b1da0abb6b6a5cb50b0ac00e5e8b3f172153260fe65d9314f4134c53b8025854590882275f50d1498209f18fe50dae044c00e68829bc6c7e7ce7be75aec430caf3f9a07661327487cda89202045f101b3fd71f94a40ea884017616031cba58c12bb4232bd0097ad32182d356ad213dc2d5cdf72e9c9496f6af736298494095480f9d8d18916dd3bb76c55eb65064c87a0c01263769e86c073df58db2c2e7fc1f002b4ecfda333d412bcf9bb8272d040f900c639f11f21f2aca07b43b5d5cee935664dc45f130bedb696f4b98bc3591b5d07f7fb905fdba72a744de4cae9907aa5d173767962b65679a66bad5cd8480be28977cf10206c512ac97b511074fd7ed7812f4d7a7f0557917c027625ef560eac6a02d59510bc037024cfef1e71acd26a5a31befeeb8a0be4b64d924fe2204b6bdd23fb72a99fd06251d2061007d1be840ab4ecfcbdd871d579f391c1aaca3632db7fe346a66deb18f7bbb230a2d63d2bb8fe4c9a6738c0e1687ebec4ec8893d68f661ae326bfcba5c679cd965099108bbdaee83e89d8b67805e066d092cb2e1cefc79932e6e4a0660ddda296d7c5b67a7726aed023d605f782784250d003c3f9a696db11d57a98bf6e05', 771091444),
	(36607090221604, 130860535780992, 33, 64, 2, '\x0128b52ffd601421cd6b00eade541b2a704f613910915ec3df0500008003c2fcf9de886988f45555c720dda4945226994aaabffefacfff0fef18b9019d01a40131e5d01b2e5d6d1c79654124d984907255c06103c98b6ce111db5518b98e2a6e75d9722ba8f48dc27234a722bb09d24db85391d23c48a6f283aabd93f09148d6274d0d8dc345343bcc66ee1ae7b0d5a03f7e8344f8363c9eb1302a6be2c63122e0b061ac4a684113a92a662ef60a9e89ae18f77c14a4eb10c55cbd84824275a4183a6d13941279827566676d3d78bafc31f59a3e58a199c4bc4292a0dd5824a666a704c7febb8396aa1d33e5afc13b1335c636260d1219db987bc582229f89a156cd00870d971aadc2cc4ca6c2a72357d009c90a4e2b45715ee91436e42b857bf14d10f543137c27cca7dbc3d6aa79905c511e3c32e1e3ff5149d8951c09cf512c41acd239f85a7c87d1c9d461d7cd1a549f528362ba346e47c58649152d7c3799a0fb2ec06183d8ada682a655a938db0c2bccf915c5544586c26e2d53d4c392e2d77b4d1459d92728f5d03dc84c588f9bf1ffb0b8d6c7f0ae2761353624d1719d48dc375289ba799983f2eb88834a3c3ace7cb686e98aa6314244691865ce46edc42a3e644f94a5e4604020121a32b8e0830f346c8082092070a001040e3ac0a0040f347c1002091a34e8c0031244180180000e1b02801302327462ef725c494c1c66e51cb31a463449a33371617578496181c3065fe654ae5cd04b63ddc9666e46538b4b686c22778e5b91c84156b3f88472557761050e1b7a34fdf57821224465f15b4c1db51674f65545958a5e61727e2b6e6c350a966754ff36219f2b598c95650fe2cce75136daa5b3b746826ded7bdd3864ca65c78bf6133135a865e746095f173672a7bb091c36f024eb1d99058357c1dba40adac75c4197114935e23b34abf641b724b95d82345e66489ad8347816b94133e7821e91a2f2081c369c09cd59d8a74e16c532110b223bd362ccbae4226c89c64ec1ab2b93decc449d399ea0797f8f2959e8f12ab13c44eee57934672ed61d6556aa834e196b0cfd4fe324236e88c346558adeec0e386c3029726d7c76d7c246f154986bd3bd99260a935cad53f5d46b0f8a49e7613cd7d79e4449c22f2b12b4b11c5452bce373a24cb0744ec38c846e109579f15b49611f2966c0614319eb6ed1a2952aa638960a172dac38e211917e0a21ca9482352c9a890f5f9ee8b0769ad163ce3979f834fb38e1d12448481d09118a2dc1324bcc5f1c353b745869530d6d4b2c23990d876e99537e96a08ecdf8b361ebe41f3694764bc4286d08fd3c0e399c0bf385b5636671b7603b522455436617129bcb952e52ebba20870d1cfeccda717c72ec7c86ac297170eaaaac8db9398e0f1beecce3dac9685444b36049eb3e23198b0ed97b36ae1a0aba1b7db9e5ff39bd18f9cabe4bd87dd6d4f24c438ea736ae851e36d82d662b426617b47d55a313fbe9311e36d48d5cf1757d67ef940b0b59cee2e4a431b35ac85490a8c5df1145cd65a130e3cc4dcc996d26cc623d711c930ad11fe2fe4aea2e12ff549da3234372d854c48ea1337be36aa86d90c9afae62e181c306fa090d7bd79311bbb82f3846ecf865618a95587bfa0489dd71c23423f530734b1e2f8b7c90e856ee7b771fc74f6395d2b1c6e663c3275ac181c386395fa4a60b4e99f1e86ac117ab287a8a11da8c652e9c6bd152933aa6aa36c4233684661a386cf8e92c4d5317ae2afe6e78411e4b37898599ef0cd5bde6ac19d179e8ca62f6b2727878f2fa55b9abc0c06183dcbdec82eae2e6e47ae15fc6cee55db5e8594ba2c638ad205999d584cbf64fcc54b12eaa475de43f4e93f15146f3926027aaa39737ea08d5a5a1debd53b2a0219769f90c161c364869f4f7e8a47135ebd2d6dd55a1d75b532745de7b44f73a33a9e0b0c16fbde434960f955db1ea5bdab062b938a9c4e8423345a72329a378cb26d5b3099b2269565bf924e84672999f7d6ea13bd7af763c5370d8d096516efc19378abe5c8db07ce2bf56c43932f767369bdb4c455154572cba9ab893b43275f9c924a4af89c4cfd33be81a55bdbf4414ab0c131c3690244992e0b0e1f8fb486d45f7d2ab5e0f8d6ca497ef1a5677bc454df9323115fb31a44c6a262a3f9edde92af9b02c42730c4b22666454be2117b58b2e82c3069bbad26276a9a0cc9951984df1b16ee2a6d6e2e1045b227d1449bc9dda663a257655d2388b0182c3866279745959e746aa73736b35f1859c5765aafa4d7c8d6e3abef72375870d343e2aefcfb15af5213b6c185ae7eabaa9ea2d2533abda5c4c2f38e4f376bcaacec050870d9f9677c33c52e6cd2f64b7329b4f870d42b763b448eb1ed5357421bea89b54ae825c9fa9b872a415ae4c4973a6b0b3299be89d84135545a50785a4aa246824ee57beade318193b9a1535eadeb821272fcc6183c7fa2b6d0182d3a852830e041d35323432229224490e92081204a130942643fd12209710cce4b282f2ad4f07272104e85f925da775ac5088d4af54952f41803d3511cb2a0162e87bb28a5a04ce1a4218f8aa17dda7789df80ea7a4230e50b5d24ba26803047c8f814b71b50472c9dc338db926bacec0cb833793b96cf3cf6504c214317bea6ad151e18c2db375b94b3cd3e42ca5f906e17c6e33dcbdf5686fc9af9c5ab3bffcafa70c32c99cc1c7b511afedbc55d67ace5046809de17b899a5c86898f464c3c55881d35aa933e5e268978a385d5cae732b6243d55ba9f49864f4135fec147a98ca233818e3329f4545a70a8d4d46e67f36451d01becb22a7855d01c4dc64ec1b004d15509b73b83e88ee8bfa06e7903d2313276c8252f24c949424c2e3a419975de865635214445097063a148f8fc836061176c215c95b828b29a13488e3e3860a021a87624a7a0dbbaa2df0df7b1bdd20fb1eada9f48a535a7834d7533fd6242acf29ba0916037d30d2ba3d57c3a49355191490900caabab9b9402082855e8a6471fd48701c47127911ad45ca80207c950164b1fe295a13b6c355d6a87ba3496e46ed52635a3fcd29cef6927e2ab067f38fc2b1a9ee0c78f8066c284af2d907dfbeab39081779c184ca08011a110285fda7a0026e5a952f13516685040b2c2130570451e22a3b27da1b383254462144bc7d0694324092330b86d4af218274adc15b22998b1d017e5ca208ad87284b7e5052908891c25c8ecfacb740555e939a896e0b7092a937c8ca6a58afa2c78a1f907889200444068612024148438021438084942ccbe838bdae322691019d7ff8bc8981f30735be7f02b2af2e4e5da1c308cd002c7b5acc01b09d863eee9479041e8b6cc8283ee2394646fb608183c1484c24ea7803b3a06769ae0bbd9ef027f285c919e8a071d44f413556b147e9375014354f2ae84b76c90cce7cc6794aa390dbcc50a9db6b84274586f88adda3985a53e8e504b90e366fd949d1de632ff9205b27e4a894f5ab8270204c8204a1aa072bb86a43ffd4288bcc863012e58b4d194e372090c112d6aef936ce95c5f0924c62493114b285ee4c8549f2fdd80091e8a201e8505e8495185e8965d0392c3614b2cb2e4fa483007cbc473907c1d2b16496918f3bbca048b45112649e2c9a3a67b928624654de4f83960441ddb59440542689c80a8d321a348d4c3f486a2936631b4744211d2a6744036c0b47263b68b13500b05f583500e8f93c08c18fc84adaf0649dc62ea575a51efe97015de9b2f4c246442da89580a90c09d6cc0616c8c91c42f1a60d5f849d92117d991a7fa68637984c3d3855aca51626d4a900e5bb4432a1ec77c81aab49c094560d540a23dc25f42d848dd1ec5391c66f08e7cb280a4c9e6d199e8383281e25f1b3b6f179192a75fe92b1634932ba9385076577bc044f54dbea51d21f16d4681f0f86b13f60ff61d96b2aacc9196b4b2a47c2624d4601643e38c8611280bd6f9cce95a5a78818db09a3182baeda5950597cc197313d6ed89c1fa16f205496a4bf29119ca4a34645cd881dca14002d382e3d8801647094092278b03528df308187a23d29f572b284b485a060d554c3ac17f680076b6a3894f88a2af7b8402561650787a95932b86c725902bf4c0323f8dc8408213b084fa5428dac9d7fbfd3ffa1f95404536294b78ada738431117ea4d0193a348029125318da01c903994cd88925f963eec0b605f5d95a5db968c6ace0aa125e5c4e908c72944f9a8394360b06225ab96952e45ff245748b2d25ae366aa7e29f4a3dccad41da16d82180b3df2a615ba160b2f4a6073573b50c45712655724123246e098d90acd122835f645784095c40a1b9590684b5bdc02c853053b6fc41d70eca2081c25cbe0f9fa36dc580062939dcca3c1dd01966e0cd89e5c900c6a0329c2514924c12a53e0e2e47a2c662511eca5285f58ef04d2a81e9c2790415fac18c05cb164a125fd24b9d9364261c60a0fa1623fef7cf4ed68ae72e23b9acf902e787ab585f742128111d99078586c9e2d49b4568ad8b375ea08c0ce44d004fe59615010c9b8e98a5b926d7489b4e683cb2578791a495c088d2f1de04e6a45904f808e80fb8ceb2e122a5fdad04753c490151a36aea8ab6ffa8d74142554c883135d2ccf15396c242c9f70ed63851d3929f28756c8344f02c200f3c3466f221eb0a476cc0ca21b3cc5bc087211f80910b01188178d35cd97485d4e4062052994d94c21f443541e448a536d183e10bb1781de22588909780e212efd587d3b2678d86107c4d545d98d042538248aafa09d70be8f25db0109d6eb9679a06a9166bf158dc780a8173bc03cd42b025b224f8c262041f466cb3cd0b524d2537b91c24d1b', 3410781777),
	(36607090221604, 130860535780992, 65, 96, 2, '\x0128b52ffd608f22457600aaed1c1d2b6057a6032108e29d411004708060210492d726883eec7a28e9a1a48792261f324929934c1c3005c166b547d201be01bf017257c673fca58dc3ecee27aa7ceb049174ac61179d8d99de14a37d4f18a4cb97c04387578b65d41bb28988a7e5f9f43874f7e593d199cbdcc329bd5717e689f5908f993cfe7fc8a26e44c4c2722c57949e1e85bc2edf517326e3b07d6513a593e984947bd578dd101b652616c3bf3261f4fc23f0d0c158f521862d45378366eadc7dd6717518259bb132ce38d2324aaa5664cc484d32c47eb90883e882b6a35cbc78f7838e4e67d1ca6b8bb3ed5e51f6aaa918999a538811c9cce1935d0729a64d7c3ce704d54bd5e8b565e3683c6294c912c618c9580e073c74a8ba2212a31c4f99712a926658e44e3455328cba1a5319b5b052c63f3f93e131b2ab5ae62e6a66e28b93f43f5c6ecd43f89b5b14d1381615f259c57d5a2b7c3c1b85d43f628e4e793a6e74aa09f7683821d661358a25278dd65911e332646198aa2d031e3a10c77a66c8a9b419e4db7d1842ce671864f37a19e21a9a3248ee73d21dfae4c290ba33bb9029552fe82c640f29a3e9832aac59c8b5a41644c4ab0ae9cb584197565108b13ae590df480799233521f42f136435460df19da441529b1862be0a83c64c0a0902a8e204144a70c1851354c0a186175638e1851558308186164e700186194e4881851666884106000a78e81000dc10c3db351bf925e54aac4ee415baa0135a69335421e4a12073903984688a26a875750d11239b0699f1763b6f8e1e1e78e860a3efeae2627b220a95e992e1cdc3decb92a187e45d7751276573212772f6f0c5d2c74dceb2a849472caaa4ec0a3189ad14b7fce50aa54813322273b5a771cac9a446a9db81870e537259b9ce9a4b55658458b2c54691bace198735bf22128badbfa80cad1e67e7e4c1a1cd551855c8dc2a25b71c275516474b2f8fdc5b4e83558f316cf269e0a143ed1e2a731d916f6adcbba65afc97c68e32f557cb0b2995e8d1b3f059daa228f5a5240e29ec6191a38cbc9ba827c4177aa356f2362c243446cd8849b132f0d0812d895d6dc4188b6fce6a9c335f4d6bf2d72da5f04447770ff2a36eda2d6c7a3216ff95ade2c67c56085d29a1e89d9d1d63a3b9099fc76682dea8bbbb0db3d5cb2e19e7b668003cd8b0c043073122932a4b74553d7d6e648eced6d2b127ae0ec985b0a6be903f84ce6c49491d69caceee3f7bec108efc13f2a3ce8450d1acc136e4ae557599318929f0d0e178e413dd951876326466d4aba4ae540dc3f5218731642b4ed97c727e64687e61bfbf176554db838a757c98ec5c16e319a145e78aa88225a1540437955767f747ec50d4a6a87c933a863178e83023ec9d5c6523c92befef9ecc690cd28fd20bd2c31dbb4566cec4a328f6548a9b13a91adf047dea9d6b3538a71d9956a3b9e0a1433f9c9f3d5f1db29929f5f49a6aea3653fe45b911ca88ede2e4c2d79e597caea685d84551426472dcac3b2b77a2633b6ad8e43efbcdd582870e1ca3d42975f6732a663b7b64a22d7792dfc3c43ef378d5ae2c4e2c8463229eba3f4147934e141915358ce3defb31cd0a1e3ac8a536678c994b3e275b4a1423dbe6a68695b290daeb2a448a2fa19222e2a18614899c589533720a1e3a5c5df32fdaab28a8222eb229e44e59cb8647d7cf4b4d09c59ffbf01d3eca9a900559fc2be4c4324516a130e9d978c82688131657a831f2b233a8d40b6082870e372b5dcd66557634b43b1a634f1e89905cff9bccf5a8fa557e441445a6cf61b3e9387a5262af89b95196a1337a091e3a583935e5fad049ec922b667a84e4a6d351915d905de645e971bceacd8d8959515878bb839e5789bf456edcb8f77a8645f0d0a1cc457ad9b975e62296a5b6cdfa1dfb14cdb5ce2a17c553fde92d5eb635691d154dd13b2e57d6e112b23d9189b23171a34324e7484fa982e0a103f5d31a438e02752e4b5b55925219d9752f121e3a90490e9a96444713191913223b9b231a323256f54372508965d406d1080f1d7cb453fd13a969eea45eaa1ba59c62a7e67e3344b2169ad575dcdfe6fb292a546587ccb13661374e9c697f8f6d111e3a8cc9c8ff31ca63904fc6ab9ecaef5d8747aac72c24b1d1d9fc61430a1f227daba2c678a7b8a2d30eaa89d7c9d7a0f864aee69a09e1a143efbd1b3986ef1cf6a4dbaac88aea28af84f8f39ee2845c63de0bc24307babf4bcd288df915f9a6c66e44b9956dd419924a64a8e47fb18a4a6c0b15a97fc3dee0001f3c741011314d5256197ed890f3e0a1c3cdbd72ee9cc72bc61c4d4244910b6f8675b3f923492361ccdbe205c54ac778e73634738eb2bd75b8786363b2d1d3c999c5ae83870eafb8a4e3c9b3b673d40cdd9947723da23a1b498defb1db3978e86053674379d9847232c64ee93ae4bab84fd1ddaa8fb9cf8c445a41a2a0557bc769339e284f648da32839b3b9db060f1dea776717a38ad19eb2a9221b65eae65aa7966644aabb10b172513b2eaed9f04a2a6abd4df1a995b42e26f1b8d6a8702cd21ae14b83870e3423e69f36fe44c86e2d320dcfbbb157932d84464e52640eb9fa88a9863c4769708c04c8e0a1835f72018341a8d27294c461a7464444444692241d82081204c1409a26fbfc1280a99482548e9447521ee9e3cbb725629218f57a90539e42fc9bba1da0e72859f53838cc2ad6f1a8b3efee683a37b452ff6a92805a42951b1ef7e9e894aa0be9785516ce2a12abb8da8eb596a35c7d5f895cc6b8ceed88f077c7ee1051d175baea694190e8371c79cce7a5744512e164f88d1d6c2bf3327595718a2c64154e30e6f175094e2484dc51440b764d5925ad5a52dbc8f40b3cbba5b4822034ad239027b65db988c00f6dd057f76a068bb0ccc666bd1a28a3e3650e06eaa92282cfcc8cc1a641e5d7fb6aab7e1332ec6beb2d30ebe2892877da447168e84b11e252c86002d4b40d59edab8bcb394774d3dfe199cd1121827db877f7de94eecd6139ca415b6422e9d8a018d92b6f73351b66f720e5cd3cbdbe9f32427b39b8631a57bdbdfe60b9d0e7f4af255d403b25d4e548e9b8013ec978e085ebe838445bb120a2ae9ea1373041eae94610b4a38e5c4c82c352a4e3d738da4efdbe0db15836d9d3bb34b8b496db6e9111e303243897250c01aea8f75e8e9469399859f1732e17ef627ee152c67950ce271031943e1a31f03cc23498ff7c175ca45e38d399ee239be61e057a64044398a72947af26e0aacccf367e10b62c14a8f34975fb439567bbd598d53a5344699b37eec33078ec2170d9a1cbe235b2e560e238775c380cb10aff5b463f6b78c17495606bf5c19f259035199be90901aea64cd5063f0c00aaee4ae902054476d762fedcea7985ed0120e0a4598181e766d48548d981360ba01ad192400de9a682859f5e93cb754026a90470e447de3144fb51cb3df0288a986ce868174905fb7fbb530fe7fa4d7cae50882f776ac880410e673af58f2cf2d48c33a48b2bb74c6615e5eae7802876cef6f5ab1d76378b926560c77ee518ea468951df19942d0a1631f33363d319c624c29008c7cd61c21b00963bedd0965448de1a02179a91d0fc89cb704484b40e3d54ff8b4a868f63a7f08490af3c6760380a416731453f40b422aad07fed59c78eed057a51df6023fcbe7e5fc72e4788a2a34e280d6c61c3827e5d9c331f2191afa4967234845764a88d61442450ba6f12d2b452a83f07b7f84394c5f89dd5f88f7ccf08cb9abb42c62078aab048379612121a280ddd4018a0ee5aeb7bb7e07cfe817f2cfa0d797498cb125fb2d918a8ebb82b3596e25003466bdcd082325944d5df953f980a227c0912506019c32e62be1fe12d60d5048b279922b68abe6419c5f1b7ab34335abe6f48799018e4862c08107d37f08dbafbe9583d25335dc803a876f76d0397f6e2354e78dabe19849e0d5a50b9e345c747958a03413cb9de9b916325871a4d154cf0993678013fd31e3cf3d480359033e95c859b8b90b755d6f05fa0a74505489f018ce9f0a087c1e91075930d24c24ba727f794e6ee058365d662f7c85adda793a4098d43b52e5720af88d68f93912160cbb1939acb8d021164f34fc9aa9fdc2a49d596824b02d9480eb8dcdf045cd704997a3195294cf7a16631775b9b50418a92c1fc593f26245c45ba8edb8d28846dce1e86e9647ffcf5fb8d411096e0b7e49ca804712a531ecc4a0dda80fb040722f1e5944d1a18d33d46f7407af0b72bc2fb9cba6c83426ed98d7dfe30620a3af5a73a3a2c0ae463661ec6614d9425667075264abb5112c95fe8c21f3678a321085306be23c4d806ebc8036e8c329b52d26cb4cd7498e0d72283dd666ee2b0d61c7582a40b1013d3a800b637b410ec9b2b9cdcf5084901cef4c3d3e01798b50686cc7e9fc44683ea6616c6719d77a7b8289d069828d780455b8801131bdb65413e4439b237e02e70521875cab854a93bdf3f1a26c5b8b1649fb4e3141f85889328813c01ea314c77909cfafc590794eb22edd075a5b8fbc73d97aea4b5942c41cb5d486131c0cb898e71219133167b4209270373b4facaa8a8ac62ef58a2149c2af79e83cde36032e3d9e431c80d3685cb879e9f29ce77dcc56a7b4896a438fb84b8e93ad79911f563a01673a91534b63f46021b901aee08a18d13a2539bc98a54202784415b00547b33c7273e687279ce929a1756f19a7eb664aa93b4933ae23a9b8f5d6561f3294c984090934524b00c4c2f9fc182a9284d303df924f06de9599efefbd0fae2e2816e8ede939faede17d91b8ee5a5cfa34edccbd13ca6ad181ae0b9f4cd305ffac1a855cc4d1006a4694716f0a76f38aa3c5c3cda27ea892f4c47dad82a3f78e9e2b0e15262a86185065786244e86794973ce57c41795d7640a8b3853209563622e32c12d0c1129bb0667d9a2da03fdea7495826c1533ae218524bdff8b1e3ddaac745818571c47009c1743c2d2b79fd4a804ca8e7954b490623cf41e7042440f7a122e051ad1df021f96c547e30563ae803c9a5712410e80dd614ac2df976143002dca2dbd41688b0fb2c334c61c07d0dd1db1a6db529ee1068aa8a2e564d6c4cfc2527ad780239672572013745e48f1d7ae2207bd2acc2e9f0d5b44f33226c834564e38ba1f48bb665009156d0ef00165bcdf3e93b650343d9cc881645f6c44436d9fb2d1db569752c216a20b47c3a144c622105f2f2791c7815022d40fe21cc013d32c0d990385ab9a5169da42d1f481f68eb9016991d81b68c864d24fab5002f59d086c00350dbd94bb2293575ab1b28db402', 3792507322),
	(36607090221604, 130860535780992, 97, 128, 2, '\x0128b52ffd604923257b001af24c1d26704f6139d6fdffbff8e6060a40aabffefaebafbf7672a9aac65f4a9992948974f47fac3760ffda01c101c40156c64f7524a3e875230cabd5f9e244ec5863c78ada76f398293b3b886777727713afde71a24c77d3b0f91ded78c17010a17fed145bdab06796d6d559e48635b254bc9e2731c925f634947a696524e92aacf8846521acb242a49e7988cc901d2244178588cff73a2744ca350d111b3343e478221c6001c3e1883cd5869de863a38cea64e3e2b19186eb3b9f4d33c6dc8c9a8b5a0ccae774739f11c37c92c4a87a7586f1fb90cb73914153ae13c6b8781446ab4ae88257d35bc8d56ca93032561f752b23c7cd468ac272c79ba09e871343474fa3bfba19b41b3b050c07bbb2b88d171b541f9f34ca57511a6253e8c8bd315e3ab262d0674a8a5199ba5ad154c43879bf6190658ec3e8dd4965c89cd0c9b01bdd84713133110651957351fbc7166236d93d7e64d2070d456bee530847cc268c4ac2891badd3a0b236a39797099080e150c457db201113b3c1db4d49c358ac3b86cb233d46873c648cb3d65f8c13efec8c11e1f00c29169d8941e5d786c121b30cc3ac722dc3c4d66454845cc2389bed2ece2af662ca476421651dde8388263e2852350eb3999cc22c219b68b92513572299c6ad1f338668af9038a02e2e34804006195c982000030b1a507041030a2a5040050c2e64b0410a1724a80083144e400100040c8700a085e55d9599ace73ca4dfcd5575eee447f7244453f630a4fafe3aa6502e9d0ba93bf765550fce70ce617763e2f0ff299dcdc4dd91dcf84f37535411180e219ed2dfa2dad84eeacb1ceb64afde8cce74428b547b199af2dca28b539e5cab17f216d915e598f5b0339739c8a88e14f744a946d7ea8c130081e160cf90fe88a90d29339e535652fb6ea83cebd586b7905df1fe2386493732c396874e4caeea2e4c74e285d814f2874f5273489dd95199e7ce848de8a8e1238e1f301c486acc4ab94caf24f3eb583abb9126bed23d54a3129156713e9e8a8c7929b99a5d7ce62c1742c6922a4c6ee64747fc72dc443a0a312b928264e83a612d296ad42c3ae3e5293960388c85fc1b1b6be3a48d9a9494c41b2917497919115d31eacaca31aa231be3cebfb4d846634406c923172bab8b3a0b199ed054dc75fd9072946ece282c14d6f79d60dd891ac4e19c51be390d180e15a2d27fbe6761468a90e658b6b9abf254aa8a6147fdb55244d61b93392536bd923199b388c5c2489b5948e9f756901c4f8f9fe43bac74320ab9db08457d329d20764a8d17d9a64aac0c180e74d1711a9da39b3686f4d1d5e722df7d1f8f5163be3186511e77fc15ef1fa97e438ce9fd2cacab61c3b31de63ba7e8c9a526eebe2abfb581e170fac6aa642bd753198dcff3a65cd55048c7a990eab5e898592b430fda219539539c14a5d9d530698dddae81e1e05bc3cc1cd66d9789323235a794697c36c65a2d3e7fa4f0151549278f4d419fb01b17ba800c0c0762c5782aaaa163d1f0eecee72526e6ab8988a86cdef3142973174267545af40e191b9ac84fd8d9625539c2c07098bbf6dde49ff6454634cb6fb7e29554a45ac20f8b43d5d258d595999336253364173235336fdedfc7e129155198cd95e7ac8c6e2e301c5a7633d55b69ee2ca7ed453f9b721c725d48af824a76b3631aa2224f9095fc77ab0586035f1eb9e5a93135255bfd1391daccf14c943adb39225d88360e696491105e454b3a52313f551d26f10dc5474e4f54a5e635178f15180e4237a4961b1aa397bc9cd423d2394b6c9b1851cd0dff23a9431993304c5af67bc8bc4e1eadeda1900f194d4875f8869002c3e17c1c71238ab70cb53d67aeb6ab339e5f1e5d6a4a6eea44a1dd43262d5b8a9937b65759ee51c7923c5e318782ec354d0c7de646695e9cdf048683c9548c1af7188fe4b554ea955f998eec5356abc748cabc626fdd2b4e29d96f670e1df2be4a61347137a81836090c87328d03d6f1cd35ec4363564995738fa61aa7f59cf89617b7d1e476715c26e8ad9a092b180e55f7790db29269239ed4bb2336e15985c63a29e2c9a55432b55e88163babd2c8a3a6b86151262e6511960125180eaf7cce4a42273d3ab17b91771327c17070cda5aca7ebfd947b2a312b56cd44b30ded6672d7fbb97c0d3b8f603850eb454647d5d2aed1cdadb0a71b5d2fcefd25cbbc16917e95634553acc62c8c6e5b45ef53769ef9e4a87a63bace8f4622180ed3aa5d7fe29a69d056a19a95a82e36765c37dbb63f1f92d9eb2f8bab8a73b42532878d524661c49f4d906c4f8c4ea82604c3a1a5a258699337485f4d9a92b625b7f718e5a6844a67995cbc7a7c7639d7fb6e41547d59c6285a44b709f2d859638e7f41301c585556d56bd94d7f2535625765e99cf5e48caf3554441adf54da1185dcb3ff8ab9093a1e95c3451d9ba8339535f881e1202222171b2121b153aaa4d8849089ad21f5c070b893dd4a4c72f64889cf8ae428955fdccf918599d9b8a2ea9f5914af89b122bb0e0c07a3d9490dbd35f93e476cd91f72d56d3b855893a9222acdaa56774216e45feed629a666c4ccc638301ceabcdb5f6279caf94c48e6bc8edd4df2aafa4d5c566733ac6b1149a5a46c86bf8d1e839da8629294a669a84444444492244907820812820e46a374a71f1260ab08a92b49caa75e1da14a19b375a116993c7a8cca00316a646fc917c63568e7436e432c4a07fb9c95615be28de845de127bbc08e024e2a8b200d9dfb5796e032dc5212f6cc8ecd5faee58442dd7cff4609aa18686aaf0a0aedc1422e11c4fa1c9dcbc9620fdc873542b35d6657e9b04327ea57cec6d5e759bd1917377b21a69e1ad846d7bc2740d91505cc49b36811ccb0a42752b8994e87ffec80528f725ec3d59218215a308042119fafc6bfcb24306e5d35fb4b067f298c5984fd2f4a1b068bc126d41ffb1d4034cf36d89af97d9d3ca7e8845addf9fc97e17dffbdc7c961a590ba3ac846ef5f854640da4167f64eb9fa44612fb7c9acc3e12e0e73809e0a10114de4403cd9421fa64063e8b88d4483fcd733c6c9134a82e4c02cbe50896bfa78cf5b9ad33bb5e78cb8164f8036224357c7f31260b50dc86a1493c08eb94816e1acd9be2278a892b4d54ee8c5d8f34ecc5e443fe1dec99a3f36f0621ae85d4ba307b138929a6c664c00e5a0a99a0050e8ae13b9a4de649737386470763799abfe46d11fcd0b8c9cb546ad84ab1162876741858ee685331f35b248532ab49bec40dc1e7161dbff012b0b890f09161514d71da3a82646f45671342730ac9ba9a15289418ee69f27a640d7dcf8d15c5600688cc0080e228f9813011a4c25f1366d999c551c6c8531128411ea949f611baca26c0d7c081478c1db69644c8c4a631b386770db1bc9d33668593bba5ab8d90ddd5562b91f45b3c056d5e3c560b0c28d9d647611cb7c0bcfa2f5522c2a33aa1ac0335eef1b263eff02637ffbb8678eb252a9aa1ceff23ca62d5d3c0d480c22a10224a2b5defa41b0feafdc58cb016dd90e42a3dc8fd9246df4a74040bbe6336e28d1dd95860998f1fb6ea85f852bc4dce6434b9312e97e303399c276817116857aa0f736ac04b6b6207ac88d637b3eb8fcd7e2258c3851836d2b621429516e23d674d350d9a862dcc92aa4bd10f166644adfa7b814c990f9c1a4c565c216a287c863668c8be27e94786e89119e8c7b11a2b0484cd4c3882031324dd64195d37faed0793fee3eb499e0e66cd200e4d31d9358a90b331da33354d0b631c66eb069f586160472ec6c524a0bf19b2e07b4606d365254220ec824627b229625f038d8d856e343918870713464bacaa381d8c7d1d5ae4fd6d05801b09619f43025043b61b936709a50636a8dd835ac07e512a7a429b3d2fd1937a45137c8743c204e8ee5cc84907e3c8b32075aeb59712880c9350e6b0043e2d7490c79856efdea8d4e051e3fd45b2578ab6a63296b8d6c0083f77378ba7aebf4cd6ad86849c06b235b050f347b7133714c0b2bdad30614d21d8844b7208f0a7f02a6f45f87427d781a179b732b4c5179dd3b848d8a3d4440c058c62039d752a54f05d39fefd87f66432b976e7f24f06216e184abb689365447268611f22d13e4b038dd17e01c7bacd9572e088e012e5dc2320925cdfc1354dff120bbcac45e9826869b83505a55ae0fc721e9c81d97dac44e0d8243836f5e8ebf9cd2d7998578b6a5485b906b0883802cb5504997de63a4ff7b45642349b12b76260ac1c0c5becb27fc521ca86ebe000fd7cc206fc1ab7c14a956a70b11807a520da1a3b35b0739d81ddb107c6e850620ecf43954810c549a9256f40c464a98bd5eae3366253d82e79601bddabf58f7c9f375df4e844df21b5b7f7f58ac8a01a4ca8302511bd7ac8dfc85463600208f93456538731851240ec83ad5382c801489cbdc61041035bd202eae012ef1bfa4604ee39e45ee634eeb56f01e8ff2e7eea840055888a54fc359382b81073343be7d37d71cba976d5cb9a1c84d1f9404a0ee6efcade03519d4582701d1cccb82e8a76b31287cf1e91d446cedf9e8c68f91c780560c03ddc3a849f3b7e1e14c372aa992ff9a32aa910cf4462bb895c59a04a15d89b278b928c1a71a49d821a05212f6299139e5839297d2405694303b49d6134a5f53b228e2186faf09ec51f9bb2f851fa4eda83458d92932d1443055415080c8e19a429815e3fb9d977f5a85716a985e9ae322108e4236534ef2164b251bcfdd138f08b520163476090142330ebc8fd7683d4ee7a494eac104155922498ca937daa3403d52b919421bf3d11c82c3fda74556292ed10c2155482983720b21f57802a5d8705acb1d02031f1ecdb6c001e112e13e94a54e041ef585584b08e4bad33d155f4742dc9c7cec8d81c06ef0319b400711834eb9400c44924d6cab88f58f28eddc829e4ce75e65d1f9df352c9e3ab8981cf6e2828419408e4c3b0aba8f179c4069550671239302fe0a9ac760c8f88ce91b5d4c003f20506cd3692751b8d755a6a494345868e1518074a9a2320e40964b8406f74e5585769082f853756e30f96fa3f162648cec6fc2c6024876421b3cf2c3e43cc1ae23cf359369a2a80e375870efcbe26f0f20accfa022ab46a1720c7800859740e9164dd085bbba6d09918c80f1ae1d3da56014f7507897b6a20860ebb68b4286d25741700555a66e000dc7d170a4a1d4a24ef9bee3e1eef90d318333f9c409dd41508a621f47aa4a00070dfd7f0b8f371032a2eaba744617b27c1001cd1bc486cb3fa3ee8fb2632044c3a86e910f7412121347d013a3b79014ca32bc2ddd7988adcb58fb36c757d5056a60639858f2549e6ea1c1fb0075924faa36699f9905ca58b0c951116122236291ea64887eba1c38790a80de5803e80353b422d006e2311fe3533d935b6e6425bee6a5544361563682286821f9ad05ea5c732082f6c1ee1c32342f3b2232898a6112d95fe712814943a501a39920d08bff61b211184349db42aa16246ef3c0f55bc12d1a1f564c66bc98ae4d60a', 3255688584),
	(127611421966595, 96369667593230, 0, 0, 0, '\x0085a17604a27473d920323032362d31312d31375430323a35373a34322e3132343035392b30303a3030b06368616e6e656c5f76657273696f6e7381a95f5f73746172745f5fd92c30303030303030303030303030303030303030303030303030303030303030312e302e363333303537393339ad76657273696f6e735f7365656e81a95f5f696e7075745f5f80b0757064617465645f6368616e6e656c7391a95f5f73746172745f5f', 616821340),
	(127611421966595, 109129718138793, 0, 0, 0, '\x0095c70004aa6e616d65647475706c65d92f6c616e6767726170682e636865636b706f696e742e73657264652e74797065732e5f44656c7461536e617073686f74a576616c756593a67475726e2030a761667465722031a67475726e2031', 1018362880),
	(127611421966595, 127749561128910, 0, 0, 0, '\x0095c70004aa6e616d65647475706c65d92f6c616e6767726170682e636865636b706f696e742e73657264652e74797065732e5f44656c7461536e617073686f74a576616c756596a67475726e2030a761667465722031a67475726e2031a761667465722033a67475726e2032a761667465722035', 1269999722);

INSERT INTO golden.chunk_slot VALUES
	(131594772306283, 1504609374101, -1, 4135415923, 3, '\x'),
	(131594772306283, 1504609374101, -1, 3974019233, 4, '\x'),
	(131594772306283, 1504609374101, -1, 2628972381, 5, '\x'),
	(131594772306283, 1504609374101, -1, 512143740, 6, '\x'),
	(131594772306283, 1504609374101, -1, 1002306593, 7, '\x'),
	(131594772306283, 1504609374101, -1, 2233424499, 8, '\x'),
	(131594772306283, 1504609374101, -1, 229448877, 9, '\x'),
	(131594772306283, 1504609374101, -1, 139359601, 10, '\x'),
	(131594772306283, 1504609374101, -1, 1900716136, 11, '\x'),
	(131594772306283, 1504609374101, -1, 2474536057, 12, '\x'),
	(131594772306283, 1504609374101, -1, 3313713462, 13, '\x'),
	(36607090221604, 130860535780992, 129, 3978844085, 1, '\x009401cc81009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203132393a2030203130323135353120323034333130322033303634363533203430383632303420353130373735352036313239333036203731353038353720383137323430382039313933393539203130323135353130203131323337303631203132323538363132203133323830313633203134333031373134203135333233323635203136333434383136203137333636333637203138333837393138203139343039343639203230343331303230203231343532353731203232343734313232203233343935363733203234353137323234203235353338373735203236353630333236203237353831383737203238363033343238203239363234393739'),
	(36607090221604, 130860535780992, 130, 3478899963, 2, '\x009401cc82009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203133303a2030203130323934373020323035383934302033303838343130203431313738383020353134373335302036313736383230203732303632393020383233353736302039323635323330203130323934373030203131333234313730203132333533363430203133333833313130203134343132353830203135343432303530203136343731353230203137353030393930203138353330343630203139353539393330203230353839343030203231363138383730203232363438333430203233363737383130203234373037323830203235373336373530203236373636323230203237373935363930203238383235313630203239383534363330'),
	(131594772306283, 1504609374101, -1, 1912263595, 14, '\x'),
	(131594772306283, 1504609374101, -1, 170932353, 15, '\x'),
	(131594772306283, 1504609374101, -1, 2268634895, 16, '\x'),
	(131594772306283, 1504609374101, -1, 171695871, 17, '\x'),
	(131594772306283, 1504609374101, -1, 3640779366, 18, '\x'),
	(131594772306283, 1504609374101, -1, 4195457574, 19, '\x'),
	(131594772306283, 1504609374101, -1, 165063487, 20, '\x'),
	(131594772306283, 1504609374101, -1, 1524988990, 21, '\x'),
	(131594772306283, 1504609374101, -1, 383134801, 22, '\x'),
	(131594772306283, 1504609374101, -1, 2254187374, 23, '\x'),
	(131594772306283, 1504609374101, -1, 2454810465, 24, '\x'),
	(131594772306283, 1504609374101, -1, 971334457, 25, '\x'),
	(131594772306283, 1504609374101, -1, 305543222, 26, '\x'),
	(131594772306283, 1504609374101, -1, 113794290, 27, '\x'),
	(131594772306283, 1504609374101, -1, 966334922, 28, '\x'),
	(131594772306283, 1504609374101, -1, 1011667082, 29, '\x'),
	(131594772306283, 1504609374101, -1, 3250548854, 30, '\x'),
	(131594772306283, 1504609374101, -1, 3810113699, 31, '\x'),
	(131594772306283, 1504609374101, 65, 2121721206, 1, '\x009401430091b46d6573736167652036373a203335353438333931'),
	(131594772306283, 1504609374101, 66, 381692980, 2, '\x009401440091b46d6573736167652036383a203336363137343536'),
	(131594772306283, 116582215093663, 0, 702448769, 0, '\x009401450091b46d6573736167652036393a203337373032333539'),
	(131594772306283, 116582215093663, 1, 1036490498, 1, '\x009401460091ac6d65737361676520303a2030'),
	(36607090221604, 130860535780992, 131, 4003003595, 3, '\x009401cc83009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203133313a2030203130333733383920323037343737382033313132313637203431343935353620353138363934352036323234333334203732363137323320383239393131322039333336353031203130333733383930203131343131323739203132343438363638203133343836303537203134353233343436203135353630383335203136353938323234203137363335363133203138363733303032203139373130333931203230373437373830203231373835313639203232383232353538203233383539393437203234383937333336203235393334373235203236393732313134203238303039353033203239303436383932203330303834323831'),
	(36607090221604, 130860535780992, 132, 583909061, 4, '\x009401cc84009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203133323a2030203130343533303820323039303631362033313335393234203431383132333220353232363534302036323731383438203733313731353620383336323436342039343037373732203130343533303830203131343938333838203132353433363936203133353839303034203134363334333132203135363739363230203136373234393238203137373730323336203138383135353434203139383630383532203230393036313630203231393531343638203232393936373736203234303432303834203235303837333932203236313332373030203237313738303038203238323233333136203239323638363234203330333133393332'),
	(36607090221604, 130860535780992, 133, 1599674228, 5, '\x009401cc85009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203133333a2030203130353332323720323130363435342033313539363831203432313239303820353236363133352036333139333632203733373235383920383432353831362039343739303433203130353332323730203131353835343937203132363338373234203133363931393531203134373435313738203135373938343035203136383531363332203137393034383539203138393538303836203230303131333133203231303634353430203232313137373637203233313730393934203234323234323231203235323737343438203236333330363735203237333833393032203238343337313239203239343930333536203330353433353833'),
	(36607090221604, 130860535780992, 134, 4247774689, 6, '\x009401cc86009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203133343a2030203130363131343620323132323239322033313833343338203432343435383420353330353733302036333636383736203734323830323220383438393136382039353530333134203130363131343630203131363732363036203132373333373532203133373934383938203134383536303434203135393137313930203136393738333336203138303339343832203139313030363238203230313631373734203231323232393230203232323834303636203233333435323132203234343036333538203235343637353034203236353238363530203237353839373936203238363530393432203239373132303838203330373733323334'),
	(36607090221604, 130860535780992, 135, 2605923400, 7, '\x009401cc87009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203133353a2030203130363930363520323133383133302033323037313935203432373632363020353334353332352036343134333930203734383334353520383535323532302039363231353835203130363930363530203131373539373135203132383238373830203133383937383435203134393636393130203136303335393735203137313035303430203138313734313035203139323433313730203230333132323335203231333831333030203232343530333635203233353139343330203234353838343935203235363537353630203236373236363235203237373935363930203238383634373535203239393333383230203331303032383835'),
	(36607090221604, 130860535780992, 147, 1383663489, 19, '\x009401cc93009182a4726f6c65a475736572a7636f6e74656e74da010b6d657373616765203134373a203020313136343039332032333238313836203334393232373920343635363337322035383230343635203639383435353820383134383635312039333132373434203130343736383337203131363430393330203132383035303233203133393639313136203135313333323039203136323937333032203137343631333935203138363235343838203139373839353831203230393533363734203232313137373637203233323831383630203234343435393533203235363130303436203236373734313339203237393338323332203239313032333235203330323636343138203331343330353131203332353934363034203333373538363937'),
	(36607090221604, 130860535780992, 148, 4204439894, 20, '\x009401cc94009182a4726f6c65a475736572a7636f6e74656e74da010b6d657373616765203134383a203020313137323031322032333434303234203335313630333620343638383034382035383630303630203730333230373220383230343038342039333736303936203130353438313038203131373230313230203132383932313332203134303634313434203135323336313536203136343038313638203137353830313830203138373532313932203139393234323034203231303936323136203232323638323238203233343430323430203234363132323532203235373834323634203236393536323736203238313238323838203239333030333030203330343732333132203331363434333234203332383136333336203333393838333438'),
	(36607090221604, 130860535780992, 136, 2208660519, 8, '\x009401cc88009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203133363a2030203130373639383420323135333936382033323330393532203433303739333620353338343932302036343631393034203735333838383820383631353837322039363932383536203130373639383430203131383436383234203132393233383038203134303030373932203135303737373736203136313534373630203137323331373434203138333038373238203139333835373132203230343632363936203231353339363830203232363136363634203233363933363438203234373730363332203235383437363136203236393234363030203238303031353834203239303738353638203330313535353532203331323332353336'),
	(36607090221604, 130860535780992, 137, 2805605141, 9, '\x009401cc89009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203133373a2030203130383439303320323136393830362033323534373039203433333936313220353432343531352036353039343138203735393433323120383637393232342039373634313237203130383439303330203131393333393333203133303138383336203134313033373339203135313838363432203136323733353435203137333538343438203138343433333531203139353238323534203230363133313537203231363938303630203232373832393633203233383637383636203234393532373639203236303337363732203237313232353735203238323037343738203239323932333831203330333737323834203331343632313837'),
	(36607090221604, 130860535780992, 138, 2313223073, 10, '\x009401cc8a009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203133383a2030203130393238323220323138353634342033323738343636203433373132383820353436343131302036353536393332203736343937353420383734323537362039383335333938203130393238323230203132303231303432203133313133383634203134323036363836203135323939353038203136333932333330203137343835313532203138353737393734203139363730373936203230373633363138203231383536343430203232393439323632203234303432303834203235313334393036203236323237373238203237333230353530203238343133333732203239353036313934203330353939303136203331363931383338'),
	(36607090221604, 130860535780992, 139, 2363530570, 11, '\x009401cc8b009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203133393a2030203131303037343120323230313438322033333032323233203434303239363420353530333730352036363034343436203737303531383720383830353932382039393036363639203131303037343130203132313038313531203133323038383932203134333039363333203135343130333734203136353131313135203137363131383536203138373132353937203139383133333338203230393134303739203232303134383230203233313135353631203234323136333032203235333137303433203236343137373834203237353138353235203238363139323636203239373230303037203330383230373438203331393231343839'),
	(36607090221604, 130860535780992, 140, 3933436782, 12, '\x009401cc8c009182a4726f6c65a475736572a7636f6e74656e74da010a6d657373616765203134303a2030203131303836363020323231373332302033333235393830203434333436343020353534333330302036363531393630203737363036323020383836393238302039393737393430203131303836363030203132313935323630203133333033393230203134343132353830203135353231323430203136363239393030203137373338353630203138383437323230203139393535383830203231303634353430203232313733323030203233323831383630203234333930353230203235343939313830203236363037383430203237373136353030203238383235313630203239393333383230203331303432343830203332313531313430'),
	(36607090221604, 130860535780992, 141, 3441476496, 13, '\x009401cc8d009182a4726f6c65a475736572a7636f6e74656e74da010b6d657373616765203134313a203020313131363537392032323333313538203333343937333720343436363331362035353832383935203636393934373420373831363035332038393332363332203130303439323131203131313635373930203132323832333639203133333938393438203134353135353237203135363332313036203136373438363835203137383635323634203138393831383433203230303938343232203231323135303031203232333331353830203233343438313539203234353634373338203235363831333137203236373937383936203237393134343735203239303331303534203330313437363333203331323634323132203332333830373931'),
	(36607090221604, 130860535780992, 142, 127375236, 14, '\x009401cc8e009182a4726f6c65a475736572a7636f6e74656e74da010b6d657373616765203134323a203020313132343439382032323438393936203333373334393420343439373939322035363232343930203637343639383820373837313438362038393935393834203130313230343832203131323434393830203132333639343738203133343933393736203134363138343734203135373432393732203136383637343730203137393931393638203139313136343636203230323430393634203231333635343632203232343839393630203233363134343538203234373338393536203235383633343534203236393837393532203238313132343530203239323336393438203330333631343436203331343835393434203332363130343432'),
	(36607090221604, 130860535780992, 143, 1815605977, 15, '\x009401cc8f009182a4726f6c65a475736572a7636f6e74656e74da010b6d657373616765203134333a203020313133323431372032323634383334203333393732353120343532393636382035363632303835203637393435303220373932363931392039303539333336203130313931373533203131333234313730203132343536353837203133353839303034203134373231343231203135383533383338203136393836323535203138313138363732203139323531303839203230333833353036203231353135393233203232363438333430203233373830373537203234393133313734203236303435353931203237313738303038203238333130343235203239343432383432203330353735323539203331373037363736203332383430303933');
INSERT INTO golden.chunk_slot VALUES
	(36607090221604, 130860535780992, 144, 3861235833, 16, '\x009401cc90009182a4726f6c65a475736572a7636f6e74656e74da010b6d657373616765203134343a203020313134303333362032323830363732203334323130303820343536313334342035373031363830203638343230313620373938323335322039313232363838203130323633303234203131343033333630203132353433363936203133363834303332203134383234333638203135393634373034203137313035303430203138323435333736203139333835373132203230353236303438203231363636333834203232383036373230203233393437303536203235303837333932203236323237373238203237333638303634203238353038343030203239363438373336203330373839303732203331393239343038203333303639373434'),
	(36607090221604, 130860535780992, 145, 1915680205, 17, '\x009401cc91009182a4726f6c65a475736572a7636f6e74656e74da010b6d657373616765203134353a203020313134383235352032323936353130203334343437363520343539333032302035373431323735203638383935333020383033373738352039313836303430203130333334323935203131343832353530203132363330383035203133373739303630203134393237333135203136303735353730203137323233383235203138333732303830203139353230333335203230363638353930203231383136383435203232393635313030203234313133333535203235323631363130203236343039383635203237353538313230203238373036333735203239383534363330203331303032383835203332313531313430203333323939333935'),
	(36607090221604, 130860535780992, 146, 1304668268, 18, '\x009401cc92009182a4726f6c65a475736572a7636f6e74656e74da010b6d657373616765203134363a203020313135363137342032333132333438203334363835323220343632343639362035373830383730203639333730343420383039333231382039323439333932203130343035353636203131353631373430203132373137393134203133383734303838203135303330323632203136313836343336203137333432363130203138343938373834203139363534393538203230383131313332203231393637333036203233313233343830203234323739363534203235343335383238203236353932303032203237373438313736203238393034333530203330303630353234203331323136363938203332333732383732203333353239303436'),
	(36607090221604, 130860535780992, -1, 2195853635, 22, '\x'),
	(36607090221604, 130860535780992, -1, 1583109861, 23, '\x'),
	(36607090221604, 130860535780992, -1, 889449888, 24, '\x'),
	(36607090221604, 130860535780992, -1, 2103616011, 25, '\x'),
	(36607090221604, 130860535780992, -1, 3188073727, 26, '\x'),
	(36607090221604, 130860535780992, -1, 286019107, 27, '\x'),
	(36607090221604, 130860535780992, -1, 1503747119, 28, '\x'),
	(36607090221604, 130860535780992, -1, 1869112641, 29, '\x'),
	(36607090221604, 130860535780992, -1, 1941914333, 30, '\x'),
	(36607090221604, 130860535780992, -1, 3486501297, 31, '\x'),
	(36607090221604, 130860535780992, 149, 3011838798, 21, '\x009401cc95009182a4726f6c65a475736572a7636f6e74656e74da010b6d657373616765203134393a203020313137393933312032333539383632203335333937393320343731393732342035383939363535203730373935383620383235393531372039343339343438203130363139333739203131373939333130203132393739323431203134313539313732203135333339313033203136353139303334203137363938393635203138383738383936203230303538383237203231323338373538203232343138363839203233353938363230203234373738353531203235393538343832203237313338343133203238333138333434203239343938323735203330363738323036203331383538313337203333303338303638203334323137393939'),
	(36607090221604, 135740807740093, 0, 3646140931, 0, '\x00940164009181a7636f6e74656e74a26f6e'),
	(127611421966595, 96369667593230, 1, 2293739530, 1, '\x0094029094a27473d920323032362d31312d31375430323a35373a34322e3133303437312b30303a3030b0757064617465645f6368616e6e656c7392ad6272616e63683a746f3a616464a56c696e657394b06368616e6e656c5f76657273696f6e7394029096a95f5f73746172745f5fd92c30303030303030303030303030303030303030303030303030303030303030322e302e343831313338393033a56c696e6573d92c30303030303030303030303030303030303030303030303030303030303030322e302e343831313338393033ad6272616e63683a746f3a616464d92c30303030303030303030303030303030303030303030303030303030303030322e302e34383131333839303390ad76657273696f6e735f7365656e94029094a95f5f696e7075745f5f80a95f5f73746172745f5f81a95f5f73746172745f5fd92c30303030303030303030303030303030303030303030303030303030303030312e302e36333330353739333990'),
	(127611421966595, 96369667593230, 2, 2093736815, 2, '\x0094029094a27473d920323032362d31312d31375430323a35373a34322e3133373238372b30303a3030b0757064617465645f6368616e6e656c7391a56c696e657394b06368616e6e656c5f76657273696f6e7394029094a56c696e6573d92b30303030303030303030303030303030303030303030303030303030303030332e302e3032363939383834ad6272616e63683a746f3a616464d92b30303030303030303030303030303030303030303030303030303030303030332e302e303236393938383490ad76657273696f6e735f7365656e94029094a95f5f696e7075745f5f80a361646481ad6272616e63683a746f3a616464d92c30303030303030303030303030303030303030303030303030303030303030322e302e34383131333839303390'),
	(127611421966595, 96369667593230, 3, 2068441941, 3, '\x0094029094a27473d920323032362d31312d31375430323a35373a34322e3230333230302b30303a3030b0757064617465645f6368616e6e656c7391a95f5f73746172745f5f94b06368616e6e656c5f76657273696f6e7394029092a95f5f73746172745f5fd92c30303030303030303030303030303030303030303030303030303030303030342e302e35393637333739333990ad76657273696f6e735f7365656e94029092a95f5f696e7075745f5f8090'),
	(127611421966595, 96369667593230, 4, 1639053210, 4, '\x0094029094a27473d920323032362d31312d31375430323a35373a34322e3230343731352b30303a3030b0757064617465645f6368616e6e656c7392ad6272616e63683a746f3a616464a56c696e657394b06368616e6e656c5f76657273696f6e7394029096a95f5f73746172745f5fd92c30303030303030303030303030303030303030303030303030303030303030352e302e333131373639383636a56c696e6573d92c30303030303030303030303030303030303030303030303030303030303030352e302e333131373639383636ad6272616e63683a746f3a616464d92c30303030303030303030303030303030303030303030303030303030303030352e302e33313137363938363690ad76657273696f6e735f7365656e94029092a95f5f696e7075745f5f8092a95f5f73746172745f5f94029092a95f5f73746172745f5fd92c30303030303030303030303030303030303030303030303030303030303030342e302e35393637333739333990'),
	(127611421966595, 96369667593230, 5, 3421420626, 5, '\x0094029094a27473d920323032362d31312d31375430323a35373a34322e3230353534382b30303a3030b0757064617465645f6368616e6e656c7391a56c696e657394b06368616e6e656c5f76657273696f6e7394029094a56c696e6573d92c30303030303030303030303030303030303030303030303030303030303030362e302e363738323333303438ad6272616e63683a746f3a616464d92c30303030303030303030303030303030303030303030303030303030303030362e302e36373832333330343890ad76657273696f6e735f7365656e94029092a95f5f696e7075745f5f8092a361646494029092ad6272616e63683a746f3a616464d92c30303030303030303030303030303030303030303030303030303030303030352e302e33313137363938363690'),
	(127611421966595, 96369667593230, 6, 728463195, 6, '\x0094029094a27473d920323032362d31312d31375430323a35373a34322e3234373637362b30303a3030b0757064617465645f6368616e6e656c7391a95f5f73746172745f5f94b06368616e6e656c5f76657273696f6e7394029092a95f5f73746172745f5fd92c30303030303030303030303030303030303030303030303030303030303030372e302e33353636343339333590ad76657273696f6e735f7365656e94029092a95f5f696e7075745f5f8090'),
	(127611421966595, 96369667593230, 7, 3896993349, 7, '\x0094029094a27473d920323032362d31312d31375430323a35373a34322e3234393132332b30303a3030b0757064617465645f6368616e6e656c7392ad6272616e63683a746f3a616464a56c696e657394b06368616e6e656c5f76657273696f6e7394029096a95f5f73746172745f5fd92a30303030303030303030303030303030303030303030303030303030303030382e302e39313835363134a56c696e6573d92a30303030303030303030303030303030303030303030303030303030303030382e302e39313835363134ad6272616e63683a746f3a616464d92a30303030303030303030303030303030303030303030303030303030303030382e302e3931383536313490ad76657273696f6e735f7365656e94029092a95f5f696e7075745f5f8092a95f5f73746172745f5f94029092a95f5f73746172745f5fd92c30303030303030303030303030303030303030303030303030303030303030372e302e33353636343339333590'),
	(127611421966595, 96369667593230, 8, 3182263107, 8, '\x0094029094a27473d920323032362d31312d31375430323a35373a34322e3235303031302b30303a3030b0757064617465645f6368616e6e656c7391a56c696e657394b06368616e6e656c5f76657273696f6e7394029094a56c696e6573d92b30303030303030303030303030303030303030303030303030303030303030392e302e3634343038323035ad6272616e63683a746f3a616464d92b30303030303030303030303030303030303030303030303030303030303030392e302e363434303832303590ad76657273696f6e735f7365656e94029092a95f5f696e7075745f5f8092a361646494029092ad6272616e63683a746f3a616464d92a30303030303030303030303030303030303030303030303030303030303030382e302e3931383536313490'),
	(127611421966595, 96369667593230, 9, 2895086385, 9, '\x0094029094a27473d920323032362d31312d31375430323a35373a34322e3236343138312b30303a3030b0757064617465645f6368616e6e656c7391a95f5f73746172745f5f94b06368616e6e656c5f76657273696f6e7394029092a95f5f73746172745f5fd92c30303030303030303030303030303030303030303030303030303030303031302e302e38323238353630373890ad76657273696f6e735f7365656e94029092a95f5f696e7075745f5f8090'),
	(127611421966595, 96369667593230, 10, 880959712, 10, '\x0094029094a27473d920323032362d31312d31375430323a35373a34322e3236353234302b30303a3030b0757064617465645f6368616e6e656c7392ad6272616e63683a746f3a616464a56c696e657394b06368616e6e656c5f76657273696f6e7394029096a95f5f73746172745f5fd92b30303030303030303030303030303030303030303030303030303030303031312e302e3430313031333337a56c696e6573d92b30303030303030303030303030303030303030303030303030303030303031312e302e3430313031333337ad6272616e63683a746f3a616464d92b30303030303030303030303030303030303030303030303030303030303031312e302e343031303133333790ad76657273696f6e735f7365656e94029092a95f5f696e7075745f5f8092a95f5f73746172745f5f94029092a95f5f73746172745f5fd92c30303030303030303030303030303030303030303030303030303030303031302e302e38323238353630373890'),
	(127611421966595, 96369667593230, 11, 3866688306, 11, '\x0094029094a27473d920323032362d31312d31375430323a35373a34322e3236363032342b30303a3030b0757064617465645f6368616e6e656c7391a56c696e657394b06368616e6e656c5f76657273696f6e7394029094a56c696e6573d92c30303030303030303030303030303030303030303030303030303030303031322e302e333034343531333831ad6272616e63683a746f3a616464d92c30303030303030303030303030303030303030303030303030303030303031322e302e33303434353133383190ad76657273696f6e735f7365656e94029092a95f5f696e7075745f5f8092a361646494029092ad6272616e63683a746f3a616464d92b30303030303030303030303030303030303030303030303030303030303031312e302e343031303133333790');

INSERT INTO golden.early_write VALUES
	('graph', '', 'ffffffff-ffff-6fff-8fff-ffffffffffff', 'task', 0, '', 1794884262295871, '\x92a56c696e6573c40791a56561726c79', 641755097);

INSERT INTO golden.format VALUES
	('holdfast', 1, 1, '{"1": "96fd7ecaa48bee8ecc5991ca98c2fc80ed21c8c6b4bb32a7eca5f3a8fce97f77"}');

INSERT INTO golden.journal VALUES
	(36607090221604, 85978745929858, 1, 'note', 'first', 1794884262066169, '\x81a16e01', 451694635),
	(36607090221604, 85978745929858, 2, 'note', NULL, 1794884262067670, '\x81a16e02', 2858901293),
	(126148392243349, 135828601343715, 1, 'holdfast.intent', NULL, 1794884262081200, '\x89a96e616d657370616365a0a36e746800a2617401a46261736501a9756e7772697474656ec2a46e616d65a36f6e65a36b6579c0aa6964656d706f74656e74c2a5616761696ec0', 442582597),
	(126148392243349, 135828601343715, 2, 'holdfast.result', NULL, 1794884262083319, '\x82a26f6601a576616c756501', 2896859358),
	(1339983503385, 2263822312615, 1, 'holdfast.intent', NULL, 1794884262099367, '\x89a96e616d657370616365a0a36e746800a2617401a46261736501a9756e7772697474656ec2a46e616d65a3706179a36b6579a77061796d656e74aa6964656d706f74656e74c2a5616761696ec0', 1675016500),
	(1339983503385, 2263822312615, 2, 'holdfast.result', NULL, 1794884262101520, '\x82a26f6601a576616c7565a772656365697074', 1200676973),
	(1339983503385, 2263822312615, 3, 'holdfast.interrupt', NULL, 1794884262102955, '\x87a96e616d657370616365a0a36e746800a2617401a46261736501a9756e7772697474656ec2a46e616d65a0a77061796c6f616481a26f6ba13f', 3893934959);

INSERT INTO golden.line VALUES
	(131594772306283, 82489766722161, 82489766722161, '', 2, 1, 82489766722161, 1, 1, 49, 1794884261767356, 0, 0, NULL, 0, 0, 0, 0, 0, 0, '', 0, 0, 3281405783, '{3832634363022945808}'),
	(126148392243349, 135828601343715, 135828601343715, '', 7, 3, 135828601343715, 3, 3, 18, 1794884262088602, 0, 0, NULL, 0, 0, 0, 2, 0, 1, '', 1794884262090799, 30000000, 730295374, '{7567618244728568797,5327808238094957412,4532842156507088918,4016120642278523323,8452724001163579848,5867480439438359303,8649065527196353561}'),
	(36607090221604, 85978745929858, 85978745929858, '', 153, 150, 85978745929858, 150, 150, 26177, 1794884262051134, 1, 0, NULL, 0, 0, 0, 2, 0, 0, '', 0, 0, 3842404457, '{4902766915037074975,8731376166203572800,6704929699195949788,6529660455018694605,5662304778920430197,2771617184262116159,459908724194492663,5839599783822911453}'),
	(131594772306283, 139264678315274, 133645429513999, 'sub', 3, 3, 139264678315274, 3, 3, 90, 1794884261782387, 0, 0, NULL, 0, 0, 0, 0, 0, 0, '', 0, 0, 1323996907, '{6133144834931434669,4526610098982979580,4678810761377076443}'),
	(131594772306283, 54312673403959, 54312673403959, '', 1, 70, 133645429513999, 70, 68, 0, 1794884261719887, 0, 3, 133645429513999, 70, 4, 1, 0, 0, 0, '', 0, 0, 574248447, '{8062255123963329098}'),
	(131594772306283, 61791185424427, 54312673403959, 'sub', 1, 3, 139264678315274, 3, 3, 0, 1794884261782387, 0, 0, 139264678315274, 3, 4, 1, 0, 0, 0, '', 0, 0, 2361897958, '{8062255123963329098}'),
	(131594772306283, 133645429513999, 133645429513999, '', 76, 70, 133645429513999, 70, 68, 4179, 1794884261719887, 4, 3, NULL, 0, 0, 0, 0, 0, 0, '', 0, 0, 628358878, '{8062255123963329098,3832634363022945808,6728962185867165041,3501159569574012426,4920925440050234593,8938435746012538870,5200414273992165678,3354959681443733548}'),
	(85927044533500, 13484317103662, 13484317103662, '', 1, 1, 13484317103662, 1, 1, 18, 1794884261786291, 0, 0, NULL, 0, 0, 0, 0, 0, 0, '', 0, 0, 3703439471, '{1564197301937341749}'),
	(131594772306283, 79351835294659, 79351835294659, '', 3, 72, 79351835294659, 72, 70, 146, 1794884261753332, 0, 3, 133645429513999, 70, 1, 0, 0, 0, 0, '', 0, 0, 10548170, '{3461667792435488168,8244706664536276351,3501159569574012426}'),
	(1339983503385, 2263822312615, 2263822312615, '', 7, 2, 2263822312615, 2, 2, 12, 1794884262104538, 0, 0, NULL, 0, 0, 0, 3, 0, 1, '', 1794884262106085, 30000000, 1307423994, '{6771302828776135520,872792235062853930,3592168035686483982,6081696695422994734,1029507148177501875,245880474390303629,1459889037328782778}'),
	(131594772306283, 84293263230983, 84293263230983, '', 2, 42, 84293263230983, 42, 40, 49, 1794884261762993, 0, 3, 133645429513999, 41, 2, 0, 0, 0, 0, '', 0, 0, 3786003898, '{6728962185867165041}'),
	(68534988255671, 10904488366889, 10904488366889, '', 6, 6, 10904488366889, 6, 6, 36, 1794884262115781, 0, 0, NULL, 0, 0, 0, 0, 0, 0, '', 0, 0, 3299648255, '{8366937792674200498,4523023198134119360,5676831304704023764,4887273978762162613,1367862925536314315,876188366008018933}'),
	(36607090221604, 33460196055492, 33460196055492, '', 2, 101, 33460196055492, 101, 101, 57, 1794884262062691, 0, 0, 85978745929858, 100, 1, 0, 0, 0, 0, '', 0, 0, 3531389328, '{2445635561462142627,6704929699195949788}'),
	(127611421966595, 114789654487165, 114789654487165, '', 12, 12, 114789654487165, 12, 12, 4866, 1794884262291143, 0, 0, NULL, 0, 0, 0, 0, 0, 0, '', 0, 0, 310402310, '{98194570346193851,3252055236045319067,3803652163340237304,7332545295609993296,7372456990538995212,3692853419814997913,6783747996086417745,2651820918530066170}');

INSERT INTO golden.log VALUES
	(131594772306283, 116582215093663, 1504609374101, 66, 1334637609),
	(36607090221604, 135740807740093, 130860535780992, 99, 2018092676);

INSERT INTO golden."overlay" VALUES
	(131594772306283, 133645429513999, 11, 0, 0, 'approved', NULL, 115308959),
	(131594772306283, 133645429513999, 21, 0, 1, NULL, NULL, 3185651279),
	(131594772306283, 133645429513999, 22, 0, 1, NULL, NULL, 4198585503);

INSERT INTO golden.pending VALUES
	(131594772306283, 133645429513999, 70, 't1', -1, 0, '', '\x92a7636f6e74726f6cc405a473746f70', 2628149703);

INSERT INTO golden.pending_slot VALUES
	(131594772306283, 133645429513999, 70, 0, 0, 414786262, 0, 't1', '', '\x92a6616e73776572c404a3796573'),
	(131594772306283, 133645429513999, 70, 1, 0, 3951001022, 1, 't1', '', '\x92a6616e73776572c403a26e6f'),
	(131594772306283, 79351835294659, -1, 0, 0, 1131285292, 2, '', '', '\x'),
	(131594772306283, 79351835294659, -1, 1, 0, 3551235489, 3, '', '', '\x');

INSERT INTO golden.quarantine VALUES
	(1, 'run', '\x90', 'made for the golden store', 1, 2978759616);

INSERT INTO golden.run VALUES
	(131594772306283, 133645429513999, 'run-0', 208781975),
	(131594772306283, 133645429513999, 'run-1', 3683861199),
	(131594772306283, 133645429513999, 'run-2', 2026226790),
	(131594772306283, 84293263230983, 'run-1', 1057132251),
	(131594772306283, 82489766722161, 'run-1', 2554729072),
	(126148392243349, 135828601343715, '5FtiRxua5CIBbz2z', 200293195),
	(1339983503385, 2263822312615, '5FtiRxxiDzLDhRJG', 4277361861);

INSERT INTO golden.tag VALUES
	('metadata.tier', 'e46963f29e4adcdd46170b8ac19aa291', 'chat', 3999569874),
	('metadata.user', '=ada', 'chat', 1264060027),
	('status', 'running', 'chat', 1102377169),
	('metadata.tier', 'e46963f29e4adcdd46170b8ac19aa291', 'chat/fork', 3059944356),
	('metadata.user', '=ada', 'chat/fork', 816391386),
	('status', 'running', 'chat/fork', 4079234008),
	('metadata.tier', 'e46963f29e4adcdd46170b8ac19aa291', 'chat/edited', 3274233769),
	('metadata.user', '=ada', 'chat/edited', 3645192258),
	('status', 'running', 'chat/edited', 2077000924),
	('metadata.tier', 'e46963f29e4adcdd46170b8ac19aa291', 'chat/fresh', 3766863602),
	('metadata.user', '=ada', 'chat/fresh', 1472090342),
	('status', 'running', 'chat/fresh', 3111369925),
	('metadata.tier', 'e46963f29e4adcdd46170b8ac19aa291', 'chat/copy', 1077078108),
	('metadata.user', '=ada', 'chat/copy', 3338192674),
	('status', 'running', 'chat/copy', 91605024),
	('status', 'completed', 'done', 1527169270),
	('status', 'running', 'long', 532589331),
	('status', 'running', 'long/fork', 1431498188),
	('status', 'completed', 'worked', 3363984352),
	('status', 'interrupted', 'waits', 2652657210),
	('status', 'running', 'policy', 1160245511),
	('ttl', 'set', 'policy', 579565798),
	('status', 'completed', 'graph', 3616067600);

INSERT INTO golden.thread VALUES
	('chat', 131594772306283, 133645429513999, 1, 1794884261610540, '\x82a475736572a3616461a47469657202', NULL, NULL, 3017755853),
	('chat/fork', 131594772306283, 79351835294659, 1, 1794884261738042, '\x82a475736572a3616461a47469657202', 'chat', 'c69', 3589516307),
	('chat/edited', 131594772306283, 84293263230983, 1, 1794884261761401, '\x82a475736572a3616461a47469657202', 'chat', 'c40', 925563999),
	('chat/fresh', 131594772306283, 82489766722161, 1, 1794884261767201, '\x82a475736572a3616461a47469657202', 'chat', 'c30', 1842247544),
	('chat/copy', 131594772306283, 54312673403959, 1, 1794884261784728, '\x82a475736572a3616461a47469657202', NULL, NULL, 2267377609),
	('done', 85927044533500, 13484317103662, 1, 1794884261786190, '\x', NULL, NULL, 2635751995),
	('long', 36607090221604, 85978745929858, 1, 1794884261789073, '\x', NULL, NULL, 901965897),
	('long/fork', 36607090221604, 33460196055492, 1, 1794884262058176, '\x', 'long', '5FtiRxdotJYvj8Jo', 2596854395),
	('worked', 126148392243349, 135828601343715, 1, 1794884262076035, '\x', NULL, NULL, 867413238),
	('waits', 1339983503385, 2263822312615, 1, 1794884262092968, '\x', NULL, NULL, 3127418346),
	('policy', 68534988255671, 10904488366889, 1, 1794884262110928, '\xc1006793cf000b342eb7c38000c387a96b6565705f6c61737403ac6b6565705f6c6173745f696ec0a76d61785f616765c0aa6b6565705f657665727990ad6b6565705f7465726d696e616cc3ac6b6565705f6c696e65616765c2ae636f76657265645f6265666f7265c0', NULL, NULL, 2022207929),
	('graph', 127611421966595, 114789654487165, 1, 1794884262131988, '\x', NULL, NULL, 3165652572);

INSERT INTO golden.tombstone VALUES
	('\xab237de238ce421e4b87242ac1b197cd', 1, '5FtiRyVBJlZHxhoy', 2590843303);

ALTER TABLE ONLY golden.checkpoint
    ADD CONSTRAINT checkpoint_pkey PRIMARY KEY (tree, line, seq) WITH (fillfactor='100');

ALTER TABLE ONLY golden.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (tree, log, lo);

ALTER TABLE ONLY golden.chunk_slot
    ADD CONSTRAINT chunk_slot_pkey PRIMARY KEY (tree, log, slot);

ALTER TABLE ONLY golden.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (tree, line, seq);

ALTER TABLE ONLY golden.line
    ADD CONSTRAINT line_pkey PRIMARY KEY (tree, line);

ALTER TABLE ONLY golden.log
    ADD CONSTRAINT log_pkey PRIMARY KEY (tree, log);

ALTER TABLE ONLY golden."overlay"
    ADD CONSTRAINT overlay_pkey PRIMARY KEY (tree, line, seq, era);

ALTER TABLE ONLY golden.pending_slot
    ADD CONSTRAINT pending_slot_pkey PRIMARY KEY (tree, line, slot);

ALTER TABLE ONLY golden.quarantine
    ADD CONSTRAINT quarantine_pkey PRIMARY KEY (number);

ALTER TABLE ONLY golden.settled
    ADD CONSTRAINT settled_pkey PRIMARY KEY (tree, line, seq, number, era) WITH (fillfactor='100');

ALTER TABLE ONLY golden.thread
    ADD CONSTRAINT thread_by_id EXCLUDE USING hash (id WITH =);

ALTER TABLE ONLY golden.tombstone
    ADD CONSTRAINT tombstone_pkey PRIMARY KEY (hash);

CREATE INDEX checkpoint_by_id ON golden.checkpoint USING btree (line, "left"(id, 64)) WITH (fillfactor='100');

CREATE UNIQUE INDEX early_write_by_task ON golden.early_write USING btree (hashtextextended(thread, (0)::bigint), hashtextextended(namespace, (0)::bigint), hashtextextended(checkpoint, (0)::bigint), hashtextextended(task_id, (0)::bigint), idx);

CREATE INDEX journal_by_key ON golden.journal USING btree (tree, line, hashtextextended(key, (0)::bigint)) WHERE (key IS NOT NULL);

CREATE INDEX line_by_namespace ON golden.line USING btree (tree, thread, hashtextextended(namespace, (0)::bigint));

CREATE UNIQUE INDEX pending_by_task ON golden.pending USING btree (tree, line, seq, hashtextextended(task_id, (0)::bigint), idx, era);

CREATE INDEX run_by_id ON golden.run USING btree (hashtextextended(run_id, (0)::bigint));

CREATE INDEX run_by_line ON golden.run USING btree (tree, line);

CREATE INDEX tag_by_value ON golden.tag USING btree (hashtextextended(key, (0)::bigint), hashtextextended(value, (0)::bigint), "left"(thread, 256));

CREATE INDEX thread_by_tree ON golden.thread USING btree (tree, line);

CREATE INDEX thread_in_order ON golden.thread USING btree ("left"(id, 256));

