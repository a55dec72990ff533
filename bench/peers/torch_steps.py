"""Shared by the PyTorch peers that train: their batches, and the times of their steps."""

import json
import statistics
import time

import torch
import torch_device

PAD, SPECIAL_IDS = 0, 4


def add_arguments(parser):
    parser.add_argument("--tokens", type=int, default=2048, help="tokens on each side of a batch")
    parser.add_argument("--sentence", type=int, default=32, help="tokens per sentence")
    parser.add_argument("--batches", help="file of batches to use in place of sentences of equal length")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--warmup", type=int, default=1, help="untimed steps before the timed ones")
    parser.add_argument("--steps", type=int, default=0,
                        help="least number of timed steps; 0 for five, or one per batch of the file")
    parser.add_argument("--seconds", type=float, default=0, help="least time of the timed steps, by the host's clock")
    torch_device.add_arguments(parser)


def prepare(options):
    """Returns the lengths of the sentences: batches of pairs (n_source, n_target)."""
    torch_device.prepare(options)
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    if options.batches:
        lengths = read_batches(options.batches)
    else:
        lengths = [[(options.sentence, options.sentence)] * (options.tokens // options.sentence)]
    options.steps = options.steps or (len(lengths) if options.batches else 5)
    return lengths


def read_batches(path):
    """Batches of (n_source, n_target): a line is a pair, and an empty line ends a batch."""
    with open(path, encoding="utf-8") as file:
        blocks = file.read().strip().split("\n\n")
    return [[tuple(map(int, line.split())) for line in block.split("\n")] for block in blocks]


def padded(lengths, options, multiple=1):
    """Random ids, padded to a multiple of `multiple` columns, and which of them are no padding."""
    longest = -(-max(lengths) // multiple) * multiple
    ids = torch.randint(SPECIAL_IDS, options.vocabulary, (len(lengths), longest))
    is_real = torch.arange(longest) < torch.tensor(lengths)[:, None]
    return ids.masked_fill(~is_real, PAD), is_real


def measure(step, batches, options):
    """Seconds of the timed steps, for each batch. A step has one batch; after the last comes the first again."""
    clock = torch_device.Clock(options.device)
    for i in range(options.warmup):
        step(*batches[i % len(batches)])
    clock.mark()
    done, start = 0, time.perf_counter()
    while done < options.steps or time.perf_counter() - start < options.seconds:
        step(*batches[(options.warmup + done) % len(batches)])
        clock.mark()
        done += 1
    times = [[] for _ in batches]
    for i, seconds in enumerate(clock.seconds(), options.warmup):
        times[i % len(batches)].append(seconds)
    return times


def print_result(options, lengths, by_batch, **more):
    """Prints a line of JSON. `by_batch` comes from measure()."""
    steps = [time for times in by_batch for time in times]
    seconds = sum(statistics.median(times) for times in by_batch if times)
    tokens = sum(m for pairs, times in zip(lengths, by_batch) if times for _, m in pairs)
    result = {
        **torch_device.description(options),
        **more,
        "threads": torch.get_num_threads(),
        "steps": len(steps),
        "ms_per_step": 1e3 * statistics.median(steps),
        "ms_least": 1e3 * min(steps),
        "ms_most": 1e3 * max(steps),
        "target_tokens_per_second": tokens / seconds,
    }
    print(json.dumps(result))
