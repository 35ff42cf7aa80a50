"""Jinja2 for our own and the user's templates: sandboxed, and everything escaped for the page it goes into."""

from __future__ import annotations

import contextlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import ChoiceLoader, FileSystemBytecodeCache, FileSystemLoader, PrefixLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from reports.files import CACHE

if TYPE_CHECKING:
    from jinja2 import BaseLoader

TEMPLATES = Path(__file__).parent / "templates"


def environment(template_dir: Path | None = None) -> ImmutableSandboxedEnvironment:
    """Templates of ours, and before them the user's; a user's template reaches ours as `pressgauge/<name>`."""
    ours = FileSystemLoader(TEMPLATES)
    loaders: list[BaseLoader] = [FileSystemLoader(template_dir)] if template_dir else []
    made = ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([*loaders, ours, PrefixLoader({"pressgauge": ours})]),
        autoescape=lambda name: name is None or not name.endswith(".md"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_compiled(),
    )
    made.filters["script_json"] = script_json
    made.filters["unbroken"] = unbroken
    made.filters["md"] = markdown_text
    made.filters["code"] = markdown_code
    return made


def _compiled() -> FileSystemBytecodeCache | None:
    """Where compiled templates are kept: compiling them takes as long as filling them in."""
    with contextlib.suppress(OSError):  # a read-only checkout only costs time
        CACHE.mkdir(parents=True, exist_ok=True)
    return FileSystemBytecodeCache(str(CACHE)) if os.access(CACHE, os.W_OK) else None


def script_json(value: Any) -> Markup:
    """JSON for the inside of a script element: no character in it can end the element or start a comment."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 nothing is left in it that HTML would read


_WITHIN_A_FIGURE = re.compile(r"(?<=\d) (?=[%×])|(?<=[≤≥]) (?=\d)|(?<=\bn) (?==)|(?<=\bn =) (?=\d)")


def unbroken(text: str) -> str:
    """A sentence whose figures keep their signs beside them at the end of a line."""
    return _WITHIN_A_FIGURE.sub("\u00a0", text)


_MARKDOWN = re.compile(r"([\\`*_{}\[\]#|~!@])")


def markdown_text(value: object) -> str:
    """Text that Markdown shows as it is: on one line, with no markup, HTML or mention of anybody."""
    text = " ".join(str(value).split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", text)


def markdown_code(value: object) -> str:
    """Code on one line, fenced by more backticks than it holds."""
    text = " ".join(str(value).split())
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"
