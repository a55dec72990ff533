#!/usr/bin/env python3
"""Makes tests/models/fairseq: two models of fairseq with random weights, and what fairseq computes with them.

The checkpoints have the layout of fairseq's, and the numbers are computed here as its source says. The same computation
gives the published sentence of the trained models that scripts/fetch-models fetches.
  new   settings in 'cfg', a zip file, LayerNorm first, two dictionaries, tied decoder embeddings
  old   settings in 'args', the older pickle, names of tensors from before 2019, LayerNorm last, one dictionary

Needs Python packages: torch, subword-nmt. The program needs none of them.
Usage: tests/make_fairseq_models.py DIRECTORY
"""
import argparse
import collections
import io
import json
import math
import pathlib
import sys

import torch
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

SOURCES = ["the old man sees the house today", "a small dog runs near the river", "the river is old", "rivers and dogs",
           "the houses\u00a0near the old river", "zebras see houses  again"]
TARGETS = ["der alte mann sieht heute das haus", "ein kleiner hund rennt am fluss", "der fluss ist alt",
           "fl\u00fcsse und hunde", "die h\u00e4user am alten fluss", "heute sieht er das haus"]
WIDTH, LAYERS, BEAM, MOST = 8, 2, 5, 30
PAD, END = 1, 2


def codes_of(lines, merges):
    codes = io.StringIO()
    learn_bpe(io.StringIO("\n".join(lines) + "\n"), codes, merges)
    return codes.getvalue()


def write_dictionary(path, lines, bpe):
    """Writes dict.LANGUAGE.txt as fairseq-preprocess does, and returns its tokens by their ids."""
    counts = collections.Counter(token for line in lines for token in bpe.process_line(line).split())
    entries = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    entries += [(f"madeupword{i:04}", 0) for i in range(-(len(entries) + 4) % 8)]
    path.write_text("".join(f"{token} {count}\n" for token, count in entries))
    return ["<s>", "<pad>", "</s>", "<unk>", *(token for token, _ in entries)]


