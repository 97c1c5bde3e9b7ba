-- Format 1: the tables, their indexes, partitions and storage settings. docs/reference/format.md describes every
-- column, docs/design/0008-postgres.md gives the reasons. The functions are in ../functions, and are versioned
-- separately.
--
-- Before this script runs, the search path is set to the store's schema, and the setting holdfast.partitions to the
-- number of hash partitions for the tables that are keyed by tree (0 for none).
--
-- Texts are compared byte by byte, as everywhere in Holdfast. An index entry can't hold a text of any length, so texts
-- that are only looked up are indexed by their hash, and texts that are listed in order by their first characters.

CREATE TABLE format (
    application name NOT NULL,
    number integer NOT NULL,  -- of the last migration
    needed integer NOT NULL,  -- the format that a client must know to use this schema
    functions jsonb NOT NULL DEFAULT '{}'  -- the installed versions of the functions: version -> digest of their source
);
INSERT INTO format (application, number, needed) VALUES ('holdfast', 1, 1);

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
    CONSTRAINT thread_by_id EXCLUDE USING hash (id WITH =)  -- unique for texts of any length
);
CREATE INDEX thread_in_order ON thread (left(id, 256));
CREATE INDEX thread_by_tree ON thread (tree, line);

CREATE TABLE tombstone (
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

CREATE TABLE early_write (
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
CREATE UNIQUE INDEX early_write_by_task ON early_write (
    hashtextextended(thread, 0), hashtextextended(namespace, 0), hashtextextended(checkpoint, 0),
    hashtextextended(task_id, 0), idx
);

-- ---------------------------------------------------------------------------------------------- the tables of a tree

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
    overlays bigint NOT NULL,
    base_line bigint,
    base_seq bigint NOT NULL,
    base_era bigint NOT NULL,
    is_copy smallint NOT NULL,
    journal bigint NOT NULL,
    base_journal bigint NOT NULL,
    epoch bigint NOT NULL,
    worker text COLLATE "C" NOT NULL,
    lease_at bigint NOT NULL,
    lease_ttl bigint NOT NULL,
    sum bigint NOT NULL,
    stamps bigint[] NOT NULL,  -- of the last eight batches that wrote this row, newest first: see `was_applied`
    PRIMARY KEY (tree, line)
);
-- No index has a column that a save changes, so that an update stays on the row's page and touches no index (HOT).
CREATE INDEX line_by_namespace ON line (tree, thread, hashtextextended(namespace, 0));

-- A step is settled by the next save as a rule. Then its row of `settled` is stored in the row of that checkpoint, as
-- settled_body, settled_era and settled_sum, which halves its size. It moves to `settled` when the checkpoint is
-- removed.
--
-- Fixed-size columns come first: a number after a text would be padded to a multiple of its size.
CREATE TABLE checkpoint (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    step bigint NOT NULL,
    created_at bigint NOT NULL,
    size bigint NOT NULL,
    sum bigint NOT NULL,
    settled_sum bigint,
    parent_seq integer NOT NULL,
    chain_start integer NOT NULL,
    journal_seq integer NOT NULL,
    depth integer NOT NULL,
    era integer NOT NULL,
    settled_era integer,
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
    settled_body bytea,
    CHECK (num_nulls(settled_body, settled_era, settled_sum) IN (0, 3)),
    PRIMARY KEY (tree, line, seq) WITH (fillfactor = 100)  -- rows are only appended to a line
);
-- Not unique: the id of a removed checkpoint may be used again while a fork still sees the first one.
CREATE INDEX checkpoint_by_id ON checkpoint (line, left(id, 64)) WITH (fillfactor = 100);

CREATE TABLE overlay (
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

-- The latest changes of a log, which are soon merged into one row of `chunk`. A freed slot keeps its row, with `lo` -1
-- and an empty body, and a later change takes it: both are updates on the row's own page, in no index, and the server
-- reuses the space without a vacuum. See docs/design/0008-postgres.md.
CREATE TABLE chunk_slot (
    tree bigint NOT NULL,
    log bigint NOT NULL,
    lo bigint NOT NULL,
    sum bigint NOT NULL,
    slot smallint NOT NULL,  -- lo % 32
    body bytea NOT NULL,
    PRIMARY KEY (tree, log, slot)
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

-- The pending writes of a line's current step that found a slot. There are four a line, two for the first two writes of
-- a task, alternating between even and odd steps. The next save frees them; as in `chunk_slot`, a row with `seq` -1 is
-- a free slot. A key exists in one of the two tables only: a writer holds either its task's lock or the line's row
-- exclusively.
CREATE TABLE pending_slot (
    tree bigint NOT NULL,
    line bigint NOT NULL,
    seq bigint NOT NULL,
    idx bigint NOT NULL,
    era bigint NOT NULL,
    sum bigint NOT NULL,
    slot smallint NOT NULL,  -- seq % 2 * 2 + idx
    task_id text COLLATE "C" NOT NULL,
    task_path text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (tree, line, slot)
);

CREATE TABLE settled (
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
    partitions integer := coalesce(nullif(current_setting('holdfast.partitions', true), ''), '0')::integer;
    name text;
BEGIN
    IF partitions = 0 THEN
        RETURN;
    END IF;
    FOREACH name IN ARRAY ARRAY[
        'line', 'checkpoint', 'overlay', 'log', 'chunk', 'chunk_slot', 'pending', 'pending_slot', 'settled', 'journal',
        'run'
    ] LOOP
        EXECUTE format('CREATE TABLE partitioned (LIKE %I INCLUDING ALL) PARTITION BY HASH (tree)', name);
        EXECUTE format('DROP TABLE %I', name);
        EXECUTE format('ALTER TABLE partitioned RENAME TO %I', name);
        FOR part IN 0 .. partitions - 1 LOOP
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
                name || '_' || part, name, partitions, part
            );
        END LOOP;
    END LOOP;
END $$;

-- ---------------------------------------------------------------------------------------------- storage settings
--
-- Tables whose rows are rewritten keep room on their pages, and tables whose rows are removed are vacuumed early.
-- Bodies are compressed by the library where that pays, so the server stores them as they are.

DO $$
DECLARE
    early CONSTANT text := 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500';
    rewritten CONSTANT text := 'autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500';
    settings record;
    name text;
BEGIN
    FOR settings IN
        SELECT * FROM (VALUES
            ('line', 'fillfactor = 60, ' || rewritten, NULL),
            ('checkpoint', NULL, 'manifest'),
            ('checkpoint', NULL, 'settled_body'),
            (
                'chunk',
                early || ', toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_threshold = 500',
                'body'
            ),
            ('chunk_slot', 'fillfactor = 85, ' || rewritten, 'body'),
            ('pending', early, 'body'),
            ('pending_slot', 'fillfactor = 60, ' || rewritten, 'body'),
            ('settled', NULL, 'body'),
            ('journal', NULL, 'body'),
            ('early_write', early, 'body')
        ) AS listed (root, options, body)
    LOOP
        FOR name IN
            SELECT relid::regclass::text FROM pg_partition_tree(settings.root::regclass) WHERE isleaf
            UNION SELECT settings.root WHERE NOT EXISTS (SELECT 1 FROM pg_partition_tree(settings.root::regclass))
        LOOP
            IF settings.options IS NOT NULL THEN
                EXECUTE 'ALTER TABLE ' || name || ' SET (' || settings.options || ')';
            END IF;
            IF settings.body IS NOT NULL THEN
                EXECUTE 'ALTER TABLE ' || name || ' ALTER COLUMN ' || settings.body || ' SET STORAGE EXTERNAL';
            END IF;
        END LOOP;
    END LOOP;
END $$;

-- ---------------------------------------------------------------------------------------------- rows of two tables
--
-- Part of the format, for anyone who reads the tables with plain SQL. Grants on them are grants like those on a table.

CREATE VIEW all_chunks AS
    SELECT tree, log, lo, hi, kind, body, sum FROM chunk
    UNION ALL
    SELECT tree, log, lo, lo, 1::smallint, body, sum FROM chunk_slot WHERE lo >= 0;

CREATE VIEW all_pending AS
    SELECT tree, line, seq, task_id, idx, era, task_path, body, sum FROM pending
    UNION ALL
    SELECT tree, line, seq, task_id, idx, era, task_path, body, sum FROM pending_slot WHERE seq >= 0;

CREATE VIEW all_settled AS
    SELECT tree, line, seq, number, era, body, sum FROM settled
    UNION ALL
    SELECT tree, line, seq - 1, seq, settled_era, settled_body, settled_sum
    FROM checkpoint WHERE settled_body IS NOT NULL;
