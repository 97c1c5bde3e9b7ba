-- Where repair sets damaged rows aside. Programs that do not know it can do without.

CREATE TABLE quarantine (
    number INTEGER NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    body BLOB NOT NULL,
    reason TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    sum INTEGER NOT NULL
);

PRAGMA user_version = 196612;
