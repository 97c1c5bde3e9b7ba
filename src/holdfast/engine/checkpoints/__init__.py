"""Saving, reading, comparing and removing checkpoints, and their pending writes."""
