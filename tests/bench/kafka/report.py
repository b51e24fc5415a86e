# SPDX-License-Identifier: MIT
"""The table of a run, in Markdown."""
import statistics

HEAD = ("engine", "us a record", "beside raw C", "in the lab", "records/s", "RSS MB", "broker us")


def spread(values, form):
    """The median, and in brackets the least and the most."""
    values = [value for value in values if value is not None]
    if not values:
        return "-"
    middle = form.format(statistics.median(values))
    if len(values) == 1:
        return middle
    return f"{middle} ({form.format(min(values))} to {form.format(max(values))})"


def ratios(runs, limits):
    """Each round's figure beside that of raw C in the same round."""
    return [runs[number].us / limits[number].us for number in runs
            if number in limits and runs[number].us and limits[number].us]


def lab_ratio(benchmark, engine):
    lab = benchmark.lab
    return f"{lab[engine.name] / lab['raw']:.1f}x" if engine.name in lab else "-"


def row(benchmark, engine, runs, limits):
    """runs, limits: Figures by the number of the round."""
    figures = runs.values()
    cells = (engine.title, spread([f.us for f in figures], "{:.2f}"), spread(ratios(runs, limits), "{:.1f}x"),
             lab_ratio(benchmark, engine), spread([f.rate for f in figures], "{:,.0f}"),
             spread([f.rss_mb for f in figures], "{:.0f}"), spread([f.broker_us for f in figures], "{:.2f}"))
    return "| " + " | ".join(cells) + " |"


def table(benchmark, engines, results):
    """results: {(benchmark, engine): {round: Figures}} by their names."""
    lines = [f"### {benchmark.name}: {benchmark.title}", "", "| " + " | ".join(HEAD) + " |",
             "|---|" + "---|" * (len(HEAD) - 1)]
    limits = results.get((benchmark.name, "raw"), {})
    for engine in engines:
        runs = results.get((benchmark.name, engine.name), {})
        if runs:
            lines.append(row(benchmark, engine, runs, limits))
    return "\n".join(lines) + "\n"
