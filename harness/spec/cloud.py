"""The spec's `cloud` section: which hosts a campaign wants on EC2, and what they may cost."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from core.bounds import Name
from core.model import Part
from core.sizes import Size

DiskType = Literal["gp3", "gp2", "io1", "io2"]
Price = Annotated[float, Field(ge=0)]
_NOT_FOR = {"gp2": ("iops", "throughput_mib_per_s"), "io1": ("throughput_mib_per_s",), "io2": ("throughput_mib_per_s",)}


class Disk(Part):
    """The disk of a host: its system, engines and data. It is deleted with its host."""

    type: DiskType = Field("gp3", description="EBS volume type.")
    size: Annotated[Size, Field(ge=8 * 2**30)] = Field(100 * 2**30, description="Size in whole GiB, at least 8GiB.")
    iops: Annotated[int, Field(ge=100)] | None = Field(
        None, description="Provisioned operations per second; gp3 has 3000 if left out."
    )
    throughput_mib_per_s: Annotated[int, Field(ge=125)] | None = Field(
        None, description="Provisioned throughput, for gp3 only; 125 if left out."
    )

    @property
    def size_gib(self) -> int:
        """The size as EBS takes it, in whole GiB, rounded up."""
        return -(-self.size // 2**30)

    @model_validator(mode="after")
    def _fits_type(self) -> Disk:
        for key in _NOT_FOR.get(self.type, ()):
            if getattr(self, key) is not None:
                raise ValueError(f"{key} can't be chosen for {self.type}; leave it out, or take gp3")
        if self.type in {"io1", "io2"} and self.iops is None:
            raise ValueError(f"{self.type} needs iops")
        return self


class Image(Part):
    """A machine image by name: the newest that fits the instance type's architecture."""

    owner: str = Field("099720109477", description="Account that publishes the image; the default is Canonical's.")
    name: str = Field(
        "ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-*-server-*",
        description="Name of the image, with `*` for the parts that vary.",
    )
    ssh_user: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,31}$")] = Field(
        "ubuntu", description="User of the image who has sudo."
    )


class Hosts(Part):
    """Hosts of one kind."""

    group: Literal["db", "clients"] = Field(description="What the hosts are for: `db` runs mongod, `clients` run YCSB.")
    instance_type: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+\.[a-z0-9-]+$")] = Field(
        description="EC2 instance type, for example `c6g.2xlarge`."
    )
    count: Annotated[int, Field(ge=1, le=50)] = Field(1, description="Number of hosts.")
    platform: Name | None = Field(
        None, description="Their `pressgauge_platform`. Platforms run the campaign side by side."
    )
    disk: Disk = Disk()
    image: Image = Image()


class KeyPair(Part):
    """A key pair of your own that EC2 already knows."""

    name: str = Field(description="Its name on EC2.")
    private_key: str = Field(description="Path of its private key on this machine.")


class DiskPrice(Part):
    """What a disk costs per month."""

    per_gib: Price = Field(description="Price per GiB.")
    per_iops: Price = Field(
        0.0, description="Price per provisioned operation per second; for gp3, of those beyond 3000."
    )
    per_mib_per_s: Price = Field(0.0, description="Price per MiB/s beyond 125, for gp3.")


class CloudPrices(Part):
    """What hosts cost. An instance type without a price is looked up; the other defaults are examples, not quotes."""

    dated: str = Field("2026-11 (example)", description="Date of the prices.")
    currency: str = Field("USD", description="Currency of all prices.")
    instances_per_hour: dict[str, Price] = Field(
        {}, description="Price by instance type; AWS's Pricing API gives all others."
    )
    disks_per_month: dict[DiskType, DiskPrice] = Field(
        {
            "gp3": DiskPrice(per_gib=0.08, per_iops=0.005, per_mib_per_s=0.04),
            "gp2": DiskPrice(per_gib=0.1),
            "io1": DiskPrice(per_gib=0.125, per_iops=0.065),
            "io2": DiskPrice(per_gib=0.125, per_iops=0.065),
        },
        description="Price by volume type.",
    )
    address_per_hour: Price = Field(0.005, description="Price of a public IPv4 address; every host has one.")


class Cloud(Part):
    """Hosts on EC2 for a campaign: what `make cloud-up` starts, for how long, and what it may cost."""

    provider: Literal["ec2"] = Field("ec2", description="The cloud provider; only `ec2` so far.")
    region: str | None = Field(None, description="Region; left out: as boto3 finds it (profile, `AWS_REGION`).")
    hosts: dict[Name, Hosts] = Field(
        description="Kinds of hosts by name; `make cloud-up HOSTS=…` starts only some of them."
    )
    expires_after_h: Annotated[float, Field(gt=0, le=168)] = Field(
        description="Hours after which every host shuts itself down and is deleted, whatever happens to the controller."
    )
    cost_limit: Annotated[float, Field(gt=0)] = Field(
        description="Cost limit for the campaign's hosts from start to expiry. Hosts that could cost more are not "
        "started."
    )
    ssh_from: str | None = Field(
        None,
        description="Network that may connect by SSH, for example `203.0.113.7/32`; left out: the caller's address.",
    )
    key_pair: KeyPair | None = Field(
        None, description="A key pair of your own; left out: a new one is made for the hosts."
    )
    subnet: str | None = Field(
        None, description="Id of a subnet that assigns public addresses; left out: a subnet of the default VPC."
    )
    placement_group: bool = Field(
        True, description="Whether to put all hosts close together, in a cluster placement group."
    )
    prices: CloudPrices = CloudPrices()

    @field_validator("ssh_from")
    @classmethod
    def _some_network(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            network = IPv4Network(value)
        except ValueError as error:
            raise ValueError(f"no IPv4 network: {error}") from error
        if network.prefixlen < 8:
            raise ValueError("that is nearly everybody; name your own network, for instance 203.0.113.7/32")
        return str(network)

    @model_validator(mode="after")
    def _both_groups(self) -> Cloud:
        missing = {"db", "clients"} - {hosts.group for hosts in self.hosts.values()}
        if missing:
            raise ValueError(f"no hosts are in group {', '.join(sorted(missing))}")
        return self
