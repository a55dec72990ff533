"""What the comparisons share: programs that print a line of JSON, run by turns."""

import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parent


def run(command):
    """What the program prints. Ends the comparison if it fails."""
    command = [str(part) for part in command]
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    except OSError as error:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: cannot run '{command[0]}' ({error.strerror}). Build it first.")
    if result.returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: '{' '.join(command)}' failed with status {result.returncode}")
    return result.stdout


def output(command):
    return json.loads(run(command).strip().splitlines()[-1])


def peer(script, *arguments):
    return output([sys.executable, BENCH / "peers" / script, *arguments])


class Rounds:
    """The figures of one program, round by round."""

    def __init__(self, name):
        self.name, self.results = name, []

    def values(self, key):
        return [result[key] for result in self.results]

    def median(self, key):
        return statistics.median(self.values(key))

    def spread(self, key, form="{:.1f}"):
        """Their median and, in brackets, their least and most; a dash if there are none."""
        if not self.results:
            return "-"
        values = self.values(key)
        median, least, most = (form.format(value) for value in (statistics.median(values), min(values), max(values)))
        return f"{median} ({least} to {most})"


def alternate(rounds, programs):
    """Runs the programs by turns. `programs` are pairs of a name and a function that gives a result."""
    done = [Rounds(name) for name, _ in programs]
    for _ in range(rounds):
        for (_, program), results in zip(programs, done):
            results.results.append(program())
    return done


def missing_on_gpu(packages):
    """A sentence on what of PyTorch on a GPU is not here, or nothing."""
    for package, name in packages.items():
        if importlib.util.find_spec(package) is None:
            return f"{name} is not installed (pip install {' '.join(packages)}), so dragoman is measured alone."
    # In a process of its own, because the device would stay in use here.
    test = "import sys, torch; sys.exit(0 if torch.cuda.is_available() else 1)"
    if subprocess.run([sys.executable, "-c", test], stderr=subprocess.DEVNULL).returncode != 0:
        return "PyTorch sees no CUDA device here, so dragoman is measured alone."
    return None


def warn_if_busy():
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"The machine is busy (load {load:.1f}): take these figures for a trial.", file=sys.stderr)
