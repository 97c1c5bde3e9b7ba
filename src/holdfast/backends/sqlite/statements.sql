-- Every statement the SQLite backend runs, by name. Parameters only; nothing is ever spliced in.

-- name: put_thread
INSERT OR REPLACE INTO thread VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_grave
INSERT OR REPLACE INTO grave VALUES (?, ?, ?, ?)

-- name: put_tag
INSERT OR REPLACE INTO tag VALUES (?, ?, ?, ?)

-- name: put_line
INSERT INTO line VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tree, line) DO UPDATE SET
    version = excluded.version, seq = excluded.seq, head_line = excluded.head_line, head_seq = excluded.head_seq,
    checkpoints = excluded.checkpoints, size = excluded.size, updated_at = excluded.updated_at,
    forks = excluded.forks, marks = excluded.marks, journal = excluded.journal, epoch = excluded.epoch,
    worker = excluded.worker, lease_at = excluded.lease_at, lease_ttl = excluded.lease_ttl, sum = excluded.sum

-- name: put_checkpoint
INSERT OR REPLACE INTO checkpoint
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_mark
INSERT OR REPLACE INTO mark VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_log
INSERT OR REPLACE INTO log VALUES (?, ?, ?, ?, ?)

-- name: put_chunk
INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: put_pending
INSERT OR REPLACE INTO pending VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_pending_if_free
INSERT OR IGNORE INTO pending VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_sealed
INSERT OR REPLACE INTO sealed VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: put_waiting
INSERT OR REPLACE INTO waiting VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_waiting_if_free
INSERT OR IGNORE INTO waiting VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_journal
INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_run
INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?)

-- A damaged key may be text that is none, which comes as its bytes, or bytes where text should be.
-- name: drop_thread
DELETE FROM thread WHERE id IN (CAST(?1 AS TEXT), ?1)

-- name: put_quarantine
INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?, ?, ?)

-- name: drop_quarantine
DELETE FROM quarantine WHERE number = ?

-- name: drop_grave
DELETE FROM grave WHERE hash = ?

-- name: drop_tag
DELETE FROM tag WHERE key IN (CAST(?1 AS TEXT), ?1) AND value IN (CAST(?2 AS TEXT), ?2) AND thread IN (CAST(?3 AS TEXT), ?3)

-- name: drop_line
DELETE FROM line WHERE tree = ? AND line = ?

-- name: drop_checkpoint
DELETE FROM checkpoint WHERE tree = ? AND line = ? AND seq = ?

-- name: drop_mark
DELETE FROM mark WHERE tree = ? AND line = ? AND seq = ? AND era = ?

-- name: drop_log
DELETE FROM log WHERE tree = ? AND log = ?

-- name: drop_chunk
DELETE FROM chunk WHERE tree = ? AND log = ? AND lo = ?

-- name: drop_pending
DELETE FROM pending WHERE tree = ?1 AND line = ?2 AND seq = ?3 AND task_id IN (CAST(?4 AS TEXT), ?4) AND idx = ?5 AND era = ?6

-- name: drop_sealed
DELETE FROM sealed WHERE tree = ? AND line = ? AND seq = ? AND number = ? AND era = ?

-- name: drop_waiting
DELETE FROM waiting
WHERE thread IN (CAST(?1 AS TEXT), ?1) AND namespace IN (CAST(?2 AS TEXT), ?2)
    AND checkpoint IN (CAST(?3 AS TEXT), ?3) AND task_id IN (CAST(?4 AS TEXT), ?4) AND idx = ?5

-- name: drop_waiting_before
DELETE FROM waiting WHERE ? IN ('', thread) AND created_at < ?

-- name: drop_journal
DELETE FROM journal WHERE tree = ? AND line = ? AND seq = ?

-- name: drop_run
DELETE FROM run WHERE run_id IN (CAST(?1 AS TEXT), ?1) AND tree = ?2 AND line = ?3

-- name: drop_chunks
DELETE FROM chunk WHERE tree = ? AND log = ? AND lo BETWEEN ? AND ?

-- name: drop_tree_line
DELETE FROM line WHERE tree = ?

-- name: drop_tree_checkpoint
DELETE FROM checkpoint WHERE tree = ?

