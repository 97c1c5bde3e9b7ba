-- Every statement that the SQLite backend runs, by name. All values are parameters; no SQL is put together at run time.

-- name: put_thread
INSERT OR REPLACE INTO thread VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_tombstone
INSERT OR REPLACE INTO tombstone VALUES (?, ?, ?, ?)

-- name: put_tag
INSERT OR REPLACE INTO tag VALUES (?, ?, ?, ?)

-- A save changes neither the thread nor the namespace of a line. Setting them would make each save write the index of
-- namespaces too. So a row in which they change is not updated here; `put_line_elsewhere` updates it.
-- name: put_line
INSERT INTO line VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tree, line) DO UPDATE SET
    version = excluded.version, seq = excluded.seq, head_line = excluded.head_line, head_seq = excluded.head_seq,
    checkpoints = excluded.checkpoints, size = excluded.size, updated_at = excluded.updated_at,
    forks = excluded.forks, overlays = excluded.overlays, base_line = excluded.base_line, base_seq = excluded.base_seq,
    base_era = excluded.base_era, is_copy = excluded.is_copy, journal = excluded.journal,
    base_journal = excluded.base_journal, epoch = excluded.epoch, worker = excluded.worker,
    lease_at = excluded.lease_at, lease_ttl = excluded.lease_ttl, sum = excluded.sum
WHERE thread = excluded.thread AND namespace = excluded.namespace

-- name: put_line_elsewhere
UPDATE line SET
    thread = new.thread, namespace = new.namespace, version = new.version, seq = new.seq, head_line = new.head_line,
    head_seq = new.head_seq, checkpoints = new.checkpoints, size = new.size, updated_at = new.updated_at,
    forks = new.forks, overlays = new.overlays, base_line = new.base_line, base_seq = new.base_seq,
    base_era = new.base_era, is_copy = new.is_copy, journal = new.journal, base_journal = new.base_journal,
    epoch = new.epoch, worker = new.worker, lease_at = new.lease_at, lease_ttl = new.lease_ttl, sum = new.sum
FROM (
    SELECT ? AS tree, ? AS line, ? AS thread, ? AS namespace, ? AS version, ? AS seq, ? AS head_line, ? AS head_seq,
        ? AS checkpoints, ? AS size, ? AS updated_at, ? AS forks, ? AS overlays, ? AS base_line, ? AS base_seq,
        ? AS base_era, ? AS is_copy, ? AS journal, ? AS base_journal, ? AS epoch, ? AS worker, ? AS lease_at,
        ? AS lease_ttl, ? AS sum
) AS new
WHERE line.tree = new.tree AND line.line = new.line

-- name: put_checkpoint
INSERT OR REPLACE INTO checkpoint
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_overlay
INSERT OR REPLACE INTO overlay VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_log
INSERT OR REPLACE INTO log VALUES (?, ?, ?, ?, ?)

-- name: put_chunk
INSERT INTO chunk (tree, log, lo, hi, kind, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: put_large_chunk
INSERT INTO chunk (tree, log, lo, hi, kind, body, sum) VALUES (?, ?, ?, ?, ?, zeroblob(?), ?)

-- name: put_pending
INSERT OR REPLACE INTO pending VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_pending_if_free
INSERT OR IGNORE INTO pending VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_settled
INSERT OR REPLACE INTO settled VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: put_early_write
INSERT OR REPLACE INTO early_write VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_early_write_if_free
INSERT OR IGNORE INTO early_write VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_journal
INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tree, line, seq) DO UPDATE SET
    kind = excluded.kind, key = excluded.key, created_at = excluded.created_at, body = excluded.body, sum = excluded.sum

-- name: put_run
INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?)

-- name: put_quarantine
INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?, ?, ?)

-- A damaged key may be invalid text, which is passed as bytes, or bytes where text should be. The statements for damaged
-- keys match both.
-- name: drop_thread
DELETE FROM thread WHERE id = ?

-- name: drop_thread_damaged
WITH damaged (id) AS (VALUES (?))
DELETE FROM thread WHERE id IN (SELECT CAST(id AS TEXT) FROM damaged UNION ALL SELECT id FROM damaged)

-- name: drop_quarantine
DELETE FROM quarantine WHERE number = ?

-- name: drop_tombstone
DELETE FROM tombstone WHERE hash = ?

-- name: drop_tag
DELETE FROM tag WHERE key = ? AND value = ? AND thread = ?

