"""Set-up in a checkout of its own, with stand-ins for what it calls: what it leaves is made of what is there."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from harness.spec.load import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FETCHED = "org/example/core/1.0/core-1.0.jar"
# "Compiles" by copying the source; "fetches" what is locked; two at once spoil each other.
MAVEN = f"""
echo build >> "$HOME/calls"
mkdir "$HOME/building" || exit 1
repository="$HOME/.m2/repository"
mkdir -p "$(dirname "$repository/{FETCHED}")" workloads/java/target
[ -e "$repository/{FETCHED}" ] || printf core > "$repository/{FETCHED}"
cat workloads/java/src/main/java/*.java > workloads/java/target/pressgauge-ycsb.jar
sleep 0.1
rmdir "$HOME/building"
[ ! -e "$HOME/die" ] || kill -9 "$PPID"
"""
UV = """
echo sync >> "$HOME/calls"
for lock; do :; done
mkdir "$HOME/syncing" || exit 1
cat "$lock" > .venv/packages
sleep 0.1
rmdir "$HOME/syncing"
[ ! -e "$HOME/die" ] || kill -9 "$PPID"
"""
NEEDED = "sh cat cut dirname find flock grep id kill mkdir printf rm rmdir sed sha256sum sleep sort stat tail tr"


@dataclass
class Checkout:
    """A checkout, and the programs that its set-up finds."""

    folder: Path
    programs: Path

    def stand_in(self, name: str, script: str) -> None:
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}")
        path.chmod(0o755)

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.folder / "harness/setup.sh", "run"],
            env={"PATH": str(self.programs), "HOME": str(self.folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def set_up(self, code: int = 0) -> str:
        running = self.start()
        said, _ = running.communicate()
        assert running.returncode == code, said
        return said

    def killed_in_set_up(self) -> None:
        (self.folder / "die").touch()
        self.set_up(-9)
        (self.folder / "die").unlink()

    def write(self, path: str, text: str) -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def lock(self) -> None:
        pom = sha256((self.folder / "workloads/java/pom.xml").read_bytes()).hexdigest()
        core = sha256(b"core").hexdigest()
        self.write("requirements/java.lock", f"{pom}  workloads/java/pom.xml\n{core}  {FETCHED}\n")

    @property
    def jar(self) -> Path:
        return self.folder / "workloads/java/target/pressgauge-ycsb.jar"

    @property
    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().split()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path / "checkout", tmp_path / "bin")
    made.programs.mkdir()
    for name in NEEDED.split():
        (made.programs / name).symlink_to(shutil.which(name) or f"/missing/{name}")
    made.stand_in("python3", "exit 0")
    made.stand_in("ldconfig", "echo libcurl.so.4")
    made.stand_in("javac", "echo javac 17.0.1")
    made.stand_in("mvn", MAVEN)
    for name, text in {
        "harness/setup.sh": (ROOT / "harness/setup.sh").read_text(),
        "requirements/run.lock": "one==1\n",
        "requirements/dev.lock": "one==1\ntwo==2\n",
        "workloads/java/pom.xml": "<project/>",
        "workloads/java/.mvn/maven.config": "--strict-checksums\n",
        "workloads/java/src/main/java/Client.java": "old",
        ".venv/bin/uv": f"#!/bin/sh\n{UV}",
    }.items():
        made.write(name, text)
    for program in ("harness/setup.sh", ".venv/bin/uv"):
        (made.folder / program).chmod(0o755)
    made.lock()
    return made


def test_what_is_there_is_not_made_again(checkout: Checkout) -> None:
    checkout.set_up()
    assert checkout.set_up() == ""
    assert checkout.calls == ["sync", "build"]


def test_after_a_killed_build_an_older_checkout_has_its_own_client(checkout: Checkout) -> None:
    checkout.set_up()
    checkout.write("workloads/java/src/main/java/Client.java", "new")
    checkout.killed_in_set_up()
    checkout.write("workloads/java/src/main/java/Client.java", "old")
    checkout.set_up()
    assert checkout.jar.read_text() == "old"


def test_after_a_killed_installation_older_requirements_are_in_force(checkout: Checkout) -> None:
    checkout.set_up()
    checkout.write("requirements/run.lock", "one==2\n")
    checkout.killed_in_set_up()
    checkout.write("requirements/run.lock", "one==1\n")
    checkout.set_up()
    assert (checkout.folder / ".venv/packages").read_text() == "one==1\n"


def test_a_client_that_set_up_did_not_build_is_built_again(checkout: Checkout) -> None:
    checkout.set_up()
    checkout.jar.write_text("another")
    checkout.set_up()
    assert checkout.jar.read_text() == "old"


def test_a_client_is_built_of_nothing_that_an_earlier_build_left(checkout: Checkout) -> None:
    checkout.set_up()
    checkout.write("workloads/java/target/classes/Gone.class", "stale")
    checkout.write("workloads/java/src/main/java/Client.java", "new")
    checkout.set_up()
    assert [path.name for path in (checkout.folder / "workloads/java/target").iterdir()] == [checkout.jar.name]


def test_four_at_once(checkout: Checkout) -> None:
    running = [checkout.start() for _ in range(4)]
    said = [one.communicate()[0] for one in running]
    assert [one.returncode for one in running] == [0] * 4, said
    assert checkout.calls == ["sync", "build"]


def test_who_waits_for_another_set_up_is_told_so(checkout: Checkout) -> None:
    checkout.write(".pressgauge/setup/lock", "")
    with (checkout.folder / ".pressgauge/setup/lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = checkout.start()
        assert waiting.stdout
        assert "another set-up of this checkout is running" in waiting.stdout.readline()
        assert not checkout.jar.exists()
    waiting.communicate()
    assert waiting.returncode == 0
    assert checkout.jar.exists()


def test_a_fetched_file_that_is_not_the_locked_one_stops_set_up(checkout: Checkout) -> None:
    checkout.write(f".m2/repository/{FETCHED}", "evil")
    said = checkout.set_up(3)
    assert f"{FETCHED}: FAILED" in said
    assert "delete them" in said
    assert not checkout.jar.exists()
    (checkout.folder / ".m2/repository" / FETCHED).unlink()
    checkout.set_up()
    assert checkout.jar.read_text() == "old"


def test_a_pom_that_was_changed_needs_another_lock(checkout: Checkout) -> None:
    checkout.set_up()
    checkout.write("workloads/java/pom.xml", "<project>newer</project>")
    assert "make lock" in checkout.set_up(3)
    checkout.lock()
    checkout.set_up()


def test_without_rights_the_packages_are_named_and_nothing_else_is_to_be_run_as_root(checkout: Checkout) -> None:
    (checkout.programs / "mvn").unlink()
    checkout.stand_in("apt-get", "exit 1")
    checkout.stand_in("id", "echo 1000")
    checkout.stand_in("sudo", "exit 1")
    said = checkout.set_up(3)
    assert "sudo apt-get update && sudo apt-get install maven, then run the same command" in said
    assert "setup.sh" not in said


def test_root_is_told_whose_files_it_would_make(checkout: Checkout) -> None:
    checkout.stand_in("id", "echo 0")
    checkout.stand_in("stat", '[ "$2" = %u ] && echo 1000 || echo ann')
    assert "will belong to root, and ann can't change it" in checkout.set_up()
    assert checkout.set_up() == ""


def test_the_repositorys_lock_is_of_its_pom() -> None:
    pom = sha256((ROOT / "workloads/java/pom.xml").read_bytes()).hexdigest()
    lines = (ROOT / "requirements/java.lock").read_text().splitlines()
    assert lines[0] == f"{pom}  workloads/java/pom.xml"
