-- The first format that is brought up to date: format 1 was never released. docs/reference/format.md describes every
-- column, docs/design/0008-postgres.md the reasons.
--
-- The search path is the schema that the store lives in, and the setting holdfast.partitions says into how many hash
-- partitions the tables are cut that are keyed by tree.
--
-- Texts are compared byte by byte, as everywhere in Holdfast. A text of any length can't stand in an index, so those
-- that are only looked up are indexed by their hash, and those that are listed in order by how they begin.

CREATE TABLE format (
    application name NOT NULL,
    number integer NOT NULL,  -- of the last migration
    needed integer NOT NULL  -- the format that code must know to use this schema
);
INSERT INTO format VALUES ('holdfast', 2, 2);

-- ---------------------------------------------------------------------------------------------- the directory

CREATE TABLE thread (
    id text COLLATE "C" NOT NULL,
    tree bigint NOT NULL,
    line bigint NOT NULL,
    generation bigint NOT NULL,
    created_at bigint NOT NULL,
    metadata bytea NOT NULL,
    from_thread text COLLATE "C",
    from_checkpoint text COLLATE "C",
    sum bigint NOT NULL,
    CONSTRAINT thread_by_id EXCLUDE USING hash (id WITH =)  -- unique, at any length
);
CREATE INDEX thread_in_order ON thread (left(id, 256));
CREATE INDEX thread_by_tree ON thread (tree, line);

CREATE TABLE grave (
    hash bytea NOT NULL PRIMARY KEY,
    generation bigint NOT NULL,
    last text COLLATE "C" NOT NULL,
    sum bigint NOT NULL
);

CREATE TABLE quarantine (
    number bigint NOT NULL PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    reason text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    sum bigint NOT NULL
);

CREATE TABLE tag (
    key text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    thread text COLLATE "C" NOT NULL,
    sum bigint NOT NULL
);
CREATE INDEX tag_by_value ON tag (hashtextextended(key, 0), hashtextextended(value, 0), left(thread, 256));

CREATE TABLE waiting (
    thread text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    checkpoint text COLLATE "C" NOT NULL,
    task_id text COLLATE "C" NOT NULL,
    idx bigint NOT NULL,
    task_path text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    body bytea NOT NULL,
    sum bigint NOT NULL
);
CREATE UNIQUE INDEX waiting_by_task ON waiting (
    hashtextextended(thread, 0), hashtextextended(namespace, 0), hashtextextended(checkpoint, 0),
    hashtextextended(task_id, 0), idx
);

-- ---------------------------------------------------------------------------------------------- what a tree keeps

CREATE TABLE line (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    thread bigint NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    seq bigint NOT NULL,
    head_line bigint NOT NULL,
    head_seq bigint NOT NULL,
    checkpoints bigint NOT NULL,
    size bigint NOT NULL,
    updated_at bigint NOT NULL,
    forks bigint NOT NULL,
    marks bigint NOT NULL,
    base_line bigint,
    base_seq bigint NOT NULL,
    base_era bigint NOT NULL,
    whole smallint NOT NULL,
    journal bigint NOT NULL,
    base_journal bigint NOT NULL,
    epoch bigint NOT NULL,
    worker text COLLATE "C" NOT NULL,
    lease_at bigint NOT NULL,
    lease_ttl bigint NOT NULL,
    sum bigint NOT NULL,
    stamps bigint[] NOT NULL,  -- of the batches that wrote this row, the last of them first: see `landed`
    PRIMARY KEY (tree, line)
);
-- No column that a save changes is in an index, so that it rewrites the row on its page and touches nothing else.
CREATE INDEX line_by_namespace ON line (tree, thread, hashtextextended(namespace, 0));

CREATE TABLE checkpoint (  -- numbers first, since each would be moved to a multiple of its size otherwise
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    step bigint NOT NULL,
    created_at bigint NOT NULL,
    size bigint NOT NULL,
    sum bigint NOT NULL,
    seal_sum bigint,
    parent_seq integer NOT NULL,
    stretch integer NOT NULL,
    journal_seq integer NOT NULL,
    depth integer NOT NULL,
    era integer NOT NULL,
    seal_era integer,
    id text COLLATE "C" NOT NULL,
    parent_id text COLLATE "C",
    parent_thread text COLLATE "C",
    parent_digest bytea,
    source text COLLATE "C" NOT NULL,
    node text COLLATE "C" NOT NULL,
    next bytea NOT NULL,
    run_id text COLLATE "C",
    status text COLLATE "C" NOT NULL,
    label text COLLATE "C" NOT NULL,
    metadata bytea NOT NULL,
    origin text COLLATE "C",
    digest bytea NOT NULL,
    manifest bytea NOT NULL,
    seal bytea,  -- with seal_era and seal_sum the row of `sealed` for the checkpoint before this one: see `seals`
    CHECK (num_nulls(seal, seal_era, seal_sum) IN (0, 3)),
    PRIMARY KEY (tree, line, seq) WITH (fillfactor = 100)  -- only ever added to at a line's end
);
-- Not unique: a removed checkpoint's id may be used again while a fork still sees the first.
CREATE INDEX checkpoint_by_id ON checkpoint (line, left(id, 64)) WITH (fillfactor = 100);

CREATE TABLE mark (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    era bigint NOT NULL,
    hidden smallint NOT NULL,
    label text COLLATE "C",
    status text COLLATE "C",
    sum bigint NOT NULL,
    PRIMARY KEY (tree, line, seq, era)
);

CREATE TABLE log (
    tree bigint NOT NULL,
    log bigint NOT NULL,
    base_log bigint NOT NULL,
    base_pos bigint NOT NULL,
    sum bigint NOT NULL,
    PRIMARY KEY (tree, log)
);

CREATE TABLE chunk (
    tree bigint NOT NULL,
    log bigint NOT NULL,
    lo bigint NOT NULL,
    hi bigint NOT NULL,
    kind smallint NOT NULL,
    body bytea NOT NULL,
    sum bigint NOT NULL,
    PRIMARY KEY (tree, log, lo)
);

