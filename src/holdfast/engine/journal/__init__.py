"""The journal of a thread: entries, appending and reading."""
