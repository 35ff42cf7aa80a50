"""What tags say costs no one a folder, a host or a list; what was started is found wherever the spec has moved."""

from __future__ import annotations

import shlex
import shutil
import socket
import subprocess
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from harness.addons.ec2.down import take_down
from harness.addons.ec2.fleet import CAMPAIGN, EXPIRES, GROUP, KIND, OWNER, PER_HOUR, RUN, caller, describe, find_fleets
from harness.addons.ec2.launch import own_address, prepare
from harness.addons.ec2.up import bring_up
from harness.errors import HostError, InputError
from harness.spec.cloud import Cloud
from harness.spec.load import load_campaign
from tests.harness.aws_server import REGION, refuse
from tests.harness.clouds import cloud, nothing_is_left, write
from tests.harness.commands import harness

if TYPE_CHECKING:
    from pathlib import Path

    from harness.spec.campaign import Campaign
    from tests.harness.aws_server import Aws

ELSEWHERE = "eu-west-1"


def tag_a_host(ec2: Any, **changes: str) -> str:
    """An instance with tags as ours have them, but for these changes (a key without `pressgauge:` and its value)."""
    tags = {
        RUN: "lab-20260101T000000Z",
        CAMPAIGN: "lab",
        OWNER: caller(REGION),
        EXPIRES: (datetime.now(UTC) + timedelta(hours=2)).isoformat(),
        PER_HOUR: "0.5 USD",
        KIND: "intel",
        GROUP: "db",
    } | {f"pressgauge:{key}": value for key, value in changes.items()}
    pairs = [{"Key": key, "Value": value} for key, value in tags.items()]
    started = ec2.run_instances(
        ImageId="ami-00000000",
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[{"ResourceType": "instance", "Tags": pairs}],
    )
    return str(started["Instances"][0]["InstanceId"])


def start(spec: Campaign, home: Path) -> Path:
    """Start all hosts of a spec; the folder that is kept of them."""
    return bring_up(prepare(spec, []), home, lambda _: None).parent


# --- folders ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", ["{absolute}", "../../mine", "..", ".", "", "other"])
def test_a_tag_deletes_no_folder(ec2: Any, tmp_path: Path, run: str) -> None:
    """Whatever someone writes into the tag of a host that bears the campaign's name and the caller's."""
    home, mine = tmp_path / "home/cloud", tmp_path / "mine"
    for folder in (mine, home / "other"):
        folder.mkdir(parents=True)
        (folder / "id_ed25519").write_text("a key")
    tag_a_host(ec2, run=run.format(absolute=mine))
    said = list(take_down(ec2, home, campaign="lab", owner=caller(REGION), run=""))
    assert nothing_is_left(ec2)
    assert (mine / "id_ed25519").exists()
    assert (home / "other/id_ed25519").exists()
    assert any("has no marker of these hosts" in line for line in said) == (run == "other")


def test_a_tag_does_not_delete_the_folder_of_other_hosts(ec2: Any, spec: Campaign, tmp_path: Path) -> None:
    folder = start(spec, tmp_path)
    ours = {one["InstanceId"] for one in find_fleets(ec2)[folder.name].instances}
    tag_a_host(ec2, run=folder.name, owner="somebody", campaign="another")
    list(take_down(ec2, tmp_path, campaign="another", owner="somebody"))
    assert (folder / "id_ed25519").exists()
    assert {one["InstanceId"] for one in find_fleets(ec2)[folder.name].instances} == ours


def test_a_linked_folder_is_not_deleted_through(ec2: Any, spec: Campaign, tmp_path: Path) -> None:
    folder = start(spec, tmp_path / "cloud")
    elsewhere = folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(elsewhere)
    assert f"{folder} is left as it is" in "\n".join(take_down(ec2, tmp_path / "cloud", campaign="lab"))
    assert (elsewhere / "id_ed25519").exists()
    assert folder.is_symlink()


def test_a_link_in_the_folder_is_not_deleted_through(ec2: Any, spec: Campaign, tmp_path: Path) -> None:
    folder = start(spec, tmp_path / "cloud")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").touch()
    (folder / "link").symlink_to(tmp_path / "mine")
    list(take_down(ec2, tmp_path / "cloud", campaign="lab"))
    assert not folder.exists()
    assert (tmp_path / "mine/file").exists()


