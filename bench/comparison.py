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
        """The median and, in brackets, the smallest and largest value; a dash if there are no results."""
        if not self.results:
            return "-"
        values = self.values(key)
        median, least, most = (form.format(value) for value in (statistics.median(values), min(values), max(values)))
        return f"{median} ({least} to {most})"


def alternate(rounds, programs):
    """Runs the programs in turn. `programs` is a list of pairs: a name and a function that returns a result."""
    done = [Rounds(name) for name, _ in programs]
    for _ in range(rounds):
        for (_, program), results in zip(programs, done):
            results.results.append(program())
    return done


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
