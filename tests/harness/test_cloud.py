"""Hosts on EC2 come up within their limit and go without a trace; over real HTTP, by real boto3, against moto."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from harness.addons.ec2.down import take_down
from harness.addons.ec2.fleet import EXPIRES, OWNER, describe, find_fleets, tag
from harness.addons.ec2.launch import own_address, prepare
from harness.addons.ec2.up import bring_up
from harness.errors import HostError, InputError
from harness.spec.cloud import Cloud
from harness.spec.load import load_campaign
from tests.harness.aws_server import REGION, refuse
from tests.harness.clouds import cloud, nothing_is_left, write
from tests.harness.commands import ROOT, harness, start

if TYPE_CHECKING:
    from pathlib import Path

    from harness.spec.campaign import Campaign
    from tests.harness.aws_server import Answer, Aws, Call


def test_up_list_and_down(ec2: Any, tmp_path: Path) -> None:
    path, home = write(tmp_path), tmp_path / "home"
    up = harness("cloud-up", path, "--yes", "--home", home)
    assert up.code == 0, up.err
    estimate, started = up.out.index("at most"), up.out.index("starting graviton")
    assert estimate < started
    (inventory,) = home.glob("cloud/lab-*/hosts.yml")
    assert f"INVENTORY={inventory}" in up.out

    read = [str(ROOT / ".venv/bin/ansible-inventory"), "-i", str(inventory), "--list"]
    said = subprocess.run(read, capture_output=True, check=True).stdout
    hosts = json.loads(said, object_hook=lambda value: value.get("__ansible_unsafe", value))
    assert hosts["db"]["hosts"] == ["graviton-1", "intel-1"]
    assert hosts["clients"]["hosts"] == ["client-1", "client-2"]
    first = hosts["_meta"]["hostvars"]["graviton-1"]
    assert first["pressgauge_address"].startswith("172.")
    assert first["ansible_user"] == "ubuntu"
    assert first["pressgauge_platform"] == "arm"
    assert "pressgauge_platform" not in hosts["_meta"]["hostvars"]["intel-1"]
    key = inventory.parent / "id_ed25519"
    assert first["ansible_ssh_private_key_file"] == str(key)
    assert key.stat().st_mode & 0o077 == 0

    listed = harness("cloud-list", "--region", REGION)
    assert listed.code == 0, listed.err
    # graviton .272 + intel .34 with a disk of (200 × .08 + 3000 × .005 + 125 × .04) / 730 each, clients .34 with one
    # of 100 × .08 / 730, and an address for each
    hourly = 0.272 + 0.34 + 2 * 36 / 730 + 2 * (0.34 + 8 / 730) + 4 * 0.005
    assert f"together {hourly:.4f} per hour" in listed.out
    assert listed.out.count(" running ") == 4
    assert f"together {hourly:.4f} USD/h" in up.out
    assert f"at most {hourly * 2.05:.2f} USD" in up.out

    down = harness("cloud-down", path, "--home", home)
    assert down.code == 0, down.err
    assert nothing_is_left(ec2)
    assert not inventory.parent.exists()
    assert list(describe(find_fleets(ec2))) == ["there are no Pressgauge hosts"]


def test_what_is_started(ec2: Any, aws: Aws, spec: Campaign, tmp_path: Path) -> None:
    """Image by architecture, disk, shutdown and network are as the spec says; everything is tagged."""
    bring_up(prepare(spec, ["graviton", "client"]), tmp_path, lambda _: None)
    (fleet,) = find_fleets(ec2).values()
    db = next(one for one in fleet.instances if one["InstanceType"] == "c6g.2xlarge")
    assert len(fleet.instances) == 3
    assert ec2.describe_images(ImageIds=[db["ImageId"]])["Images"][0]["Name"].endswith("-arm64-server-20260801")
    assert ec2.describe_instance_attribute(InstanceId=db["InstanceId"], Attribute="instanceInitiatedShutdownBehavior")[
        "InstanceInitiatedShutdownBehavior"
    ] == {"Value": "terminate"}
    volume = next(one for one in fleet.volumes if one["Attachments"][0]["InstanceId"] == db["InstanceId"])
    assert (volume["VolumeType"], volume["Size"]) == ("gp3", 200)
    asked = next(call.form for call in aws.front.calls if call.form.get("InstanceType") == "c6g.2xlarge")
    assert (asked["BlockDeviceMapping.1.Ebs.Iops"], asked["BlockDeviceMapping.1.Ebs.Throughput"]) == ("6000", "250")
    assert asked["BlockDeviceMapping.1.Ebs.DeleteOnTermination"] == "true"
    assert asked["Placement.GroupName"] == f"pressgauge-{fleet.run}"

    (group,) = fleet.security_groups
    open_to = {
        (rule["IpProtocol"], rule.get("FromPort")): (
            [one["CidrIp"] for one in rule["IpRanges"]],
            [one["GroupId"] for one in rule["UserIdGroupPairs"]],
        )
        for rule in group["IpPermissions"]
    }
    assert open_to == {("-1", None): ([], [group["GroupId"]]), ("tcp", 22): (["203.0.113.7/32"], [])}

    (placement,), (pair,) = fleet.placement_groups, fleet.key_pairs
    for one in (*fleet.instances, *fleet.volumes, group, placement, pair):
        assert tag(one, OWNER).startswith("arn:aws:sts::")
        expires = datetime.fromisoformat(tag(one, EXPIRES))
        assert timedelta(hours=1.9) < expires - datetime.now(UTC) <= timedelta(hours=2)


def test_an_instance_ends_itself_at_its_expiry(ec2: Any, aws: Aws, spec: Campaign, tmp_path: Path) -> None:
    bring_up(prepare(spec, []), tmp_path, lambda _: None)
    (fleet,) = find_fleets(ec2).values()
    for one in fleet.instances:
        said = ec2.describe_instance_attribute(InstanceId=one["InstanceId"], Attribute="userData")["UserData"]["Value"]
        script = base64.b64decode(said).decode()
        assert "shutdown -h +1" in script  # 119 or 120 minutes
        expires = datetime.fromisoformat(tag(one, EXPIRES))
        assert f"OnCalendar={expires:%Y-%m-%d %H:%M:%S} UTC" in script
        subprocess.run(["sh", "-n"], input=script, text=True, check=True)


def test_down_after_a_crash_half_way(ec2: Any, aws: Aws, tmp_path: Path) -> None:
    path, home = write(tmp_path), tmp_path / "home"
    victims: list[subprocess.Popen[str]] = []

    def kill(call: Call) -> None:
        if call.action == "RunInstances" and call.form["InstanceType"] == "c5.2xlarge":
            victims[0].kill()

    aws.front.rules.append(kill)
    victims.append(start("cloud-up", path, "--yes", "--home", home))
    assert victims[0].wait(120) == -signal.SIGKILL
    aws.front.rules.clear()
    for left in home.glob("cloud/*/*"):
        left.unlink()
    other = ec2.run_instances(ImageId="ami-00000000", MinCount=1, MaxCount=1)["Instances"][0]["InstanceId"]

    assert list(take_down(ec2, home, campaign="another")) == []
    assert "c6g.2xlarge db running" in "\n".join(describe(find_fleets(ec2)))
    down = harness("cloud-down", path, "--home", home)
    assert down.code == 0, down.err
    (survivor,) = (
        one["InstanceId"]
        for page in ec2.describe_instances()["Reservations"]
        for one in page["Instances"]
        if one["State"]["Name"] == "running"
    )
    assert survivor == other
    ec2.terminate_instances(InstanceIds=[other])
    assert nothing_is_left(ec2)


def test_a_failed_start_takes_itself_down(ec2: Any, aws: Aws, spec: Campaign, tmp_path: Path) -> None:
    def no_room(call: Call) -> Answer | None:
        full = call.action == "RunInstances" and call.form["InstanceType"] == "c5.2xlarge"
        return refuse("InsufficientInstanceCapacity", "400 Bad Request") if full else None

    aws.front.rules.append(no_room)
    told: list[str] = []
    with pytest.raises(HostError, match="InsufficientInstanceCapacity") as refused:
        bring_up(prepare(spec, []), tmp_path, told.append)
    assert "another region, subnet or instance type" in refused.value.do
    assert "taking down what was started" in told
    assert nothing_is_left(ec2)


def test_throttling_is_waited_out(ec2: Any, aws: Aws, spec: Campaign, tmp_path: Path) -> None:
    throttled: list[Call] = []

    def twice(call: Call) -> Answer | None:
        if call.action == "RunInstances" and len(throttled) < 2:
            throttled.append(call)
            return refuse("RequestLimitExceeded")
        return None

    aws.front.rules.append(twice)
    bring_up(prepare(spec, []), tmp_path, lambda _: None)
    (fleet,) = find_fleets(ec2).values()
    assert len(fleet.instances) == 4


def test_throttling_without_end_is_told(ec2: Any, aws: Aws, spec: Campaign, tmp_path: Path) -> None:
    aws.front.rules.append(lambda call: refuse("RequestLimitExceeded") if call.action == "RunInstances" else None)
    with pytest.raises(HostError, match="ec2:RunInstances: AWS still throttles after 3 attempts"):
        bring_up(prepare(spec, []), tmp_path, lambda _: None)
    assert nothing_is_left(ec2)


def allow(aws: Aws, monkeypatch: pytest.MonkeyPatch, *denied: str) -> None:
    """Make this process a user who may do everything but these."""
    iam = aws.client("iam")
    iam.create_user(UserName="someone")
    statements = [
        {"Effect": "Allow", "Action": ["ec2:*"], "Resource": "*"},
        {"Effect": "Deny", "Action": list(denied), "Resource": "*"},
    ]
    policy = json.dumps({"Version": "2012-10-17", "Statement": statements})
    iam.put_user_policy(UserName="someone", PolicyName="lab", PolicyDocument=policy)
    key = iam.create_access_key(UserName="someone")["AccessKey"]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", key["AccessKeyId"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", key["SecretAccessKey"])


def test_a_missing_permission_is_told(
    ec2: Any, aws: Aws, spec: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(aws, monkeypatch, "ec2:RunInstances")
    aws.enforce_permissions()
    with pytest.raises(HostError, match="ec2:RunInstances: not permitted") as refused:
        bring_up(prepare(spec, []), tmp_path, lambda _: None)
    assert "let this caller ec2:RunInstances" in refused.value.do
    aws.enforce_permissions(after=2**31)
    assert nothing_is_left(ec2)


def test_what_may_not_be_removed_is_named(
    ec2: Any, aws: Aws, spec: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(aws, monkeypatch, "ec2:AuthorizeSecurityGroupIngress", "ec2:DeleteSecurityGroup")
    aws.enforce_permissions()
    with pytest.raises(HostError, match=r"(?s)AuthorizeSecurityGroupIngress.*DeleteSecurityGroup") as refused:
        bring_up(prepare(spec, []), tmp_path, lambda _: None)
    assert "make cloud-down CAMPAIGN=lab" in refused.value.do
    assert "ends itself at" in refused.value.do


def test_the_limit_is_kept_before_anything_is_started(ec2: Any, aws: Aws, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cloud\.cost_limit: 1\.50 USD is less than the 2\.94 USD"):
        prepare(load_campaign(write(tmp_path, cost_limit=1.5)), [])
    created = [call.action for call in aws.front.calls if call.action.startswith(("Create", "Run", "Authorize"))]
    assert created == []


def test_hosts_outlive_the_plan(ec2: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cloud\.expires_after_h: the plan takes about .* gone after 0\.001 h"):
        prepare(load_campaign(write(tmp_path, expires_after_h=0.001)), [])


def test_hosts_that_are_up_count_for_the_limit(ec2: Any, spec: Campaign, tmp_path: Path) -> None:
    bring_up(prepare(spec, []), tmp_path, lambda _: None)  # 2.94 of 5
    with pytest.raises(InputError, match=r"cloud\.cost_limit: 5\.00 USD is less than the 5\.\d\d USD"):
        prepare(spec, [])


def test_without_a_terminal_it_starts_only_when_told(ec2: Any, tmp_path: Path) -> None:
    ran = harness("cloud-up", write(tmp_path), "--home", tmp_path / "home")
    assert ran.code == 2
    assert "nothing was started" in ran.err
    assert nothing_is_left(ec2)


def test_a_price_that_the_spec_lacks_is_asked_for(ec2: Any, aws: Aws, tmp_path: Path) -> None:
    aws.front.prices["c6g.2xlarge"] = 0.2721
    prices = {"instances_per_hour": {"c5.2xlarge": 0.34}, "dated": "today"}
    spec = load_campaign(write(tmp_path, prices=prices))
    lines = list(prepare(spec, []).estimate.lines())
    assert "0.2721 instance (Pricing API, 20" in lines[0]
    assert "0.3400 instance (spec, today)" in lines[1]
    aws.front.prices.clear()
    with pytest.raises(InputError, match=r"no price of c6g\.2xlarge in us-east-1: the Pricing API has none in USD"):
        prepare(spec, [])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"subnet": "subnet-0"}, r"ec2:DescribeSubnets: InvalidSubnetID\.NotFound"),
        (
            {"hosts": {**cloud()["hosts"], "odd": {"group": "db", "instance_type": "c9z.tiny"}}},
            r"no price of c9z\.tiny",
        ),
    ],
)
def test_what_ec2_has_not_is_told(ec2: Any, tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises((InputError, HostError), match=said):
        prepare(load_campaign(write(tmp_path, **changes)), [])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hosts": {"db": {"group": "db", "instance_type": "c5.large"}}}, "no hosts are in group clients"),
        ({"ssh_from": "0.0.0.0/0"}, "nearly everybody"),
        ({"ssh_from": "my house"}, "no IPv4 network"),
        ({"cost_limit": 0}, "greater than 0"),
    ],
)
def test_a_wrong_section_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Cloud.model_validate(cloud(**changes))


@pytest.mark.parametrize(
    ("disk", "said"),
    [
        ({"type": "io2"}, "io2 needs iops"),
        ({"type": "io2", "iops": 9000, "throughput_mib_per_s": 500}, "throughput_mib_per_s can't be chosen for io2"),
        ({"type": "gp2", "iops": 500}, "iops can't be chosen for gp2"),
    ],
)
def test_a_disk_that_ebs_does_not_make_is_refused(disk: dict[str, Any], said: str) -> None:
    hosts = cloud()["hosts"]
    hosts["intel"]["disk"] = disk
    with pytest.raises(ValueError, match=said):
        Cloud.model_validate(cloud(hosts=hosts))


def test_an_address_that_is_none_is_told(aws: Aws) -> None:
    with pytest.raises(HostError, match="can't tell this machine's public address"):
        own_address(f"{aws.url}/moto-api/")
