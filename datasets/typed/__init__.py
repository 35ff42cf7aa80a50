"""Documents that are made up, of the same form as one's own: nested, typed, indexed."""

from datasets.typed.recipes import FakerEvents, FakerOrders, FakerProfiles, TypedRecipe
from datasets.typed.sets import SETS, TypedSet, made_up, make_sample

__all__ = ["SETS", "FakerEvents", "FakerOrders", "FakerProfiles", "TypedRecipe", "TypedSet", "made_up", "make_sample"]
