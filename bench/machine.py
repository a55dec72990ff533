"""Says what processor a comparison runs on, and whether its CPUs are whole cores or hyperthreads.

A virtual machine may hide the truth about its CPUs, so this is also measured: two hyperthreads of a core slow each other
down, two cores hardly do.
"""

import os
import pathlib
import platform
import subprocess
import sys
import time

SECONDS = 0.4  # of each measurement
SHARED = 0.8  # a CPU that keeps less than this share of its rate shares a core with the other


def cpus():
    """The numbers of the CPUs that this process may use."""
    return sorted(os.sched_getaffinity(0))


def processor():
    try:
        text = subprocess.run(["lscpu"], stdout=subprocess.PIPE, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    except OSError:
        text = ""
    names = [line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("Model name:")]
    return names[0] if names else platform.machine()


def numbers(text):
    """The numbers in a list such as 0-1,8."""
    ranges = [part.split("-") for part in text.strip().split(",") if part]
    return [i for ends in ranges for i in range(int(ends[0]), int(ends[-1]) + 1)]


def siblings(cpu):
    """The hyperthreads of a CPU's core according to the system, itself included."""
    path = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    return numbers(path.read_text()) if path.exists() else [cpu]


def spin(cpu, start):
    """Computes on one CPU from the given time on, for SECONDS. Prints the number of products per second of CPU time, in
    which other programs on that CPU do not count."""
    os.sched_setaffinity(0, {cpu})
    import numpy

    x = numpy.ones((128, 128), numpy.float32)
    x @ x
    time.sleep(max(0.0, start - time.time()))
    count, begin, begin_cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begin < SECONDS:
        x @ x
        count += 1
    print(count / (time.process_time() - begin_cpu))


def rate_beside(cpu, others):
    """The rate of a CPU while the others compute too."""
    start = str(time.time() + 1)  # by then all of them have loaded NumPy
    one_thread = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    running = [
        subprocess.Popen([sys.executable, __file__, str(i), start], stdout=subprocess.PIPE, text=True,
                         env={**os.environ, **one_thread})
        for i in [cpu, *others]
    ]
    return float([process.communicate()[0] for process in running][0])


def shares():
    """For every other CPU, the share of its rate that the first CPU keeps while that one computes."""
    first, *others = cpus()
    alone = rate_beside(first, [])
    return {other: round(rate_beside(first, [other]) / alone, 2) for other in others}


def describe():
    """Takes a second and a half for each CPU."""
    mine, measured = cpus(), shares()
    return {
        "processor": processor(),
        "cpus": len(mine),
        "cores": len({min(siblings(cpu)) for cpu in mine}),
        "shares": measured,
        "neighbours": [cpu for cpu, share in measured.items() if share < SHARED],
    }


def sentence(machine):
    cpus, cores, shares = machine["cpus"], machine["cores"], machine["shares"]
    text = f"{machine['processor']}: {cpus} CPUs, which the system describes as {cores} cores."
    if not shares:
        return text
    least = min(shares, key=shares.get)
    kept = f"beside CPU {least} the first CPU keeps {100 * shares[least]:.0f} % of its rate"
    if machine["neighbours"]:
        return f"{text} Measured: {kept}, so they are hyperthreads of one core."
    return f"{text} Measured: {kept}, and beside any other at least as much, so none shares its core."


if __name__ == "__main__":
    spin(int(sys.argv[1]), float(sys.argv[2]))
