#!/usr/bin/env python3
"""Times training steps of the convolutional encoder-decoder of Gehring et al. (2017) in PyTorch, for comparison with
bench_train_step.

All sentences of a batch are padded to one length. The encoder clears the padding before every convolution; the decoder
needs no mask, because its convolutions look back and padding comes last. The output projection is computed only for
targets that are no padding. On a GPU the script computes in bf16 under autocast with a fused Adam, and the host never
waits for a step.

    torch_convolutional.py --device cuda --tokens 4096 --warmup 5 --steps 30 --compile
    torch_convolutional.py --embedding 128 --encoder 128x3x4 --decoder 128x3x3 --tokens 2048 --sentence 16
"""

import argparse
import math

import torch
import torch.nn.functional as F
import torch_steps
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

ROOT_HALF = math.sqrt(0.5)


def linear(inputs, outputs, keep=1.0):
    layer = nn.Linear(inputs, outputs)
    nn.init.normal_(layer.weight, std=math.sqrt(keep / inputs))
    nn.init.zeros_(layer.bias)
    return weight_norm(layer, dim=0)


def convolution(inputs, channels, k, keep):
    layer = nn.Conv1d(inputs, 2 * channels, k)
    nn.init.normal_(layer.weight, std=math.sqrt(4 * keep / (k * inputs)))
    nn.init.zeros_(layer.bias)
    return weight_norm(layer, dim=0)


class Block(nn.Module):
    """A gated convolution. `before` and `after` are the zeros on either side of the sentence."""

    def __init__(self, inputs, channels, k, causal, P_drop):
        super().__init__()
        self.P_drop, self.before, self.after = P_drop, k - 1 if causal else k // 2, 0 if causal else k // 2
        self.convolution = convolution(inputs, channels, k, 1 - P_drop)
        self.residual = linear(inputs, channels) if inputs != channels else nn.Identity()

    def forward(self, x, hidden=None):
        """`hidden` says which positions are padding."""
        x = F.dropout(x, self.P_drop, self.training)
        if hidden is not None:
            x = x.masked_fill(hidden[..., None], 0)
        x = F.pad(x.transpose(1, 2), (self.before, self.after))
        return F.glu(self.convolution(x), 1).transpose(1, 2)


def blocks(layers, causal, P_drop):
    inputs, stack = layers[0][0], nn.ModuleList()
    for channels, k in layers:
        stack.append(Block(inputs, channels, k, causal, P_drop))
        inputs = channels
    return stack


class Embedding(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.words = nn.Embedding(options.vocabulary, options.embedding)
        self.positions = nn.Embedding(options.max_positions, options.embedding)
        for table in self.words, self.positions:
            nn.init.normal_(table.weight, std=0.1)

    def forward(self, ids):
        return self.words(ids) + self.positions.weight[: ids.shape[1]]


class ScaledGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx, dx):
        return dx * ctx.factor, None


class Convolutional(nn.Module):
    def __init__(self, options):
        super().__init__()
        E, P_drop, encoder, decoder = options.embedding, options.dropout, options.encoder, options.decoder
        self.P_drop, self.smoothing = P_drop, options.label_smoothing
        self.source, self.target = Embedding(options), Embedding(options)
        self.encoder_in, self.encoder_out = linear(E, encoder[0][0], 1 - P_drop), linear(encoder[-1][0], E)
        self.encoder = blocks(encoder, False, P_drop)
        self.decoder_in, self.decoder_out = linear(E, decoder[0][0], 1 - P_drop), linear(decoder[-1][0], options.output)
        self.decoder = blocks(decoder, True, P_drop)
        self.query = nn.ModuleList(linear(channels, E) for channels, _ in decoder)
        self.context = nn.ModuleList(linear(E, channels) for channels, _ in decoder)
        self.output = linear(options.output, options.vocabulary, 1 - P_drop)

    def encode(self, source, hidden):
        embedded = F.dropout(self.source(source), self.P_drop, self.training)
        x = self.encoder_in(embedded)
        for block in self.encoder:
            x = (block(x, hidden) + block.residual(x)) * ROOT_HALF
        z = ScaledGradient.apply(self.encoder_out(x), 1 / (2 * len(self.decoder)))
        return z, (z + embedded) * ROOT_HALF

    def forward(self, source, hidden, mask, root_lengths, shifted, targets, real):
        """`hidden` and `mask` hide the padding of the source, for convolutions and for attention. `real` lists the rows
        of targets that are not padding. They are None if there is no padding.
        """
        keys, values = self.encode(source, hidden)
        embedded = F.dropout(self.target(shifted), self.P_drop, self.training)
        x = self.decoder_in(embedded)
        for block, to_query, from_context in zip(self.decoder, self.query, self.context):
            y = block(x)
            scores = (to_query(y) + embedded) * ROOT_HALF @ keys.transpose(1, 2)
            if mask is not None:
                scores = scores + mask
            context = scores.softmax(-1).to(values.dtype) @ values * root_lengths
            y = (from_context(context.to(y.dtype)) + y) * ROOT_HALF
            x = (y + block.residual(x)) * ROOT_HALF
        x = F.dropout(self.decoder_out(x), self.P_drop, self.training).flatten(0, 1)
        if real is not None:
            x = x.index_select(0, real)
        return F.cross_entropy(self.output(x), targets, label_smoothing=self.smoothing)


