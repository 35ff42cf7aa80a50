"""The one error of this room's readers."""


class YcsbOutputError(Exception):
    """What a YCSB client left cannot be read. The message says what, where, why and what to do."""
