"""Documents that are made up, of the same form as one's own: nested, typed, indexed."""

from datasets.typed.sets import SETS, TypedSet, made_up, make_sample

__all__ = ["SETS", "TypedSet", "made_up", "make_sample"]