-- The last changes of a log, which soon become one row of `chunk`. A place that was given up keeps its row, with -1 for
-- `lo` and an empty body, and is taken by a later change: the server writes both on the row's own page, in no index, and
-- needs no vacuum to use the room again. See docs/design/0008-postgres.md.
CREATE TABLE tail (
    tree bigint NOT NULL,
    log bigint NOT NULL,
    lo bigint NOT NULL,
    sum bigint NOT NULL,
    place smallint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tree, log, place)
);

CREATE TABLE pending (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    task_id text COLLATE "C" NOT NULL,
    idx bigint NOT NULL,
    era bigint NOT NULL,
    task_path text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    sum bigint NOT NULL
);
CREATE UNIQUE INDEX pending_by_task ON pending (tree, line, seq, hashtextextended(task_id, 0), idx, era);

-- The writes of the step that a line is at, as far as there is place for them: four a line, two for the first two writes
-- of a task, by turns. They are gone with the next save, and as in `tail` a row whose `seq` is -1 is a free place. So that
-- of a key there is one row in both tables, whoever puts writes holds their task, or the line against everybody.
CREATE TABLE desk (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    idx bigint NOT NULL,
    era bigint NOT NULL,
    sum bigint NOT NULL,
    place smallint NOT NULL,  -- seq % 2 * 2 + idx
    task_id text COLLATE "C" NOT NULL,
    task_path text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tree, line, place)
);

CREATE TABLE sealed (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    sum bigint NOT NULL,
    number integer NOT NULL,
    era integer NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tree, line, seq, number, era) WITH (fillfactor = 100)
);

CREATE TABLE journal (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    key text COLLATE "C",
    created_at bigint NOT NULL,
    body bytea NOT NULL,
    sum bigint NOT NULL,
    PRIMARY KEY (tree, line, seq)
);
CREATE INDEX journal_by_key ON journal (tree, line, hashtextextended(key, 0)) WHERE key IS NOT NULL;

CREATE TABLE run (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    sum bigint NOT NULL
);
CREATE INDEX run_by_line ON run (tree, line);
CREATE INDEX run_by_id ON run (hashtextextended(run_id, 0));

-- ---------------------------------------------------------------------------------------------- partitions

DO $$
DECLARE
    parts integer := coalesce(nullif(current_setting('holdfast.partitions', true), ''), '0')::integer;
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['line', 'checkpoint', 'mark', 'log', 'chunk', 'tail', 'pending', 'desk', 'sealed', 'journal', 'run'] LOOP
        IF parts > 0 THEN
            EXECUTE format('CREATE TABLE whole (LIKE %I INCLUDING ALL) PARTITION BY HASH (tree)', name);
            EXECUTE format('DROP TABLE %I', name);
            EXECUTE format('ALTER TABLE whole RENAME TO %I', name);
            FOR part IN 0 .. parts - 1 LOOP
                EXECUTE format(
                    'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
                    name || '_' || part, name, parts, part
                );
            END LOOP;
        END IF;
    END LOOP;
END $$;

-- ---------------------------------------------------------------------------------------------- how pages are kept

DO $$
DECLARE
    kept record;
    name text;
BEGIN
    FOR kept IN
        SELECT 'line' AS root, 'fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500' AS options, NULL AS body
        UNION ALL SELECT 'checkpoint', NULL, 'manifest'
        UNION ALL SELECT 'checkpoint', NULL, 'seal'
        UNION ALL SELECT 'chunk', 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500, toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_threshold = 500', 'body'
        UNION ALL SELECT 'tail', 'fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500', 'body'
        UNION ALL SELECT 'pending', 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500', 'body'
        UNION ALL SELECT 'desk', 'fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500', 'body'
        UNION ALL SELECT 'sealed', NULL, 'body'
        UNION ALL SELECT 'journal', NULL, 'body'
        UNION ALL SELECT 'waiting', 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500', 'body'
    LOOP
        FOR name IN
            SELECT relid::regclass::text FROM pg_partition_tree(kept.root::regclass) WHERE isleaf
            UNION SELECT kept.root WHERE NOT EXISTS (SELECT 1 FROM pg_partition_tree(kept.root::regclass))
        LOOP
            IF kept.options IS NOT NULL THEN
                EXECUTE 'ALTER TABLE ' || name || ' SET (' || kept.options || ')';
            END IF;
            IF kept.body IS NOT NULL THEN  -- compressed already, where that is worth it
                EXECUTE 'ALTER TABLE ' || name || ' ALTER COLUMN ' || kept.body || ' SET STORAGE EXTERNAL';
            END IF;
        END LOOP;
    END LOOP;
END $$;

-- ---------------------------------------------------------------------------------------------- reading
--
-- What every call asks first. A stable function sees one moment, that of the statement which calls it, and the server
-- remembers how to look up each row, where it would plan a join of all of them anew each time.

CREATE FUNCTION find(
    wanted text, in_namespace text, of_grave bytea,
    OUT generation bigint, OUT last text, OUT thread thread, OUT root line, OUT own line, OUT head checkpoint
) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    SELECT grave.generation, grave.last INTO generation, last FROM grave WHERE hash = of_grave;
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
    SELECT  -- without the seal, which may be large
        tree, line, seq, step, created_at, size, sum, NULL, parent_seq, stretch, journal_seq, depth, era, NULL, id,
        parent_id, parent_thread, parent_digest, source, node, next, run_id, status, label, metadata, origin, digest,
        manifest, NULL
    INTO head FROM checkpoint
    WHERE checkpoint.tree = own.tree AND checkpoint.line = own.head_line AND checkpoint.seq = own.head_seq;
END $$;

-- All that value logs are made of, wherever it is.
CREATE VIEW piece AS
    SELECT tree, log, lo, hi, kind, body, sum FROM chunk
    UNION ALL
    SELECT tree, log, lo, lo, 1::smallint, body, sum FROM tail WHERE lo >= 0;

-- Every write that waits for its step to be sealed.
CREATE VIEW unsealed AS
    SELECT tree, line, seq, task_id, idx, era, task_path, body, sum FROM pending
    UNION ALL
    SELECT tree, line, seq, task_id, idx, era, task_path, body, sum FROM desk WHERE seq >= 0;

