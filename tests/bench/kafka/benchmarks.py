# SPDX-License-Identifier: MIT
"""What is measured. A benchmark names its work; each engine knows how to do that work (engines.py).

One more is one more line here, its work in the engines that can do it, and a form in which topic_sums.c
can compare results.
"""


class Benchmark:
    """work: bytes or json; steps: no-op operators in front; expected, results: forms of topic_sums.c in
    which the input and the output have the same sums; lab: microseconds a record on a quiet machine, the
    figures to reach."""

    def __init__(self, name, title, work, steps, expected, results, lab):
        self.name, self.title, self.work, self.steps = name, title, work, steps
        self.expected, self.results, self.lab = expected, results, lab


BENCHMARKS = [
    Benchmark("B1", "bytes through", "bytes", 0, "bytes", "bytes",
              {"raw": 0.83, "streams": 3.3, "reference": 13.7}),
    Benchmark("B1-noop", "bytes through ten no-op operators", "bytes", 10, "bytes", "bytes", {"raw": 0.83}),
    Benchmark("B2", "JSON: filter, two computed fields, projection", "json", 0, "computed", "json",
              {"raw": 0.77, "streams": 4.9, "reference": 15.4}),
]
