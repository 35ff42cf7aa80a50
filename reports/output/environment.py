"""Jinja2 for our own and the user's templates: sandboxed, and everything escaped for the page it goes into."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import ChoiceLoader, FileSystemLoader, PrefixLoader, StrictUndefined, TemplateError
from jinja2.loaders import split_template_path
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from core.text import markdown_code, markdown_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import BaseLoader, Environment

TEMPLATES = Path(__file__).parents[1] / "templates"


def environment(template_dir: Path | None = None) -> ImmutableSandboxedEnvironment:
    """Templates of ours, and before them the user's; a user's template reaches ours as `pressgauge/<name>`.

    Compiled templates are kept nowhere: they are code, which whoever writes to the place would have us execute.
    """
    ours = FileSystemLoader(TEMPLATES)
    loaders: list[BaseLoader] = [_OneFolderLoader(template_dir)] if template_dir else []
    made = ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([*loaders, ours, PrefixLoader({"pressgauge": ours})]),
        autoescape=lambda name: name is None or not name.endswith(".md"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["script_json"] = script_json
    made.filters["unbroken"] = unbroken
    made.filters["md"] = markdown_text
    made.filters["code"] = markdown_code
    return made


class _OneFolderLoader(FileSystemLoader):
    """Templates of one folder, and of no other that a link in it leads to."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        path = Path(self.searchpath[0], *split_template_path(template))
        if not path.resolve().is_relative_to(Path(self.searchpath[0]).resolve()):
            raise TemplateError(f"{path} leads out of the folder of templates")
        return super().get_source(environment, template)


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
