-- Every question that the PostgreSQL backend asks, by name. {schema} is the schema's name; {thread}, {line}, {root},
-- {checkpoint}, {head} and their like are the columns of a row in the order of its class; {found_…} the same of a row in
-- a column of its own.

-- name: apply
SELECT {schema}.apply(%s, %s, %s, %s, %s, %s)

-- name: landed
WITH line_put (stamped, missed, gone) AS (
    -- A line that this batch wrote has its stamp, unless it was written eight times since; each time its version grew.
    SELECT
        coalesce(bool_or(%(stamp)s::bigint = ANY(line.stamps)), false),
        coalesce(bool_or(
            %(stamp)s::bigint <> ALL(line.stamps) AND line.version < put.version + cardinality(line.stamps)
        ), false),
        coalesce(bool_or(line.version IS NULL), false)
    FROM unnest(%(line_trees)s::bigint[], %(lines)s::bigint[], %(versions)s::bigint[]) AS put (tree, line, version)
    LEFT JOIN {schema}.line ON line.tree = put.tree AND line.line = put.line
),
-- Where it was written more often, by rows whose numbers are given out once: this batch's, or somebody else's.
numbered (ours, theirs) AS (
    SELECT
        coalesce(bool_or(found.sum = put.sum AND found.created_at = put.created_at), false),
        coalesce(bool_or(found.sum <> put.sum OR found.created_at <> put.created_at), false)
    FROM unnest(
        %(kinds)s::text[], %(trees)s::bigint[], %(of)s::bigint[], %(seqs)s::bigint[], %(sums)s::bigint[],
        %(times)s::bigint[]
    ) AS put (kind, tree, line, seq, sum, created_at)
    JOIN LATERAL (
        SELECT checkpoint.sum, checkpoint.created_at FROM {schema}.checkpoint
        WHERE put.kind = 'checkpoint'
            AND checkpoint.tree = put.tree AND checkpoint.line = put.line AND checkpoint.seq = put.seq
        UNION ALL
        SELECT journal.sum, journal.created_at FROM {schema}.journal
        WHERE put.kind = 'journal' AND journal.tree = put.tree AND journal.line = put.line AND journal.seq = put.seq
    ) AS found ON true
),
-- Whoever buries a thread, or empties graves, does the same to them as anybody else who would.
buried (equal) AS (
    SELECT coalesce(bool_and(grave.sum IS NOT DISTINCT FROM put.sum), false)
    FROM unnest(%(graves)s::bytea[], %(grave_sums)s::bigint[]) AS put (hash, sum)
    LEFT JOIN {schema}.grave ON grave.hash = put.hash
)
SELECT
    CASE
        WHEN stamped THEN true
        WHEN missed THEN false
        WHEN ours OR equal THEN true
        WHEN theirs OR gone OR cardinality(%(lines)s::bigint[]) = 0 THEN false
    END
FROM line_put, numbered, buried

-- name: find
SELECT found.generation, found.last, {found_thread}, {found_root}, {found_own}, {found_head}
FROM {schema}.find(%(id)s, %(namespace)s, %(grave)s) AS found

-- name: ancestry
WITH RECURSIVE below (line, depth) AS (
    SELECT %(line)s::bigint, 0
    UNION ALL
    SELECT line.base_line, below.depth + 1
    FROM below JOIN {schema}.line ON line.tree = %(tree)s AND line.line = below.line
    WHERE line.base_line IS NOT NULL
        AND (depth < 100 OR depth < (SELECT count(*) FROM {schema}.line WHERE tree = %(tree)s)) -- see `chunks`
)
SELECT {line} FROM below JOIN {schema}.line ON line.tree = %(tree)s AND line.line = below.line ORDER BY below.depth

-- name: namespaces
SELECT {line} FROM {schema}.line WHERE tree = %(tree)s AND thread = %(thread)s ORDER BY namespace

-- name: namespace
SELECT {line} FROM {schema}.line
WHERE tree = %(tree)s AND thread = %(thread)s
    AND hashtextextended(namespace, 0) = hashtextextended(%(namespace)s, 0) AND namespace = %(namespace)s

-- name: tree_threads
SELECT {thread} FROM {schema}.thread WHERE tree = %(tree)s

-- name: thread_of
SELECT {thread} FROM {schema}.thread WHERE tree = %(tree)s AND line = %(line)s