-- name: drop_tree_mark
DELETE FROM mark WHERE tree = ?

-- name: drop_tree_log
DELETE FROM log WHERE tree = ?

-- name: drop_tree_chunk
DELETE FROM chunk WHERE tree = ?

-- name: drop_tree_pending
DELETE FROM pending WHERE tree = ?

-- name: drop_tree_sealed
DELETE FROM sealed WHERE tree = ?

-- name: drop_tree_journal
DELETE FROM journal WHERE tree = ?

-- name: drop_tree_run
DELETE FROM run WHERE tree = ?

-- name: holds_line_at
SELECT COALESCE((SELECT version FROM line WHERE tree = ? AND line = ?), 0) = ?

-- name: holds_namespace_free
SELECT NOT EXISTS (SELECT 1 FROM line WHERE tree = ? AND thread = ? AND namespace = ?)

-- name: holds_root_at
SELECT EXISTS (SELECT 1 FROM line WHERE tree = ? AND line = ? AND forks = ? AND epoch = ? AND journal = ?)

-- name: holds_forks_at
SELECT EXISTS (SELECT 1 FROM line WHERE tree = ? AND line = ? AND forks = ?)

-- name: holds_thread_absent
SELECT NOT EXISTS (SELECT 1 FROM thread WHERE id = ?)

-- name: holds_thread_at
SELECT EXISTS (SELECT 1 FROM thread WHERE id = ? AND line = ?)

-- name: holds_grave_at
SELECT COALESCE((SELECT generation FROM grave WHERE hash = ?), 0) = ?

-- name: holds_id_free
SELECT NOT EXISTS (SELECT 1 FROM checkpoint WHERE tree = ? AND line = ? AND id = ?)

-- name: holds_key_free
SELECT NOT EXISTS (SELECT 1 FROM journal WHERE tree = ? AND line = ? AND key = ?)

-- name: holds_checkpoint_there
SELECT EXISTS (SELECT 1 FROM checkpoint WHERE tree = ? AND line = ? AND seq = ?)

-- name: holds_checkpoint_at
SELECT EXISTS (SELECT 1 FROM checkpoint WHERE tree = ? AND line = ? AND seq = ? AND sum = ?)

-- name: holds_chunk_at
SELECT EXISTS (SELECT 1 FROM chunk WHERE tree = ? AND log = ? AND lo = ? AND sum = ?)

-- name: holds_pending_at
SELECT EXISTS (
    SELECT 1 FROM pending
    WHERE tree = ? AND line = ? AND seq = ? AND task_id = ? AND idx = ? AND era = ? AND sum = ?
)

-- name: holds_waiting_at
SELECT (SELECT COUNT(*) FROM waiting WHERE thread = ? AND namespace = ? AND checkpoint = ?) = ?

-- name: find
SELECT (SELECT last FROM grave WHERE hash = :grave), thread.*, root.*, own.*, head.*
FROM thread
LEFT JOIN line AS root ON root.tree = thread.tree AND root.line = thread.line
LEFT JOIN line AS own ON own.tree = thread.tree AND own.thread = thread.line AND own.namespace = :namespace
LEFT JOIN checkpoint AS head ON head.tree = own.tree AND head.line = own.head_line AND head.seq = own.head_seq
WHERE thread.id = :id

-- name: grave
SELECT generation, last FROM grave WHERE hash = :hash

-- name: ancestry
-- Rows that were mixed up may lead in circles. No way down is longer than there are rows: that ends them, and what
-- was read then does not agree with its checksum. They are counted only for ways that are long.
WITH RECURSIVE below (line, depth) AS (
    SELECT :line, 0
    UNION ALL
    SELECT line.base_line, below.depth + 1
    FROM below JOIN line ON line.tree = :tree AND line.line = below.line
    WHERE line.base_line IS NOT NULL AND (depth < 100 OR depth < (SELECT count(*) FROM line WHERE tree = :tree))
)
SELECT line.* FROM below JOIN line ON line.tree = :tree AND line.line = below.line ORDER BY below.depth

-- name: namespaces
SELECT * FROM line WHERE tree = :tree AND thread = :thread ORDER BY namespace

