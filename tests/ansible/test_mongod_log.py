"""mongod's log for people."""

import json
from pathlib import Path

from ansible.module_utils.pressgauge.mongods.mongod_log import last_words, opening_wiredtiger, readable


def entry(severity: str, component: str, message: str, **more: object) -> str:
    return json.dumps({"t": {"$date": "…"}, "s": severity, "c": component, "id": 1, "ctx": "-", "msg": message, **more})


def test_errors_come_before_chatter(tmp_path: Path) -> None:
    lines = [entry("E", "STORAGE", "can't open", attr={"error": "denied"}), *[entry("I", "CONTROL", "bye")] * 30]
    (tmp_path / "log").write_text("\n".join(lines))
    assert last_words(tmp_path / "log", tmp_path / "none") == "  E STORAGE: can't open (error: denied)"


def test_without_errors_the_end_speaks_and_the_console_too(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(entry("I", "CONTROL", "bye") + "\n" + entry("I", "NETWORK", "client metadata") + "\n")
    (tmp_path / "console").write_text("mongod: error while loading shared libraries\n\n")
    assert last_words(tmp_path / "log", tmp_path / "console").splitlines() == [
        "  I CONTROL: bye",
        "  mongod: error while loading shared libraries",
    ]


def test_silence_is_said_too(tmp_path: Path) -> None:
    assert last_words(tmp_path / "none", tmp_path / "none") == "  (it wrote nothing)"


def test_what_is_no_entry_stays_as_it_is() -> None:
    assert readable("Aborted\n") == "Aborted"
    assert readable("17") == "17"


def test_the_configuration_wiredtiger_was_opened_with(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(entry("I", "X", "y") + '\n{"id":22315,"attr":{"config":"create,cache_size=300M"}}\n')
    assert opening_wiredtiger(tmp_path / "log") == "create,cache_size=300M"
    (tmp_path / "log").write_text("half a li")
    assert opening_wiredtiger(tmp_path / "log") is None
