"""zstd from the standard library where it has one (Python 3.14), from `backports.zstd` before."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def compress(data: bytes, level: int, prefix: bytes = b"") -> bytes:
    """One frame; with a prefix, what stands there need not be said again."""
    if len(prefix) < 8:  # shorter ones are no dictionary to zstd
        return zstd.compress(data, level)
    return zstd.compress(data, level, zstd_dict=zstd.ZstdDict(prefix, is_raw=True).as_prefix)


def decompress(data: bytes | memoryview, prefix: bytes = b"") -> bytes:
    if len(prefix) < 8:
        return zstd.decompress(data)
    return zstd.decompress(data, zstd_dict=zstd.ZstdDict(prefix, is_raw=True).as_prefix)
