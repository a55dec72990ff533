"""Shared by the comparisons: runs programs that print a line of JSON, in turn."""

import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parent


def run(command):
    """Returns what the program prints. Ends the comparison if the program fails."""
    command = [str(part) for part in command]
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    except OSError as error:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: cannot run '{command[0]}' ({error.strerror}). Build it first.")
    if result.returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: '{' '.join(command)}' failed with status {result.returncode}")
    return result.stdout


def output(command):
    """Returns the JSON on the last line that the program prints."""
    return json.loads(run(command).strip().splitlines()[-1])


def peer(script, *arguments):
    """Returns the JSON that a script of bench/peers prints."""
    return output([sys.executable, BENCH / "peers" / script, *arguments])


class Rounds:
    """The results of one program, one for each round."""

    def __init__(self, name):
        self.name, self.results = name, []

    def values(self, key):
        return [result[key] for result in self.results]

    def median(self, key):
        return statistics.median(self.values(key))

    def spread(self, key, form="{:.1f}"):
        """The median and, in brackets, the quartiles; a dash if there are no results."""
        if not self.results:
            return "-"
        lower, median, upper = (form.format(value) for value in quartiles(self.values(key)))
        return f"{median} ({lower} to {upper})"


def quartiles(values):
    """The lower quartile, the median and the upper quartile."""
    return statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else 3 * values


def paired_ratios(ours, theirs, key):
    """The quartiles of the ratios of ours to theirs, round by round: other load affects both values of a round."""
    return quartiles([a / b for a, b in zip(ours.values(key), theirs.values(key), strict=True)])


def alternate(rounds, programs):
    """Runs the programs in turn, in every other round in reverse order. `programs` is a list of pairs: a name and a
    function that returns a result."""
    done = [Rounds(name) for name, _ in programs]
    for number in range(rounds):
        turn = list(zip(programs, done))
        for (_, program), results in turn if number % 2 == 0 else reversed(turn):
            results.results.append(program())
    return done


def powers_of_two(most):
    return [2**i for i in range(most.bit_length())]


def thread_counts(text):
    """The argument of --threads: numbers, separated by commas."""
    counts = [int(part) for part in text.split(",")]
    if min(counts) < 1:
        raise ValueError
    return counts


def add_rounds(parser):
    """The options of comparisons that write a record. See record.py."""
    parser.add_argument("--threads", type=thread_counts, metavar="N,N,...",
                        help="threads of each program; default: powers of two up to the number of CPUs")
    parser.add_argument("--rounds", type=int, help="rounds of each case; default: 7, or 3 on a GPU")
    parser.add_argument("--seconds", type=int, default=3, help="least time of a figure, on a CPU")
    parser.add_argument("--record", type=pathlib.Path,
                        help="JSON file for the results on a CPU; cases that it has are not measured again")
    parser.add_argument("--quick", action="store_true", help="one short round, to check that everything runs")


def finish_rounds(options):
    options.threads = options.threads or powers_of_two(len(os.sched_getaffinity(0)))
    options.rounds = options.rounds or (3 if options.cuda else 7)
    if options.quick:
        options.rounds, options.seconds = 1, 0


class Corpus:
    """Files of parallel text, from which batches are made."""

    def __init__(self, build, source, target):
        self.build, self.source, self.target = build, source, target

    def learn_vocabulary(self, size, folder):
        tokenizer = folder / "tokenizer.model"
        text = f"--input={self.source},{self.target}"
        run([self.build / "dragoman", "tokenizer", "train", text, f"--vocabulary={size}", f"--output={tokenizer}"])
        return tokenizer

    def dump_batches(self, tokenizer, tokens, count, folder):
        """Returns the name of a file of batches."""
        batches = folder / "batches"
        text = [f"--source={self.source}", f"--target={self.target}", f"--tokenizer={tokenizer}"]
        size = [f"--batch-tokens={tokens}", f"--count={count}"]
        batches.write_text(run([self.build / "bench/dump_batches", *text, *size, f"--cache={folder / 'cache'}"]))
        return batches


def number_of_batches(path):
    return len(path.read_text().strip().split("\n\n"))


def missing_on_gpu(packages):
    """Returns a sentence that says what is missing to run PyTorch on a GPU, or None."""
    for package, name in packages.items():
        if importlib.util.find_spec(package) is None:
            return f"{name} is not installed (pip install {' '.join(packages)}), so dragoman is measured alone."
    # Runs in its own process, because this one would keep the device in use.
    test = "import sys, torch; sys.exit(0 if torch.cuda.is_available() else 1)"
    if subprocess.run([sys.executable, "-c", test], stderr=subprocess.DEVNULL).returncode != 0:
        return "PyTorch finds no CUDA device, so dragoman is measured alone."
    return None


def warn_if_busy():
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"The machine is busy (load {load:.1f}): these figures are not reliable.", file=sys.stderr)
