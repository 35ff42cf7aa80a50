"""How the load generator's Java machine is run."""

# Chosen by measurement: pairs of clients at the same time, 70,000 read-modify-writes each, 4 threads on 2 cores. G1,
# Parallel, half the heap and a third of the young generation cost the same CPU within 6 %, which is the spread; the
# serial collector has no threads that would take a core from mongod, and a fixed heap keeps its pauses alike in every
# trial. Without the optimising compiler (-XX:TieredStopAtLevel=1) an operation costs twice the CPU. That compiler takes
# some 8 s of CPU, until about 30,000 operations are done: a shorter warm-up leaves it in the measured window.
JVM_OPTIONS = ("-XX:+UseSerialGC", "-Xms512m", "-Xmx512m")
