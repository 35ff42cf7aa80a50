"""What is ours to delete, and what never is."""

import json
from pathlib import Path

import pytest

from ansible.module_utils.pressgauge import files
from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.files import (
    MARKER,
    create_owned,
    owned_below,
    owner_facts,
    remove_owned,
    write_json,
    write_text,
)


def test_an_owned_directory_is_made_fresh_and_private(tmp_path: Path) -> None:
    path = tmp_path / "instances" / "t1"
    create_owned(path, {"port": 1})
    (path / "data").mkdir()
    create_owned(path, {"port": 2})
    assert [entry.name for entry in path.iterdir()] == [MARKER]
    assert owner_facts(path)["port"] == 2
    assert path.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("torn", [b"", b'{"port": 1', b"\0" * 64, b"\xff\xfe", b"[1]"])
def test_a_damaged_marker_still_makes_it_ours(torn: bytes, tmp_path: Path) -> None:
    """A loss of power may leave one; the next command deletes what it marks."""
    path = tmp_path / "instances" / "t1"
    for act in (remove_owned, lambda path: create_owned(path, {"port": 2})):
        create_owned(path, {"port": 1})
        (path / MARKER).write_bytes(torn)
        assert owner_facts(path) == {}
        assert owned_below(tmp_path / "instances") == [path]
        act(path)
    assert owner_facts(path)["port"] == 2


def test_a_directory_of_ours_is_never_seen_without_its_marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(files, "write_json", fail)
    with pytest.raises(OSError, match="no space"):
        create_owned(tmp_path / "t1", {})
    assert not (tmp_path / "t1").exists()


def test_removing_what_is_not_there_is_nothing_to_do(tmp_path: Path) -> None:
    assert remove_owned(tmp_path / "none") is False


def unmarked(path: Path) -> None:
    path.mkdir()


def a_file(path: Path) -> None:
    path.write_text("mine")


def link_to_owned(path: Path) -> None:
    create_owned(path.with_name("elsewhere"), {})
    path.symlink_to(path.with_name("elsewhere"))


def dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def linked_marker(path: Path) -> None:
    create_owned(path.with_name("elsewhere"), {})
    path.mkdir()
    (path / MARKER).symlink_to(path.with_name("elsewhere") / MARKER)


@pytest.mark.parametrize("make", [unmarked, a_file, link_to_owned, dangling_link, linked_marker])
def test_what_is_not_ours_is_neither_deleted_nor_replaced(make: object, tmp_path: Path) -> None:
    path = tmp_path / "t1"
    assert callable(make)
    make(path)
    before = sorted(str(entry) for entry in tmp_path.rglob("*"))
    for act in (lambda: remove_owned(path), lambda: create_owned(path, {})):
        with pytest.raises(Failure, match="left as it is"):
            act()
    assert sorted(str(entry) for entry in tmp_path.rglob("*")) == before


def test_a_path_that_climbs_is_refused(tmp_path: Path) -> None:
    create_owned(tmp_path / "a" / "t1", {})
    (tmp_path / "a" / "b").mkdir()
    with pytest.raises(Failure):
        remove_owned(tmp_path / "a" / "b" / ".." / "t1")
    assert owned_below(tmp_path / "a") == [tmp_path / "a" / "t1"]


def test_links_inside_an_owned_directory_are_cut_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "data").write_text("mine")
    create_owned(tmp_path / "t1", {})
    (tmp_path / "t1" / "data").symlink_to(precious)
    assert remove_owned(tmp_path / "t1")
    assert (precious / "data").read_text() == "mine"


def test_files_appear_whole_with_their_rights(tmp_path: Path) -> None:
    write_text(tmp_path / "uri", "mongodb://…", mode=0o600)
    write_json(tmp_path / "a.json", {"b": 1})
    assert (tmp_path / "uri").stat().st_mode & 0o777 == 0o600
    assert json.loads((tmp_path / "a.json").read_text()) == {"b": 1}
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.json", "uri"]
