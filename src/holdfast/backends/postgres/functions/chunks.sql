-- The chunks that make up each wanted version of a value log, oldest first, numbered by the position in `logs`.
--
-- Damaged rows may form a cycle: no chain of logs is longer than the number of rows, which ends it. The rows are
-- counted only for chains that are long.

CREATE OR REPLACE FUNCTION chunks_N(in_tree bigint, logs bigint[], positions bigint[])
RETURNS TABLE (
    ask bigint, upto bigint, tree bigint, log bigint, lo bigint, hi bigint, kind smallint, body bytea, sum bigint
)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
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