-- name: namespace
SELECT * FROM line WHERE tree = :tree AND thread = :thread AND namespace = :namespace

-- name: tree_threads
SELECT * FROM thread WHERE tree = :tree

-- name: thread_of
SELECT * FROM thread WHERE tree = :tree AND line = :line

-- name: checkpoints_newest
SELECT * FROM checkpoint
WHERE tree = :tree AND line = :line AND seq BETWEEN :lo AND :hi
    AND (:run_id IS NULL OR run_id = :run_id) AND (:status IS NULL OR status = :status) AND (:source IS NULL OR source = :source)
    AND (:node IS NULL OR node = :node) AND (:max_step IS NULL OR step <= :max_step) AND (:max_time IS NULL OR created_at <= :max_time)
    AND (:max_journal IS NULL OR journal_seq <= :max_journal)
ORDER BY seq DESC LIMIT :limit

-- name: checkpoints_oldest
SELECT * FROM checkpoint
WHERE tree = :tree AND line = :line AND seq BETWEEN :lo AND :hi
    AND (:run_id IS NULL OR run_id = :run_id) AND (:status IS NULL OR status = :status) AND (:source IS NULL OR source = :source)
    AND (:node IS NULL OR node = :node) AND (:max_step IS NULL OR step <= :max_step) AND (:max_time IS NULL OR created_at <= :max_time)
    AND (:max_journal IS NULL OR journal_seq <= :max_journal)
ORDER BY seq LIMIT :limit

-- name: by_id
SELECT checkpoint.* FROM json_each(:lines) AS want
JOIN checkpoint ON checkpoint.line = want.value AND checkpoint.id = :id AND checkpoint.tree = :tree
ORDER BY want.key

-- name: checkpoints_by_id
SELECT * FROM checkpoint WHERE line = :line AND id < :before AND tree = :tree ORDER BY id DESC, seq DESC LIMIT :limit

-- name: marks
SELECT mark.* FROM json_each(:lines) AS want JOIN mark ON mark.tree = :tree AND mark.line = want.value

-- name: chunks
WITH RECURSIVE
want (ask, log, pos, start, depth) AS (
    SELECT
        ask.key, json_extract(ask.value, '$[0]'), json_extract(ask.value, '$[1]'),
        (
            SELECT chunk.lo FROM chunk
            WHERE chunk.tree = :tree AND chunk.log = json_extract(ask.value, '$[0]')
                AND chunk.lo <= json_extract(ask.value, '$[1]') AND chunk.kind = 0
            ORDER BY chunk.lo DESC LIMIT 1
        ),
        0
    FROM json_each(:wants) AS ask
    UNION ALL
    SELECT
        want.ask, log.base_log, log.base_pos,
        (
            SELECT chunk.lo FROM chunk
            WHERE chunk.tree = :tree AND chunk.log = log.base_log AND chunk.lo <= log.base_pos AND chunk.kind = 0
            ORDER BY chunk.lo DESC LIMIT 1
        ),
        want.depth + 1
    FROM want JOIN log ON log.tree = :tree AND log.log = want.log
    WHERE want.start IS NULL AND (depth < 100 OR depth < (SELECT count(*) FROM log WHERE tree = :tree))
)
SELECT want.ask, want.pos, chunk.*
FROM want JOIN chunk ON chunk.tree = :tree AND chunk.log = want.log
    AND chunk.lo BETWEEN COALESCE(want.start, 0) AND want.pos
ORDER BY want.ask, want.depth DESC, chunk.lo

