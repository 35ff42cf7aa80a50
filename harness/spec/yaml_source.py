"""A YAML file that remembers where each key stands, so that an error can name file, line and key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from core.stored import read_regular
from harness.errors import InputError
from harness.spec.faults import short

if TYPE_CHECKING:
    from pathlib import Path

KeyPath = tuple[str | int, ...]
Fault = tuple[KeyPath, str]
"""Where it is, and what is wrong."""
MOST_BYTES = 1 << 20
_MAX_NODES = 20_000
_MOST_SHOWN = 10
_LONGEST_NUMBER = 40  # what is longer takes long to parse, or to show
_NUMBERS = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}
_HINTS = {
    "mapping values are not allowed here": " (a blank may be missing after a colon on the line before; a text with a "
    "colon needs quotes)",
    "found character '\\t' that cannot start any token": " (indent with blanks, not with tabs)",
}
_MEND = "fix the file there; docs/spec.md has the keys, and campaigns/ has examples"


@dataclass(frozen=True)
class YamlSource:
    """Parsed YAML: `data` as plain Python values, and the line (from 1) of every key path."""

    path: Path
    data: Any
    lines: dict[KeyPath, int]

    def line(self, path: KeyPath) -> int:
        """The line of the key path, or of the nearest of its parents that stands in the file."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(path: Path, *, links: bool = True) -> YamlSource:
    """Read one YAML document, data only (no tags that build objects), refusing duplicate keys.

    Raises:
        InputError: the file can't be read (no regular file, or through a link where `links` may not), isn't YAML, is
            over 1 MiB, repeats a key or has a number of endless digits.
    """
    try:
        raw = read_regular(path, MOST_BYTES, links=links)
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}", do="give the path of a readable file") from error
    try:
        node = yaml.compose(raw.decode("utf-8"), Loader=yaml.SafeLoader)
        lines: dict[KeyPath, int] = {}
        if node is not None:
            _walk(path, node, (), lines)
        data = yaml.safe_load(raw)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        problem = str(getattr(error, "problem", None) or error)
        raise InputError(f"{where}: not valid YAML: {problem}{_HINTS.get(problem, '')}", do=_MEND) from error
    # the parser leaves to Python what is not as its tag says: `!!timestamp x`, `!!bool x`, `!!int ""`
    except (RecursionError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
        raise InputError(f"{path}: not valid YAML: {error}", do=_MEND) from error
    return YamlSource(path, data, lines)


def told_faults(source: YamlSource, faults: list[Fault]) -> str:
    """One line for each of the first faults: file, line, key, and what is wrong."""
    lines = [f"{source.path}:{source.line(at)}: {_dotted(at)}: {message}" for at, message in faults[:_MOST_SHOWN]]
    if len(faults) > _MOST_SHOWN:
        lines.append(f"… and {len(faults) - _MOST_SHOWN} more")
    return "\n".join(dict.fromkeys(lines))


def _dotted(at: KeyPath) -> str:
    return short(".".join(str(part) for part in at)) or "(top level)"


def _walk(file: Path, node: yaml.Node, at: KeyPath, lines: dict[KeyPath, int]) -> None:
    if len(lines) > _MAX_NODES:  # aliases of aliases would otherwise be followed for ever
        raise InputError(f"{file}: more than {_MAX_NODES} values, too many for a spec", do=_MEND)
    lines.setdefault(at, node.start_mark.line + 1)
    _refuse_long_number(file, node)
    if isinstance(node, yaml.MappingNode):
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise InputError(f"{file}:{key_node.start_mark.line + 1}: a key must be a text", do=_MEND)
            _refuse_long_number(file, key_node)
            key = str(key_node.value)
            if (*at, key) in lines:
                raise InputError(
                    f"{file}:{key_node.start_mark.line + 1}: key {key!r} is given twice "
                    f"(first on line {lines[(*at, key)]})",
                    do="keep one of them",
                )
            lines[(*at, key)] = key_node.start_mark.line + 1
            _walk(file, value_node, (*at, key), lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, child in enumerate(node.value):
            _walk(file, child, (*at, index), lines)


def _refuse_long_number(file: Path, node: yaml.Node) -> None:
    if node.tag in _NUMBERS and len(node.value) > _LONGEST_NUMBER:
        raise InputError(f"{file}:{node.start_mark.line + 1}: a number of {len(node.value)} characters", do=_MEND)
