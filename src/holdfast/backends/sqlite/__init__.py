"""SQLite, the embedded default: one file, several threads, several processes."""

from holdfast.backends.sqlite.backend import SqliteBackend

__all__ = ["SqliteBackend"]
