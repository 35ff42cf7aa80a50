"""What a campaign's hosts cost: from the spec's prices, or AWS's Pricing API for instance types that it leaves out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from core.sizes import show_duration
from harness.addons.aws import answers, client
from harness.errors import InputError, PressgaugeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.spec.cloud import Cloud, CloudPrices, Disk, Hosts

HOURS_PER_MONTH = 730  # as AWS counts it
_STOPPING_H = 0.05  # from the expiry until the last host is gone
_FREE_IOPS, _FREE_MIB_PER_S = 3000, 125  # of gp3
_PRICING_REGION = "us-east-1"  # one of the few that have the Pricing API; it knows all regions' prices


@dataclass(frozen=True)
class HostPrice:
    """What one host of a kind costs an hour."""

    name: str
    hosts: Hosts
    instance_per_hour: float
    disk_per_hour: float
    address_per_hour: float
    source: str

    @property
    def per_hour(self) -> float:
        """Instance, disk and address."""
        return self.instance_per_hour + self.disk_per_hour + self.address_per_hour


@dataclass(frozen=True)
class Estimate:
    """What hosts will cost, at most."""

    kinds: tuple[HostPrice, ...]
    cloud: Cloud
    needed_s: float
    """What the campaign's plan takes, by the planner's rough rates."""
    already: float = 0.0
    """What the campaign's hosts that are up already will have cost at their expiry."""

    @property
    def per_hour(self) -> float:
        """All hosts together."""
        return sum(kind.per_hour * kind.hosts.count for kind in self.kinds)

    @property
    def most(self) -> float:
        """From start to expiry."""
        return self.per_hour * (self.cloud.expires_after_h + _STOPPING_H)

    def lines(self) -> Iterator[str]:
        """The estimate in words."""
        currency = self.cloud.prices.currency
        for kind in self.kinds:
            yield (
                f"{kind.name}: {kind.hosts.count} × {kind.hosts.instance_type} ({kind.hosts.group}): "
                f"{kind.per_hour:.4f} {currency}/h each = {kind.instance_per_hour:.4f} instance ({kind.source}) "
                f"+ {kind.disk_per_hour:.4f} disk + {kind.address_per_hour:.4f} address (spec, "
                f"{self.cloud.prices.dated})"
            )
        expected = self.per_hour * self.needed_s / 3600
        yield (
            f"together {self.per_hour:.4f} {currency}/h; the plan takes about {show_duration(self.needed_s)}: "
            f"{expected:.2f} {currency}"
        )
        yield (
            f"at most {self.most:.2f} {currency}, were they left up until they expire after "
            f"{self.cloud.expires_after_h:g} h; traffic out of AWS is not in it"
            + (f"; {self.already:.2f} more for hosts of this campaign that are up" if self.already else "")
        )

    def check(self) -> None:
        """Refuse what could cost more than the limit, or end before the campaign does.

        Raises:
            InputError: it could.
        """
        if self.needed_s > self.cloud.expires_after_h * 3600:
            raise InputError(
                f"cloud.expires_after_h: the plan takes about {show_duration(self.needed_s)}, "
                f"and the hosts would be gone after {self.cloud.expires_after_h:g} h",
                do="raise cloud.expires_after_h, or plan less",
            )
        if self.most + self.already > self.cloud.cost_limit:
            currency = self.cloud.prices.currency
            raise InputError(
                f"cloud.cost_limit: {self.cloud.cost_limit:.2f} {currency} is less than the "
                f"{self.most + self.already:.2f} {currency} that the hosts could cost until they expire",
                do="take fewer or smaller hosts, lower cloud.expires_after_h, or raise the limit",
            )


def price_hosts(cloud: Cloud, chosen: Mapping[str, Hosts], region: str) -> tuple[HostPrice, ...]:
    """What each kind of hosts costs.

    Raises:
        InputError: a price is known to nobody, so that no limit could be kept.
    """
    return tuple(
        HostPrice(
            name=name,
            hosts=hosts,
            instance_per_hour=per_hour,
            disk_per_hour=_disk_per_hour(cloud.prices, hosts.disk),
            address_per_hour=cloud.prices.address_per_hour,
            source=source,
        )
        for name, hosts in chosen.items()
        for per_hour, source in [_instance_per_hour(cloud.prices, hosts.instance_type, region)]
    )


def _instance_per_hour(prices: CloudPrices, instance_type: str, region: str) -> tuple[float, str]:
    if instance_type in prices.instances_per_hour:
        return prices.instances_per_hour[instance_type], f"spec, {prices.dated}"
    try:
        return ask_price(instance_type, region, prices.currency), f"Pricing API, {datetime.now(UTC):%Y-%m-%d}"
    except PressgaugeError as error:
        raise InputError(
            f"no price of {instance_type} in {region}: {error.what}",
            do=f"give it in the spec: cloud.prices.instances_per_hour: {{{instance_type}: …}}",
        ) from error


def _disk_per_hour(prices: CloudPrices, disk: Disk) -> float:
    known = prices.disks_per_month.get(disk.type)
    if known is None:
        raise InputError(
            f"no price of {disk.type} disks", do=f"give it in the spec: cloud.prices.disks_per_month.{disk.type}"
        )
    iops, throughput = disk.iops or 0, disk.throughput_mib_per_s or 0
    if disk.type == "gp3":
        iops, throughput = max(0, iops - _FREE_IOPS), max(0, throughput - _FREE_MIB_PER_S)
    per_month = disk.size_gib * known.per_gib + iops * known.per_iops + throughput * known.per_mib_per_s
    return per_month / HOURS_PER_MONTH


def ask_price(instance_type: str, region: str, currency: str) -> float:
    """AWS's on-demand price an hour of Linux on an instance type, by its Pricing API.

    Raises:
        InputError, HostError: the API has none, or can't be asked.
    """
    filters = {
        "instanceType": instance_type,
        "regionCode": region,
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
    }
    with answers("pricing"):
        said = client("pricing", region=_PRICING_REGION).get_products(
            ServiceCode="AmazonEC2",
            Filters=[{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in filters.items()],
        )
    found = [price for product in said["PriceList"] for price in _on_demand(json.loads(product), currency)]
    if not found:
        raise InputError(f"the Pricing API has none in {currency}")
    return max(found)  # should it have several, the limit must hold for all


def _on_demand(product: dict[str, Any], currency: str) -> Sequence[float]:
    return [
        float(dimension["pricePerUnit"][currency])
        for term in product.get("terms", {}).get("OnDemand", {}).values()
        for dimension in term["priceDimensions"].values()
        if dimension.get("unit") == "Hrs" and currency in dimension["pricePerUnit"]
    ]
