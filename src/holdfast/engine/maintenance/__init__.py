"""Retention, expiry, garbage collection, erasure, statistics and backups.

`retention` hides checkpoints, `journal_trim` shortens journals, `expiry` deletes threads; `garbage` drops the rows that
`reachability` finds to be unreached.
"""
