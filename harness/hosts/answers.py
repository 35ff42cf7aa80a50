"""What the modules of the playbooks give back: found by the module, whatever its task is called, and parsed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from harness.errors import DefectError
from harness.ledger.run_state import first_fault
from harness.plan.told import Told

if TYPE_CHECKING:
    from collections.abc import Mapping

_Told = TypeVar("_Told", bound=Told)


@dataclass(frozen=True)
class Answer:
    """What a module gave back on one host."""

    host: str
    module: str
    """Its name without a collection's."""
    result: Mapping[str, Any]

    def parsed(self, kind: type[_Told]) -> _Told:
        """The result in the form that was agreed with the module.

        Raises:
            DefectError: it has another one.
        """
        try:
            return kind.model_validate(self.result)
        except ValidationError as error:
            raise DefectError(
                f"{self.host}: {self.module} returned something other than the agreed form: {first_fault(error)}",
                do=f"report it; the agreed form is RETURN in ansible/library/{self.module}.py",
            ) from error