-- The steps that were sealed, wherever that is. A step is sealed by the next save as a rule: then its row stands in the
-- one of that checkpoint, which makes half of its bytes. It moves to `sealed` when that checkpoint goes.
CREATE VIEW seals AS
    SELECT tree, line, seq, number, era, body, sum FROM sealed
    UNION ALL
    SELECT tree, line, seq - 1, seq, seal_era, seal, seal_sum FROM checkpoint WHERE seal IS NOT NULL;

-- Each wanted version with the chunks that make it up, oldest first. Rows that were mixed up may lead in circles: no way
-- down is longer than there are rows, which ends them. They are counted only for ways that are long.
CREATE FUNCTION chunks(in_tree bigint, logs bigint[], positions bigint[])
RETURNS TABLE (ask bigint, upto bigint, piece piece)
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
    SELECT want.ask, want.pos, piece
    FROM want JOIN piece ON piece.tree = in_tree AND piece.log = want.log
        AND piece.lo BETWEEN coalesce(want.start, 0) AND want.pos
    ORDER BY want.ask, want.depth DESC, piece.lo;
END $$;

-- What a line sees of the writes for these numbers: its own, and through forks. See `Backend.pending`.
CREATE FUNCTION pending(in_tree bigint, of_line bigint, of_base bigint, of_era bigint, of_seq bigint, seqs bigint[])
RETURNS TABLE (
    kind integer, tree bigint, line bigint, seq bigint, task_id text, idx bigint, era bigint, task_path text, body bytea,
    sum bigint
)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    saved bigint[] := ARRAY(SELECT one + 1 FROM unnest(seqs) AS one);  -- next, with their seals
BEGIN
    IF of_base IS NULL THEN
        RETURN QUERY
        SELECT 1 AS kind, pending.tree, pending.line, pending.seq, pending.task_id, pending.idx, pending.era, pending.task_path,
                pending.body, pending.sum
        FROM pending WHERE tree = in_tree AND line = of_line AND seq = ANY(seqs)
        UNION ALL
        SELECT 1, desk.tree, desk.line, desk.seq, desk.task_id, desk.idx, desk.era, desk.task_path, desk.body, desk.sum
        FROM desk WHERE tree = in_tree AND line = of_line AND seq = ANY(seqs)
        UNION ALL
        SELECT 0, sealed.tree, sealed.line, sealed.seq, '', sealed.number, sealed.era, '', sealed.body, sealed.sum
        FROM sealed WHERE tree = in_tree AND line = of_line AND seq = ANY(seqs)
        UNION ALL
        SELECT 0, checkpoint.tree, checkpoint.line, seq - 1, '', seq, seal_era, '', seal, seal_sum
        FROM checkpoint WHERE tree = in_tree AND line = of_line AND seq = ANY(saved) AND seal IS NOT NULL
        ORDER BY 7, 1, 6;
    ELSE
        RETURN QUERY
        WITH RECURSIVE seen (line, cut, upto, depth) AS (
            VALUES
                (of_line, NULL::bigint, NULL::bigint, 0),
                (of_base, of_era, of_seq, 1)
            UNION ALL
            SELECT line.base_line, line.base_era, least(seen.upto, line.base_seq), seen.depth + 1
            FROM seen JOIN line ON line.tree = in_tree AND line.line = seen.line
            WHERE seen.depth > 0 AND line.base_line IS NOT NULL
                AND (depth < 100 OR depth < (SELECT count(*) FROM line WHERE tree = in_tree))
        ),
        wanted (seq, line, cut, depth) AS (
            SELECT want.seq, seen.line, seen.cut, seen.depth
            FROM seen JOIN unnest(seqs) AS want (seq) ON seen.upto IS NULL OR want.seq <= seen.upto
        ),
        found AS (
            SELECT 1 AS kind, wanted.depth, wanted.cut, pending.tree, pending.line, pending.seq, pending.task_id, pending.idx, pending.era, pending.task_path,
                pending.body, pending.sum
            FROM wanted
            JOIN pending ON pending.tree = in_tree AND pending.line = wanted.line AND pending.seq = wanted.seq
            UNION ALL
            SELECT
                1, wanted.depth, wanted.cut, desk.tree, desk.line, desk.seq, desk.task_id, desk.idx, desk.era, desk.task_path,
                desk.body, desk.sum
            FROM wanted
            JOIN desk ON desk.tree = in_tree AND desk.line = wanted.line AND desk.seq = wanted.seq
            UNION ALL
            SELECT
                0, wanted.depth, wanted.cut, sealed.tree, sealed.line, sealed.seq, '', sealed.number, sealed.era, '',
                sealed.body, sealed.sum
            FROM wanted
            JOIN sealed ON sealed.tree = in_tree AND sealed.line = wanted.line AND sealed.seq = wanted.seq
            UNION ALL
            SELECT
                0, wanted.depth, wanted.cut, checkpoint.tree, checkpoint.line, wanted.seq, '', checkpoint.seq, seal_era, '',
                seal, seal_sum
            FROM wanted
            JOIN checkpoint ON checkpoint.tree = in_tree AND checkpoint.line = wanted.line AND checkpoint.seq = wanted.seq + 1
            WHERE seal IS NOT NULL
        )
        SELECT kind, tree, line, seq, task_id, idx, era, task_path, body, sum FROM found WHERE cut IS NULL OR era < cut
        ORDER BY depth DESC, era, kind, idx;
    END IF;
END $$;

-- ---------------------------------------------------------------------------------------------- writing
--
-- `apply` takes batches as small programs and says of each whether it was applied (1), is stale (0), or met a row that
-- another transaction has locked (2). With `patient` it waits for such rows instead. A batch's expectations come first,
-- and lock what they speak about: a row that is there in the row, what is not there through an advisory lock on its
-- name. Every query in a function sees what was committed before it began, so that what is checked after a lock was
-- granted stays true until the end of the transaction.

CREATE FUNCTION claim(patient boolean, name text, shared boolean DEFAULT false) RETURNS boolean LANGUAGE plpgsql AS $$
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

