"""How much heap a client's Java machine needs: it holds whole documents, of a batch or of a scan all at once. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from datasets import TemplatesManifest
from harness.spec.document_sizes import largest_document_bytes
from harness.spec.phases import Load, Workload
from workloads.jvm import LEAST_HEAP_MIB

if TYPE_CHECKING:
    from collections.abc import Mapping

    from datasets import Prepared
    from harness.spec.campaign import Campaign
    from harness.spec.mixes.own import AnyMix
    from harness.spec.phases import Client

_ITSELF_MIB = 192
"""The driver, the corpus, histograms, and room for what lives shortly."""
_ROOM = 1.5
"""The serial collector keeps a third of the heap for young objects."""
_OF_A_BATCH = 5
"""The batch, twice as much again while its array grows, and the message made of it, in buffers of powers of two."""
_OF_A_REPLY = 303
"""A cursor's first batch has 101 documents."""
_READ_AHEAD_MIB = 2 * 64
"""Of a recording; see pressgauge.Replay."""
_OF_A_READ = 3
"""The answer, its documents, and the update made of one."""


def heap_mib(phase: Client, mix: AnyMix | None, clients: int, document_bytes: float, known_bytes: float = 0) -> int:
    """The heap of each of so many clients in a phase; `mix` is a run workload's, documents are so large on average.

    `known_bytes` is what a client remembers of a dictionary's values.

    It follows what its threads hold at once, the same in every arm; for most documents it is the least. Documents of
    one's own are mapped into memory, not held in the heap, however many they are.
    """
    ahead = 0
    if isinstance(phase, Load):
        documents = _OF_A_BATCH * phase.batch
    elif isinstance(phase, Workload) and phase.replay:
        documents, ahead = _OF_A_REPLY, _READ_AHEAD_MIB
    else:
        documents = _OF_A_READ * (mix.documents_held if mix else 1)
    threads = math.ceil(phase.threads / clients)
    held = ahead + (threads * documents * document_bytes + known_bytes) / 2**20
    return max(LEAST_HEAP_MIB, math.ceil(_ITSELF_MIB + _ROOM * held))


def load_heap_mib(campaign: Campaign, dataset: Prepared, clients: int) -> int:
    """The heap of each of so many clients in the load of a dataset; buffers stay as large as the largest batch was."""
    each: float = campaign.document.size_bytes
    if isinstance(dataset, TemplatesManifest):
        each = dataset.neighbours_bytes(campaign.load.batch) / campaign.load.batch
    return heap_mib(campaign.load, None, clients, each, campaign.known_bytes)


def largest_heap_mib(campaign: Campaign, mixes: Mapping[str, AnyMix], clients: int) -> int:
    """The largest heap that each of so many clients needs in any phase, before the datasets' largest are known."""
    each = largest_document_bytes(campaign)
    known = campaign.known_bytes
    of_runs = (
        heap_mib(workload, mixes.get(name), clients, each, known) for name, workload in campaign.workloads.items()
    )
    return max(heap_mib(campaign.load, None, clients, each, known), *of_runs, LEAST_HEAP_MIB)