-- name: checkpoints_newest
SELECT {checkpoint} FROM {schema}.checkpoint
WHERE tree = %(tree)s AND line = %(line)s AND seq BETWEEN %(lo)s AND %(hi)s
    AND (%(run_id)s::text IS NULL OR run_id = %(run_id)s) AND (%(status)s::text IS NULL OR status = %(status)s)
    AND (%(source)s::text IS NULL OR source = %(source)s) AND (%(node)s::text IS NULL OR node = %(node)s)
    AND (%(max_step)s::bigint IS NULL OR step <= %(max_step)s)
    AND (%(max_time)s::bigint IS NULL OR created_at <= %(max_time)s)
    AND (%(max_journal)s::bigint IS NULL OR journal_seq <= %(max_journal)s)
ORDER BY seq DESC LIMIT %(limit)s

-- name: checkpoints_oldest
SELECT {checkpoint} FROM {schema}.checkpoint
WHERE tree = %(tree)s AND line = %(line)s AND seq BETWEEN %(lo)s AND %(hi)s
    AND (%(run_id)s::text IS NULL OR run_id = %(run_id)s) AND (%(status)s::text IS NULL OR status = %(status)s)
    AND (%(source)s::text IS NULL OR source = %(source)s) AND (%(node)s::text IS NULL OR node = %(node)s)
    AND (%(max_step)s::bigint IS NULL OR step <= %(max_step)s)
    AND (%(max_time)s::bigint IS NULL OR created_at <= %(max_time)s)
    AND (%(max_journal)s::bigint IS NULL OR journal_seq <= %(max_journal)s)
ORDER BY seq LIMIT %(limit)s

-- name: by_id
SELECT {checkpoint}
FROM unnest(%(lines)s::bigint[]) WITH ORDINALITY AS want (line, place)
JOIN {schema}.checkpoint
    ON checkpoint.tree = %(tree)s AND checkpoint.line = want.line
    AND left(checkpoint.id, 64) = left(%(id)s, 64) AND checkpoint.id = %(id)s
ORDER BY want.place, checkpoint.seq

-- name: checkpoints_by_id
SELECT {checkpoint} FROM {schema}.checkpoint
WHERE tree = %(tree)s AND line = %(line)s
    AND (%(before)s::text IS NULL OR (left(id, 64) <= left(%(before)s, 64) AND id < %(before)s))
ORDER BY left(id, 64) DESC, id DESC, seq DESC LIMIT %(limit)s

-- name: marks
SELECT {mark} FROM {schema}.mark WHERE tree = %(tree)s AND line = ANY(%(lines)s::bigint[])

-- name: chunks
SELECT found.ask, found.upto, {found_piece}
FROM {schema}.chunks(%(tree)s, %(logs)s, %(positions)s) WITH ORDINALITY AS found (ask, upto, piece, place)
ORDER BY found.place

-- name: pending
SELECT kind, tree, line, seq, task_id, idx, era, task_path, body, sum
FROM {schema}.pending(%(tree)s, %(line)s, %(base_line)s, %(base_era)s, %(base_seq)s, %(seqs)s) WITH ORDINALITY
    AS found (kind, tree, line, seq, task_id, idx, era, task_path, body, sum, place)
ORDER BY place

-- name: waiting
SELECT {waiting} FROM {schema}.waiting
WHERE hashtextextended(thread, 0) = hashtextextended(%(thread)s, 0)
    AND hashtextextended(namespace, 0) = hashtextextended(%(namespace)s, 0)
    AND hashtextextended(checkpoint, 0) = hashtextextended(%(checkpoint)s, 0)
    AND thread = %(thread)s AND namespace = %(namespace)s AND checkpoint = %(checkpoint)s

-- name: journal
SELECT {journal} FROM {schema}.journal
WHERE tree = %(tree)s AND line = %(line)s AND seq BETWEEN %(lo)s AND %(hi)s ORDER BY seq LIMIT %(limit)s

-- name: journal_key
SELECT {journal} FROM {schema}.journal
WHERE tree = %(tree)s AND line = ANY(%(lines)s::bigint[])
    AND hashtextextended(key, 0) = hashtextextended(%(key)s, 0) AND key = %(key)s

-- name: now
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint

-- name: threads
SELECT {thread}, {root}, {head}
FROM {schema}.thread
LEFT JOIN {schema}.line AS root ON root.tree = thread.tree AND root.line = thread.line
LEFT JOIN {schema}.checkpoint AS head
    ON head.tree = root.tree AND head.line = root.head_line AND head.seq = root.head_seq
