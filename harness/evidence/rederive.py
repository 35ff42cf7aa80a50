"""Makes a run's records anew from their evidence, so that a mended reader, or a new metric, reaches earlier runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.evidence.verify import folder_faults, read_again, require_verified
from harness.ledger.artefacts import RECORD_FILE
from harness.ledger.facts import read_campaign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.ledger.ledger import Ledger


def rederive(ledger: Ledger) -> Iterator[str]:
    """Make every record anew; gives the names of the trials whose records are others now.

    A record of before stays known by its digest alone.

    Raises:
        InputError: the run is not as it was recorded, or a trial's evidence can't be read again.
    """
    require_verified(ledger, folder_faults(ledger))
    campaign = read_campaign(ledger)
    for record in ledger.records():
        again = read_again(ledger.trials_folder / record.trial, campaign).model_copy(
            update={"artefacts": record.artefacts}
        )
        if again != record:
            ledger.write(f"trials/{record.trial}/{RECORD_FILE}", again.model_dump_json(indent=1))
            yield record.trial
