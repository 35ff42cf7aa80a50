"""Running the client: its settings, its record, its end, whatever it does."""

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from ansible.module_utils.pressgauge.clients.java import JavaRun, properties_text
from ansible.module_utils.pressgauge.failures import Failure
from ansible.module_utils.pressgauge.host.limits import CPU
from ansible.module_utils.pressgauge.host.processes import cpu_set

SECRET = "mongodb://user:secret@127.0.0.1/"


def client(tmp_path: Path, script: str, **changes: Any) -> JavaRun:
    """A run whose `java` is a shell script."""
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    for name in ("jar", "corpus"):
        (tmp_path / name).write_text("")
    params = {
        "directory": str(tmp_path / "clients" / "t1"),
        "evidence_dir": str(tmp_path / "evidence"),
        "java": str(java),
        "jar": str(tmp_path / "jar"),
        "corpus": str(tmp_path / "corpus"),
        "jvm_options": ["-Xmx1g"],
        "uri": SECRET,
        "authority": None,
        "timeout_s": 20,
        **changes,
    }
    return JavaRun("rmw", "site.ycsb.Client", tmp_path / "evidence/out.json", ("-t",), {"recordcount": 7}, params)


def test_a_run_leaves_its_record_and_nothing_else(tmp_path: Path) -> None:
    uri = tmp_path / "clients/t1/uri"
    script = (
        f"echo working >&2; stat -c %a {uri} && cat {uri} >{tmp_path}/seen; echo '{{}}' >{tmp_path}/evidence/out.json"
    )
    record = client(tmp_path, script).run()
    evidence = tmp_path / "evidence"
    assert record == json.loads((evidence / "rmw.process.json").read_text())
    assert record["argv"][1:] == ["-Xmx1g", f"-Djava.io.tmpdir={uri.parent}", "-cp", str(tmp_path / "jar"),
                                  "site.ycsb.Client", "-P", str(evidence / "rmw.properties"), "-t"]  # fmt: skip
    assert (record["exit_code"], record["timed_out"]) == (0, False)
    assert record["ended_at_s"] >= record["started_at_s"]
    assert record["max_rss_bytes"] > 100_000
    assert record["cpu_limit"] == CPU.of()
    assert (evidence / "rmw.status.log").read_text() == "working\n600\n"
    assert (tmp_path / "seen").read_text() == SECRET
    assert not list((tmp_path / "clients").iterdir())
    assert not [path for path in evidence.iterdir() if "secret" in path.read_text()]


def test_a_client_is_told_by_which_authority_servers_are_known(tmp_path: Path) -> None:
    known = tmp_path / "clients/t1/authority.pem"
    script = f"cat {known} >{tmp_path}/seen; echo '{{}}' >{tmp_path}/evidence/out.json"
    client(tmp_path, script, authority="a certificate").run()
    assert (tmp_path / "seen").read_text() == "a certificate"
    assert f"mongodb.authority.file={known}\n" in (tmp_path / "evidence/rmw.properties").read_text()
    assert not list((tmp_path / "clients").iterdir())


