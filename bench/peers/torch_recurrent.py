#!/usr/bin/env python3
"""Times training steps of a recurrent encoder-decoder in PyTorch, for comparison with bench_train_step and
bench_recurrence.

The encoder reads in both directions. There are two decoders:

    current    layers that run over the whole sentence (nn.LSTM, nn.GRU: cuDNN on a GPU), then attention `general` for
               all positions at once; the first state is zero
    previous   nn.GRUCell in a loop over the time steps, with additive attention with the state before the step, as
               PyTorch needs it when a step reads the result of attention; the first state is tanh of a linear map

Keys are projected once per sentence, and the readout and the output projection are computed after the loop, only for
targets that are no padding. Ragged batches are packed for the encoder and padded for the decoder. On a GPU the script
computes in bf16 under autocast with a fused Adam, and the host never waits for a step.

    torch_recurrent.py --device cuda --tokens 25088 --warmup 5 --steps 30
    torch_recurrent.py --recurrence --device cuda --tokens 25088
    torch_recurrent.py --cell gru --context previous --layers 1 --embedding 128 --hidden 256 --vocabulary 10000 --tied
"""

import argparse
import math
import statistics

import torch
import torch.nn.functional as F
import torch_steps
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def recurrent_layers(options, width, hidden, bidirectional):
    kind = nn.LSTM if options.cell == "lstm" else nn.GRU
    dropout = options.layer_dropout if options.layers > 1 else 0.0
    return kind(width, hidden, options.layers, batch_first=True, bidirectional=bidirectional, dropout=dropout)


