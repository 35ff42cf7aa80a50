"""Why documents can't be templates: what a server would change or refuse, when it stores them or after an update."""

from collections.abc import Sequence
from itertools import count

from datasets.collections.elements import DOCUMENT, TYPES, Field, fields
from datasets.collections.files.checks import LARGEST_DOCUMENT_BYTES
from datasets.templates import MARKER

_TIMESTAMP, _STRING = 0x11, 0x02
_NO_TIME = bytes(8)
_LONGEST_CYCLE = len("~zik0zj")
"""What a string `_id` gets behind it in the last cycle that there can be, of 2³¹ records of one template."""


class TemplateFaults:
    """Looks at templates one after the other; `paths` are those that updates write."""

    def __init__(self, paths: Sequence[str]) -> None:
        """Begin, before the first template."""
        self._paths = paths
        self._largest = [0] * len(paths)
        self._numbers = count()
        self._rest = 0, 0
        """The most that a template takes without what updates replace, and its number."""

    def of(self, template: bytes) -> str | None:
        """Why the next document can't be one of the templates, or its paths not be updated; None where all is well."""
        every = list(fields(template))
        top = {one.name: one for one in every}
        if next(iter(top), None) != b"_id":
            return "`_id` is not its first field, as servers have it; dump it again"
        if MARKER.encode() in top:
            return f"it has a field `{MARKER}`, in which Pressgauge keeps what it updates; leave that field out"
        for one in every:
            if one.kind == _TIMESTAMP and one.name != b"_id" and template[one.start : one.end] == _NO_TIME:
                return (
                    f"its field {one.name.decode()!r} is Timestamp(0, 0), which a server replaces by its own time when "
                    "it stores the document; give it another value, or leave that field out"
                )
        rest = len(template) + (_LONGEST_CYCLE if top[b"_id"].kind == _STRING else 0)
        for place, path in enumerate(self._paths):
            found = _at(template, top, path)
            if isinstance(found, str):
                return (
                    f"its path {path!r} {found}; updates write paths that every document has, through documents alone"
                )
            size = found.end - found.start
            self._largest[place] = max(self._largest[place], size)
            rest -= size
        self._rest = max(self._rest, (rest, -next(self._numbers)))
        return None

    def too_large(self) -> tuple[int, str] | None:
        """The number, from 0, of a template that would outgrow the server's limit, and why; None where all fit."""
        rest, place = self._rest
        marker = sum(len(str(path)) + 10 for path in range(len(self._paths)))
        most = rest + sum(self._largest) + (marker + len(MARKER) + 7 if self._paths else 0)
        if most <= LARGEST_DOCUMENT_BYTES:
            return None
        return -place, (
            f"with the largest values that updates can write, their versions, and the `_id` of a later cycle it takes "
            f"up to {most:,} bytes, and MongoDB's limit is 16 MiB; leave it out, or the paths with large values"
        )


def _at(template: bytes, top: dict[bytes, Field], path: str) -> Field | str:
    """The field at a path, or why there is none."""
    name, *further = path.encode().split(b".")
    found = top.get(name)
    for inner in further:
        if found is None or found.kind != DOCUMENT:
            break
        found = next((one for one in fields(template, found.start) if one.name == inner), None)
    else:
        if found is not None:
            return found
    return f"leads through a value of type {TYPES[found.kind]}" if found is not None else "is missing"
