"""zstd from the standard library where it has one (Python 3.14), from `backports.zstd` before."""

from __future__ import annotations

import sys
import threading
from io import BytesIO
from typing import Any, Final

from holdfast.errors import TooLarge

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZstdError = zstd.ZstdError

_LARGEST: Final = (1 << 33) + (1 << 20)
"""No frame of a store or bundle has more content, as docs/reference/format.md states."""

_PIECE: Final = 1 << 20
_INPUT: Final = 1 << 16
_OUTPUT: Final = 1 << 18  # measured: as fast as one call
_threads = threading.local()


def decompress(data: bytes | memoryview, most: int) -> bytes:
    """The content of one frame. Its header states how large that is; nothing larger is ever allocated.

    `TooLarge` if it is more than `most`; `ZstdError` if the frame is not one that Holdfast writes.
    """
    size: Any = zstd.get_frame_info(data).decompressed_size
    if size is None or size > _LARGEST:
        raise ZstdError(f"a frame states {size} bytes as its size, more than any frame of Holdfast has")
    if size > most:
        raise TooLarge(f"a stored value has {size} bytes; to load it, open the store with a larger max_value")
    decompressor = zstd.ZstdDecompressor()
    if size <= _PIECE:
        content = decompressor.decompress(data, size + 1)
    else:
        content = _decompress_pieces(decompressor, memoryview(data), size)
    if len(content) != size or not decompressor.eof or decompressor.unused_data:
        raise ZstdError(f"a frame states {size} bytes and has more, fewer, or something after them")
    return content


def _decompress_pieces(decompressor: zstd.ZstdDecompressor, data: memoryview, size: int) -> bytes:
    """The same piece by piece, up to the first that exceeds the size. In one call the decompressor would collect the
    content in blocks and then join them, with two copies of it in memory."""
    content = BytesIO(bytes(size))  # the system gives the memory when it is first written to
    for start in range(0, len(data), _INPUT):
        if decompressor.eof:
            raise ZstdError("a frame has something after it")
        content.write(decompressor.decompress(data[start : start + _INPUT], _OUTPUT))
        while not _has_returned_all(decompressor) and content.tell() <= size:
            content.write(decompressor.decompress(b"", _OUTPUT))
    content.truncate()
    return content.getvalue()


def _has_returned_all(decompressor: zstd.ZstdDecompressor) -> bool:
    """Whether it has no more content of the bytes that it was given."""
    return decompressor.eof or decompressor.needs_input


def compress(data: bytes, level: int) -> bytes:
    """One frame."""
    return _compressor(level).compress(data, zstd.ZstdCompressor.FLUSH_FRAME)


def compress_if_worth_it(data: bytes, level: int) -> bytes | None:
    """One frame, if it saves a tenth."""
    if len(data) > _PIECE:
        return _compress_pieces(memoryview(data), level)
    smaller = compress(data, level)
    return smaller if len(smaller) < len(data) * 9 // 10 else None


def _compress_pieces(data: memoryview, level: int) -> bytes | None:
    """The same piece by piece: data that does not get smaller is given up before another copy of it is made."""
    compressor = zstd.ZstdCompressor(level)
    compressor.set_pledged_input_size(len(data))
    pieces: list[bytes] = []
    left = len(data) * 9 // 10
    for start in range(0, len(data), _PIECE):
        pieces.append(compressor.compress(data[start : start + _PIECE]))
        left -= len(pieces[-1])
        if left <= 0:
            return None
    pieces.append(compressor.flush(zstd.ZstdCompressor.FLUSH_FRAME))
    return b"".join(pieces) if len(pieces[-1]) < left else None


def _compressor(level: int) -> zstd.ZstdCompressor:
    """Each thread keeps its own: making one costs as much as compressing a small row."""
    compressors: dict[int, zstd.ZstdCompressor] | None = getattr(_threads, "compressors", None)
    if compressors is None:
        compressors = _threads.compressors = {}
    if level not in compressors:
        compressors[level] = zstd.ZstdCompressor(level)
    return compressors[level]
