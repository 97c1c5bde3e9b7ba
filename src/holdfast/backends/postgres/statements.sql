-- Every query of the PostgreSQL backend, by name. {schema} is the schema's name; {thread}, {line}, {root},
-- {checkpoint}, {head} and so on are the columns of a row in the order of its class; {found_...} are the same columns
-- of a row that is itself a column. A name that ends in _N is a function of this release's version: see sql.py.

-- name: apply
SELECT {schema}.apply_N(%s, %s, %s, %s, %s, %s)

-- One of the bodies is a parameter of its own.
-- name: apply_with_large_body
SELECT {schema}.apply_N(%s, %s, %s, %s, %s, %s::bytea[] || %s::bytea || %s::bytea[])

-- name: was_applied
WITH line_put (stamped, missed, gone) AS (
    -- A line that this batch wrote has its stamp, unless it was written eight times since; each write adds to its
    -- version.
    SELECT
        coalesce(bool_or(%(stamp)s::bigint = ANY(line.stamps)), false),
        coalesce(bool_or(
            %(stamp)s::bigint <> ALL(line.stamps) AND line.version < put.version + cardinality(line.stamps)
        ), false),
        coalesce(bool_or(line.version IS NULL), false)
    FROM unnest(%(line_trees)s::bigint[], %(lines)s::bigint[], %(versions)s::bigint[]) AS put (tree, line, version)
    LEFT JOIN {schema}.line ON line.tree = put.tree AND line.line = put.line
),
-- Else the rows decide that took the line's next number, which is given out once: to this batch or to another one.
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
-- Every batch that deletes the same thread leaves the same tombstone.
deleted (equal) AS (
    SELECT coalesce(bool_and(tombstone.sum IS NOT DISTINCT FROM put.sum), false)
    FROM unnest(%(tombstones)s::bytea[], %(tombstone_sums)s::bigint[]) AS put (hash, sum)
    LEFT JOIN {schema}.tombstone ON tombstone.hash = put.hash
)
SELECT
    CASE
        WHEN stamped THEN true
        WHEN missed THEN false
        WHEN ours OR equal THEN true
        WHEN theirs OR gone OR cardinality(%(lines)s::bigint[]) = 0 THEN false
    END
FROM line_put, numbered, deleted

-- name: find
SELECT found.generation, found.last, {found_thread}, {found_root}, {found_own}, {found_head}
FROM {schema}.find_N(%(id)s, %(namespace)s, %(tombstone)s) AS found

