"""Rows in the memory of this process."""

from holdfast.backends.memory.backend import MemoryBackend

__all__ = ["MemoryBackend"]
