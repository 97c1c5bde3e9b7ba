"""The append-only files of a store: their format, and the rows that they hold in memory."""