WHERE left(thread.id, 256) >= left(%(start)s, 256) AND thread.id >= %(start)s AND thread.id <> %(after)s
    AND (%(end)s::text IS NULL OR (left(thread.id, 256) <= left(%(end)s, 256) AND thread.id < %(end)s))
    AND (
        root.line IS NULL OR root.checkpoints > 0 OR root.journal > 0 OR root.base_line IS NOT NULL OR EXISTS (
            SELECT 1 FROM {schema}.line
            WHERE line.tree = thread.tree AND line.thread = thread.line AND line.checkpoints > 0
        )
    )
ORDER BY left(thread.id, 256), thread.id LIMIT %(limit)s

-- name: threads_tagged
SELECT {thread}, {root}, {head}
FROM {schema}.tag
JOIN {schema}.thread ON thread.id = tag.thread
LEFT JOIN {schema}.line AS root ON root.tree = thread.tree AND root.line = thread.line
LEFT JOIN {schema}.checkpoint AS head
    ON head.tree = root.tree AND head.line = root.head_line AND head.seq = root.head_seq
WHERE hashtextextended(tag.key, 0) = hashtextextended(%(key)s, 0) AND tag.key = %(key)s
    AND hashtextextended(tag.value, 0) = hashtextextended(%(value)s, 0) AND tag.value = %(value)s
    AND left(tag.thread, 256) >= left(%(start)s, 256) AND tag.thread >= %(start)s AND tag.thread <> %(after)s
    AND (%(end)s::text IS NULL OR (left(tag.thread, 256) <= left(%(end)s, 256) AND tag.thread < %(end)s))
    AND NOT EXISTS (
        SELECT 1 FROM unnest(%(keys)s::text[], %(values)s::text[]) AS other (key, value)
        WHERE NOT EXISTS (
            SELECT 1 FROM {schema}.tag AS also
            WHERE hashtextextended(also.key, 0) = hashtextextended(other.key, 0) AND also.key = other.key
                AND hashtextextended(also.value, 0) = hashtextextended(other.value, 0) AND also.value = other.value
                AND left(also.thread, 256) = left(tag.thread, 256) AND also.thread = tag.thread
        )
    )
    AND (
        root.line IS NULL OR root.checkpoints > 0 OR root.journal > 0 OR root.base_line IS NOT NULL OR EXISTS (
            SELECT 1 FROM {schema}.line
            WHERE line.tree = thread.tree AND line.thread = thread.line AND line.checkpoints > 0
        )
    )
ORDER BY left(tag.thread, 256), tag.thread LIMIT %(limit)s

-- name: run_lines
SELECT {run} FROM {schema}.run
WHERE hashtextextended(run_id, 0) = hashtextextended(%(run_id)s, 0) AND run_id = %(run_id)s

-- name: bytes_stored
SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::bigint
FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(%(schema)s)) AND relkind = 'r'

-- name: trees
WITH RECURSIVE
of_line (tree) AS (
    (SELECT tree FROM {schema}.line WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT line.tree FROM {schema}.line WHERE line.tree > of_line.tree ORDER BY line.tree LIMIT 1)
    FROM of_line WHERE of_line.tree IS NOT NULL
),
of_checkpoint (tree) AS (
    (SELECT tree FROM {schema}.checkpoint WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT checkpoint.tree FROM {schema}.checkpoint WHERE checkpoint.tree > of_checkpoint.tree ORDER BY checkpoint.tree LIMIT 1)
    FROM of_checkpoint WHERE of_checkpoint.tree IS NOT NULL
),
of_mark (tree) AS (
    (SELECT tree FROM {schema}.mark WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT mark.tree FROM {schema}.mark WHERE mark.tree > of_mark.tree ORDER BY mark.tree LIMIT 1)
    FROM of_mark WHERE of_mark.tree IS NOT NULL
),
of_log (tree) AS (
    (SELECT tree FROM {schema}.log WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT log.tree FROM {schema}.log WHERE log.tree > of_log.tree ORDER BY log.tree LIMIT 1)
    FROM of_log WHERE of_log.tree IS NOT NULL
),
of_chunk (tree) AS (
    (SELECT tree FROM {schema}.chunk WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT chunk.tree FROM {schema}.chunk WHERE chunk.tree > of_chunk.tree ORDER BY chunk.tree LIMIT 1)
    FROM of_chunk WHERE of_chunk.tree IS NOT NULL
),
of_tail (tree) AS (
    (SELECT tree FROM {schema}.tail WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT tail.tree FROM {schema}.tail WHERE tail.tree > of_tail.tree ORDER BY tail.tree LIMIT 1)
    FROM of_tail WHERE of_tail.tree IS NOT NULL
),
of_pending (tree) AS (
    (SELECT tree FROM {schema}.pending WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT pending.tree FROM {schema}.pending WHERE pending.tree > of_pending.tree ORDER BY pending.tree LIMIT 1)
    FROM of_pending WHERE of_pending.tree IS NOT NULL
),
of_desk (tree) AS (
    (SELECT tree FROM {schema}.desk WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT desk.tree FROM {schema}.desk WHERE desk.tree > of_desk.tree ORDER BY desk.tree LIMIT 1)
    FROM of_desk WHERE of_desk.tree IS NOT NULL
),
of_sealed (tree) AS (
    (SELECT tree FROM {schema}.sealed WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT sealed.tree FROM {schema}.sealed WHERE sealed.tree > of_sealed.tree ORDER BY sealed.tree LIMIT 1)
    FROM of_sealed WHERE of_sealed.tree IS NOT NULL
),
of_journal (tree) AS (
    (SELECT tree FROM {schema}.journal WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT journal.tree FROM {schema}.journal WHERE journal.tree > of_journal.tree ORDER BY journal.tree LIMIT 1)
    FROM of_journal WHERE of_journal.tree IS NOT NULL
)
SELECT DISTINCT tree FROM (
    (SELECT tree FROM of_line LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_checkpoint LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_mark LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_log LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_chunk LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_tail LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_pending LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_desk LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_sealed LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_journal LIMIT %(limit)s)
) AS found WHERE tree IS NOT NULL ORDER BY tree LIMIT %(limit)s