def make_batch(pairs, options):
    """Arguments of Convolutional.forward."""
    source, source_is_real = torch_steps.padded([n for n, _ in pairs], options)
    target, target_is_real = torch_steps.padded([m for _, m in pairs], options)
    hidden = mask = real = None
    if not source_is_real.all():
        hidden = (~source_is_real).to(options.device)
        mask = torch.zeros(source.shape).masked_fill(~source_is_real, -math.inf)[:, None].to(options.device)
    if not target_is_real.all():
        real = target_is_real.flatten().nonzero().squeeze(1).to(options.device)
    root_lengths = source_is_real.sum(1).sqrt()[:, None, None].to(options.device)
    shifted, targets = target.roll(1, 1), target[target_is_real]
    return [source.to(options.device), hidden, mask, root_lengths, shifted.to(options.device),
            targets.to(options.device), real]


def layers_of(text):
    """[(512, 3), (512, 3), (1024, 3)] for 512x3x2,1024x3x1: channels, taps and layers."""
    layers = []
    for item in text.split(","):
        channels, k, count = map(int, item.split("x"))
        layers += [(channels, k)] * count
    return layers


def options_from_command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedding", type=int, default=256)
    parser.add_argument("--encoder", type=layers_of, default="256x3x4", help="channels x taps x layers, ...")
    parser.add_argument("--decoder", type=layers_of, default="256x3x3", help="channels x taps x layers, ...")
    parser.add_argument("--output", type=int, default=0, help="input width of the output projection; 0: the embedding's")
    parser.add_argument("--vocabulary", type=int, default=10000)
    parser.add_argument("--max-positions", type=int, default=1024)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--label-smoothing", type=float, default=0.1)
    parser.add_argument("--clip", type=float, default=0.1, help="largest norm of the gradient; 0 for no limit")
    parser.add_argument("--compile", action="store_true", help="compile the model; the warm-up includes it")
    torch_steps.add_arguments(parser)
    options = parser.parse_args()
    options.output = options.output or options.embedding
    return options


def main():
    options = options_from_command_line()
    lengths = torch_steps.prepare(options)
    model = Convolutional(options).to(options.device)
    parameters = sum(p.numel() for p in model.parameters())
    run = torch.compile(model) if options.compile else model
    batches = [make_batch(pairs, options) for pairs in lengths]
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    losses = []

    def step(*batch):
        adam.zero_grad(set_to_none=True)
        with torch.autocast(options.device, dtype=torch.bfloat16, enabled=options.precision == "bf16"):
            loss = run(*batch)
        loss.backward()
        if options.clip > 0:
            nn.utils.clip_grad_norm_(model.parameters(), options.clip)
        adam.step()
        losses.append(loss.detach())

    by_batch = torch_steps.measure(step, batches, options)
    torch_steps.print_result(options, lengths, by_batch, parameters=parameters, first_loss=losses[0].item())


main()
