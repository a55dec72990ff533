#!/usr/bin/env python3
"""Times training steps of the Transformer in PyTorch, for comparison with bench_train_step.

The model, the batches and the update are those of dragoman; label smoothing is spread over all classes, which costs
the same. PyTorch needs rectangular batches, so each batch is padded to its longest source and its longest target
sentence, with masks that hide the padding. The script uses PyTorch's fast paths: one product for queries, keys and
values (and one for the memory's keys and values of all layers), fused attention and fused Adam. `--compile` compiles
the step. On a GPU it computes in bf16 under autocast, the batches are on the device from the start, lengths are padded
to multiples of 8, and the host never waits for a step.

    torch_train.py --layers 4 --d-model 128 --d-ff 256 --heads 4 --vocabulary 10000 --attention-bias --tokens 2048
    torch_train.py --device cuda --tokens 25088 --warmup 5 --steps 30 --compile
"""

import argparse
import math

import torch
import torch.nn.functional as F
import torch_steps
from torch import nn


class Attention(nn.Module):
    """Multi-head attention. The keys and values of another sequence must already be projected."""

    def __init__(self, d_model, heads, bias, dropout, projections):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.project = nn.Linear(d_model, projections * d_model, bias=bias)
        self.output = nn.Linear(d_model, d_model, bias=bias)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, causal):
        p = self.dropout if self.training else 0.0
        heads = (self.split(x) for x in (q, k, v))
        y = F.scaled_dot_product_attention(*heads, attn_mask=mask, dropout_p=p, is_causal=causal)
        return self.output(y.transpose(1, 2).flatten(2))


class SelfAttention(Attention):
    def __init__(self, d_model, heads, bias, dropout):
        super().__init__(d_model, heads, bias, dropout, projections=3)

    def forward(self, x, mask=None, causal=False):
        return self.attend(*self.project(x).chunk(3, -1), mask, causal)


class CrossAttention(Attention):
    def __init__(self, d_model, heads, bias, dropout):
        super().__init__(d_model, heads, bias, dropout, projections=1)

    def forward(self, x, keys, values, mask):
        return self.attend(self.project(x), keys, values, mask, False)


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout):
        super().__init__()
        self.dropout = dropout
        self.inner, self.outer = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.outer(F.dropout(F.relu(self.inner(x)), self.dropout, self.training))


class Layer(nn.Module):
    """The sub-layers of an encoder or decoder layer, each with its residual connection."""

    def __init__(self, sizes, cross):
        super().__init__()
        attention = (sizes.d_model, sizes.heads, sizes.attention_bias, sizes.attention_dropout)
        self.self_attention = SelfAttention(*attention)
        self.cross_attention = CrossAttention(*attention) if cross else None
        self.feed_forward = FeedForward(sizes.d_model, sizes.d_ff, sizes.relu_dropout)
        self.norms = nn.ModuleList(nn.LayerNorm(sizes.d_model, eps=1e-6) for _ in range(3 if cross else 2))
        self.pre, self.dropout = sizes.norm == "pre", sizes.dropout

    def residual(self, x, norm, sub_layer):
        if self.pre:
            return x + F.dropout(sub_layer(norm(x)), self.dropout, self.training)
        return norm(x + F.dropout(sub_layer(x), self.dropout, self.training))

    def forward(self, x, mask=None, memory=None):
        causal = memory is not None
        own_mask = None if causal else mask
        x = self.residual(x, self.norms[0], lambda y: self.self_attention(y, own_mask, causal))
        if memory is not None:
            x = self.residual(x, self.norms[1], lambda y: self.cross_attention(y, *memory, mask))
        return self.residual(x, self.norms[-1], self.feed_forward)


def sinusoids(positions, d_model):
    angle = torch.arange(positions)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack((angle.sin(), angle.cos()), -1).flatten(1)


