"""What a checkpoint records: saving, reading, updating, comparing and deleting checkpoints."""
