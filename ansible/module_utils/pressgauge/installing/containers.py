"""A mongod out of a container image, by docker or podman. No container ever runs: the file is copied out of one that
is only created, so that mongod is started, limited and frozen like any other.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

from ansible.module_utils.pressgauge.failures import Failure, words_of

if TYPE_CHECKING:
    from pathlib import Path

_TOOLS = ("docker", "podman")
_TIMEOUT_S = 1800


def take_from_image(engine: dict[str, str], mongod: Path) -> dict[str, str]:
    """Copy mongod out of the engine's image; what the image was: `image`, and its `image_digest`.

    Raises Failure (host) where there is no docker or podman that works, or no such image; (spec) where the image has
    no such file.
    """
    tool, image = _tool(engine["id"]), engine.get("image") or f"docker.io/library/mongo:{engine['version']}"
    pulled = _run(tool, "pull", "--quiet", image)
    known = _run(tool, "image", "inspect", image)
    if known.returncode != 0:  # one that is there will do without a registry
        raise Failure("host", f"engine {engine['id']}: there is no image {image}: {words_of(pulled)}")
    created = _run(tool, "create", image)
    if created.returncode != 0:
        raise Failure("host", f"engine {engine['id']}: `{tool} create {image}` failed: {words_of(created)}")
    container = created.stdout.split()[-1]
    try:
        copied = _run(tool, "cp", f"{container}:{engine['path']}", str(mongod))
    finally:
        _run(tool, "rm", "--volumes", container)
    if copied.returncode != 0 or mongod.is_symlink() or not mongod.is_file():
        why = words_of(copied) if copied.returncode else "it is no regular file"
        raise Failure("spec", f"engine {engine['id']}: {engine['path']} can't be taken out of {image}: {why}")
    mongod.chmod(0o755)
    return {"image": image, "image_digest": _digest(known.stdout)}


def _tool(engine: str) -> str:
    """The first one that answers."""
    there = [name for name in _TOOLS if shutil.which(name)]
    if not there:
        raise Failure(
            "host",
            f"engine {engine}: its source is a container image, and this host has neither docker nor podman; install "
            "one of them, or use another source",
        )
    words = {}
    for name in there:
        said = _run(name, "version")
        if said.returncode == 0:
            return name
        words[name] = words_of(said)
    raise Failure("host", f"engine {engine}: {'; '.join(f'{name}: {text}' for name, text in words.items())}")


def _digest(inspected: str) -> str:
    """The digest by which a registry knows the image; of one that was built here, its own id."""
    (image,) = json.loads(inspected)
    (digest, *_) = [one.partition("@")[2] for one in image.get("RepoDigests") or ()] or [image["Id"]]
    return str(digest)


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
