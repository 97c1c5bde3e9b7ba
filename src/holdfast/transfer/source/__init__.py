"""The store that threads come from."""
