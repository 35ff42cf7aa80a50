"""Public nested data: what botocore, which is installed, tells of each service's operations and structures."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import botocore
import bson

if TYPE_CHECKING:
    from collections.abc import Iterator

Node = dict[str, Any]
_DEEPEST = 8
_MOST_BYTES = 100_000
"""Larger ones are left out: few hold most of the bytes."""


def described() -> Iterator[Node]:
    """Each operation and each structure, service by service, as trees of what they are made of: up to 18 levels."""
    for path in sorted((Path(botocore.__file__).parent / "data").glob("*/*/service-2.json.gz")):
        model = json.loads(gzip.decompress(path.read_bytes()))
        shapes = model["shapes"]
        operations = (_operation(shapes, one) for one in model["operations"].values())
        structures = (_tree(shapes, name, _DEEPEST) for name, one in shapes.items() if one["type"] == "structure")
        for made in (*operations, *structures):
            if len(bson.encode(made)) <= _MOST_BYTES:
                yield made


def _operation(shapes: Node, operation: Node) -> Node:
    sides = {
        side: _tree(shapes, operation[side]["shape"], _DEEPEST) for side in ("input", "output") if side in operation
    }
    return operation | sides


def _tree(shapes: Node, name: str, levels: int) -> Node:
    """A shape with those that it refers to in the place of their names, so many levels deep."""
    shape = shapes[name]
    if not levels:
        return {"type": shape["type"], "shape": name}
    made = dict(shape)
    if "members" in shape:
        made["members"] = {one: _referred(shapes, what, levels) for one, what in shape["members"].items()}
    return made | {part: _referred(shapes, shape[part], levels) for part in ("member", "key", "value") if part in shape}


def _referred(shapes: Node, reference: Node, levels: int) -> Node:
    return {**reference, **_tree(shapes, reference["shape"], levels - 1)}