-- name: scan_thread
SELECT {thread} FROM {schema}.thread
WHERE left(id, 256) >= left(%(id)s, 256) AND id > %(id)s ORDER BY left(id, 256), id LIMIT %(limit)s

-- name: scan_quarantine
SELECT {quarantine} FROM {schema}.quarantine
WHERE number > %(number)s
ORDER BY number LIMIT %(limit)s

-- name: scan_grave
SELECT {grave} FROM {schema}.grave
WHERE (hash) > (%(hash)s)
ORDER BY hash LIMIT %(limit)s

-- name: scan_tag
SELECT {tag} FROM {schema}.tag
WHERE (key, value, thread) > (%(key)s, %(value)s, %(thread)s)
ORDER BY key, value, thread LIMIT %(limit)s

-- name: scan_waiting
SELECT {waiting} FROM {schema}.waiting
WHERE (thread, namespace, checkpoint, task_id, idx) > (%(thread)s, %(namespace)s, %(checkpoint)s, %(task_id)s, %(idx)s)
ORDER BY thread, namespace, checkpoint, task_id, idx LIMIT %(limit)s

-- name: scan_run
SELECT {run} FROM {schema}.run
WHERE (run_id, tree, line) > (%(run_id)s, %(tree)s, %(line)s)
ORDER BY run_id, tree, line LIMIT %(limit)s

-- name: scan_line
SELECT {line} FROM {schema}.line
WHERE (tree, line) > (%(tree)s, %(line)s) AND tree = %(of)s
ORDER BY tree, line LIMIT %(limit)s

-- name: scan_checkpoint
SELECT {checkpoint} FROM {schema}.checkpoint
WHERE (tree, line, seq) > (%(tree)s, %(line)s, %(seq)s) AND tree = %(of)s
ORDER BY tree, line, seq LIMIT %(limit)s

-- name: scan_mark
SELECT {mark} FROM {schema}.mark
WHERE (tree, line, seq, era) > (%(tree)s, %(line)s, %(seq)s, %(era)s) AND tree = %(of)s
ORDER BY tree, line, seq, era LIMIT %(limit)s

-- name: scan_log
SELECT {log} FROM {schema}.log
WHERE (tree, log) > (%(tree)s, %(log)s) AND tree = %(of)s
ORDER BY tree, log LIMIT %(limit)s

-- name: scan_chunk
SELECT {piece} FROM {schema}.piece
WHERE (tree, log, lo) > (%(tree)s, %(log)s, %(lo)s) AND tree = %(of)s
ORDER BY tree, log, lo LIMIT %(limit)s

-- name: scan_pending
SELECT {pending} FROM (
    (
        SELECT tree, line, seq, task_id, idx, era, task_path, body, sum FROM {schema}.pending
        WHERE (tree, line, seq, task_id, idx, era) > (%(tree)s, %(line)s, %(seq)s, %(task_id)s, %(idx)s, %(era)s)
            AND tree = %(of)s
        ORDER BY tree, line, seq, task_id, idx, era LIMIT %(limit)s
    )
    UNION ALL
    (
        SELECT tree, line, seq, task_id, idx, era, task_path, body, sum FROM {schema}.desk
        WHERE (tree, line, seq, task_id, idx, era) > (%(tree)s, %(line)s, %(seq)s, %(task_id)s, %(idx)s, %(era)s)
            AND tree = %(of)s AND line >= %(line)s AND seq >= 0
        ORDER BY tree, line, seq, task_id, idx, era LIMIT %(limit)s
    )
) AS pending
ORDER BY tree, line, seq, task_id, idx, era LIMIT %(limit)s

