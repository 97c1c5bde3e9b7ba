"""The store that threads go to."""