-- name: pending
WITH RECURSIVE seen (line, cut, upto, depth) AS (
    VALUES (:line, NULL, NULL, 0), (:base_line, :base_era, :base_seq, 1)
    UNION ALL
    SELECT line.base_line, line.base_era, MIN(seen.upto, line.base_seq), seen.depth + 1
    FROM seen JOIN line ON line.tree = :tree AND line.line = seen.line
    WHERE seen.depth > 0 AND line.base_line IS NOT NULL
        AND (depth < 100 OR depth < (SELECT count(*) FROM line WHERE tree = :tree))
),
wanted (seq, line, cut, depth) AS (
    SELECT want.value, seen.line, seen.cut, seen.depth
    FROM seen JOIN json_each(:seqs) AS want ON seen.upto IS NULL OR want.value <= seen.upto
),
found AS (
    SELECT 1 AS kind, wanted.depth, wanted.cut, pending.*
    FROM wanted JOIN pending ON pending.tree = :tree AND pending.line = wanted.line AND pending.seq = wanted.seq
    UNION ALL
    SELECT 0, wanted.depth, wanted.cut, sealed.tree, sealed.line, sealed.seq, '', number, sealed.era, '', body, sum
    FROM wanted JOIN sealed ON sealed.tree = :tree AND sealed.line = wanted.line AND sealed.seq = wanted.seq
)
SELECT kind, tree, line, seq, task_id, idx, era, task_path, body, sum FROM found WHERE cut IS NULL OR era < cut
ORDER BY depth DESC, era, kind, idx

-- name: pending_own
SELECT 1 AS kind, pending.*
FROM json_each(:seqs) AS want
JOIN pending ON pending.tree = :tree AND pending.line = :line AND pending.seq = want.value
UNION ALL
SELECT 0, sealed.tree, sealed.line, sealed.seq, '', number, sealed.era, '', body, sum
FROM json_each(:seqs) AS want
JOIN sealed ON sealed.tree = :tree AND sealed.line = :line AND sealed.seq = want.value
ORDER BY 7, 1, 6

-- name: waiting
SELECT * FROM waiting WHERE thread = :thread AND namespace = :namespace AND checkpoint = :checkpoint

-- name: journal
SELECT * FROM journal WHERE tree = :tree AND line = :line AND seq BETWEEN :lo AND :hi ORDER BY seq LIMIT :limit

-- name: journal_key
SELECT journal.* FROM json_each(:lines) AS want
JOIN journal ON journal.tree = :tree AND journal.line = want.value AND journal.key = :key

-- name: threads
SELECT thread.*, root.*, head.*
FROM thread
LEFT JOIN line AS root ON root.tree = thread.tree AND root.line = thread.line
LEFT JOIN checkpoint AS head ON head.tree = root.tree AND head.line = root.head_line AND head.seq = root.head_seq
WHERE thread.id >= :start AND thread.id < :end AND thread.id <> :after
    AND (root.line IS NULL OR root.checkpoints OR root.journal OR root.base_line IS NOT NULL OR EXISTS (
        SELECT 1 FROM line WHERE line.tree = thread.tree AND line.thread = thread.line AND line.checkpoints
    ))
ORDER BY thread.id LIMIT :limit

-- name: threads_tagged
SELECT thread.*, root.*, head.*
FROM tag
JOIN thread ON thread.id = tag.thread
LEFT JOIN line AS root ON root.tree = thread.tree AND root.line = thread.line
LEFT JOIN checkpoint AS head ON head.tree = root.tree AND head.line = root.head_line AND head.seq = root.head_seq
WHERE tag.key = :key AND tag.value = :value
    AND tag.thread >= :start AND tag.thread < :end AND tag.thread <> :after
    AND NOT EXISTS (
        SELECT 1 FROM json_each(:others) AS other
        WHERE NOT EXISTS (
            SELECT 1 FROM tag AS also
            WHERE also.key = json_extract(other.value, '$[0]')
                AND also.value = json_extract(other.value, '$[1]') AND also.thread = tag.thread
        )
    )
    AND (root.line IS NULL OR root.checkpoints OR root.journal OR root.base_line IS NOT NULL OR EXISTS (
        SELECT 1 FROM line WHERE line.tree = thread.tree AND line.thread = thread.line AND line.checkpoints
    ))
ORDER BY tag.thread LIMIT :limit

-- name: tagged
SELECT count(*) FROM (SELECT 1 FROM tag WHERE key = :key AND value = :value LIMIT 100)

-- name: run_lines
SELECT * FROM run WHERE run_id = :run_id

-- name: bytes_stored
SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()

