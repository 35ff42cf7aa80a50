"""From a campaign's name or path to a checked `Campaign`; every complaint names file, line and key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from harness.errors import InputError, did_you_mean
from harness.spec.campaign import Campaign
from harness.spec.checks.arms import arm_checks
from harness.spec.checks.campaign import (
    cross_checks,
    input_checks,
    load_checks,
    name_checks,
    operation_checks,
    replay_checks,
)
from harness.spec.checks.documents import document_checks, model_checks, update_checks
from harness.spec.checks.replica_sets import stale_checks
from harness.spec.faults import describe
from harness.spec.mixes.checks import check_own_mixes
from harness.spec.mixes.own import read_own_mix
from harness.spec.mixes.ycsb import ENDING, OWN_ENDING, find_mixes, mix_names, read_mix
from harness.spec.yaml_source import Fault, YamlSource, read_yaml, told_faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.spec.mixes.own import AnyMix
    from harness.spec.phases import Workload

ROOT = Path(__file__).resolve().parents[2]
IS_CHECKOUT = (ROOT / "Makefile").is_file()
"""Or it is installed, and the folder is one of a package."""
CAMPAIGNS = ROOT / "campaigns"
MIXES = ROOT / "workloads"


def find_campaign(name_or_path: str) -> Path:
    """The file of a campaign given by its name in `campaigns/` or by its path.

    Raises:
        InputError: neither exists; the message offers the nearest name.
    """
    path = Path(name_or_path)
    if path.suffix in {".yaml", ".yml"} or "/" in name_or_path:
        if path.is_file():
            return path
        raise InputError(f"{path}: there is no such campaign file", do="check the path")
    known = campaign_names()
    if name_or_path in known:
        return CAMPAIGNS / f"{name_or_path}.yaml"
    raise InputError(
        f"no campaign is called {name_or_path!r}{did_you_mean(name_or_path, known)}",
        do=f"use one of {', '.join(known)}, or the path of a file ending in .yaml",
    )


def campaign_names() -> list[str]:
    """The names of the campaigns that come with Pressgauge."""
    return sorted(file.stem for file in CAMPAIGNS.glob("*.yaml"))


def load_campaign(path: Path) -> Campaign:
    """Read, validate and cross-check a campaign that may be run, its mixes included; it is called as its file.

    Raises:
        InputError: with one line per fault, each with file, line, key and what is allowed.
    """
    source, campaign = _read(path, path.stem)
    checks = (cross_checks, arm_checks, input_checks, document_checks, load_checks, name_checks, replay_checks)
    if faults := [*(fault for check in checks for fault in check(campaign)), *_mix_checks(campaign, path)]:
        raise _complaint(source, faults)
    mixes = read_mixes(campaign, path)
    with_mixes = (operation_checks, update_checks, model_checks, stale_checks)
    if faults := [fault for check in with_mixes for fault in check(campaign, mixes)]:
        raise _complaint(source, faults)
    check_own_mixes(campaign, mixes)
    return campaign


def load_kept(path: Path, name: str) -> Campaign:
    """The campaign that a run keeps, in a file that is no link: valid whatever has become of files beside the run.

    Raises:
        InputError: as there.
    """
    source, campaign = _read(path, name or path.stem, links=False)
    if faults := list(cross_checks(campaign)):
        raise _complaint(source, faults)
    return campaign


def read_mixes(campaign: Campaign, path: Path) -> dict[str, AnyMix]:
    """Each workload's mix, the workload's own distribution in it, from beside the campaign's file or from `workloads/`.

    Replays have none.

    Raises:
        InputError: a mix is missing or wrong.
    """
    found: dict[str, AnyMix] = {}
    folders = _mix_folders(path)
    for name, workload in _mixed(campaign):
        mix = workload.mix or name
        file = next(iter(find_mixes(mix, folders)), folders[-1] / f"{mix}{ENDING}")
        if file.name.endswith(OWN_ENDING):
            found[name] = read_own_mix(file)
        else:
            own = {"requestdistribution": workload.distribution} if workload.distribution else {}
            found[name] = read_mix(file).model_copy(update=own)
    return found


def _mixed(campaign: Campaign) -> Iterator[tuple[str, Workload]]:
    yield from ((name, one) for name, one in campaign.workloads.items() if one.replay is None)


def _mix_folders(path: Path) -> tuple[Path, Path]:
    return path.parent, MIXES


def _read(path: Path, name: str, *, links: bool = True) -> tuple[YamlSource, Campaign]:
    source = read_yaml(path, links=links)
    if not isinstance(source.data, dict):
        raise InputError(
            f"{path}: a campaign is a mapping of keys", do="docs/spec.md lists them, campaigns/ has examples"
        )
    try:
        return source, Campaign.model_validate({"name": name, **source.data})
    except ValidationError as error:
        raise _complaint(source, describe(source, error.errors(), Campaign)) from error


def _complaint(source: YamlSource, faults: list[Fault]) -> InputError:
    return InputError(told_faults(source, faults), do="fix the spec; docs/spec.md lists every key")


def _mix_checks(campaign: Campaign, path: Path) -> Iterator[Fault]:
    folders = _mix_folders(path)
    for name, workload in _mixed(campaign):
        mix = workload.mix or name
        files = find_mixes(mix, folders)
        key = ("workloads", name, "mix") if workload.mix else ("workloads", name)
        if len(files) > 1:
            yield key, f"{files[0]} and {files[1].name} beside it are both called {mix}; keep one, or rename one"
        elif files and workload.distribution and files[0].name.endswith(OWN_ENDING):
            yield ("workloads", name, "distribution"), f"{files[0]} says this itself, in `keys`; leave it out here"
        elif not files:
            mixes = mix_names(folders)
            told = f"no {mix}{ENDING} or {mix}{OWN_ENDING} in {folders[0]} or workloads/{did_you_mean(mix, mixes)}"
            yield key, f"{told}; there are: {', '.join(mixes)}"