-- name: drop_tag_damaged
WITH damaged (key, value, thread) AS (VALUES (?, ?, ?))
DELETE FROM tag WHERE key IN (SELECT CAST(key AS TEXT) FROM damaged UNION ALL SELECT key FROM damaged)
    AND value IN (SELECT CAST(value AS TEXT) FROM damaged UNION ALL SELECT value FROM damaged)
    AND thread IN (SELECT CAST(thread AS TEXT) FROM damaged UNION ALL SELECT thread FROM damaged)

-- name: drop_line
DELETE FROM line WHERE tree = ? AND line = ?

-- name: drop_checkpoint
DELETE FROM checkpoint WHERE tree = ? AND line = ? AND seq = ?

-- name: drop_overlay
DELETE FROM overlay WHERE tree = ? AND line = ? AND seq = ? AND era = ?

-- name: drop_log
DELETE FROM log WHERE tree = ? AND log = ?

-- name: drop_chunk
DELETE FROM chunk WHERE tree = ? AND log = ? AND lo = ?

-- name: drop_pending
DELETE FROM pending WHERE tree = ? AND line = ? AND seq = ? AND task_id = ? AND idx = ? AND era = ?

-- name: drop_pending_damaged
WITH damaged (tree, line, seq, task_id, idx, era) AS (VALUES (?, ?, ?, ?, ?, ?))
DELETE FROM pending WHERE tree = (SELECT tree FROM damaged)
    AND line = (SELECT line FROM damaged)
    AND seq = (SELECT seq FROM damaged)
    AND task_id IN (SELECT CAST(task_id AS TEXT) FROM damaged UNION ALL SELECT task_id FROM damaged)
    AND idx = (SELECT idx FROM damaged)
    AND era = (SELECT era FROM damaged)

-- name: drop_settled
DELETE FROM settled WHERE tree = ? AND line = ? AND seq = ? AND number = ? AND era = ?

-- name: drop_early_write
DELETE FROM early_write WHERE thread = ? AND namespace = ? AND checkpoint = ? AND task_id = ? AND idx = ?

-- name: drop_early_write_damaged
WITH damaged (thread, namespace, checkpoint, task_id, idx) AS (VALUES (?, ?, ?, ?, ?))
DELETE FROM early_write WHERE thread IN (SELECT CAST(thread AS TEXT) FROM damaged UNION ALL SELECT thread FROM damaged)
    AND namespace IN (SELECT CAST(namespace AS TEXT) FROM damaged UNION ALL SELECT namespace FROM damaged)
    AND checkpoint IN (SELECT CAST(checkpoint AS TEXT) FROM damaged UNION ALL SELECT checkpoint FROM damaged)
    AND task_id IN (SELECT CAST(task_id AS TEXT) FROM damaged UNION ALL SELECT task_id FROM damaged)
    AND idx = (SELECT idx FROM damaged)

-- name: drop_early_write_before
DELETE FROM early_write WHERE ? IN ('', thread) AND created_at < ?

-- name: drop_journal
DELETE FROM journal WHERE tree = ? AND line = ? AND seq = ?

-- name: drop_run
DELETE FROM run WHERE run_id = ? AND tree = ? AND line = ?

-- name: drop_run_damaged
WITH damaged (run_id, tree, line) AS (VALUES (?, ?, ?))
DELETE FROM run WHERE run_id IN (SELECT CAST(run_id AS TEXT) FROM damaged UNION ALL SELECT run_id FROM damaged)
    AND tree = (SELECT tree FROM damaged)
    AND line = (SELECT line FROM damaged)

-- name: drop_chunks
DELETE FROM chunk WHERE tree = ? AND log = ? AND lo BETWEEN ? AND ?

-- name: drop_tree_line
DELETE FROM line WHERE tree = ?

-- name: drop_tree_checkpoint
DELETE FROM checkpoint WHERE tree = ?

-- name: drop_tree_overlay
DELETE FROM overlay WHERE tree = ?

-- name: drop_tree_log
DELETE FROM log WHERE tree = ?

-- name: drop_tree_chunk
DELETE FROM chunk WHERE tree = ?

-- name: drop_tree_pending
DELETE FROM pending WHERE tree = ?

-- name: drop_tree_settled
DELETE FROM settled WHERE tree = ?

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

-- name: holds_tombstone_at
SELECT COALESCE((SELECT generation FROM tombstone WHERE hash = ?), 0) = ?

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

-- name: holds_early_write_at
SELECT (SELECT COUNT(*) FROM early_write WHERE thread = ? AND namespace = ? AND checkpoint = ?) = ?

-- name: holds_clock_near
SELECT abs(CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER) - ?) <= ?

