"""Keeping a store in order: pruning, expiry, erasure, collect, backups, verify and repair, statistics."""