@pytest.mark.parametrize("there", ["folder", "link"])
def test_a_start_takes_no_folder_that_is_there(ec2: Any, spec: Campaign, tmp_path: Path, there: str) -> None:
    launch = prepare(spec, [])
    folder = tmp_path / "cloud" / launch.identity.run
    folder.parent.mkdir()
    (tmp_path / "mine").mkdir()
    folder.mkdir() if there == "folder" else folder.symlink_to(tmp_path / "mine")
    with pytest.raises(InputError, match="no folder of new hosts can be made there"):
        bring_up(launch, folder.parent, lambda _: None)
    assert folder.exists()
    assert not list((tmp_path / "mine").iterdir())
    assert nothing_is_left(ec2)


def test_a_run_that_would_leave_the_folder_is_not_started(ec2: Any, spec: Campaign, tmp_path: Path) -> None:
    launch = prepare(spec, [])
    odd = replace(launch, identity=replace(launch.identity, run="../../x"))
    with pytest.raises(InputError, match="no folder of new hosts can be made there"):
        bring_up(odd, tmp_path / "home/cloud", lambda _: None)
    assert list(tmp_path.glob("x*")) == []
    assert nothing_is_left(ec2)


def test_what_is_kept_is_for_its_owner_alone(ec2: Any, spec: Campaign, tmp_path: Path) -> None:
    folder = start(spec, tmp_path)
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "id_ed25519").stat().st_mode & 0o077 == 0


def test_a_start_that_failed_leaves_no_folder(ec2: Any, aws: Aws, spec: Campaign, tmp_path: Path) -> None:
    aws.front.rules.append(lambda call: refuse("UnauthorizedOperation") if call.action == "CreateKeyPair" else None)
    with pytest.raises(HostError, match="not permitted"):
        start(spec, tmp_path / "cloud")
    assert list((tmp_path / "cloud").iterdir()) == []


@pytest.mark.parametrize("run", ["*", "../x", "lab\n", "latest"])
def test_what_names_no_start_takes_nothing_down(ec2: Any, tmp_path: Path, run: str) -> None:
    """`*` would be any run's name to EC2."""
    host = tag_a_host(ec2)
    down = harness("cloud-down", write(tmp_path), "--home", tmp_path / "home", "--run", run)
    assert (down.code, "no started hosts are called" in down.err) == (2, True)
    assert [one["InstanceId"] for fleet in find_fleets(ec2).values() for one in fleet.instances] == [host]


# --- regions ---------------------------------------------------------------------------------------------------------


def test_hosts_are_found_in_the_region_they_were_started_in(ec2: Any, tmp_path: Path) -> None:
    path, home = write(tmp_path), tmp_path / "home"
    start(load_campaign(path), home / "cloud")
    write(tmp_path, region=ELSEWHERE)
    down = harness("cloud-down", path, "--home", home)
    assert down.code == 0, down.err
    assert f"lab: looked in {REGION}, {ELSEWHERE}" in down.out
    assert "no hosts of yours were found" not in down.out
    assert nothing_is_left(ec2)
    again = harness("cloud-down", path, "--home", home)
    assert again.out == f"lab: no hosts of yours were found; looked in {ELSEWHERE}\n"


def test_without_a_folder_the_spec_says_where_to_look(ec2: Any, tmp_path: Path) -> None:
    path, home = write(tmp_path), tmp_path / "home"
    start(load_campaign(path), home / "cloud")
    shutil.rmtree(home)
    down = harness("cloud-down", path, "--home", home)
    assert (down.code, down.out.count("removed"), f"looked in {REGION}\n" in down.out) == (0, 1, True)
    assert nothing_is_left(ec2)


def test_the_key_of_anothers_hosts_is_kept(ec2: Any, spec: Campaign, tmp_path: Path) -> None:
    """Asked with other credentials, EC2 shows none of the hosts that the folder belongs to."""
    folder = start(spec, tmp_path)
    assert list(take_down(ec2, tmp_path, campaign="lab", owner="arn:aws:iam::1:user/other")) == []
    assert (folder / "id_ed25519").exists()


def test_a_folder_whose_hosts_are_gone_goes(ec2: Any, aws: Aws, tmp_path: Path) -> None:
    path, home = write(tmp_path), tmp_path / "home"
    start(load_campaign(path), home / "cloud")
    list(take_down(ec2, tmp_path / "nowhere", campaign="lab"))
    down = harness("cloud-down", path, "--home", home)
    assert "nothing of it is there any more" in down.out
    assert list((home / "cloud").iterdir()) == []


