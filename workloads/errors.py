"""What can go wrong in this room."""


class YcsbOutputError(Exception):
    """What a YCSB client left cannot be read. The message says what, where, why and what to do."""


class BenchError(Exception):
    """The bench could not be done. The message says what failed and what it said."""
