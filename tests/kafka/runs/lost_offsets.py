# SPDX-License-Identifier: MIT
"""Messages that the broker removes under a run which is behind: `lost_offsets` decides, and every message
that is there before and after the gap has come, whatever the run had fetched of it."""
import re
import signal

from cases import contains, equals
from fixture import Broker, Pipeline, under_each_guarantee

BEFORE, AFTER, KEPT = 10, 1000, 100  # messages before the gap and behind it; of those, what is not removed

# Of several topics partitions with one number stay together, and then the group gives and takes all at once.
BESIDE = """
pipeline: %(name)s
log: kafka://%(bootstrap)s
guarantee: %(guarantee)s
checkpoint: %(checkpoint)s
kafka: {%(kafka)s}
topics: {%(input)s: {value: json}, %(beside)s: {value: json}, %(output)s: {value: json}}
streams:
  s: {from: {topic: %(input)s}, to: {topic: %(output)s}}
  beside: {from: {topic: %(beside)s}, to: {topic: %(output)s}}
"""


def make_gap(pipeline, process):
    """What there was has been read. While it stands still messages come and most of them go; the request that is
    under way may still bring the first."""
    pipeline.has(range(BEFORE))
    process.popen.send_signal(signal.SIGSTOP)
    pipeline.put(BEFORE, BEFORE + 1)
    pipeline.put(BEFORE + 1, BEFORE + AFTER)
    Broker.probe.trim(pipeline.input, 0, BEFORE + AFTER - KEPT)
    process.popen.send_signal(signal.SIGCONT)


def goes_on(policy, guarantee, first_kept):
    pipeline, beside = Pipeline(guarantee=guarantee, kafka="lost_offsets: " + policy), []
    other = Pipeline() if guarantee == "exactly-once" else None
    if other:
        pipeline.write(text=BESIDE, beside=other.input)
    pipeline.put(0, BEFORE)
    with pipeline.start() as process:
        make_gap(pipeline, process)
        if policy == "latest":
            pipeline.reaches(first_kept)
        pipeline.put(BEFORE + AFTER, BEFORE + AFTER + 5)
        pipeline.has([BEFORE + AFTER + 4])
        if other:
            beside = list(range(5000, 5003))
            other.put(5000, 5003)
            pipeline.has(beside)
        said = process.stop()
    told = re.search("goes on at offset %d instead of (\\d+), (\\d+) offsets are skipped" % first_kept, said)
    assert told, said
    wanted, skipped = map(int, told.groups())
    equals(skipped, first_kept - wanted)
    contains(said, "%d offsets lost; the broker removed them before they were read" % skipped)
    equals(pipeline.written(), [*range(wanted), *range(first_kept, BEFORE + AFTER + 5), *beside])
    equals(pipeline.position(), BEFORE + AFTER + 5)


def after_a_gap_earliest_goes_on(guarantee):
    goes_on("earliest", guarantee, BEFORE + AFTER - KEPT)


def after_a_gap_latest_goes_on(guarantee):
    goes_on("latest", guarantee, BEFORE + AFTER)


def after_a_gap_fail_ends_the_run(guarantee):
    """Behind what was read; and the next start says the same."""
    pipeline = Pipeline(guarantee=guarantee, kafka="lost_offsets: fail")
    pipeline.put(0, BEFORE)
    with pipeline.start() as process:
        make_gap(pipeline, process)
        said = process.ends(1)
    found = re.search("topic '%s' partition 0: this pipeline has read up to offset (\\d+), but the broker keeps "
                      "%d to %d only" % (pipeline.input, BEFORE + AFTER - KEPT, BEFORE + AFTER), said)
    assert found, said
    contains(said, "write 'lost_offsets: earliest' or 'latest' under 'kafka' to go on there")
    wanted = int(found[1])
    equals((pipeline.written(), pipeline.position()), (list(range(wanted)), wanted))
    contains(pipeline.run(status=1), found[0])


CASES = under_each_guarantee(after_a_gap_earliest_goes_on, after_a_gap_latest_goes_on, after_a_gap_fail_ends_the_run)
