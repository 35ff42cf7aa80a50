"""All that a deployment showed of one collection, and the figures that a campaign has to come close to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analysis.stats.mirrored import KINDS, LatencyShape, Mirrors
from analysis.trial.engine.served import shape_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from analysis.mirror.mixture import Mixture, Unmirrored
    from analysis.mirror.moments import Between, ServerFacts, Stored

FEWEST_OPERATIONS = 100
"""Below, a window has shown no mix."""
_FEWEST_TIMED = 1000
"""Operations that a 99th percentile takes."""
_SATURATED = 0.8


@dataclass(frozen=True)
class Observed:
    """One collection of a deployment."""

    name: str
    """Database and collection."""
    when: str
    """UTC, ISO 8601."""
    server: ServerFacts
    cache_bytes: float | None
    stored: Stored
    happened: Between
    mixture: Mixture
    skew: tuple[tuple[float, float], ...]
    """Shares of the keys, the hottest ones, and of the operations that use them; empty: not known."""
    skew_source: str
    busy: float | None
    """Share of the host's CPU that the server used."""
    unmirrored: tuple[Unmirrored, ...]
    """What was seen of the rest of the server."""
    size_quantiles: Mapping[str, int]
    """Bytes of a document, of the sample."""

    @property
    def all_unmirrored(self) -> tuple[Unmirrored, ...]:
        """What no operation stands for, of the collection and of the rest."""
        return (*self.mixture.unmirrored, *self.unmirrored)

    @property
    def operations(self) -> int:
        """How many there were."""
        return sum(self.happened.served.operations.values())

    @property
    def per_s(self) -> float:
        """Operations per second."""
        return self.operations / self.happened.seconds if self.happened.seconds > 0 else 0.0

    @property
    def saturated(self) -> bool:
        """Whether the server's CPU was used up; if that is not known, it is taken not to be."""
        return self.busy is not None and self.busy >= _SATURATED

    @property
    def cache_ratio(self) -> float | None:
        """Cache ÷ BSON of all that shares it."""
        whole = self.server.data_bytes or self.stored.bytes
        return self.cache_bytes / whole if self.cache_bytes and whole else None

    def mirrors(self, workload: str) -> Mirrors:
        """The figures that a campaign has to come close to, rounded as they are written."""
        used = self.stored.used_bytes
        served, whole = self.happened.served, self.operations
        pages = self.happened.pages_read
        shapes = {
            side: LatencyShape.model_validate({name: _rounded(value) for name, value in shape.items()})
            for side, steps in served.latency_us.items()
            if sum(count for _, count in steps) >= _FEWEST_TIMED and (shape := shape_of(steps))
        }
        return Mirrors.model_validate(
            {
                "of": f"{self.name} on mongod {self.server.version}, {self.when}",
                "workload": workload,
                "compression_ratio": _rounded(self.stored.bytes / used) if used > 0 and self.stored.bytes else None,
                "index_bytes_per_document": _rounded(self.stored.index_bytes / self.stored.documents)
                if self.stored.documents
                else None,
                "cache_ratio": _rounded(self.cache_ratio) if self.cache_ratio else None,
                "pages_read_per_operation": None if pages is None or not whole else _rounded(pages / whole),
                "mix": {kind: round(served.operations.get(kind, 0) / whole, 4) for kind in KINDS} if whole else {},
                "latency_shape": shapes,
            }
        )


def _rounded(value: float) -> float:
    """To four significant digits."""
    return float(f"{value:.4g}")