-- The line's row, locked: against everyone if this batch `writes` it, and else against those who would.
CREATE FUNCTION hold_line(
    patient boolean, writes boolean, in_tree bigint, wanted bigint,
    OUT held boolean, OUT version bigint, OUT forks bigint, OUT epoch bigint, OUT journal bigint
) LANGUAGE plpgsql AS $$
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
        -- Not there, or skipped. Whoever makes the line claims it first: with the claim, a second look is final.
        IF NOT claim(patient, 'line ' || in_tree || ' ' || wanted) THEN
            held := false;
            RETURN;
        END IF;
    END LOOP;
    IF version IS NULL AND NOT patient THEN
        held := NOT EXISTS (SELECT 1 FROM line WHERE tree = in_tree AND line = wanted);
    END IF;
END $$;

CREATE FUNCTION holds_thread_at(patient boolean, wanted text, at bigint) RETURNS smallint LANGUAGE plpgsql AS $$
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

CREATE FUNCTION holds_checkpoint(patient boolean, in_tree bigint, in_line bigint, wanted bigint) RETURNS smallint
LANGUAGE plpgsql AS $$
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

CREATE FUNCTION holds_checkpoint_at(
    patient boolean, in_tree bigint, in_line bigint, wanted bigint, total bigint
) RETURNS smallint LANGUAGE plpgsql AS $$
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

CREATE FUNCTION holds_chunk(patient boolean, in_tree bigint, in_log bigint, at bigint, total bigint) RETURNS smallint
LANGUAGE plpgsql AS $$
DECLARE
    known bigint;
BEGIN
    IF patient THEN
        SELECT sum INTO known FROM chunk WHERE tree = in_tree AND log = in_log AND lo = at FOR UPDATE;
        IF NOT FOUND THEN
            SELECT sum INTO known FROM tail WHERE tree = in_tree AND log = in_log AND lo = at FOR UPDATE;
        END IF;
    ELSE
        SELECT sum INTO known FROM chunk WHERE tree = in_tree AND log = in_log AND lo = at FOR UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            SELECT sum INTO known FROM tail WHERE tree = in_tree AND log = in_log AND lo = at FOR UPDATE SKIP LOCKED;
        END IF;
        IF NOT FOUND AND EXISTS (SELECT 1 FROM piece WHERE tree = in_tree AND log = in_log AND lo = at) THEN
            RETURN 2;
        END IF;
    END IF;
    RETURN coalesce(known = total, false)::integer;
END $$;

-- Locks it, in either table, whether it is as expected or not.
CREATE FUNCTION holds_pending(
    patient boolean, in_tree bigint, in_line bigint, at bigint, of_task text, number bigint, in_era bigint, total bigint
) RETURNS smallint LANGUAGE plpgsql AS $$
DECLARE
    known bigint;
