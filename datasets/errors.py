"""The one error of this room."""


class DatasetError(Exception):
    """The user's dataset cannot be used. The message says what, where, why and what to do."""