-- name: trees
WITH RECURSIVE
of_line (tree) AS (
    SELECT min(tree) FROM line WHERE tree > :after
    UNION ALL
    SELECT (SELECT min(line.tree) FROM line WHERE line.tree > of_line.tree) FROM of_line WHERE of_line.tree IS NOT NULL
    LIMIT :limit
),
of_checkpoint (tree) AS (
    SELECT min(tree) FROM checkpoint WHERE tree > :after
    UNION ALL
    SELECT (SELECT min(checkpoint.tree) FROM checkpoint WHERE checkpoint.tree > of_checkpoint.tree) FROM of_checkpoint WHERE of_checkpoint.tree IS NOT NULL
    LIMIT :limit
),
of_mark (tree) AS (
    SELECT min(tree) FROM mark WHERE tree > :after
    UNION ALL
    SELECT (SELECT min(mark.tree) FROM mark WHERE mark.tree > of_mark.tree) FROM of_mark WHERE of_mark.tree IS NOT NULL
    LIMIT :limit
),
of_log (tree) AS (
    SELECT min(tree) FROM log WHERE tree > :after
    UNION ALL
    SELECT (SELECT min(log.tree) FROM log WHERE log.tree > of_log.tree) FROM of_log WHERE of_log.tree IS NOT NULL
    LIMIT :limit
),
of_chunk (tree) AS (
    SELECT min(tree) FROM chunk WHERE tree > :after
    UNION ALL
    SELECT (SELECT min(chunk.tree) FROM chunk WHERE chunk.tree > of_chunk.tree) FROM of_chunk WHERE of_chunk.tree IS NOT NULL
    LIMIT :limit
),
of_pending (tree) AS (
    SELECT min(tree) FROM pending WHERE tree > :after
    UNION ALL
    SELECT (SELECT min(pending.tree) FROM pending WHERE pending.tree > of_pending.tree) FROM of_pending WHERE of_pending.tree IS NOT NULL
    LIMIT :limit
),
of_sealed (tree) AS (
    SELECT min(tree) FROM sealed WHERE tree > :after
    UNION ALL
    SELECT (SELECT min(sealed.tree) FROM sealed WHERE sealed.tree > of_sealed.tree) FROM of_sealed WHERE of_sealed.tree IS NOT NULL
    LIMIT :limit
),
of_journal (tree) AS (
    SELECT min(tree) FROM journal WHERE tree > :after
    UNION ALL
    SELECT (SELECT min(journal.tree) FROM journal WHERE journal.tree > of_journal.tree) FROM of_journal WHERE of_journal.tree IS NOT NULL
    LIMIT :limit
)
SELECT tree FROM (
    SELECT tree FROM of_line
    UNION SELECT tree FROM of_checkpoint
    UNION SELECT tree FROM of_mark
    UNION SELECT tree FROM of_log
    UNION SELECT tree FROM of_chunk
    UNION SELECT tree FROM of_pending
    UNION SELECT tree FROM of_sealed
    UNION SELECT tree FROM of_journal
) WHERE tree IS NOT NULL ORDER BY tree LIMIT :limit

-- name: moment
SELECT count(*) FROM sqlite_schema

-- name: roots
SELECT * FROM line WHERE (tree, line) > (?, ?) AND line = thread ORDER BY tree, line LIMIT ?

-- name: tally
SELECT
    thread.id, checkpoint.tree, checkpoint.created_at / 86400000000 AS day,
    count(*), sum(checkpoint.size), sum(length(checkpoint.metadata) + length(checkpoint.manifest))
FROM line
JOIN checkpoint ON checkpoint.tree = line.tree AND checkpoint.line = line.line
JOIN thread ON thread.tree = line.tree AND thread.line = line.thread
WHERE line.tree BETWEEN :lo AND :hi AND (line.marks = 0 OR NOT EXISTS (
    SELECT 1 FROM mark
    WHERE mark.tree = checkpoint.tree AND mark.line = checkpoint.line AND mark.seq = checkpoint.seq AND mark.hidden > 0
))
GROUP BY thread.id, day
UNION ALL
SELECT '', tree, 0, 0, 0, sum(length(body)) FROM chunk WHERE tree BETWEEN :lo AND :hi GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(length(body)) FROM pending WHERE tree BETWEEN :lo AND :hi GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(length(body)) FROM sealed WHERE tree BETWEEN :lo AND :hi GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(length(body)) FROM journal WHERE tree BETWEEN :lo AND :hi GROUP BY tree