def test_what_stands_in_the_environment_changes_no_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "GLIBC_TUNABLES", "CLASSPATH"):
        monkeypatch.setenv(name, "meddling")
    monkeypatch.setenv("PRESSGAUGE_PLAYBOOK", "a mark")
    client(tmp_path, f"env >{tmp_path}/seen; echo '{{}}' >{tmp_path}/evidence/out.json").run()
    seen = (tmp_path / "seen").read_text()
    assert "meddling" not in seen
    assert "PRESSGAUGE_PLAYBOOK=a mark\n" in seen


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo no server >&2; exit 3", "exit code 3"),
        ("echo ClassNotFoundException >&2", "without leaving out.json"),
        ("kill -9 $$", "exit code -9"),
    ],
)
def test_a_client_that_did_not_do_its_work_fails_with_its_last_words(script: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(Failure, match=said) as caught:
        client(tmp_path, script).run()
    assert caught.value.kind == "client"
    assert script.startswith("kill") or script.split()[1] in str(caught.value)
    assert (tmp_path / "evidence/rmw.process.json").exists()
    assert not list((tmp_path / "clients").iterdir())


def test_status_lines_do_not_drown_the_reason(tmp_path: Path) -> None:
    status = "2026-11-20 22:32:00:715 2 sec: 579 operations; 457.17 current ops/sec"
    with pytest.raises(Failure) as caught:
        client(tmp_path, f"echo the reason; for i in $(seq 99); do echo '{status}'; done; exit 1").run()
    assert "the reason" in str(caught.value)
    assert "579 operations" not in str(caught.value)


def test_a_result_of_an_earlier_attempt_does_not_pass_for_this_one(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence/out.json").write_text("{}")
    with pytest.raises(Failure, match="without leaving"):
        client(tmp_path, "exit 0").run()


def test_a_client_that_takes_too_long_is_killed_with_all_it_started(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="longer than 3 s"):
        client(tmp_path, "sleep 61.5 & echo $! >$(dirname $0)/child; wait", timeout_s=3).run()
    record = json.loads((tmp_path / "evidence/rmw.process.json").read_text())
    assert (record["exit_code"], record["timed_out"]) == (-9, True)
    child = (tmp_path / "child").read_text().strip()
    deadline = time.monotonic() + 30  # killed with its group; when it has gone is the kernel's affair
    while subprocess.run(["ps", "-o", "stat=", child], capture_output=True, check=False).stdout[:1] not in (b"", b"Z"):
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize("missing", ["jar", "corpus", "java"])
def test_what_is_missing_on_the_host_is_named(missing: str, tmp_path: Path) -> None:
    with pytest.raises(Failure, match="no-such") as caught:
        client(tmp_path, "exit 0", **{missing: str(tmp_path / "no-such")}).run()
    assert caught.value.kind == "host"
    assert not os.path.lexists(tmp_path / "clients/t1")


@pytest.mark.parametrize(
    "value", ["plain", "C:\\dir\\n", "über ß", "𝄞 clef", " leading", "tab\tnew\nline", "a=b:c#d!e"]
)
def test_java_reads_back_the_properties_as_they_were(value: str, tmp_path: Path) -> None:
    text = properties_text({"some.key": value, "odd key:=": "x", "flag": True})
    assert text.isascii()
    read = dict(unescape(line) for line in text.splitlines())
    assert read == {"some.key": value, "odd key:=": "x", "flag": "true"}


def unescape(line: str) -> tuple[str, str]:
    """One line as java.util.Properties documents it."""
    parts: list[str] = []
    current, index = "", 0
    while index < len(line):
        character = line[index]
        if character == "\\":
            follower = line[index + 1]
            if follower == "u":
                current += chr(int(line[index + 2 : index + 6], 16))
                index += 6
                continue
            current += {"n": "\n", "t": "\t", "r": "\r"}.get(follower, follower)
            index += 2
            continue
        if character == "=" and not parts:
            parts.append(current)
            current = ""
        else:
            current += character
        index += 1
    value = current.encode("utf-16", "surrogatepass").decode("utf-16")
    return parts[0], value


def test_a_client_is_confined_to_its_cores_which_are_read_back(tmp_path: Path) -> None:
    mine = sorted(os.sched_getaffinity(0))
    done = f"grep Cpus_allowed_list /proc/self/status >{tmp_path}/seen; echo '{{}}' >{tmp_path}/evidence/out.json"
    record = client(tmp_path, done, cpus=str(mine[-1])).run()
    assert record["cpus_allowed"] == str(mine[-1])
    assert (tmp_path / "seen").read_text().split()[1] == str(mine[-1])
    assert sorted(os.sched_getaffinity(0)) == mine
    assert client(tmp_path, done).run()["cpus_allowed"] is not None


def test_a_client_is_kept_off_the_cores_that_are_mongods(tmp_path: Path) -> None:
    mine = sorted(os.sched_getaffinity(0))
    done = f"echo '{{}}' >{tmp_path}/evidence/out.json"
    with pytest.raises(Failure, match=r"instance\.cpus: .* leaves no core to a client") as caught:
        client(tmp_path, done, cpus_but_not=",".join(map(str, mine))).run()
    assert caught.value.kind == "spec"
    if len(mine) > 1:
        record = client(tmp_path, done, cpus_but_not=str(mine[0])).run()
        assert cpu_set(record["cpus_allowed"]) == set(mine[1:])
