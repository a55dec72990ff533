#!/usr/bin/env python3
"""Times the matrix products of one training step alone, in PyTorch: a step cannot be faster than these.

Each product of the forward pass has two more in the backward pass, for the gradients of its input and of its weights.
Queries, keys and values come from one product, and so do the memory's keys and values of all layers; the products
inside attention are left out. The other options of torch_train.py are accepted and ignored.

    torch_products.py --device cuda --tokens 25088
    torch_products.py --device cuda --tokens 25088 --multiple 128     a vocabulary of 37,120 rows
"""

import argparse
import json
import statistics

import torch
import torch_device


class Product:
    """y = x W^T and its gradients. Products of the same shape share their operands in all layers."""

    def __init__(self, rows, d_in, d_out, options):
        make = lambda *shape: torch.randn(shape, device=options.device, dtype=options.dtype)
        self.x, self.W, self.dy = make(rows, d_in), make(d_out, d_in), make(rows, d_out)
        self.y, self.dx, self.dW = map(torch.empty_like, (self.dy, self.x, self.W))
        self.flops = 6 * rows * d_in * d_out

    def run(self):
        torch.mm(self.x, self.W.t(), out=self.y)
        torch.mm(self.dy, self.W, out=self.dx)
        torch.mm(self.dy.t(), self.x, out=self.dW)


def products_of_a_step(options):
    """Pairs of a product and the number of times that it occurs in a step."""
    N, R, d, d_ff = options.layers, options.tokens, options.d_model, options.d_ff
    V = -(-options.vocabulary // options.multiple) * options.multiple
    of_both_stacks = 2 * N
    shapes = [
        (of_both_stacks, d, 3 * d),  # self-attention: Q, K, V
        (2 * of_both_stacks, d, d),  # W_O of self-attention; in the decoder also Q and W_O of cross-attention
        (of_both_stacks, d, d_ff),
        (of_both_stacks, d_ff, d),
        (1, d, 2 * N * d),  # K and V of the memory
        (1, d, V),
    ]
    return [(Product(R, d_in, d_out, options), times) for times, d_in, d_out in shapes]


def options_from_command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in [("layers", 6), ("d-model", 512), ("d-ff", 2048), ("vocabulary", 37000)]:
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("--multiple", type=int, default=1, help="round the vocabulary up to a multiple of this")
    parser.add_argument("--tokens", type=int, default=2048, help="tokens on each side of a batch")
    parser.add_argument("--warmup", type=int, default=3, help="untimed rounds of all products before the timed ones")
    parser.add_argument("--steps", type=int, default=20, help="timed rounds")
    torch_device.add_arguments(parser)
    return parser.parse_known_args()[0]


def main():
    options = options_from_command_line()
    torch_device.prepare(options)
    products = products_of_a_step(options)
    clock = torch_device.Clock(options.device)
    for i in range(options.warmup + options.steps):
        if i == options.warmup:
            clock.mark()
        for product, times in products:
            for _ in range(times):
                product.run()
        if i >= options.warmup:
            clock.mark()
    steps = clock.seconds()
    flops = sum(times * product.flops for product, times in products)
    result = {
        **torch_device.description(options),
        "steps": len(steps),
        "ms_per_step": 1e3 * statistics.median(steps),
        "ms_least": 1e3 * min(steps),
        "ms_most": 1e3 * max(steps),
        "gflops": 1e-9 * flops / statistics.median(steps),
    }
    print(json.dumps(result))


main()
