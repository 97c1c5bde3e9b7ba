"""The storage-agnostic core: from values to batches of rows, and back."""