-- name: scan_thread
SELECT * FROM thread WHERE id > CAST(? AS TEXT) ORDER BY id LIMIT ?

-- name: scan_quarantine
SELECT * FROM quarantine WHERE number > ? ORDER BY number LIMIT ?

-- name: scan_grave
SELECT * FROM grave WHERE (hash) > (?) ORDER BY hash LIMIT ?

-- name: scan_tag
SELECT * FROM tag WHERE (key, value, thread) > (CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT)) ORDER BY key, value, thread LIMIT ?

-- name: scan_waiting
SELECT * FROM waiting
WHERE (thread, namespace, checkpoint, task_id, idx) > (CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), ?)
ORDER BY thread, namespace, checkpoint, task_id, idx LIMIT ?

-- name: scan_run
SELECT * FROM run WHERE (run_id, tree, line) > (CAST(? AS TEXT), ?, ?) ORDER BY run_id, tree, line LIMIT ?

-- name: scan_line
SELECT * FROM line WHERE (tree, line) > (?, ?) AND tree = ? ORDER BY tree, line LIMIT ?

-- name: scan_checkpoint
SELECT * FROM checkpoint WHERE (tree, line, seq) > (?, ?, ?) AND tree = ? ORDER BY tree, line, seq LIMIT ?

-- name: scan_mark
SELECT * FROM mark WHERE (tree, line, seq, era) > (?, ?, ?, ?) AND tree = ? ORDER BY tree, line, seq, era LIMIT ?

-- name: scan_log
SELECT * FROM log WHERE (tree, log) > (?, ?) AND tree = ? ORDER BY tree, log LIMIT ?

-- name: scan_chunk
SELECT * FROM chunk WHERE (tree, log, lo) > (?, ?, ?) AND tree = ? ORDER BY tree, log, lo LIMIT ?

-- name: scan_pending
SELECT * FROM pending WHERE (tree, line, seq, task_id, idx, era) > (?, ?, ?, CAST(? AS TEXT), ?, ?) AND tree = ?
ORDER BY tree, line, seq, task_id, idx, era LIMIT ?

-- name: scan_sealed
SELECT * FROM sealed WHERE (tree, line, seq, number, era) > (?, ?, ?, ?, ?) AND tree = ? ORDER BY tree, line, seq, number, era LIMIT ?

-- name: scan_journal
SELECT * FROM journal WHERE (tree, line, seq) > (?, ?, ?) AND tree = ? ORDER BY tree, line, seq LIMIT ?

-- name: check
SELECT integrity_check FROM pragma_integrity_check(?)

-- name: all_thread
SELECT * FROM thread NOT INDEXED ORDER BY 1

-- name: all_grave
SELECT * FROM grave NOT INDEXED ORDER BY 1

-- name: all_tag
SELECT * FROM tag NOT INDEXED ORDER BY 1, 2, 3

-- name: all_line
SELECT * FROM line NOT INDEXED ORDER BY 1, 2

-- name: all_checkpoint
SELECT * FROM checkpoint NOT INDEXED ORDER BY rowid

-- name: all_mark
SELECT * FROM mark NOT INDEXED ORDER BY 1, 2, 3, 4

-- name: all_log
SELECT * FROM log NOT INDEXED ORDER BY 1, 2

-- name: all_chunk
SELECT * FROM chunk NOT INDEXED ORDER BY rowid

-- name: all_pending
SELECT * FROM pending NOT INDEXED ORDER BY rowid

-- name: all_sealed
SELECT * FROM sealed NOT INDEXED ORDER BY 1, 2, 3, 4, 5

-- name: all_waiting
SELECT * FROM waiting NOT INDEXED ORDER BY 1, 2, 3, 4, 5

-- name: all_journal
SELECT * FROM journal NOT INDEXED ORDER BY rowid

-- name: all_run
SELECT * FROM run NOT INDEXED ORDER BY 1, 2, 3

-- name: all_quarantine
SELECT * FROM quarantine NOT INDEXED ORDER BY 1

-- name: root_page
SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?

-- name: schema
SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name