@pytest.mark.parametrize("marker", ["", "[1]", '{"campaign": 1, "owner": 2, "region": 3}'])
def test_a_damaged_marker_is_in_nobodys_way(ec2: Any, spec: Campaign, tmp_path: Path, marker: str) -> None:
    folder = start(spec, tmp_path)
    (folder / ".pressgauge-fleet").write_text(marker)
    assert f"{folder} is left as it is" in "\n".join(take_down(ec2, tmp_path, campaign="lab"))
    assert nothing_is_left(ec2)


def test_hosts_in_another_region_count_for_the_limit(ec2: Any, tmp_path: Path) -> None:
    path, home = write(tmp_path), tmp_path / "home"
    start(load_campaign(path), home / "cloud")  # 2.94 of 5
    write(tmp_path, region=ELSEWHERE)
    up = harness("cloud-up", path, "--yes", "--home", home)
    assert (up.code, "cloud.cost_limit: 5.00 USD is less than the 5." in up.err) == (2, True), up.err


# --- lists -----------------------------------------------------------------------------------------------------------

ODD_PRICES = ["", "cheap", "nan", "inf", "-inf", "1e400", "-5", "1e300 USD"]
ODD_TIMES = ["", "soon", "2026-01-01T00:00:00", "9999-99-99", "\x9b2J", "1e9"]


@pytest.mark.parametrize("price", ODD_PRICES)
def test_a_price_that_is_none_is_told_and_the_rest_listed(ec2: Any, price: str) -> None:
    odd, host = tag_a_host(ec2, **{"per-hour": price}), tag_a_host(ec2, run="lab-20260102T000000Z")
    said = list(describe(find_fleets(ec2)))
    (line,) = (line for line in said if line.startswith(f"  {odd} "))
    assert "(no price)" in line
    assert any(line.startswith(f"  {host} ") for line in said)
    assert any(line.endswith("0.5000 per hour, 1.00 until it expires") for line in said)
    assert any(line.endswith(f"until it expires, without {odd}") for line in said)
    assert said[-1] == "together 0.5000 per hour, without 1 whose tags can't be read"


@pytest.mark.parametrize("expires", ODD_TIMES)
def test_a_time_that_is_none_is_told_and_the_rest_listed(ec2: Any, expires: str) -> None:
    odd, host = tag_a_host(ec2, expires=expires), tag_a_host(ec2, run="lab-20260102T000000Z")
    said = list(describe(find_fleets(ec2)))
    assert sum(line.endswith("(no time with its zone)") for line in said) == 1
    assert any(line.startswith(f"  {host} ") for line in said)
    assert any(line.endswith(f"0.00 until it expires, without {odd}") for line in said)
    assert said[-1] == "together 1.0000 per hour, without 1 whose tags can't be read"


def test_a_list_with_odd_tags_is_a_list(ec2: Any) -> None:
    for number, (price, expires) in enumerate(zip(ODD_PRICES, ODD_TIMES, strict=False)):
        tag_a_host(ec2, **{"per-hour": price}, expires=expires, run=f"\x9b{number}")
    listed = harness("cloud-list", "--region", REGION)
    assert listed.code == 0, listed.err
    assert listed.out.startswith(f"in {REGION}:\n")
    assert listed.out.count("(no price)") == listed.out.count("(no time with its zone)") == len(ODD_TIMES)
    assert "\x9b" not in listed.out


