-- The writes that a line sees for the checkpoints `seqs`: its own, and through forks those of its bases. Both kinds
-- come from one call: `kind` is 1 for a pending write, and 0 for the settled writes of a step, which have a number for
-- `idx`. See `Backend.pending`.

CREATE OR REPLACE FUNCTION pending_N(
    in_tree bigint, of_line bigint, of_base bigint, of_era bigint, of_seq bigint, seqs bigint[]
) RETURNS TABLE (
    kind integer, tree bigint, line bigint, seq bigint, task_id text, idx bigint, era bigint, task_path text,
    body bytea, sum bigint
) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    -- Each step may be settled by the checkpoint after it, in whose row its writes are then.
    next_seqs bigint[] := ARRAY(SELECT wanted + 1 FROM unnest(seqs) AS wanted);
    -- A line sees no number of its base above the fork point, so that a search for high numbers ends early.
    lowest bigint := (SELECT min(wanted) FROM unnest(seqs) AS wanted);
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
            WHERE seen.depth > 0 AND line.base_line IS NOT NULL AND lowest <= line.base_seq
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
