-- The queries on a file of SqliteSaver.

-- name: columns
SELECT name FROM pragma_table_info(?)

-- name: totals
SELECT count(DISTINCT thread_id), count(*) FROM checkpoints

-- name: totals_of_thread
SELECT count(DISTINCT thread_id), count(*) FROM checkpoints WHERE thread_id = ?

-- name: first_thread
SELECT min(thread_id) FROM checkpoints

-- name: next_thread
SELECT min(thread_id) FROM checkpoints WHERE thread_id > ?

-- name: keys
SELECT checkpoint_id, checkpoint_ns FROM checkpoints
WHERE thread_id = ? AND (checkpoint_id, checkpoint_ns) > (?, ?)
ORDER BY checkpoint_id, checkpoint_ns
LIMIT ?

-- name: checkpoint
SELECT parent_checkpoint_id, type, checkpoint, metadata FROM checkpoints
WHERE thread_id = ? AND checkpoint_id = ? AND checkpoint_ns = ?

-- name: writes
SELECT task_path, task_id, idx, channel, type, value FROM writes
WHERE thread_id = ? AND checkpoint_id = ? AND checkpoint_ns = ?
ORDER BY task_path, task_id, idx

-- name: writes_without_path
SELECT '', task_id, idx, channel, type, value FROM writes
WHERE thread_id = ? AND checkpoint_id = ? AND checkpoint_ns = ?
ORDER BY task_id, idx
