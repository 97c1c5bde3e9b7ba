-- The queries on a database of PostgresSaver. Tables are found through the search path of the connection.
-- Ids are compared bytewise, independent of the collation of the database, so that every source has the same order.

-- name: columns
SELECT attname FROM pg_catalog.pg_attribute
WHERE attrelid = to_regclass(%(table)s) AND attnum > 0 AND NOT attisdropped

-- name: totals
SELECT count(DISTINCT thread_id), count(*) FROM checkpoints

-- name: totals_of_threads
SELECT count(DISTINCT thread_id), count(*) FROM checkpoints WHERE thread_id = ANY(%(threads)s)

-- name: first_thread
SELECT min(thread_id) FROM checkpoints

-- name: next_thread
SELECT min(thread_id) FROM checkpoints WHERE thread_id > %(thread)s

-- name: keys
SELECT checkpoint_id, checkpoint_ns FROM checkpoints
WHERE thread_id = %(thread)s
    AND (checkpoint_id COLLATE "C", checkpoint_ns COLLATE "C") > (%(id)s, %(namespace)s)
ORDER BY checkpoint_id COLLATE "C", checkpoint_ns COLLATE "C"
LIMIT %(limit)s

-- name: checkpoints
SELECT c.checkpoint_id, c.checkpoint_ns, c.parent_checkpoint_id, c.checkpoint::text, c.metadata::text, (
    SELECT json_object_agg(v.key, v.value) FROM jsonb_each_text(c.checkpoint -> 'channel_versions') v
)::text
FROM unnest(%(ids)s::text[], %(namespaces)s::text[]) WITH ORDINALITY AS k (id, namespace, place)
JOIN checkpoints c ON c.thread_id = %(thread)s AND c.checkpoint_id = k.id AND c.checkpoint_ns = k.namespace
ORDER BY k.place

-- name: blobs
SELECT b.checkpoint_ns, b.channel, b.version, b.type, b.blob
FROM unnest(%(namespaces)s::text[], %(channels)s::text[], %(versions)s::text[]) AS k (namespace, channel, version)
JOIN checkpoint_blobs b ON b.thread_id = %(thread)s
    AND b.checkpoint_ns = k.namespace AND b.channel = k.channel AND b.version = k.version

-- name: writes
SELECT w.checkpoint_id, w.checkpoint_ns, w.task_path, w.task_id, w.idx, w.channel, w.type, w.blob
FROM unnest(%(ids)s::text[], %(namespaces)s::text[]) AS k (id, namespace)
JOIN checkpoint_writes w ON w.thread_id = %(thread)s AND w.checkpoint_id = k.id AND w.checkpoint_ns = k.namespace

-- name: writes_without_path
SELECT w.checkpoint_id, w.checkpoint_ns, '', w.task_id, w.idx, w.channel, w.type, w.blob
FROM unnest(%(ids)s::text[], %(namespaces)s::text[]) AS k (id, namespace)
JOIN checkpoint_writes w ON w.thread_id = %(thread)s AND w.checkpoint_id = k.id AND w.checkpoint_ns = k.namespace
