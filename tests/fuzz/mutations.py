"""Damage to real files, as a Hypothesis strategy: what it finds it shrinks to the fewest, simplest edits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Edit = tuple[str, float, int, bytes]
"""What to do, where (as a share of the length), how much, with what."""

Keys = tuple[str | int, ...]
"""Where a value of a JSON file stands."""

OTHER_VALUES: list[object] = [
    0, 1, -1, 2, 999, 1000, 2**31, 2**62, 2**63 - 1, 2**63, 2**64, 10**30, 10**300, None, True, False,
    0.0, -0.0, 0.5, 1e-300, 1e-9, 1e9, 1e18, 1e19, 1e20, 1e300, float("inf"), float("-inf"), float("nan"),
    "", "x", "\x00", "a\nb", "\u202e", "../x", "x" * 300, "x" * 200_000, "2026-11-21", "1e5",
    [], [None], [0], [[]], [1.0] * 2000, {}, {"a": 1}, {"": {}}, {"a": {"b": [1]}},
]  # fmt: skip
"""What a value may be replaced by: limits of numbers, what divides by nothing, other types."""

_TOKEN = re.compile(rb'-?\d+(?:\.\d+)?|"[^"]{0,40}"|true|false|null|[A-Za-z][A-Za-z0-9_.-]*')
# Values that a reader may not expect: limits of numbers, other types, tags, aliases, text of no encoding
_ODD = [
    b"-1", b"0", b"1e999", b"-1e999", b"NaN", b".inf", b"Infinity", b"9" * 30, b"9" * 5000, b"1e-400", b"0x7f", b"null",
    b"true", b'""', b'"x"', b"[]", b"{}", b"[[[[[[[[]]]]]]]]", b"[" * 3000, b'{"a":' * 3000,
    b"!!python/object:os.system x",
    b"&a [*a]", b"*a", b"&a", b"<<: *a", b"2026-13-45", b"12:30:45", b"\xff\xfe\x00", b"\xed\xa0\x80",
    b"\\ud800", b"\x00",
    b"../../etc/passwd", b"/", b"{{ 7*7 }}", b"\n", b"\n\n  ", b"\t", b"x" * 70_000,
]  # fmt: skip


def _span(content: bytes, share: float, amount: int) -> tuple[int, int]:
    start = min(int(share * (len(content) + 1)), len(content))
    return start, min(start + amount, len(content))


def _flip(content: bytes, share: float, amount: int, _with: bytes) -> bytes:
    if not content:
        return content
    bit = min(int(share * len(content)), len(content) - 1)
    return content[:bit] + bytes([content[bit] ^ (1 << amount % 8)]) + content[bit + 1 :]


def _replace_token(content: bytes, share: float, _amount: int, value: bytes) -> bytes:
    tokens = list(_TOKEN.finditer(content))
    if not tokens:
        return content
    token = tokens[min(int(share * len(tokens)), len(tokens) - 1)]
    return content[: token.start()] + value + content[token.end() :]


def _cut(content: bytes, share: float, amount: int, _with: bytes) -> bytes:
    start, end = _span(content, share, amount)
    return content[:start] + content[end:]


def _repeat(content: bytes, share: float, amount: int, _with: bytes) -> bytes:
    start, end = _span(content, share, amount)
    return content[:end] + content[start:end] + content[end:]


def _insert(content: bytes, share: float, _amount: int, value: bytes) -> bytes:
    start, _ = _span(content, share, 0)
    return content[:start] + value + content[start:]


def _overwrite(content: bytes, share: float, _amount: int, value: bytes) -> bytes:
    start, end = _span(content, share, len(value))
    return content[:start] + value[: end - start] + content[end:]


_KINDS: dict[str, Callable[[bytes, float, int, bytes], bytes]] = {
    "truncate": lambda content, share, _amount, _with: content[: _span(content, share, 0)[0]],
    "flip": _flip,
    "token": _replace_token,
    "cut": _cut,
    "repeat": _repeat,
    "insert": _insert,
    "overwrite": _overwrite,
}

EDITS: st.SearchStrategy[list[Edit]] = st.lists(
    st.tuples(
        st.sampled_from(sorted(_KINDS)),
        st.floats(0, 1),
        st.integers(0, 5000),
        st.one_of(st.sampled_from(_ODD), st.binary(max_size=16)),
    ),
    min_size=1,
    max_size=4,
)


def damaged(content: bytes, edits: list[Edit]) -> bytes:
    """The content after the edits, one after the other."""
    for kind, share, amount, value in edits:
        content = _KINDS[kind](content, share, amount, value)
    return content


def places(value: Any, at: Keys = ()) -> Iterator[Keys]:
    """Where each value of a JSON file stands."""
    if at:
        yield at
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*at, key))


def changed(value: Any, at: Keys, to: object) -> Any:
    """The file with another value there, as far as the place is still there."""
    if not at:
        return to
    key, *rest = at
    if isinstance(value, dict) and key in value:
        return value | {key: changed(value[key], tuple(rest), to)}
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        return [*value[:key], changed(value[key], tuple(rest), to), *value[key + 1 :]]
    return value
