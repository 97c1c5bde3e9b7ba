"""Values of columns, encodings and changes that no program of good will writes. All are chosen by a seeded `Random`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

import msgpack

from holdfast import _zstd
from holdfast.codec.wire import Marker, pack_raw

NUMBERS: Final = (
    0, 1, 2, 3, -1, -2, 255, (1 << 31) - 1, 1 << 31, -(1 << 31), (1 << 47) - 1, 1 << 53, 1 << 59, 1 << 60,
    (1 << 62) - 1, 1 << 62, (1 << 63) - 1, -(1 << 63), 10**15, 253_402_300_800_000_000, -62_135_596_800_000_001,
)  # fmt: skip
TEXTS: Final = (
    "", "x", "chat", "12", "../../outside", "/etc/passwd", "a\0b", "\x1b[31mred", "\u202ereversed", "x" * 5000, "é😀",
    "holdfast.trimmed", "holdfast.intent", "completed", "\ud800",
)  # fmt: skip
FLOATS: Final = (0.0, 1.5, -1e300, float("inf"))


def column(random: Random) -> Any:
    """Anything that a loosely typed column may hold."""
    pool: tuple[Any, ...] = random.choice([NUMBERS, NUMBERS, TEXTS, FLOATS, (None,), ()])
    return random.choice(pool) if pool else encoding(random)


def like(value: object, random: Random) -> Any:
    """Another value of the same type."""
    if isinstance(value, int):
        near = value + random.choice([-1, 1, 2, 1000])
        return random.choice([*NUMBERS, near, near, -value, value << 8])
    if isinstance(value, str):
        return random.choice([*TEXTS, value + "x", value[1:]])
    if isinstance(value, bytes):
        return restructured(value, random) if random.random() < 0.7 else encoding(random)
    return random.choice([None, "x", 1, b"", b"\xc0"])


# ------------------------------------------------------------------------------------------------ encodings

LYING_LENGTHS: Final = tuple(
    head + tail
    for head in (b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff",
                 b"\xc9\xff\xff\xff\xff\x05", b"\xdc\xff\xff", b"\x9f", b"\xda\xff\xff")
    for tail in (b"", b"\xc0", b"\x01" * 64)
)  # fmt: skip
DEEP: Final = tuple(head * depth + b"\xc0" for head in (b"\x91", b"\x81\x01") for depth in (600, 2_000, 100_000))
RAW: Final = (b"", b"\xc1", b"\xc1\xff\xff", b"\xc7\x00\x01", b"\xc0", b"\x80", b"\x90", b"\x00" * 100, b"\xff" * 9)


def encoding(random: Random) -> bytes:
    """Bytes in the place of an encoded value."""
    kind = random.randrange(8)
    if kind == 0:
        return random.choice(LYING_LENGTHS)
    if kind == 1:
        return random.choice(DEEP)
    if kind == 2:
        return random.choice(RAW)
    if kind == 3:
        return random.randbytes(random.randrange(40))
    return pack_raw(record(random) if kind < 7 else plain(random))


def record(random: Random) -> list[Any]:
    """What stands for a value of a type that msgpack does not have: every tag, with any arguments."""
    known = random.choice(_ARGUMENTS)
    tag, arguments = (known[0], [*known[1:]]) if random.random() < 0.6 else (random.randrange(-128, 128), [])
    for _ in range(random.choice([0, 0, 1, 1, 2])):
        arguments.insert(random.randrange(len(arguments) + 1), plain(random))
    if arguments and random.random() < 0.4:
        arguments[random.randrange(len(arguments))] = plain(random)
    if random.random() < 0.2:
        arguments.append(record(random))
    return [Marker(tag), *arguments]


def plain(random: Random, depth: int = 2) -> Any:
    """What msgpack has a type for."""
    kind = random.randrange(8 if depth else 5)
    if kind == 5:
        return [plain(random, depth - 1) for _ in range(random.randrange(4))]
    if kind == 6:
        return {random.choice(["a", 1, None, b"k"]): plain(random, depth - 1) for _ in range(random.randrange(3))}
    if kind == 7:
        return record(random) if random.random() < 0.3 else None
    pools: tuple[tuple[Any, ...], ...] = (NUMBERS, TEXTS[:-1], (*FLOATS, float("nan")), (None, True, False), RAW)
    return random.choice(pools[kind])


_ARGUMENTS: Final[tuple[tuple[Any, ...], ...]] = (
    (1, 1, 2), (2, 1, [1]), (3, {}), (4, "dataclass", "os.system", "command", "true"),
    (4, "pydantic", "app.M", "+set", 1),
    (4, "enum", "signal.Signals", "name", "SIGKILL"), (5, b"\xff" * 140_000), (6, b"\xed\xa0\x80"),
    (7, "9999-12-31T23:59:59.999999", 1, [Marker(11), 86_399, "x"]),
    (7, "0001-01-01", 0, [Marker(12), "../../etc/passwd"]),
    (8, "10000-01-01"), (9, "25:00"), (10, 1 << 62, 1, 1), (11, 1e308), (12, "Europe/" + "x" * 5000),
    (13, "1E+999999999"),
    (13, "9" * 400_001), (14, b"short"), (15, 1, 0), (15, 1 << 62, -1), (16, "a", 1), (17, 0, 1 << 62, 0),
    (18, 1, 1, 1),
    (19, 1 << 62, 1), (19, -1), (20, 1), (20, [1], 1), (21, "a", "b"), (22, "os.system", 1, 2), (22, None, 1),
    (23, "PosixPath", "\0"), (23, "WindowsPath", "x"), (24, "|O", [1], "C", b"\x41" * 8),
    (24, "<f8", [1 << 40, 1 << 40], "C", b""),
    (24, "<f8", [-1], "C", b"\0" * 8), (24, [["a", "|O"]], [1], "C", b"\0" * 8), (24, "<f8", [0, 1 << 62], "F", b""),
    (25, "|O", b"\x41" * 8), (25, "<M8[ns]", b"\0" * 8), (25, "U", "x"), (26, "os.system", {}, []),
    (26, "langchain_core.messages.human.HumanMessage", {"content": 1}, [1]),
    (26, "langchain_core.messages.ai.AIMessage", {"content": "x", "tool_calls": [{"name": 1}]}, ["content"]),
    (27, "IPv4Address", b"\0" * 99), (27, "IPv6Network", b"\0" * 16, 999), (28, "(a+)+$", 0),
    (28, "(", 0), (28, "a", 1 << 40),
    (28, "[\0-\U0010ffff]" * 400, 2), (64, 1), (127,),
)  # fmt: skip
"""A tag and arguments that are wrong, huge or unusual for it."""


# ------------------------------------------------------------------------------------------------ structure


def restructured(data: bytes, random: Random) -> bytes:
    """The same msgpack with one node replaced, removed or repeated; zstd and policies are taken apart first."""
    for prefix, unwrap, wrap in _WRAPPINGS:
        if data.startswith(prefix):
            try:
                return prefix + wrap(restructured(unwrap(data[len(prefix) :]), random))
            except (_zstd.ZstdError, IndexError):
                break
    try:
        value = msgpack.unpackb(data, strict_map_key=False)
        return msgpack.packb(_changed(value, random))
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException):
        return encoding(random)


def _changed(node: Any, random: Random) -> Any:
    if isinstance(node, list) and node and random.random() < 0.85:
        at = random.randrange(len(node))
        how = random.randrange(6)
        if how == 0:
            return node[:at] + node[at + 1 :]
        if how == 1:
            return [*node, node[at]]
        return [*node[:at], _changed(node[at], random), *node[at + 1 :]]
    if isinstance(node, dict) and node and random.random() < 0.85:
        key = random.choice(list(node))
        if random.random() < 0.2:
            return {other: value for other, value in node.items() if other != key}
        return {**node, key: _changed(node[key], random)}
    if isinstance(node, bytes) and len(node) > 1 and random.random() < 0.6:
        return restructured(node, random)
    return like(node, random) if random.random() < 0.7 else plain(random)


_WRAPPINGS: Final[tuple[tuple[bytes, Callable[[bytes], bytes], Callable[[bytes], bytes]], ...]] = (
    (b"\x00", bytes, bytes),
    (b"\x01", lambda data: _zstd.decompress(data, 1 << 20), lambda data: _zstd.compress(data, 1)),
    (b"\xc1", lambda data: data[2:], lambda data: len(data).to_bytes(2, "big") + data),
)
"""How bodies and metadata begin: a plain chunk, a compressed one, a policy."""


# ------------------------------------------------------------------------------------------------ changes


def change(random: Random, depth: int = 3) -> list[Any]:
    """A change of a value whose indexes and sizes are anything."""
    code = random.choice([0, 1, 1, 2, 3, 3, 4, -1])
    number = lambda: random.choice([0, 0, 1, 2, 5, -1, -5, 100, 1 << 31, 1 << 62])  # noqa: E731
    if code == 0:
        return [0, plain(random)]
    if code == 1:
        inner = change(random, depth - 1) if depth else [0, 1]
        edits: list[list[Any]] = [[number(), number(), [plain(random)]], [number(), -1, inner], [number()]]
        return [1, *random.choice(edits)]
    if code == 2:
        return [
            2,
            ["a"][: random.randrange(2)],
            ["b", plain(random)],
            ["doc", change(random, depth - 1) if depth else []],
        ]
    if code == 3:
        return [3, number(), number(), random.choice([b"abc", "abc", 1]), number(), number(), b""]
    return [code, plain(random)]


def manifest_list(random: Random, versions: list[tuple[int, int]]) -> bytes:
    """The list of a wide manifest: channels with references to any log, small values, or neither, and other items."""
    items: list[Any] = []
    for n in range(random.choice([0, 1, 3, 70, 5000])):
        name = random.choice([f"c{n}", "c1", "", "\ud800", 7])
        log, pos = random.choice(versions)
        reference = [name, log, pos, random.randbytes(20), random.choice([0, 1, 2, -1])]
        items.append(
            random.choice([reference, reference[:4], reference[:3], [name, encoding(random)], [name], name, []])
        )
    return msgpack.packb(items, unicode_errors="surrogatepass")


def chunk_body(random: Random) -> bytes:
    """The body of a key, a change or a frame."""
    kind = random.randrange(6)
    if kind == 0:
        return b"\x00" + encoding(random)
    if kind == 1:
        return b"\x00" + pack_raw(change(random))
    if kind == 2:
        return b"\x01" + _zstd.compress(pack_raw([change(random) for _ in range(random.randrange(20))]), 1)
    if kind == 3:
        return b"\x01" + _zstd.compress(bytes(random.choice([1 << 16, 1 << 24])), 1)
    if kind == 4:
        return b"\x01" + frame_of_stated_size(random.choice([0, 1 << 20, (1 << 32) - 1, (1 << 62)]))
    return random.choice([b"", b"\x02", b"\x00", b"\x01", b"\x01" + random.randbytes(30)])


def frame_of_stated_size(size: int) -> bytes:
    """The head of a zstd frame that states a size, and an empty last block."""
    return b"\x28\xb5\x2f\xfd\xe0" + (size & (1 << 64) - 1).to_bytes(8, "little") + b"\x01\x00\x00"
