"""Shared by the PyTorch peers: the device that they measure on, and its clock."""

import os
import sys
import time

import torch


def add_arguments(parser):
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--precision", choices=["fp32", "bf16"], help="default: fp32 on the CPU, bf16 on a GPU")


def prepare(options):
    """Ends the program with an error message if there is no such device."""
    if options.device == "cuda" and not torch.cuda.is_available():
        sys.exit(f"{os.path.basename(sys.argv[0])}: PyTorch finds no CUDA device.")
    options.precision = options.precision or ("bf16" if options.device == "cuda" else "fp32")
    options.dtype = torch.bfloat16 if options.precision == "bf16" else torch.float32
    torch.manual_seed(1)


def description(options):
    name = torch.cuda.get_device_name() if options.device == "cuda" else "CPU"
    return {"torch": torch.__version__, "device": name, "precision": options.precision}


class Clock:
    """Measures the times between marks. On a GPU a mark is an event in the stream, so the host can run ahead."""

    def __init__(self, device):
        self.on_gpu, self.marks = device == "cuda", []

    def mark(self):
        if self.on_gpu:
            event = torch.cuda.Event(enable_timing=True)
            event.record()
            self.marks.append(event)
        else:
            self.marks.append(time.perf_counter())

    def seconds(self):
        if self.on_gpu:
            torch.cuda.synchronize()
            return [1e-3 * a.elapsed_time(b) for a, b in zip(self.marks, self.marks[1:])]
        return [b - a for a, b in zip(self.marks, self.marks[1:])]
