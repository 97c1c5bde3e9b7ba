-- The first format. docs/reference/format.md describes every column.
-- application_id is "HOLD"; user_version is (format that code must know << 16) | number of this migration.

PRAGMA application_id = 1213156420;
PRAGMA user_version = 65537;

CREATE TABLE thread (
    id TEXT NOT NULL PRIMARY KEY,
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    metadata BLOB NOT NULL,
    from_thread TEXT,
    from_checkpoint TEXT,
    sum INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX thread_by_tree ON thread (tree, line);

CREATE TABLE grave (
    hash BLOB NOT NULL PRIMARY KEY,
    generation INTEGER NOT NULL,
    sum INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE tag (
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    thread TEXT NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (key, value, thread)
) WITHOUT ROWID;

CREATE TABLE line (
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    version INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    head_line INTEGER NOT NULL,
    head_seq INTEGER NOT NULL,
    checkpoints INTEGER NOT NULL,
    size INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    forks INTEGER NOT NULL,
    marks INTEGER NOT NULL,
    base_line INTEGER,
    base_seq INTEGER NOT NULL,
    base_era INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (tree, line)
) WITHOUT ROWID;
CREATE UNIQUE INDEX line_by_namespace ON line (tree, thread, namespace);

-- Rows with a body are kept in rowid tables: a page holds several of them, where WITHOUT ROWID spills early.
CREATE TABLE checkpoint (
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    parent_id TEXT,
    parent_seq INTEGER NOT NULL,
    parent_thread TEXT,
    parent_digest BLOB,
    stretch INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    step INTEGER NOT NULL,
    source TEXT NOT NULL,
    node TEXT NOT NULL,
    next BLOB NOT NULL,
    run_id TEXT,
    status TEXT NOT NULL,
    label TEXT NOT NULL,
    metadata BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    journal_seq INTEGER NOT NULL,
    size INTEGER NOT NULL,
    origin TEXT,
    era INTEGER NOT NULL,
    digest BLOB NOT NULL,
    manifest BLOB NOT NULL,
    sum INTEGER NOT NULL
);
CREATE UNIQUE INDEX checkpoint_by_seq ON checkpoint (tree, line, seq);
-- Not unique: a removed checkpoint's id may be used again while a fork still sees the first.
CREATE INDEX checkpoint_by_id ON checkpoint (line, id);

CREATE TABLE mark (
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    era INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    label TEXT,
    sum INTEGER NOT NULL,
    PRIMARY KEY (tree, line, seq, era)
) WITHOUT ROWID;

CREATE TABLE log (
    tree INTEGER NOT NULL,
    log INTEGER NOT NULL,
    base_log INTEGER NOT NULL,
    base_pos INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (tree, log)
) WITHOUT ROWID;

CREATE TABLE chunk (
    tree INTEGER NOT NULL,
    log INTEGER NOT NULL,
    lo INTEGER NOT NULL,
    hi INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL
);
CREATE UNIQUE INDEX chunk_by_position ON chunk (tree, log, lo);

CREATE TABLE pending (
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    idx INTEGER NOT NULL,
    era INTEGER NOT NULL,
    task_path TEXT NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL
);
CREATE UNIQUE INDEX pending_by_task ON pending (tree, line, seq, task_id, idx, era);

CREATE TABLE run (
    run_id TEXT NOT NULL,
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (run_id, tree, line)
) WITHOUT ROWID;
CREATE INDEX run_by_tree ON run (tree);
