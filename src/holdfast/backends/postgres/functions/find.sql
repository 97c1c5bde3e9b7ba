-- The first query of nearly every call: a thread, its root line, the line of a namespace and that line's head, or the
-- tombstone of a deleted thread.
--
-- A STABLE function sees one snapshot, that of the calling statement. The session keeps its plans, where a join of all
-- these tables would be planned for each call.

CREATE OR REPLACE FUNCTION find_N(
    wanted text, in_namespace text, of_tombstone bytea,
    OUT generation bigint, OUT last text, OUT thread thread, OUT root line, OUT own line, OUT head checkpoint
) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
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