class Model:
    """A Transformer of fairseq: its settings, and a state dictionary with the names of today."""

    def __init__(self, settings, source_words, target_words):
        self.settings, self.state = settings, collections.OrderedDict()
        for side, words in (("encoder", source_words), ("decoder", target_words)):
            self.state[f"{side}.version"] = torch.tensor([3.0])
            self.state[f"{side}.embed_tokens.weight"] = torch.randn(words, WIDTH)
            self.state[f"{side}.embed_positions._float_tensor"] = torch.zeros(1)
            inner = settings[f"{side}_ffn_embed_dim"]
            for layer in range(LAYERS):
                prefix = f"{side}.layers.{layer}."
                for attention in ("self_attn", "encoder_attn") if side == "decoder" else ("self_attn",):
                    for matrix in "kvq":
                        self.add_linear(f"{prefix}{attention}.{matrix}_proj", WIDTH, WIDTH)
                    self.add_linear(f"{prefix}{attention}.out_proj", WIDTH, WIDTH)
                    self.add_norm(f"{prefix}{attention}_layer_norm")
                self.add_linear(prefix + "fc1", inner, WIDTH)
                self.add_linear(prefix + "fc2", WIDTH, inner)
                self.add_norm(prefix + "final_layer_norm")
            if settings[f"{side}_normalize_before"]:
                self.add_norm(f"{side}.layer_norm")
        if settings["share_all_embeddings"]:
            self.state["decoder.embed_tokens.weight"] = self.state["encoder.embed_tokens.weight"]
        self.state["decoder.output_projection.weight"] = self.state["decoder.embed_tokens.weight"]

    def add_linear(self, name, rows, columns):
        self.state[name + ".weight"] = torch.randn(rows, columns) * 0.5
        self.state[name + ".bias"] = torch.randn(rows) * 0.1

    def add_norm(self, name):
        self.state[name + ".weight"] = torch.rand(WIDTH) + 0.5
        self.state[name + ".bias"] = torch.randn(WIDTH) * 0.1

    def tensor(self, name):
        return self.state[name].double()

    def linear(self, name, x):
        return x @ self.tensor(name + ".weight").T + self.tensor(name + ".bias")

    def norm(self, name, x):
        return torch.nn.functional.layer_norm(x, (WIDTH,), self.tensor(name + ".weight"), self.tensor(name + ".bias"),
                                              1e-5)

    def attention(self, name, queries, memory, heads, causal):
        q, k, v = (self.linear(f"{name}.{m}_proj", x).view(len(x), heads, -1).transpose(0, 1)
                   for m, x in (("q", queries), ("k", memory), ("v", memory)))
        scores = q @ k.transpose(1, 2) / math.sqrt(WIDTH // heads)
        if causal:
            scores = scores + torch.full(scores.shape[1:], -math.inf, dtype=torch.double).triu(1)
        return self.linear(f"{name}.out_proj", (scores.softmax(-1) @ v).transpose(0, 1).reshape(len(queries), WIDTH))

    def sublayer(self, norm, x, function):
        if self.settings["encoder_normalize_before"]:
            return x + function(self.norm(norm, x))
        return self.norm(norm, x + function(x))

    def embed(self, side, ids):
        scale = 1 if self.settings["no_scale_embedding"] else math.sqrt(WIDTH)
        half = WIDTH // 2
        frequencies = torch.exp(torch.arange(half, dtype=torch.double) * (-math.log(10000) / (half - 1)))
        angles = (torch.arange(len(ids), dtype=torch.double) + PAD + 1)[:, None] * frequencies
        return self.tensor(f"{side}.embed_tokens.weight")[ids] * scale + torch.cat([angles.sin(), angles.cos()], 1)

    def stack(self, side, ids, memory=None):
        activation = getattr(torch.nn.functional, self.settings["activation_fn"])
        heads = self.settings[f"{side}_attention_heads"]
        x = self.embed(side, ids)
        for layer in range(LAYERS):
            prefix = f"{side}.layers.{layer}."
            x = self.sublayer(prefix + "self_attn_layer_norm", x,
                              lambda y: self.attention(prefix + "self_attn", y, y, heads, memory is not None))
            if memory is not None:
                x = self.sublayer(prefix + "encoder_attn_layer_norm", x,
                                  lambda y: self.attention(prefix + "encoder_attn", y, memory, heads, False))
            x = self.sublayer(prefix + "final_layer_norm", x, lambda y: self.linear(
                prefix + "fc2", activation(self.linear(prefix + "fc1", y))))
        return self.norm(f"{side}.layer_norm", x) if self.settings[f"{side}_normalize_before"] else x

    def translate(self, source):
        """SequenceGenerator of fairseq for one sentence: the translations and their scores, the best first."""
        memory = self.stack("encoder", source)
        alive, finished = [([END], 0.0)], []
        for step in range(MOST):
            candidates = []
            for words, score in alive:
                states = self.stack("decoder", words, memory)
                next_words = (states[-1] @ self.tensor("decoder.output_projection.weight").T).log_softmax(-1)
                next_words[PAD] = -math.inf
                next_words[0] = -math.inf  # <s>: no trained model chooses it
                if step == 0:
                    next_words[END] = -math.inf  # min_len is 1
                candidates += [(score + p, words + [word]) for word, p in enumerate(next_words.tolist())]
            candidates = sorted(candidates, key=lambda candidate: -candidate[0])[:2 * BEAM]
            for score, words in candidates[:BEAM]:
                if words[-1] == END and len(finished) < BEAM:
                    finished.append((words[1:], score / (step + 1)))
            if len(finished) == BEAM:
                return sorted(finished, key=lambda hypothesis: -hypothesis[1])
            alive = [(words, score) for score, words in candidates if words[-1] != END][:BEAM]
        raise ValueError("a translation does not end; take another seed")


def with_old_names(state):
    """The names of 2018: projections in one tensor, and LayerNorms that are counted."""
    old = collections.OrderedDict()
    for name, tensor in state.items():
        if ".q_proj." in name:
            parts = [state[name.replace(".q_proj.", f".{m}_proj.")] for m in "qkv"]
            name, tensor = name.replace(".q_proj.", ".in_proj_"), torch.cat(parts)
        elif ".k_proj." in name or ".v_proj." in name or "output_projection" in name:
            continue
        for number, norm in enumerate(["self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"]):
            if norm in name:
                number -= number == 2 and name.startswith("encoder")
                name = name.replace(norm, f"layer_norms.{number}")
        old[name] = tensor
    return old


def make(directory, name, settings, codes, sources, targets, *, seed, ending):
    """`seed` and `ending` are such that the best translations differ and have 2 to 14 tokens."""
    torch.manual_seed(seed)
    (directory / name).mkdir(parents=True, exist_ok=True)
    (directory / name / "bpecodes").write_text(codes)
    bpe = BPE(io.StringIO(codes))
    source_words = write_dictionary(directory / name / "dict.en.txt", sources, bpe)
    target_words = write_dictionary(directory / name / "dict.de.txt", targets, bpe)
    model = Model(settings, len(source_words), len(target_words))
    # The last LayerNorm adds its bias to all states: so translations end.
    bias = model.state.get("decoder.layer_norm.bias", model.state["decoder.layers.1.final_layer_norm.bias"])
    model.state["decoder.embed_tokens.weight"][END] += ending * bias
    ids = {word: number for number, word in enumerate(source_words)}
    expected = []
    for text in SOURCES:
        # encode_line() of fairseq's dictionaries splits at any white space.
        source = [ids.get(word, ids["<unk>"]) for word in bpe.process_line(text).split()] + [END]
        found = model.translate(source)
        words = [[target_words[word] for word in hypothesis[:-1]] for hypothesis, _ in found]
        expected.append({"text": text, "source": source, "translations": [hypothesis for hypothesis, _ in found],
                         "texts": [(" ".join(line) + " ").replace("@@ ", "").rstrip() for line in words],
                         "scores": [round(score, 7) for _, score in found]})
    (directory / name / "expected.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n")
    path = directory / name / "checkpoint_best.pt"
    if name == "new":
        torch.save({"args": None, "cfg": {"task": {"_name": "translation"}, "model": argparse.Namespace(**settings)},
                    "model": model.state}, path)
    else:
        torch.save({"args": argparse.Namespace(**settings), "model": with_old_names(model.state)}, path,
                   _use_new_zipfile_serialization=False)


def main():
    directory = pathlib.Path(sys.argv[1])
    codes = codes_of(SOURCES[:4] + TARGETS, 40)
    settings = {"task": "translation", "arch": "transformer", "encoder_layers": LAYERS, "decoder_layers": LAYERS,
                "encoder_embed_dim": WIDTH, "decoder_embed_dim": WIDTH, "layernorm_embedding": False,
                "adaptive_softmax_cutoff": None}
    make(directory, "new",
         settings | {"source_lang": None, "target_lang": None, "data": "data-bin/toy.en-de", "activation_fn": "relu",
                     "encoder_normalize_before": True, "decoder_normalize_before": True, "share_all_embeddings": False,
                     "share_decoder_input_output_embed": True, "no_scale_embedding": False,
                     "encoder_ffn_embed_dim": 16, "decoder_ffn_embed_dim": 12, "encoder_attention_heads": 2,
                     "decoder_attention_heads": 4}, codes, SOURCES[:4], TARGETS, seed=4, ending=8)
    make(directory, "old",
         settings | {"source_lang": "en", "target_lang": "de", "data": "data-bin/toy", "activation_fn": "gelu",
                     "encoder_normalize_before": False, "decoder_normalize_before": False,
                     "share_all_embeddings": True, "no_scale_embedding": True, "encoder_ffn_embed_dim": 16,
                     "decoder_ffn_embed_dim": 16, "encoder_attention_heads": 2, "decoder_attention_heads": 2},
         codes, SOURCES[:4] + TARGETS, SOURCES[:4] + TARGETS, seed=2, ending=14)


main()