@pytest.mark.parametrize("expires", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_the_first_and_the_last_of_all_times_are_times(ec2: Any, expires: str) -> None:
    tag_a_host(ec2, expires=expires)
    assert f"expires {expires}" in "\n".join(describe(find_fleets(ec2)))


@pytest.mark.parametrize("key", ["run", "campaign", "owner", "group"])
def test_tags_are_told_without_control_characters(ec2: Any, key: str) -> None:
    """EC2's XML can't hold an escape, but what terminals take for one."""
    tag_a_host(ec2, **{key: "evil\x9b2J\x9d0;title\x9c\n\u202e"})
    said = list(describe(find_fleets(ec2)))
    assert any(r"'evil\x9b2J\x9d0;title\x9c\n\u202e'" in line for line in said)
    assert all(line.isprintable() for line in said)


def test_a_name_of_ec2s_is_told_without_control_characters(ec2: Any, tmp_path: Path) -> None:
    tag_a_host(ec2, run="evil\x9b2J")
    assert all(line.isprintable() for line in take_down(ec2, tmp_path, campaign="lab"))


@pytest.mark.parametrize("odd", [{"per-hour": price} for price in ODD_PRICES] + [{"expires": "soon"}])
def test_no_limit_is_kept_beside_hosts_of_unknown_cost(ec2: Any, spec: Campaign, odd: dict[str, str]) -> None:
    """A price of `nan` is less than any limit, and so is one of -1000."""
    host = tag_a_host(ec2, **odd)
    with pytest.raises(InputError, match=f"{host}: up for this campaign, and their tags do not say"):
        prepare(spec, [])


# --- what belongs to a start -----------------------------------------------------------------------------------------


def test_two_starts_of_one_second_are_two(ec2: Any, spec: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    class Now(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Now:
            return cls(2026, 1, 1, tzinfo=tz)

    monkeypatch.setattr("harness.addons.ec2.launch.datetime", Now)
    assert prepare(spec, []).identity.run != prepare(spec, []).identity.run


def test_a_failed_start_takes_only_its_owners_hosts_down(ec2: Any, aws: Aws, spec: Campaign, tmp_path: Path) -> None:
    launch = prepare(spec, [])
    host = tag_a_host(ec2, run=launch.identity.run, owner="somebody")
    aws.front.rules.append(lambda call: refuse("UnauthorizedOperation") if call.action == "CreateKeyPair" else None)
    with pytest.raises(HostError):
        bring_up(launch, tmp_path, lambda _: None)
    aws.front.rules.clear()
    assert [one["InstanceId"] for fleet in find_fleets(ec2).values() for one in fleet.instances] == [host]


@pytest.mark.parametrize("kind", ["intel", "{{ lookup('pipe', 'id') }}", ""])
def test_the_inventory_holds_what_was_started_alone(
    ec2: Any, aws: Aws, spec: Campaign, tmp_path: Path, kind: str
) -> None:
    """Not a host that someone tagged as one of it."""
    launch = prepare(spec, [])
    tag_a_host(ec2, run=launch.identity.run, kind=kind)
    hosts = inventory_of(bring_up(launch, tmp_path, lambda _: None))
    assert sorted(hosts["db"]["hosts"]) == ["graviton-1", "intel-1"]
    assert sorted(hosts["clients"]["hosts"]) == ["client-1", "client-2"]


def inventory_of(path: Path) -> Any:
    """What an inventory says, as plain YAML."""
    return yaml.safe_load(path.read_text(encoding="utf-8").removeprefix("--- !unsafe"))


@pytest.mark.parametrize("name", ["a folder", "100%h", "it's"])
def test_ssh_finds_the_known_hosts_in_any_folder(ec2: Any, spec: Campaign, tmp_path: Path, name: str) -> None:
    """As Ansible splits its arguments, and ssh reads them."""
    path = start(spec, tmp_path / name) / "hosts.yml"
    asked = ["ssh", "-G", *shlex.split(inventory_of(path)["all"]["vars"]["ansible_ssh_common_args"]), "host"]
    said = subprocess.run(asked, capture_output=True, check=True, text=True).stdout
    (known,) = (line.partition(" ")[2] for line in said.splitlines() if line.startswith("userknownhostsfile "))
    assert known.replace("%%", "%") == str(path.parent / "known_hosts")


@pytest.mark.parametrize("user", ["../../etc", "a b", "{{ x }}", '"', "-oProxyCommand=id", "", "a\n"])
def test_an_ssh_user_that_no_host_has_is_refused(user: str) -> None:
    hosts = cloud()["hosts"]
    hosts["intel"]["image"] = {"ssh_user": user}
    with pytest.raises(ValueError, match="ssh_user"):
        Cloud.model_validate(cloud(hosts=hosts))


def test_an_answer_that_is_no_http_tells_no_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as asked:
                asked.recv(1000)
                asked.sendall(b"no HTTP\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(HostError, match="can't tell this machine's public address"):
            own_address(f"http://127.0.0.1:{server.getsockname()[1]}/")
        thread.join()
