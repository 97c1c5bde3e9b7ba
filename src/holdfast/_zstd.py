"""zstd from the standard library where it has one (Python 3.14), from `backports.zstd` before."""

from __future__ import annotations

import sys
import threading

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZstdError = zstd.ZstdError

_threads = threading.local()


def compress(data: bytes, level: int, prefix: bytes = b"") -> bytes:
    """One frame; with a prefix, what stands there need not be said again."""
    if len(prefix) < 8:  # shorter ones are no dictionary to zstd
        return _compressor(level).compress(data, zstd.ZstdCompressor.FLUSH_FRAME)
    return zstd.compress(data, level, zstd_dict=zstd.ZstdDict(prefix, is_raw=True).as_prefix)


def compress_if_worth_it(data: bytes, level: int) -> bytes | None:
    """One frame, if it saves a tenth."""
    smaller = compress(data, level)
    return smaller if len(smaller) < len(data) * 9 // 10 else None


def _compressor(level: int) -> zstd.ZstdCompressor:
    """Each thread keeps its own: making one costs as much as compressing a small row."""
    known: dict[int, zstd.ZstdCompressor] | None = getattr(_threads, "compressors", None)
    if known is None:
        known = _threads.compressors = {}
    if level not in known:
        known[level] = zstd.ZstdCompressor(level)
    return known[level]


def decompress(data: bytes | memoryview, prefix: bytes = b"") -> bytes:
    if len(prefix) < 8:
        return zstd.decompress(data)
    return zstd.decompress(data, zstd_dict=zstd.ZstdDict(prefix, is_raw=True).as_prefix)