class Transformer(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.d_model, self.dropout, self.smoothing = sizes.d_model, sizes.dropout, sizes.label_smoothing
        self.embedding = nn.Embedding(sizes.vocabulary, sizes.d_model)
        nn.init.normal_(self.embedding.weight, std=sizes.d_model**-0.5)
        self.encoder = nn.ModuleList(Layer(sizes, cross=False) for _ in range(sizes.layers))
        self.decoder = nn.ModuleList(Layer(sizes, cross=True) for _ in range(sizes.layers))
        self.memory = nn.Linear(sizes.d_model, 2 * sizes.layers * sizes.d_model, bias=sizes.attention_bias)
        pre = sizes.norm == "pre"
        self.encoder_norm = nn.LayerNorm(sizes.d_model, eps=1e-6) if pre else nn.Identity()
        self.decoder_norm = nn.LayerNorm(sizes.d_model, eps=1e-6) if pre else nn.Identity()
        self.register_buffer("positions", sinusoids(1024, sizes.d_model), persistent=False)

    def embed(self, ids):
        x = self.embedding(ids) * math.sqrt(self.d_model) + self.positions[: ids.shape[1]]
        return F.dropout(x, self.dropout, self.training)

    def forward(self, source, shifted, targets, mask, real):
        """`mask` hides the padding of the source. `real` lists the rows of targets that are not padding. Each is None
        if there is no padding.
        """
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, mask)
        memory = self.memory(self.encoder_norm(x)).chunk(2 * len(self.decoder), -1)
        x = self.embed(shifted)
        for i, layer in enumerate(self.decoder):
            x = layer(x, mask, memory[2 * i : 2 * i + 2])
        x = self.decoder_norm(x).flatten(0, 1)
        if real is not None:
            x = x.index_select(0, real)
        logits = F.linear(x, self.embedding.weight)
        return F.cross_entropy(logits, targets, label_smoothing=self.smoothing)


def make_batch(pairs, options):
    """Arguments of Transformer.forward. Padding of targets needs no mask: it comes last, and targets only look back."""
    # Fused attention on a GPU needs masks whose rows are aligned to eight elements.
    multiple = 8 if options.device == "cuda" else 1
    source, source_is_real = torch_steps.padded([n for n, _ in pairs], options, multiple)
    target, target_is_real = torch_steps.padded([m for _, m in pairs], options, multiple)
    mask = real = None
    if not source_is_real.all():
        mask = torch.zeros(source.shape, dtype=options.dtype).masked_fill(~source_is_real, -math.inf)[:, None, None, :]
    if not target_is_real.all():
        real = target_is_real.flatten().nonzero().squeeze(1)
    tensors = source, target.roll(1, 1), target[target_is_real], mask, real
    return [None if x is None else x.to(options.device) for x in tensors]


def options_from_command_line():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in [("layers", 6), ("d-model", 512), ("d-ff", 2048), ("heads", 8), ("vocabulary", 37000)]:
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("--norm", choices=["post", "pre"], default="post")
    parser.add_argument("--attention-bias", action="store_true")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--attention-dropout", type=float, default=0.0)
    parser.add_argument("--relu-dropout", type=float, default=0.0)
    parser.add_argument("--label-smoothing", type=float, default=0.1)
    parser.add_argument("--compile", action="store_true", help="compile the step")
    torch_steps.add_arguments(parser)
    return parser.parse_args()


def main():
    options = options_from_command_line()
    lengths = torch_steps.prepare(options)
    batches = [make_batch(pairs, options) for pairs in lengths]

    model = Transformer(options).to(options.device)
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    loss_of = torch.compile(model, dynamic=True if options.batches else None) if options.compile else model
    losses = []

    def step(*batch):
        adam.zero_grad(set_to_none=True)
        with torch.autocast(options.device, dtype=torch.bfloat16, enabled=options.precision == "bf16"):
            loss = loss_of(*batch)
        loss.backward()
        adam.step()
        losses.append(loss.detach())

    by_batch = torch_steps.measure(step, batches, options)
    more = {
        "compiled": options.compile,
        "parameters": sum(p.numel() for p in model.parameters()),
        "first_loss": losses[0].item(),
    }
    torch_steps.print_result(options, lengths, by_batch, **more)


main()