-- name: scan_sealed
SELECT {sealed} FROM (
    (
        SELECT tree, line, seq, number, era, body, sum FROM {schema}.sealed
        WHERE (tree, line, seq, number, era) > (%(tree)s, %(line)s, %(seq)s, %(number)s, %(era)s) AND tree = %(of)s
        ORDER BY tree, line, seq, number, era LIMIT %(limit)s
    )
    UNION ALL
    (
        SELECT tree, line, seq - 1, seq, seal_era, seal, seal_sum FROM {schema}.checkpoint
        WHERE (tree, line, seq) >= (%(tree)s, %(line)s, %(seq)s::bigint + 1) AND tree = %(of)s AND seal IS NOT NULL
            AND NOT (
                (tree, line, seq) = (%(tree)s, %(line)s, %(seq)s::bigint + 1)
                AND (seq, seal_era) <= (%(number)s::bigint, %(era)s::bigint)
            )
        ORDER BY tree, line, seq LIMIT %(limit)s
    )
) AS sealed
ORDER BY tree, line, seq, number, era LIMIT %(limit)s

-- name: scan_journal
SELECT {journal} FROM {schema}.journal
WHERE (tree, line, seq) > (%(tree)s, %(line)s, %(seq)s) AND tree = %(of)s
ORDER BY tree, line, seq LIMIT %(limit)s

-- name: tally
SELECT
    thread.id, checkpoint.tree, checkpoint.created_at / 86400000000 AS day,
    count(*), sum(checkpoint.size)::bigint,
    sum(octet_length(checkpoint.metadata) + octet_length(checkpoint.manifest))::bigint
FROM {schema}.line
JOIN {schema}.checkpoint ON checkpoint.tree = line.tree AND checkpoint.line = line.line
JOIN {schema}.thread ON thread.tree = line.tree AND thread.line = line.thread
WHERE line.tree BETWEEN %(lo)s AND %(hi)s AND (line.marks = 0 OR NOT EXISTS (
    SELECT 1 FROM {schema}.mark
    WHERE mark.tree = checkpoint.tree AND mark.line = checkpoint.line AND mark.seq = checkpoint.seq AND mark.hidden > 0
))
GROUP BY thread.id, checkpoint.tree, day
UNION ALL
SELECT '', tree, 0, 0, 0, sum(octet_length(body))::bigint
FROM {schema}.piece WHERE tree BETWEEN %(lo)s AND %(hi)s GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(octet_length(body))::bigint
FROM {schema}.unsealed WHERE tree BETWEEN %(lo)s AND %(hi)s GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(octet_length(body))::bigint
FROM {schema}.seals WHERE tree BETWEEN %(lo)s AND %(hi)s GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(octet_length(body))::bigint
FROM {schema}.journal WHERE tree BETWEEN %(lo)s AND %(hi)s GROUP BY tree

-- name: rows
SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint
FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(%(schema)s)) AND relkind = 'r'

-- name: all_thread
SELECT {thread} FROM {schema}.thread

-- name: all_grave
SELECT {grave} FROM {schema}.grave

-- name: all_tag
SELECT {tag} FROM {schema}.tag

-- name: all_line
SELECT {line} FROM {schema}.line ORDER BY tree, line

-- name: all_checkpoint
SELECT {checkpoint} FROM {schema}.checkpoint ORDER BY tree, line, seq

-- name: all_mark
SELECT {mark} FROM {schema}.mark ORDER BY tree, line, seq

-- name: all_log
SELECT {log} FROM {schema}.log ORDER BY tree, log

-- name: all_chunk
SELECT {piece} FROM {schema}.piece ORDER BY tree, log, lo

-- name: all_pending
SELECT {pending} FROM {schema}.unsealed AS pending ORDER BY tree, line, seq

-- name: all_sealed
SELECT {sealed} FROM {schema}.seals AS sealed ORDER BY tree, line, seq

-- name: all_waiting
SELECT {waiting} FROM {schema}.waiting

-- name: all_journal
SELECT {journal} FROM {schema}.journal ORDER BY tree, line, seq

-- name: all_run
SELECT {run} FROM {schema}.run

-- name: all_quarantine
SELECT {quarantine} FROM {schema}.quarantine
