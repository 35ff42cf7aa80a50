"""How the load generator's Java machine is run."""

# Chosen by measurement: pairs of clients at the same time, 70,000 read-modify-writes each, 4 threads on 2 cores. G1,
# Parallel, half the heap and a third of the young generation cost the same CPU within 6 %, which is the spread; the
# serial collector has no threads that would take a core from mongod, and a fixed heap keeps its pauses alike in every
# trial. Without the optimising compiler (-XX:TieredStopAtLevel=1) an operation costs twice the CPU. That compiler takes
# some 8 s of CPU, until about 30,000 operations are done: a shorter warm-up leaves it in the measured window.
LEAST_HEAP_MIB = 512
JVM_OPTIONS = ("-XX:+UseSerialGC", f"-Xms{LEAST_HEAP_MIB}m", f"-Xmx{LEAST_HEAP_MIB}m")
WARM_AFTER = 30_000
"""Operations of a client."""

# Phases of seconds are over before that compiler is done: read-modify-writes went from 900/s to 8,000/s within 21 s, at
# another moment in each arm (2026-11-22, 2 cores, 4 clients in turn). With the quick compiler alone they are as fast
# after 2 s as after 20, and the ratio of neighbouring turns of two like arms scatters by 0.08 rather than 0.28. The
# price: the client takes more of the cores that it shares with mongod, the same in every arm.
JVM_OPTIONS_FOR_SHORT_PHASES = (*JVM_OPTIONS, "-XX:TieredStopAtLevel=1")
WARM_AFTER_IN_SHORT_PHASES = 3_000
"""The quick compiler takes what has run 2,000 times."""


def with_heap(options: tuple[str, ...], heap_mib: int) -> list[str]:
    """The same options with a fixed heap of another size, for documents that the least one can't hold."""
    others = [one for one in options if not one.startswith(("-Xms", "-Xmx"))]
    return [*others, f"-Xms{heap_mib}m", f"-Xmx{heap_mib}m"]
