"""What the engine requires of a backend: batches, answers, and where rows are stored."""
