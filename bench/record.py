"""The results of the comparisons on one machine, in a JSON file, and the table that is made of them.

A comparison that was stopped continues where it was: a case that is in the file is not measured again.
"""

import json
import sys

import machine

COLUMNS = ["threads", "case", "dragoman, tokens/s", "way", "peer, tokens/s", "way", "ratio", "bar", "goal", "MiB"]


class Record:
    """`path` may be None: then nothing is kept. `settings` must be the same in all runs of a file."""

    def __init__(self, path, settings):
        self.path = path
        self.content = {"machine": None, "settings": settings, "results": []}
        if path and path.exists():
            self.content = json.loads(path.read_text())
            name = self.content["machine"]["processor"]
            if name != machine.processor() or self.content["settings"] != settings:
                sys.exit(f"{sys.argv[0]}: '{path}' has results of {name} with {self.content['settings']}. "
                         "Name another file.")
        elif path:
            self.content["machine"] = machine.describe()
            self.save()

    def find(self, peer, case, threads):
        wanted = {"peer": peer, "case": case, "threads": threads}
        return next((r for r in self.content["results"] if wanted.items() <= r.items()), None)

    def add(self, result):
        self.content["results"].append(result)
        self.save()

    def save(self):
        if self.path:
            self.path.write_text(json.dumps(self.content, indent=1) + "\n")


def verdict(result, key):
    """The ratio that is wanted, and whether it holds: a quarter of the rounds at most may be below it."""
    if result[key] is None:
        return "-"
    return f"{result[key]:.2f} {'yes' if result['ratio'][0] >= result[key] else 'no'}"


def cells(result):
    """The cells of a result under COLUMNS."""
    spread = lambda values, form: "{1} ({0} to {2})".format(*(form.format(value) for value in values))
    sides = [(spread(result[side]["rate"], "{:,.0f}"), result[side]["way"]) for side in ("ours", "theirs")]
    memory = [result[side].get("megabytes") for side in ("ours", "theirs")]
    return [str(result["threads"]), result["case"], *sides[0], *sides[1], spread(result["ratio"], "{:.2f}"),
            verdict(result, "bar"), verdict(result, "goal"),
            "{:.0f} and {:.0f}".format(*memory) if all(memory) else "-"]


def plain(row):
    widths = [7, 28, 28, 7, 28, 7, 20, 8, 8, 12]
    return " ".join(f"{cell:>{width}}" for cell, width in zip(row, widths))


def markdown(content):
    rows = lambda results: [f"| {' | '.join(row)} |" for row in [COLUMNS, ["---"] * len(COLUMNS), *map(cells, results)]]
    parts = [machine.sentence(content["machine"])]
    for peer in dict.fromkeys(result["peer"] for result in content["results"]):
        results = [result for result in content["results"] if result["peer"] == peer]
        parts.append(f"dragoman against {peer}:\n\n" + "\n".join(rows(sorted(results, key=lambda r: r["threads"]))))
    settings = content["settings"]
    parts.append(f"Medians and quartiles of {settings['rounds']} rounds of at least {settings['seconds']} s. A bar or "
                 "goal holds if the lower quartile of the ratios reaches it.")
    return "\n\n".join(parts) + "\n"