-- name: ancestry
-- The depth is limited so that damaged rows can't form an endless cycle: see functions/chunks.sql.
WITH RECURSIVE below (line, depth) AS (
    SELECT %(line)s::bigint, 0
    UNION ALL
    SELECT line.base_line, below.depth + 1
    FROM below JOIN {schema}.line ON line.tree = %(tree)s AND line.line = below.line
    WHERE line.base_line IS NOT NULL AND depth + 1 < %(limit)s
        AND (depth < 100 OR depth < (SELECT count(*) FROM {schema}.line WHERE tree = %(tree)s))
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
FROM unnest(%(lines)s::bigint[]) WITH ORDINALITY AS want (line, position)
JOIN {schema}.checkpoint
    ON checkpoint.tree = %(tree)s AND checkpoint.line = want.line
    AND left(checkpoint.id, 64) = left(%(id)s, 64) AND checkpoint.id = %(id)s
ORDER BY want.position, checkpoint.seq

-- name: checkpoints_by_id
SELECT {checkpoint} FROM {schema}.checkpoint
WHERE tree = %(tree)s AND line = %(line)s
    AND (%(before)s::text IS NULL OR (left(id, 64) <= left(%(before)s, 64) AND id < %(before)s))
ORDER BY left(id, 64) DESC, id DESC, seq DESC LIMIT %(limit)s

-- name: overlays
SELECT {overlay} FROM {schema}.overlay
WHERE tree = %(tree)s AND line = ANY(%(lines)s::bigint[]) AND seq BETWEEN %(lo)s AND %(hi)s

-- name: chunks
SELECT
    found.ask, found.upto, found.tree, found.log, found.lo, found.hi, found.kind,
    CASE WHEN octet_length(found.body) < 1048576 THEN found.body END, found.sum,
    CASE WHEN octet_length(found.body) >= 1048576 THEN octet_length(found.body) END
FROM {schema}.chunks_N(%(tree)s, %(logs)s, %(positions)s) WITH ORDINALITY
    AS found (ask, upto, tree, log, lo, hi, kind, body, sum, position)
ORDER BY found.position

-- A part of the body of a chunk; `at` counts from 1.
-- name: chunk_slice
SELECT substring(chunk.body FROM %(at)s FOR %(size)s) FROM {schema}.chunk
WHERE chunk.tree = %(tree)s AND chunk.log = %(log)s AND chunk.lo = %(lo)s AND chunk.sum = %(sum)s

-- name: pending
SELECT kind, tree, line, seq, task_id, idx, era, task_path, body, sum
FROM {schema}.pending_N(%(tree)s, %(line)s, %(base_line)s, %(base_era)s, %(base_seq)s, %(seqs)s) WITH ORDINALITY
    AS found (kind, tree, line, seq, task_id, idx, era, task_path, body, sum, position)
ORDER BY position

-- name: early_write
SELECT {early_write} FROM {schema}.early_write
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
    SELECT (SELECT tree FROM {schema}.line WHERE line.tree > of_line.tree ORDER BY tree LIMIT 1)
    FROM of_line WHERE of_line.tree IS NOT NULL
),
of_checkpoint (tree) AS (
    (SELECT tree FROM {schema}.checkpoint WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT tree FROM {schema}.checkpoint WHERE checkpoint.tree > of_checkpoint.tree ORDER BY tree LIMIT 1)
    FROM of_checkpoint WHERE of_checkpoint.tree IS NOT NULL
),
of_overlay (tree) AS (
    (SELECT tree FROM {schema}.overlay WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT tree FROM {schema}.overlay WHERE overlay.tree > of_overlay.tree ORDER BY tree LIMIT 1)
    FROM of_overlay WHERE of_overlay.tree IS NOT NULL
),
of_log (tree) AS (
    (SELECT tree FROM {schema}.log WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT tree FROM {schema}.log WHERE log.tree > of_log.tree ORDER BY tree LIMIT 1)
    FROM of_log WHERE of_log.tree IS NOT NULL
),
of_chunk (tree) AS (
    (SELECT tree FROM {schema}.chunk WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT tree FROM {schema}.chunk WHERE chunk.tree > of_chunk.tree ORDER BY tree LIMIT 1)
    FROM of_chunk WHERE of_chunk.tree IS NOT NULL
),
of_chunk_slot (tree) AS (
    (SELECT tree FROM {schema}.chunk_slot WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT tree FROM {schema}.chunk_slot WHERE chunk_slot.tree > of_chunk_slot.tree ORDER BY tree LIMIT 1)
    FROM of_chunk_slot WHERE of_chunk_slot.tree IS NOT NULL
),
of_pending (tree) AS (
    (SELECT tree FROM {schema}.pending WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT tree FROM {schema}.pending WHERE pending.tree > of_pending.tree ORDER BY tree LIMIT 1)
    FROM of_pending WHERE of_pending.tree IS NOT NULL
),
of_pending_slot (tree) AS (
    (SELECT tree FROM {schema}.pending_slot WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT tree FROM {schema}.pending_slot WHERE pending_slot.tree > of_pending_slot.tree ORDER BY tree LIMIT 1)
    FROM of_pending_slot WHERE of_pending_slot.tree IS NOT NULL
),
of_settled (tree) AS (
    (SELECT tree FROM {schema}.settled WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT tree FROM {schema}.settled WHERE settled.tree > of_settled.tree ORDER BY tree LIMIT 1)
    FROM of_settled WHERE of_settled.tree IS NOT NULL
),
of_journal (tree) AS (
    (SELECT tree FROM {schema}.journal WHERE tree > %(after)s ORDER BY tree LIMIT 1)
    UNION ALL
    SELECT (SELECT tree FROM {schema}.journal WHERE journal.tree > of_journal.tree ORDER BY tree LIMIT 1)
    FROM of_journal WHERE of_journal.tree IS NOT NULL
)
SELECT DISTINCT tree FROM (
    (SELECT tree FROM of_line LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_checkpoint LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_overlay LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_log LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_chunk LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_chunk_slot LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_pending LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_pending_slot LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_settled LIMIT %(limit)s)
    UNION ALL (SELECT tree FROM of_journal LIMIT %(limit)s)
) AS found WHERE tree IS NOT NULL ORDER BY tree LIMIT %(limit)s

-- name: scan_thread
SELECT {thread} FROM {schema}.thread
WHERE left(id, 256) >= left(%(id)s, 256) AND id > %(id)s ORDER BY left(id, 256), id LIMIT %(limit)s

-- name: scan_quarantine
SELECT {quarantine} FROM {schema}.quarantine
WHERE number > %(number)s
ORDER BY number LIMIT %(limit)s

-- name: scan_tombstone
SELECT {tombstone} FROM {schema}.tombstone
WHERE (hash) > (%(hash)s)
ORDER BY hash LIMIT %(limit)s

-- name: scan_tag
SELECT {tag} FROM {schema}.tag
WHERE (key, value, thread) > (%(key)s, %(value)s, %(thread)s)
ORDER BY key, value, thread LIMIT %(limit)s