-- name: find
SELECT (SELECT last FROM tombstone WHERE hash = :tombstone), thread.*, root.*, own.*, head.*
FROM thread
LEFT JOIN line AS root ON root.tree = thread.tree AND root.line = thread.line
LEFT JOIN line AS own ON own.tree = thread.tree AND own.thread = thread.line AND own.namespace = :namespace
LEFT JOIN checkpoint AS head ON head.tree = own.tree AND head.line = own.head_line AND head.seq = own.head_seq
WHERE thread.id = :id

-- name: tombstone
SELECT generation, last FROM tombstone WHERE hash = :hash

-- name: ancestry
-- Damaged rows may form a circle. No chain is longer than the number of rows, which ends it; the checksums then show the
-- damage. The rows are counted only for chains of more than 100.
WITH RECURSIVE below (line, depth) AS (
    SELECT :line, 0
    UNION ALL
    SELECT line.base_line, below.depth + 1
    FROM below JOIN line ON line.tree = :tree AND line.line = below.line
    WHERE line.base_line IS NOT NULL AND depth + 1 < :limit
        AND (depth < 100 OR depth < (SELECT count(*) FROM line WHERE tree = :tree))
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

-- name: overlays
SELECT overlay.* FROM json_each(:lines) AS want
JOIN overlay ON overlay.tree = :tree AND overlay.line = want.value AND overlay.seq BETWEEN :lo AND :hi

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
SELECT
    want.ask, want.pos, chunk.tree, chunk.log, chunk.lo, chunk.hi, chunk.kind,
    CASE WHEN length(chunk.body) < 1048576 THEN chunk.body END, chunk.sum,
    CASE WHEN length(chunk.body) >= 1048576 THEN chunk.rowid END
FROM want JOIN chunk ON chunk.tree = :tree AND chunk.log = want.log
    AND chunk.lo BETWEEN COALESCE(want.start, 0) AND want.pos
ORDER BY want.ask, want.depth DESC, chunk.lo

-- name: pending
WITH RECURSIVE seen (line, cut, upto, depth) AS (
    VALUES (:line, NULL, NULL, 0), (:base_line, :base_era, :base_seq, 1)
    UNION ALL
    SELECT line.base_line, line.base_era, MIN(seen.upto, line.base_seq), seen.depth + 1
    FROM seen JOIN line ON line.tree = :tree AND line.line = seen.line
    WHERE seen.depth > 0 AND line.base_line IS NOT NULL AND :lowest <= line.base_seq
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
    SELECT 0, wanted.depth, wanted.cut, settled.tree, settled.line, settled.seq, '', number, settled.era, '', body, sum
    FROM wanted JOIN settled ON settled.tree = :tree AND settled.line = wanted.line AND settled.seq = wanted.seq
)
SELECT kind, tree, line, seq, task_id, idx, era, task_path, body, sum FROM found WHERE cut IS NULL OR era < cut
ORDER BY depth DESC, era, kind, idx

-- name: pending_own
SELECT 1 AS kind, pending.*
FROM json_each(:seqs) AS want
JOIN pending ON pending.tree = :tree AND pending.line = :line AND pending.seq = want.value
UNION ALL
SELECT 0, settled.tree, settled.line, settled.seq, '', number, settled.era, '', body, sum
FROM json_each(:seqs) AS want
JOIN settled ON settled.tree = :tree AND settled.line = :line AND settled.seq = want.value
ORDER BY 7, 1, 6

-- name: early_write
SELECT * FROM early_write WHERE thread = :thread AND namespace = :namespace AND checkpoint = :checkpoint

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
of_overlay (tree) AS (
    SELECT min(tree) FROM overlay WHERE tree > :after
    UNION ALL
    SELECT (SELECT min(overlay.tree) FROM overlay WHERE overlay.tree > of_overlay.tree) FROM of_overlay WHERE of_overlay.tree IS NOT NULL
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
of_settled (tree) AS (
    SELECT min(tree) FROM settled WHERE tree > :after
    UNION ALL
    SELECT (SELECT min(settled.tree) FROM settled WHERE settled.tree > of_settled.tree) FROM of_settled WHERE of_settled.tree IS NOT NULL
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
    UNION SELECT tree FROM of_overlay
    UNION SELECT tree FROM of_log
    UNION SELECT tree FROM of_chunk
    UNION SELECT tree FROM of_pending
    UNION SELECT tree FROM of_settled
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
WHERE line.tree BETWEEN :lo AND :hi AND (line.overlays = 0 OR NOT EXISTS (
    SELECT 1 FROM overlay
    WHERE overlay.tree = checkpoint.tree AND overlay.line = checkpoint.line AND overlay.seq = checkpoint.seq AND overlay.hidden > 0
))
GROUP BY thread.id, day
UNION ALL
SELECT '', tree, 0, 0, 0, sum(length(body)) FROM chunk WHERE tree BETWEEN :lo AND :hi GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(length(body)) FROM pending WHERE tree BETWEEN :lo AND :hi GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(length(body)) FROM settled WHERE tree BETWEEN :lo AND :hi GROUP BY tree
UNION ALL
SELECT '', tree, 0, 0, 0, sum(length(body)) FROM journal WHERE tree BETWEEN :lo AND :hi GROUP BY tree

-- name: scan_thread
SELECT * FROM thread WHERE id > CAST(? AS TEXT) ORDER BY id LIMIT ?

-- name: scan_quarantine
SELECT * FROM quarantine WHERE number > ? ORDER BY number LIMIT ?

-- name: scan_tombstone
SELECT * FROM tombstone WHERE (hash) > (?) ORDER BY hash LIMIT ?

-- name: scan_tag
SELECT * FROM tag WHERE (key, value, thread) > (CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT)) ORDER BY key, value, thread LIMIT ?

-- name: scan_early_write
SELECT * FROM early_write
WHERE (thread, namespace, checkpoint, task_id, idx) > (CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), ?)
ORDER BY thread, namespace, checkpoint, task_id, idx LIMIT ?

-- name: scan_run
SELECT * FROM run WHERE (run_id, tree, line) > (CAST(? AS TEXT), ?, ?) ORDER BY run_id, tree, line LIMIT ?

-- name: scan_line
SELECT * FROM line WHERE (tree, line) > (?, ?) AND tree = ? ORDER BY tree, line LIMIT ?

-- name: scan_checkpoint
SELECT * FROM checkpoint WHERE (tree, line, seq) > (?, ?, ?) AND tree = ? ORDER BY tree, line, seq LIMIT ?

-- name: scan_overlay
SELECT * FROM overlay WHERE (tree, line, seq, era) > (?, ?, ?, ?) AND tree = ? ORDER BY tree, line, seq, era LIMIT ?

-- name: scan_log
SELECT * FROM log WHERE (tree, log) > (?, ?) AND tree = ? ORDER BY tree, log LIMIT ?

-- name: scan_chunk
SELECT tree, log, lo, hi, kind, body, sum FROM chunk WHERE (tree, log, lo) > (?, ?, ?) AND tree = ? ORDER BY tree, log, lo LIMIT ?

-- name: scan_pending
SELECT * FROM pending WHERE (tree, line, seq, task_id, idx, era) > (?, ?, ?, CAST(? AS TEXT), ?, ?) AND tree = ?
ORDER BY tree, line, seq, task_id, idx, era LIMIT ?

-- name: scan_settled
SELECT * FROM settled WHERE (tree, line, seq, number, era) > (?, ?, ?, ?, ?) AND tree = ? ORDER BY tree, line, seq, number, era LIMIT ?

-- name: scan_journal
SELECT * FROM journal WHERE (tree, line, seq) > (?, ?, ?) AND tree = ? ORDER BY tree, line, seq LIMIT ?

-- name: check
SELECT integrity_check FROM pragma_integrity_check(?)

-- name: all_thread
SELECT * FROM thread NOT INDEXED ORDER BY 1

-- name: all_tombstone
SELECT * FROM tombstone NOT INDEXED ORDER BY 1

-- name: all_tag
SELECT * FROM tag NOT INDEXED ORDER BY 1, 2, 3

-- name: all_line
SELECT * FROM line NOT INDEXED ORDER BY 1, 2

-- name: all_checkpoint
SELECT * FROM checkpoint NOT INDEXED ORDER BY rowid

-- name: all_overlay
SELECT * FROM overlay NOT INDEXED ORDER BY 1, 2, 3, 4

-- name: all_log
SELECT * FROM log NOT INDEXED ORDER BY 1, 2

-- name: all_chunk
SELECT tree, log, lo, hi, kind, body, sum FROM chunk NOT INDEXED ORDER BY rowid

-- name: all_pending
SELECT * FROM pending NOT INDEXED ORDER BY rowid

-- name: all_settled
SELECT * FROM settled NOT INDEXED ORDER BY 1, 2, 3, 4, 5

-- name: all_early_write
SELECT * FROM early_write NOT INDEXED ORDER BY 1, 2, 3, 4, 5

-- name: all_journal
SELECT * FROM journal NOT INDEXED ORDER BY rowid

-- name: all_run
SELECT * FROM run NOT INDEXED ORDER BY 1, 2, 3

-- name: all_quarantine
SELECT * FROM quarantine NOT INDEXED ORDER BY 1

-- name: columns
SELECT name FROM pragma_table_info(?)

-- name: root_page
SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?

-- name: schema
SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name
