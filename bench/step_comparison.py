"""Shared by the comparisons of training steps with PyTorch: the table, its rounds and their command line.

The programs take turns, so that other load on the machine affects all of them. The figure of a round is the median of
its steps; the table shows the median of the rounds and, in brackets, the quartiles. The ratio is
PyTorch's time divided by dragoman's, both medians over the rounds. dragoman runs twice in every round: the control is
the ratio of its own two medians, and a ratio that differs from 1 by no more than the control says nothing.
"""

import argparse
import importlib.util
import os
import pathlib
import sys
import tempfile

from comparison import BENCH, Corpus, alternate, missing_on_gpu, output, peer, warn_if_busy

VOCABULARY, BATCH_TOKENS = 10000, 4096  # of real batches


class Model:
    """A model as changes to a preset of dragoman, and as options of a script of bench/peers. If there are several
    `variants` of the script's options, such as compiled or not, the fastest counts."""

    def __init__(self, name, preset, changes, script, torch, variants=((),)):
        self.name, self.preset, self.changes = name, preset, changes
        self.script, self.torch, self.variants = script, torch, variants

    def ours(self):
        return [f"--preset={self.preset}", "--set=" + ",".join(f"{key}={value}" for key, value in self.changes.items())]


class Case:
    """`wanted` is the ratio that dragoman should reach, or None. `program` is dragoman's, and `part` the options with
    which the peer measures the same."""

    def __init__(self, model, name, wanted, batch, program="bench_train_step", part=(), rounds=5, warmup=1, steps=5):
        self.model, self.name, self.wanted, self.batch = model, f"{model.name}, {name}", wanted, batch
        self.program, self.part = program, part
        self.rounds, self.warmup, self.steps = rounds, warmup, steps

    def arguments(self):
        return [*self.batch, f"--warmup={self.warmup}", f"--steps={self.steps}"]

    def ours(self, options):
        where = ["--cuda"] if options.cuda else [f"--threads={options.threads}"]
        program = options.build / "bench" / self.program
        return output([program, "--json", *self.model.ours(), *self.arguments(), *where])

    def theirs(self, options, variant):
        where = ["--device=cuda"] if options.cuda else [f"--threads={options.threads}"]
        return peer(self.model.script, *self.model.torch, *variant, *self.part, *self.arguments(), *where)


def equal_sentences(sentences, length):
    return [f"--tokens={sentences * length}", f"--sentence={length}"]


def check_same_model(case, ours, theirs):
    counts = [rounds.results[0].get("parameters") for rounds in (ours, theirs)]
    if counts[0] != counts[1]:
        name = pathlib.Path(sys.argv[0]).name
        sys.exit(f"{name}: {case.name} has {counts[0]} parameters, but PyTorch's model has {counts[1]}")


def compare(cases, options, missing):
    row = "{:46} {:>24} {:>24} {:>9} {:>9} {:>6} {:>7} {:>7}"
    names = "dragoman, ms", "PyTorch, ms", "tokens/s", "tokens/s", "ratio", "wanted", "control"
    print("On a GPU" if options.cuda else f"{options.threads} threads")
    print(row.format("", *names))
    for case in cases:
        if options.only and not any(part in case.name for part in options.only):
            continue
        case.rounds = options.rounds or case.rounds
        if options.quick:
            case.rounds, case.warmup, case.steps = 1, 1, 2
        programs = [("dragoman", lambda: case.ours(options))]
        for variant in () if missing else case.model.variants:
            programs.append(("PyTorch", lambda variant=variant: case.theirs(options, variant)))
        ours, *peers, again = alternate(case.rounds, [*programs, ("again", lambda: case.ours(options))])
        # Batches differ in size, so that times are compared as times per token.
        rate = lambda rounds: rounds.median("target_tokens_per_second")
        theirs = ["-", "-", "-"]
        if peers:
            best = max(peers, key=rate)
            check_same_model(case, ours, best)
            theirs = [best.spread("ms_per_step"), f"{rate(best):,.0f}", f"{rate(ours) / rate(best):.2f}"]
        times, rates = (ours.spread("ms_per_step"), theirs[0]), (f"{rate(ours):,.0f}", theirs[1])
        control = f"{rate(ours) / rate(again):.2f}"
        print(row.format(case.name, *times, *rates, theirs[2], case.wanted or "-", control), flush=True)


def options_from_command_line(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuda", action="store_true", help="run on a GPU")
    parser.add_argument("--build", type=pathlib.Path,
                        help="build directory; default: build/release, or build/cuda with --cuda")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads of each program")
    parser.add_argument("--source", type=pathlib.Path, help="text of the source language, plain or compressed")
    parser.add_argument("--target", type=pathlib.Path, help="its translation, line by line")
    parser.add_argument("--count", type=int, default=10, help="number of batches of the corpus")
    parser.add_argument("--batches", type=pathlib.Path, help="file of batches, in place of a corpus")
    parser.add_argument("--only", action="append", help="run only the cases whose name contains this; may be repeated")
    parser.add_argument("--rounds", type=int, help="rounds of each case; default: three to five")
    parser.add_argument("--quick", action="store_true", help="a few steps only, to check that everything runs")
    options = parser.parse_args()
    if (options.source is None) != (options.target is None):
        parser.error("a corpus needs both --source and --target")
    options.build = options.build or BENCH.parent / "build" / ("cuda" if options.cuda else "release")
    return options


def main(description, cases, cases_on_gpu):
    """`cases` and `cases_on_gpu` are functions of the file of real batches, which may be None."""
    options = options_from_command_line(description)
    warn_if_busy()
    missing = None
    if options.cuda:
        missing = missing_on_gpu({"torch": "PyTorch"})
    elif importlib.util.find_spec("torch") is None:
        missing = "PyTorch is not installed (pip install torch), so dragoman is measured alone."
    if missing:
        print(missing)
    with tempfile.TemporaryDirectory() as name:
        folder, batches = pathlib.Path(name), options.batches
        if options.source:
            corpus = Corpus(options.build, options.source, options.target)
            tokenizer = corpus.learn_vocabulary(VOCABULARY, folder)
            batches = corpus.dump_batches(tokenizer, BATCH_TOKENS, options.count, folder)
        compare((cases_on_gpu if options.cuda else cases)(batches), options, missing)
    if not batches:
        print("Real batches were left out: name them with --batches, or a corpus with --source and --target.")