-- name: scan_early_write
SELECT {early_write} FROM {schema}.early_write
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

-- name: scan_overlay
SELECT {overlay} FROM {schema}.overlay
WHERE (tree, line, seq, era) > (%(tree)s, %(line)s, %(seq)s, %(era)s) AND tree = %(of)s
ORDER BY tree, line, seq, era LIMIT %(limit)s

-- name: scan_log
SELECT {log} FROM {schema}.log
WHERE (tree, log) > (%(tree)s, %(log)s) AND tree = %(of)s
ORDER BY tree, log LIMIT %(limit)s

-- name: scan_chunk
SELECT {chunk} FROM {schema}.all_chunks AS chunk
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
        SELECT tree, line, seq, task_id, idx, era, task_path, body, sum FROM {schema}.pending_slot
        WHERE (tree, line, seq, task_id, idx, era) > (%(tree)s, %(line)s, %(seq)s, %(task_id)s, %(idx)s, %(era)s)
            AND tree = %(of)s AND line >= %(line)s AND seq >= 0
        ORDER BY tree, line, seq, task_id, idx, era LIMIT %(limit)s
    )
) AS pending
ORDER BY tree, line, seq, task_id, idx, era LIMIT %(limit)s

-- name: scan_settled
SELECT {settled} FROM (
    (
        SELECT tree, line, seq, number, era, body, sum FROM {schema}.settled
        WHERE (tree, line, seq, number, era) > (%(tree)s, %(line)s, %(seq)s, %(number)s, %(era)s) AND tree = %(of)s
        ORDER BY tree, line, seq, number, era LIMIT %(limit)s
    )
    UNION ALL
    (
        SELECT tree, line, seq - 1, seq, settled_era, settled_body, settled_sum FROM {schema}.checkpoint
        WHERE (tree, line, seq) >= (%(tree)s, %(line)s, %(seq)s::bigint + 1) AND tree = %(of)s
            AND settled_body IS NOT NULL
            AND NOT (
                (tree, line, seq) = (%(tree)s, %(line)s, %(seq)s::bigint + 1)
                AND (seq, settled_era) <= (%(number)s::bigint, %(era)s::bigint)
            )
        ORDER BY tree, line, seq LIMIT %(limit)s
    )
) AS settled
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
WHERE line.tree BETWEEN %(lo)s AND %(hi)s AND (line.overlays = 0 OR NOT EXISTS (
    SELECT 1 FROM {schema}.overlay
    WHERE overlay.tree = checkpoint.tree AND overlay.line = checkpoint.line AND overlay.seq = checkpoint.seq
        AND overlay.hidden > 0
))
GROUP BY thread.id, checkpoint.tree, day
UNION ALL
SELECT '', tree, 0, 0, 0, sum(octet_length(body))::bigint
FROM {schema}.all_chunks WHERE tree BETWEEN %(lo)s AND %(hi)s GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(octet_length(body))::bigint
FROM {schema}.all_pending WHERE tree BETWEEN %(lo)s AND %(hi)s GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(octet_length(body))::bigint
FROM {schema}.all_settled WHERE tree BETWEEN %(lo)s AND %(hi)s GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(octet_length(body))::bigint
FROM {schema}.journal WHERE tree BETWEEN %(lo)s AND %(hi)s GROUP BY tree

-- name: rows
SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint
FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(%(schema)s)) AND relkind = 'r'

-- name: all_thread
SELECT {thread} FROM {schema}.thread

-- name: all_tombstone
SELECT {tombstone} FROM {schema}.tombstone

-- name: all_tag
SELECT {tag} FROM {schema}.tag

-- name: all_line
SELECT {line} FROM {schema}.line ORDER BY tree, line

-- name: all_checkpoint
SELECT {checkpoint} FROM {schema}.checkpoint ORDER BY tree, line, seq

-- name: all_overlay
SELECT {overlay} FROM {schema}.overlay ORDER BY tree, line, seq

-- name: all_log
SELECT {log} FROM {schema}.log ORDER BY tree, log

-- name: all_chunk
SELECT {chunk} FROM {schema}.all_chunks AS chunk ORDER BY tree, log, lo

-- name: all_pending
SELECT {pending} FROM {schema}.all_pending AS pending ORDER BY tree, line, seq

-- name: all_settled
SELECT {settled} FROM {schema}.all_settled AS settled ORDER BY tree, line, seq

-- name: all_early_write
SELECT {early_write} FROM {schema}.early_write

-- name: all_journal
SELECT {journal} FROM {schema}.journal ORDER BY tree, line, seq

-- name: all_run
SELECT {run} FROM {schema}.run

-- name: all_quarantine
SELECT {quarantine} FROM {schema}.quarantine