BEGIN
    IF patient THEN
        SELECT sum INTO known FROM desk
        WHERE tree = in_tree AND line = in_line AND place = at % 2 * 2 + number
            AND seq = at AND task_id = of_task AND idx = number AND era = in_era FOR UPDATE;
        IF NOT FOUND THEN
            SELECT sum INTO known FROM pending
            WHERE tree = in_tree AND line = in_line AND seq = at
                AND hashtextextended(task_id, 0) = hashtextextended(of_task, 0)
                AND task_id = of_task AND idx = number AND era = in_era FOR UPDATE;
        END IF;
        RETURN coalesce(known = total, false)::integer;
    END IF;
    SELECT sum INTO known FROM desk
    WHERE tree = in_tree AND line = in_line AND place = at % 2 * 2 + number
        AND seq = at AND task_id = of_task AND idx = number AND era = in_era FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        SELECT sum INTO known FROM pending
        WHERE tree = in_tree AND line = in_line AND seq = at
            AND hashtextextended(task_id, 0) = hashtextextended(of_task, 0)
            AND task_id = of_task AND idx = number AND era = in_era FOR UPDATE SKIP LOCKED;
    END IF;
    IF NOT FOUND AND (
        EXISTS (
            SELECT 1 FROM desk
            WHERE tree = in_tree AND line = in_line AND place = at % 2 * 2 + number
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

-- At its place on the desk if that is free and nobody else is about to take it, else in `pending`. Nobody else can be
-- about to put a write with this key: see 'hold task'. `alone` is who holds the line against everybody.
CREATE FUNCTION put_pending(
    replaces boolean, alone boolean, in_tree bigint, in_line bigint, at bigint, of_task text, number bigint, in_era bigint, path text,
    given bytea, total bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    at_place bigint := at % 2 * 2 + number;
    met record;
    there boolean;
BEGIN
    IF number BETWEEN 0 AND 1 THEN
        SELECT seq, task_id, era INTO met FROM desk WHERE tree = in_tree AND line = in_line AND place = at_place;
        there := FOUND;
        IF there AND met.seq = at AND met.task_id = of_task AND met.era = in_era THEN
            IF replaces THEN
                UPDATE desk SET task_path = path, body = given, sum = total
                WHERE tree = in_tree AND line = in_line AND place = at_place;
            END IF;
            RETURN;
        END IF;
        IF NOT (there AND met.seq >= 0) AND NOT EXISTS (
            SELECT 1 FROM pending
            WHERE tree = in_tree AND line = in_line AND seq = at
                AND hashtextextended(task_id, 0) = hashtextextended(of_task, 0) AND idx = number AND era = in_era
        ) THEN
            IF there THEN
                PERFORM 1 FROM desk
                WHERE tree = in_tree AND line = in_line AND place = at_place AND seq < 0 FOR UPDATE SKIP LOCKED;
                IF FOUND THEN
                    UPDATE desk SET
                        seq = at, idx = number, era = in_era, sum = total, task_id = of_task, task_path = path, body = given
                    WHERE tree = in_tree AND line = in_line AND place = at_place;
                    RETURN;
                END IF;
            ELSIF alone OR claim(false, 'place ' || in_tree || ' ' || in_line || ' ' || at_place) THEN
                INSERT INTO desk (tree, line, seq, idx, era, sum, place, task_id, task_path, body)
                VALUES (in_tree, in_line, at, number, in_era, total, at_place, of_task, path, given)
                ON CONFLICT DO NOTHING;
                IF FOUND THEN
                    RETURN;
                END IF;
            END IF;
        END IF;
    END IF;
    INSERT INTO pending VALUES (in_tree, in_line, at, of_task, number, in_era, path, given, total)
    ON CONFLICT (tree, line, seq, hashtextextended(task_id, 0), idx, era) DO UPDATE SET
        task_path = excluded.task_path, body = excluded.body, sum = excluded.sum
    WHERE replaces AND pending.task_id = excluded.task_id;
    IF NOT FOUND AND EXISTS (
        SELECT 1 FROM pending
        WHERE tree = in_tree AND line = in_line AND seq = at
            AND hashtextextended(task_id, 0) = hashtextextended(of_task, 0)
            AND idx = number AND era = in_era AND task_id <> of_task
    ) THEN
        RAISE EXCEPTION 'the task id % has the hash of another one', of_task USING ERRCODE = 'HF002';
    END IF;
END $$;

CREATE FUNCTION put_sealed(
    in_tree bigint, in_line bigint, at bigint, by_number bigint, in_era bigint, total bigint, whole bytea
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE checkpoint SET seal = whole, seal_sum = total
    WHERE tree = in_tree AND line = in_line AND seq = by_number AND by_number = at + 1 AND seal_era = in_era;
    IF NOT FOUND THEN
        INSERT INTO sealed (tree, line, seq, number, era, body, sum)
        VALUES (in_tree, in_line, at, by_number, in_era, whole, total)
        ON CONFLICT (tree, line, seq, number, era) DO UPDATE SET body = excluded.body, sum = excluded.sum;
    END IF;
END $$;

CREATE FUNCTION apply(
    patient boolean, starts bigint[], ops text[], numbers bigint[], texts text[], bodies bytea[]
) RETURNS smallint[]
LANGUAGE plpgsql SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    verdicts smallint[] := ARRAY[]::smallint[];
    verdict smallint;
    i integer;  -- how many numbers, texts and bodies are read
    t integer;
    b integer;
    found_line record;
    known bigint;
    stored boolean;
    met bigint;
    gone record;
BEGIN
    FOR batch IN 0 .. cardinality(starts) / 4 - 2 LOOP
        verdict := 1;
        met := NULL;
        i := starts[4 * batch + 2];
        t := starts[4 * batch + 3];
        b := starts[4 * batch + 4];
        FOR step IN starts[4 * batch + 1] + 1 .. starts[4 * batch + 5] LOOP
            CASE ops[step]

            -- ------------------------------------------------------------------------------ expectations
            WHEN 'write line at', 'read line at' THEN
                found_line := hold_line(patient, ops[step] = 'write line at', numbers[i + 1], numbers[i + 2]);
                IF NOT found_line.held THEN
                    verdict := 2;
                ELSE
                    verdict := (coalesce(found_line.version, 0) = numbers[i + 3])::integer;
                END IF;
                i := i + 3;
            WHEN 'write root at', 'read root at' THEN
                found_line := hold_line(patient, ops[step] = 'write root at', numbers[i + 1], numbers[i + 2]);
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
                found_line := hold_line(patient, ops[step] = 'write forks at', numbers[i + 1], numbers[i + 2]);
                IF NOT found_line.held THEN
                    verdict := 2;
                ELSE
                    verdict := coalesce(found_line.forks = numbers[i + 3], false)::integer;
                END IF;
                i := i + 3;
            WHEN 'hold line' THEN
                found_line := hold_line(patient, false, numbers[i + 1], numbers[i + 2]);
                IF NOT found_line.held THEN
                    verdict := 2;
                END IF;
                i := i + 2;
            WHEN 'namespace free' THEN
                IF NOT claim(patient, 'namespace ' || numbers[i + 1] || ' ' || numbers[i + 2] || ' ' || texts[t + 1]) THEN
                    verdict := 2;
                ELSIF EXISTS (
                    SELECT 1 FROM line
                    WHERE tree = numbers[i + 1] AND thread = numbers[i + 2]
                        AND hashtextextended(namespace, 0) = hashtextextended(texts[t + 1], 0) AND namespace = texts[t + 1]
                ) THEN
                    verdict := 0;
                END IF;
                i := i + 2;
                t := t + 1;
            WHEN 'thread absent' THEN
                IF NOT claim(patient, 'thread ' || texts[t + 1]) THEN
                    verdict := 2;
                ELSIF EXISTS (SELECT 1 FROM thread WHERE id = texts[t + 1]) THEN
                    verdict := 0;
                END IF;
                t := t + 1;
            WHEN 'thread at' THEN
                verdict := holds_thread_at(patient, texts[t + 1], numbers[i + 1]);
                i := i + 1;
                t := t + 1;
            WHEN 'grave at' THEN
                IF NOT claim(patient, 'grave ' || encode(bodies[b + 1], 'hex')) THEN
                    verdict := 2;
                ELSE
                    SELECT generation INTO known FROM grave WHERE hash = bodies[b + 1];
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
                verdict := holds_checkpoint(patient, numbers[i + 1], numbers[i + 2], numbers[i + 3]);
                i := i + 3;
            WHEN 'checkpoint at' THEN
                verdict := holds_checkpoint_at(patient, numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4]);
                i := i + 4;
            WHEN 'chunk at' THEN
                verdict := holds_chunk(patient, numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4]);
                i := i + 4;
            WHEN 'pending at' THEN
                verdict := holds_pending(
                    patient, numbers[i + 1], numbers[i + 2], numbers[i + 3], texts[t + 1], numbers[i + 4],
                    numbers[i + 5], numbers[i + 6]
                );
                i := i + 6;
                t := t + 1;
            WHEN 'waiting at' THEN
                IF NOT claim(patient, 'waiting ' || texts[t + 1]) THEN
                    verdict := 2;
                ELSE
                    SELECT count(*) INTO known FROM waiting
                    WHERE hashtextextended(thread, 0) = hashtextextended(texts[t + 1], 0)
                        AND hashtextextended(namespace, 0) = hashtextextended(texts[t + 2], 0)
                        AND hashtextextended(checkpoint, 0) = hashtextextended(texts[t + 3], 0)
                        AND thread = texts[t + 1] AND namespace = texts[t + 2] AND checkpoint = texts[t + 3];
                    verdict := (known = numbers[i + 1])::integer;
                END IF;
                i := i + 1;
                t := t + 3;
            WHEN 'write waiting' THEN
                IF NOT claim(patient, 'waiting ' || texts[t + 1], true) THEN
                    verdict := 2;
                END IF;
                t := t + 1;
            WHEN 'hold task' THEN
                IF NOT claim(patient, 'task ' || numbers[i + 1] || ' ' || numbers[i + 2] || ' ' || numbers[i + 3]) THEN
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
            WHEN 'drop grave' THEN
                DELETE FROM grave WHERE hash = bodies[b + 1];
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
                DELETE FROM desk WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq < 0;
                i := i + 2;
            WHEN 'drop checkpoint' THEN
                DELETE FROM checkpoint WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 3]
                RETURNING seal_era, seal_sum, seal INTO gone;
                IF gone.seal IS NOT NULL THEN
                    PERFORM put_sealed(
                        numbers[i + 1], numbers[i + 2], numbers[i + 3] - 1, numbers[i + 3], gone.seal_era, gone.seal_sum,
                        gone.seal
                    );
                END IF;
                i := i + 3;
            WHEN 'drop mark' THEN
                DELETE FROM mark
                WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 3] AND era = numbers[i + 4];
                i := i + 4;
            WHEN 'drop log' THEN
                DELETE FROM log WHERE tree = numbers[i + 1] AND log = numbers[i + 2];
                i := i + 2;
            WHEN 'drop chunk' THEN
                DELETE FROM chunk WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND lo = numbers[i + 3];
                DELETE FROM tail  -- with the places that are free: the log may be gone as a whole
                WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND (lo = numbers[i + 3] OR lo < 0);
                i := i + 3;
            WHEN 'drop chunks' THEN
                DELETE FROM chunk
                WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND lo BETWEEN numbers[i + 3] AND numbers[i + 4];
                DELETE FROM tail
                WHERE tree = numbers[i + 1] AND log = numbers[i + 2]
                    AND (lo BETWEEN numbers[i + 3] AND numbers[i + 4] OR lo < 0);
                i := i + 4;
            WHEN 'merge chunks' THEN
                DELETE FROM chunk
                WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND lo BETWEEN numbers[i + 3] AND numbers[i + 4];
                UPDATE tail SET lo = -1, body = ''
                WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND lo BETWEEN numbers[i + 3] AND numbers[i + 4];
                i := i + 4;
            WHEN 'drop pending', 'free pending' THEN
                IF numbers[i + 4] BETWEEN 0 AND 1 THEN
                    UPDATE desk SET seq = -1, task_id = '', task_path = '', body = ''
                    WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND place = numbers[i + 3] % 2 * 2 + numbers[i + 4]
                        AND seq = numbers[i + 3] AND task_id = texts[t + 1] AND era = numbers[i + 5];
                    stored := FOUND;
                ELSE
                    stored := false;
                END IF;
                IF NOT stored THEN
                    -- The writes of the step before are gone as a rule. An index gives the room of dead entries to
                    -- others without a vacuum if somebody has met them, and nobody else would.
                    IF met IS DISTINCT FROM numbers[i + 3] THEN
                        met := numbers[i + 3];
                        PERFORM count(*) FROM pending
                        WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = met - 1;
                    END IF;
                    DELETE FROM pending
                    WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 3]
                        AND hashtextextended(task_id, 0) = hashtextextended(texts[t + 1], 0) AND task_id = texts[t + 1]
                        AND idx = numbers[i + 4] AND era = numbers[i + 5];
                END IF;
                IF ops[step] = 'drop pending' THEN
                    DELETE FROM desk WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq < 0;
                END IF;
                i := i + 5;
                t := t + 1;
            WHEN 'clear desk' THEN
                DELETE FROM desk WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq < 0;
                i := i + 2;
            WHEN 'drop sealed' THEN
                DELETE FROM sealed
                WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 3]
                    AND number = numbers[i + 4] AND era = numbers[i + 5];
                IF NOT FOUND THEN
                    UPDATE checkpoint SET seal_era = NULL, seal_sum = NULL, seal = NULL
                    WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 4]
                        AND seq = numbers[i + 3] + 1 AND seal_era = numbers[i + 5];
                END IF;
                i := i + 5;
            WHEN 'drop waiting' THEN
                DELETE FROM waiting
                WHERE hashtextextended(thread, 0) = hashtextextended(texts[t + 1], 0)
                    AND thread = texts[t + 1] AND namespace = texts[t + 2] AND checkpoint = texts[t + 3]
                    AND task_id = texts[t + 4] AND idx = numbers[i + 1];
                i := i + 1;
                t := t + 4;
            WHEN 'drop waiting of' THEN
                DELETE FROM waiting
                WHERE hashtextextended(thread, 0) = hashtextextended(texts[t + 1], 0)
                    AND thread = texts[t + 1] AND created_at < numbers[i + 1];
                i := i + 1;
                t := t + 1;
            WHEN 'drop waiting before' THEN
                DELETE FROM waiting WHERE created_at < numbers[i + 1];
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
                DELETE FROM mark WHERE tree = numbers[i + 1];
                DELETE FROM log WHERE tree = numbers[i + 1];
                DELETE FROM chunk WHERE tree = numbers[i + 1];
                DELETE FROM tail WHERE tree = numbers[i + 1];
                DELETE FROM pending WHERE tree = numbers[i + 1];
                DELETE FROM desk WHERE tree = numbers[i + 1];
                DELETE FROM sealed WHERE tree = numbers[i + 1];
                DELETE FROM journal WHERE tree = numbers[i + 1];
                DELETE FROM run WHERE tree = numbers[i + 1];
                i := i + 1;

            -- ------------------------------------------------------------------------------ rows
            WHEN 'put stamped line' THEN
                LOOP
                    UPDATE line SET
                        thread = numbers[i + 3], namespace = texts[t + 1], version = numbers[i + 4], seq = numbers[i + 5],
                        head_line = numbers[i + 6], head_seq = numbers[i + 7], checkpoints = numbers[i + 8],
                        size = numbers[i + 9], updated_at = numbers[i + 10], forks = numbers[i + 11],
                        marks = numbers[i + 12], base_line = numbers[i + 13], base_seq = numbers[i + 14],
                        base_era = numbers[i + 15], whole = numbers[i + 16], journal = numbers[i + 17],
                        base_journal = numbers[i + 18], epoch = numbers[i + 19], worker = texts[t + 2],
                        lease_at = numbers[i + 20], lease_ttl = numbers[i + 21], sum = numbers[i + 22],
                        stamps = (numbers[i + 23] || stamps)[1:8]
                    WHERE tree = numbers[i + 1] AND line = numbers[i + 2];
                    EXIT WHEN FOUND;
                    INSERT INTO line VALUES (
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
            WHEN 'put checkpoint', 'put checkpoint with seal' THEN
                stored := ops[step] = 'put checkpoint with seal' AND NOT EXISTS (
                    SELECT 1 FROM checkpoint WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND seq = numbers[i + 3]
                );
                INSERT INTO checkpoint (
                    tree, line, seq, id, parent_id, parent_seq, parent_thread, parent_digest, stretch, depth, step,
                    source, node, next, run_id, status, label, metadata, created_at, journal_seq, size, origin, era,
                    digest, manifest, sum, seal_era, seal_sum, seal
                ) VALUES (
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], texts[t + 1], texts[t + 2], numbers[i + 4],
                    texts[t + 3], bodies[b + 1], numbers[i + 5], numbers[i + 6], numbers[i + 7], texts[t + 4],
                    texts[t + 5], bodies[b + 2], texts[t + 6], texts[t + 7], texts[t + 8], bodies[b + 3],
                    numbers[i + 8], numbers[i + 9], numbers[i + 10], texts[t + 9], numbers[i + 11], bodies[b + 4],
                    bodies[b + 5], numbers[i + 12], CASE WHEN stored THEN numbers[i + 17] END,
                    CASE WHEN stored THEN numbers[i + 18] END, CASE WHEN stored THEN bodies[b + 6] END
                ) ON CONFLICT (tree, line, seq) DO UPDATE SET
                    id = excluded.id, parent_id = excluded.parent_id, parent_seq = excluded.parent_seq,
                    parent_thread = excluded.parent_thread, parent_digest = excluded.parent_digest,
                    stretch = excluded.stretch, depth = excluded.depth, step = excluded.step,
                    source = excluded.source, node = excluded.node, next = excluded.next, run_id = excluded.run_id,
                    status = excluded.status, label = excluded.label, metadata = excluded.metadata,
                    created_at = excluded.created_at, journal_seq = excluded.journal_seq, size = excluded.size,
                    origin = excluded.origin, era = excluded.era, digest = excluded.digest,
                    manifest = excluded.manifest, sum = excluded.sum;
                IF stored THEN
                    DELETE FROM sealed
                    WHERE tree = numbers[i + 13] AND line = numbers[i + 14] AND seq = numbers[i + 15]
                        AND number = numbers[i + 16] AND era = numbers[i + 17];
                ELSIF ops[step] = 'put checkpoint with seal' THEN
                    PERFORM put_sealed(
                        numbers[i + 13], numbers[i + 14], numbers[i + 15], numbers[i + 16], numbers[i + 17], numbers[i + 18],
                        bodies[b + 6]
                    );
                END IF;
                IF ops[step] = 'put checkpoint with seal' THEN
                    i := i + 6;
                    b := b + 1;
                END IF;
                i := i + 12;
                t := t + 9;
                b := b + 5;
            WHEN 'put chunk' THEN
                stored := false;
                IF numbers[i + 5] = 1 AND numbers[i + 3] = numbers[i + 4] AND octet_length(bodies[b + 1]) <= 1800 THEN
                    INSERT INTO tail
                    SELECT
                        numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 6], numbers[i + 3] % 32, bodies[b + 1]
                    WHERE NOT EXISTS (
                        SELECT 1 FROM chunk WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND lo = numbers[i + 3]
                    )
                    ON CONFLICT (tree, log, place) DO UPDATE SET
                        lo = excluded.lo, sum = excluded.sum, body = excluded.body
                    WHERE tail.lo < 0;
                    stored := FOUND;
                END IF;
                IF NOT stored AND NOT EXISTS (
                    SELECT 1 FROM tail WHERE tree = numbers[i + 1] AND log = numbers[i + 2] AND lo = numbers[i + 3]
                ) THEN
                    INSERT INTO chunk VALUES (
                        numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4], numbers[i + 5], bodies[b + 1],
                        numbers[i + 6]
                    ) ON CONFLICT DO NOTHING;
                    stored := FOUND;
                END IF;
                IF NOT stored THEN
                    RAISE EXCEPTION 'value log % has a chunk at position % already', numbers[i + 2], numbers[i + 3]
                    USING ERRCODE = 'HF001';
                END IF;
                i := i + 6;
                b := b + 1;
            WHEN 'put pending', 'put pending alone', 'put pending if free' THEN
                PERFORM put_pending(
                    ops[step] <> 'put pending if free', ops[step] = 'put pending alone', numbers[i + 1], numbers[i + 2], numbers[i + 3], texts[t + 1], numbers[i + 4],
                    numbers[i + 5], texts[t + 2], bodies[b + 1], numbers[i + 6]
                );
                i := i + 6;
                t := t + 2;
                b := b + 1;
            WHEN 'put sealed' THEN
                PERFORM put_sealed(
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4], numbers[i + 5], numbers[i + 6],
                    bodies[b + 1]
                );
                i := i + 6;
                b := b + 1;
            WHEN 'put journal' THEN
                INSERT INTO journal VALUES (
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], texts[t + 1], texts[t + 2], numbers[i + 4],
                    bodies[b + 1], numbers[i + 5]
                ) ON CONFLICT (tree, line, seq) DO UPDATE SET
                    kind = excluded.kind, key = excluded.key, created_at = excluded.created_at, body = excluded.body,
                    sum = excluded.sum;
                i := i + 5;
                t := t + 2;
                b := b + 1;
            WHEN 'put mark' THEN
                INSERT INTO mark VALUES (
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4], numbers[i + 5], texts[t + 1],
                    texts[t + 2], numbers[i + 6]
                ) ON CONFLICT (tree, line, seq, era) DO UPDATE SET
                    hidden = excluded.hidden, label = excluded.label, status = excluded.status, sum = excluded.sum;
                i := i + 6;
                t := t + 2;
            WHEN 'put log' THEN
                INSERT INTO log VALUES (
                    numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4], numbers[i + 5]
                ) ON CONFLICT (tree, log) DO UPDATE SET
                    base_log = excluded.base_log, base_pos = excluded.base_pos, sum = excluded.sum;
                i := i + 5;
            WHEN 'put run' THEN
                UPDATE run SET sum = numbers[i + 3]
                WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND run_id = texts[t + 1];
                IF NOT FOUND THEN
                    PERFORM claim(true, 'run ' || numbers[i + 1] || ' ' || numbers[i + 2] || ' ' || texts[t + 1]);
                    INSERT INTO run
                    SELECT numbers[i + 1], numbers[i + 2], texts[t + 1], numbers[i + 3]
                    WHERE NOT EXISTS (
                        SELECT 1 FROM run
                        WHERE tree = numbers[i + 1] AND line = numbers[i + 2] AND run_id = texts[t + 1]
                    );
                END IF;
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
                    INSERT INTO thread VALUES (
                        texts[t + 1], numbers[i + 1], numbers[i + 2], numbers[i + 3], numbers[i + 4], bodies[b + 1],
                        texts[t + 2], texts[t + 3], numbers[i + 5]
                    ) ON CONFLICT DO NOTHING;
                    EXIT WHEN FOUND;
                END LOOP;
                i := i + 5;
                t := t + 3;
                b := b + 1;
            WHEN 'put tag' THEN
                -- Its columns are all key: one that is there is this one.
                IF NOT EXISTS (
                    SELECT 1 FROM tag
                    WHERE hashtextextended(key, 0) = hashtextextended(texts[t + 1], 0)
                        AND hashtextextended(value, 0) = hashtextextended(texts[t + 2], 0)
                        AND left(thread, 256) = left(texts[t + 3], 256)
                        AND key = texts[t + 1] AND value = texts[t + 2] AND thread = texts[t + 3]
                ) THEN
                    PERFORM claim(true, 'tags ' || texts[t + 3]);
                    INSERT INTO tag
                    SELECT texts[t + 1], texts[t + 2], texts[t + 3], numbers[i + 1]
                    WHERE NOT EXISTS (
                        SELECT 1 FROM tag
                        WHERE hashtextextended(key, 0) = hashtextextended(texts[t + 1], 0)
                            AND hashtextextended(value, 0) = hashtextextended(texts[t + 2], 0)
                            AND left(thread, 256) = left(texts[t + 3], 256)
                            AND key = texts[t + 1] AND value = texts[t + 2] AND thread = texts[t + 3]
                    );
                END IF;
                i := i + 1;
                t := t + 3;
            WHEN 'put quarantine' THEN
                INSERT INTO quarantine VALUES (
                    numbers[i + 1], texts[t + 1], bodies[b + 1], texts[t + 2], numbers[i + 2], numbers[i + 3]
                )
                ON CONFLICT (number) DO UPDATE SET
                    kind = excluded.kind, body = excluded.body, reason = excluded.reason,
                    created_at = excluded.created_at, sum = excluded.sum;
                i := i + 3;
                t := t + 2;
                b := b + 1;
            WHEN 'put grave' THEN
                INSERT INTO grave VALUES (bodies[b + 1], numbers[i + 1], texts[t + 1], numbers[i + 2])
                ON CONFLICT (hash) DO UPDATE SET
                    generation = excluded.generation, last = excluded.last, sum = excluded.sum;
                i := i + 2;
                t := t + 1;
                b := b + 1;
            WHEN 'put waiting' THEN
                INSERT INTO waiting VALUES (
                    texts[t + 1], texts[t + 2], texts[t + 3], texts[t + 4], numbers[i + 1], texts[t + 5],
                    numbers[i + 2], bodies[b + 1], numbers[i + 3]
                ) ON CONFLICT (
                    hashtextextended(thread, 0), hashtextextended(namespace, 0), hashtextextended(checkpoint, 0),
                    hashtextextended(task_id, 0), idx
                ) DO UPDATE SET
                    task_path = excluded.task_path, created_at = excluded.created_at, body = excluded.body,
                    sum = excluded.sum
                WHERE waiting.thread = excluded.thread AND waiting.namespace = excluded.namespace
                    AND waiting.checkpoint = excluded.checkpoint AND waiting.task_id = excluded.task_id;
                IF NOT FOUND THEN
                    RAISE EXCEPTION 'the task id % has the hash of another one', texts[t + 4] USING ERRCODE = 'HF002';
                END IF;
                i := i + 3;
                t := t + 5;
                b := b + 1;
            WHEN 'put waiting if free' THEN
                INSERT INTO waiting VALUES (
                    texts[t + 1], texts[t + 2], texts[t + 3], texts[t + 4], numbers[i + 1], texts[t + 5],
                    numbers[i + 2], bodies[b + 1], numbers[i + 3]
                ) ON CONFLICT (
                    hashtextextended(thread, 0), hashtextextended(namespace, 0), hashtextextended(checkpoint, 0),
                    hashtextextended(task_id, 0), idx
                ) DO NOTHING;
                IF NOT FOUND AND NOT EXISTS (
                    SELECT 1 FROM waiting
                    WHERE hashtextextended(thread, 0) = hashtextextended(texts[t + 1], 0)
                        AND thread = texts[t + 1] AND namespace = texts[t + 2] AND checkpoint = texts[t + 3]
                        AND task_id = texts[t + 4] AND idx = numbers[i + 1]
                ) THEN
                    RAISE EXCEPTION 'the task id % has the hash of another one', texts[t + 4] USING ERRCODE = 'HF002';
                END IF;
                i := i + 3;
                t := t + 5;
                b := b + 1;
            END CASE;
            IF verdict <> 1 THEN
                EXIT;
            END IF;
        END LOOP;
        verdicts := verdicts || verdict;
    END LOOP;
    RETURN verdicts;
END $$;