class Encoder(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.layers = recurrent_layers(options, options.embedding, options.encoder_hidden, bidirectional=True)

    def forward(self, x, lengths):
        """All states, and the last ones of both directions of the top layer. Without lengths there is no padding."""
        if lengths is not None:
            x = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        states, last = self.layers(x)
        if lengths is not None:
            states, _ = pad_packed_sequence(states, batch_first=True)
        h = last[0] if isinstance(last, tuple) else last
        return states, torch.cat((h[-2], h[-1]), -1)


class AttentionAfter(nn.Module):
    """The decoder `current`."""

    def __init__(self, options):
        super().__init__()
        self.layers = recurrent_layers(options, options.embedding, options.hidden, bidirectional=False)
        self.query = nn.Linear(options.hidden, 2 * options.encoder_hidden, bias=False)

    def forward(self, x, memory, last, mask):
        states, _ = self.layers(x)
        scores = self.query(states) @ memory.transpose(1, 2)
        if mask is not None:
            scores = scores + mask[:, None]
        return states, scores.softmax(-1).to(memory.dtype) @ memory


class AttentionBefore(nn.Module):
    """The decoder `previous`, of one layer."""

    def __init__(self, options):
        super().__init__()
        context, hidden = 2 * options.encoder_hidden, options.hidden
        self.bridge = nn.Linear(context, hidden)
        self.cell = nn.GRUCell(options.embedding + context, hidden)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.key = nn.Linear(context, hidden)
        self.v = nn.Linear(hidden, 1, bias=False)

    def forward(self, x, memory, last, mask):
        state, keys = torch.tanh(self.bridge(last)), self.key(memory)
        states, contexts = [], []
        for word in x.unbind(1):
            scores = self.v(torch.tanh(self.query(state)[:, None] + keys)).squeeze(-1)
            if mask is not None:
                scores = scores + mask
            context = torch.bmm(scores.softmax(-1)[:, None].to(memory.dtype), memory).squeeze(1)
            state = self.cell(torch.cat((word, context), -1), state)
            states.append(state)
            contexts.append(context)
        return torch.stack(states, 1), torch.stack(contexts, 1)


class Recurrent(nn.Module):
    def __init__(self, options):
        super().__init__()
        E, V = options.embedding, options.vocabulary
        self.smoothing = options.label_smoothing
        self.source = nn.Embedding(V, E)
        self.target = self.source if options.tied else nn.Embedding(V, E)
        self.encoder = Encoder(options)
        self.decoder = AttentionAfter(options) if options.context == "current" else AttentionBefore(options)
        self.readout = nn.Linear(options.hidden + 2 * options.encoder_hidden, E)
        self.output = nn.Linear(E, V)
        for embedding in self.source, self.target:
            nn.init.normal_(embedding.weight, std=E**-0.5)
        if options.tied:
            self.output.weight = self.source.weight

    def forward(self, source, lengths, shifted, targets, mask, real):
        """`mask` hides the padding of the source. `real` lists the rows of targets that are not padding. They and
        `lengths`, those of the source, are None if there is no padding.
        """
        memory, last = self.encoder(self.source(source), lengths)
        x = torch.cat(self.decoder(self.target(shifted), memory, last, mask), -1).flatten(0, 1)
        if real is not None:
            x = x.index_select(0, real)
        logits = self.output(torch.tanh(self.readout(x)))
        return F.cross_entropy(logits, targets, label_smoothing=self.smoothing)

    def parameter_count(self):
        """Without the second biases of PyTorch's cells, which are only added to the first ones. That of the candidate
        state of a GRU counts.
        """
        is_gru = isinstance(self.encoder.layers, nn.GRU)
        count = 0
        for name, p in self.named_parameters():
            if "bias_hh" not in name:
                count += p.numel()
            elif is_gru:
                count += p.numel() // 3
        return count


def make_batch(pairs, options):
    """Arguments of Recurrent.forward. Padding of targets needs no mask, because it comes last."""
    source, source_is_real = torch_steps.padded([n for n, _ in pairs], options)
    target, target_is_real = torch_steps.padded([m for _, m in pairs], options)
    lengths = mask = real = None
    if not source_is_real.all():
        lengths = torch.tensor([n for n, _ in pairs])  # stays on the host, as packing needs it
        mask = torch.zeros(source.shape).masked_fill(~source_is_real, -math.inf).to(options.device)
    if not target_is_real.all():
        real = target_is_real.flatten().nonzero().squeeze(1).to(options.device)
    shifted, targets = target.roll(1, 1), target[target_is_real]
    return [source.to(options.device), lengths, shifted.to(options.device), targets.to(options.device), mask, real]


def time_training(model, lengths, autocast, options):
    batches = [make_batch(pairs, options) for pairs in lengths]
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    losses = []

    def step(*batch):
        adam.zero_grad(set_to_none=True)
        with autocast():
            loss = model(*batch)
        loss.backward()
        if options.clip > 0:
            nn.utils.clip_grad_norm_(model.parameters(), options.clip)
        adam.step()
        losses.append(loss.detach())

    by_batch = torch_steps.measure(step, batches, options)
    first_loss = losses[0].item()
    torch_steps.print_result(options, lengths, by_batch, parameters=model.parameter_count(), first_loss=first_loss)


def time_recurrence(model, lengths, autocast, options):
    """The layers alone, both passes, with the gradient of their inputs; all sentences have one length."""
    shape = (len(lengths[0]), options.sentence, options.embedding)
    x = torch.randn(shape, device=options.device, requires_grad=True)

    def step(*stacks):
        model.zero_grad(set_to_none=True)
        x.grad = None
        with autocast():
            total = sum(stack(x)[0].sum() for stack in stacks)
        total.backward()

    encoder, decoder = model.encoder.layers, model.decoder.layers
    alone = {}
    for name, stack in ("ms_encoder", encoder), ("ms_decoder", decoder):
        alone[name] = 1e3 * statistics.median(torch_steps.measure(step, [[stack]], options)[0])
    by_batch = torch_steps.measure(step, [[encoder, decoder]], options)
    torch_steps.print_result(options, lengths, by_batch, **alone)


def options_from_command_line():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recurrence", action="store_true", help="time the recurrent layers alone")
    parser.add_argument("--cell", choices=["lstm", "gru"], default="lstm")
    parser.add_argument("--context", choices=["current", "previous"], default="current")
    sizes = [("layers", 2), ("embedding", 512), ("encoder-hidden", 256), ("hidden", 512), ("vocabulary", 37000)]
    for name, default in sizes:
        parser.add_argument("--" + name, type=int, default=default)
    parser.add_argument("--tied", action="store_true", help="one matrix for both embeddings and the output")
    parser.add_argument("--layer-dropout", type=float, default=0.2, help="dropout between recurrent layers")
    parser.add_argument("--label-smoothing", type=float, default=0.1)
    parser.add_argument("--clip", type=float, default=0.0, help="largest norm of the gradient; 0 for no limit")
    torch_steps.add_arguments(parser)
    options = parser.parse_args()
    if options.context == "previous" and (options.cell != "gru" or options.layers != 1):
        parser.error("--context previous needs --cell gru and --layers 1")
    if options.recurrence and (options.context != "current" or options.batches):
        parser.error("--recurrence needs --context current, and sentences of equal length")
    return options


def main():
    options = options_from_command_line()
    lengths = torch_steps.prepare(options)
    model = Recurrent(options).to(options.device)

    def autocast():
        return torch.autocast(options.device, dtype=torch.bfloat16, enabled=options.precision == "bf16")

    (time_recurrence if options.recurrence else time_training)(model, lengths, autocast, options)


main()
