"""Text that came from a run, a host or a database, as each place it is shown in takes it: as text, and nothing else."""

from __future__ import annotations

import json
import re

_UNSHOWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # commands to a terminal; but for tab and line end, no XML may hold them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # turn the direction of what stands around them
    "\ud800-\udfff\ufffe\uffff]"  # no characters: UTF-8 and XML have none for them
)
_SPLIT = re.compile("[\U00010000-\U0010ffff]")
_LABEL_CHARACTERS = 300
_MARKDOWN = re.compile(r"([\\`*_{}\[\]#|~!@])")


def shown(text: str) -> str:
    """The text with a mark for each character that does something instead of being seen; tabs and line ends stay."""
    return _UNSHOWN.sub("\ufffd", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The text on one line. A build server takes lines that begin with `::`, or hold `##[`, for commands."""
    return shown(" ".join(text.split())).replace("##[", "## [")


def label(text: str) -> str:
    """The text for a chart: drawing takes minutes over long ones, and fails where it cuts a wide character in two."""
    whole = _SPLIT.sub("\ufffd", shown(text))
    return whole if len(whole) <= _LABEL_CHARACTERS else f"{whole[: _LABEL_CHARACTERS - 1]}…"


def markdown_text(value: object) -> str:
    """Text that Markdown shows as it is: on one line, with no markup, HTML or mention of anybody."""
    text = one_line(str(value)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", text)


def markdown_code(value: object) -> str:
    """Code on one line, fenced by more backticks than it holds."""
    text = one_line(str(value))
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"


def flow(value: object) -> str:
    """A value in YAML's flow style: texts quoted, keys as they are. Escaped pairs of surrogates are no text in YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(one)}" for key, one in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
