#!/usr/bin/env python3
"""Makes tests/models/ctranslate2 from tests/models/marian: the model as CTranslate2 stores it in float32, int16 and int8,
the float32 model in the five older versions of the format, and what CTranslate2 computes with each.

tests/import_test.cpp imports the models and compares. CTranslate2 computes in float32, also with stored integers.

Needs Python packages: ctranslate2, torch, transformers, sentencepiece. The program needs none of them.
Usage: tests/make_ctranslate2_models.py MARIAN DIRECTORY
"""
import json
import pathlib
import shutil
import struct
import sys
import tempfile

import ctranslate2
import sentencepiece
import torch


LATEST = 6
SIZES = (4, 1, 2, 4, 2, 2)  # bytes of an element: float32, int8, int16, int32, float16, bfloat16


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def string(self):
        return self.take(self.number("H"))[:-1].decode()


def read(data):
    """The variables (name, shape, type, bytes) and the aliases of a model.bin of the latest version."""
    reader = Reader(data)
    assert reader.number("I") == LATEST
    reader.string(), reader.number("I")  # the network and its revision
    variables = []
    for _ in range(reader.number("I")):
        name, shape = reader.string(), [reader.number("I") for _ in range(reader.number("B"))]
        kind, size = reader.number("B"), reader.number("I")
        variables.append((name, shape, kind, reader.take(size)))
    return variables, [(reader.string(), reader.string()) for _ in range(reader.number("I"))]


def oldest_name(name):
    """As OpenNMT-tf called it."""
    for present, old in (("embeddings/weight", "w_embs"), ("weight", "kernel"), ("layer_norm", "LayerNorm"),
                         ("projection", "dense"), ("ffn/linear_0", "ffn/conv1d"), ("linear_", "conv1d_")):
        name = name.replace(present, old)
    if name.startswith("encoder"):
        name = name.replace("self_attention", "multi_head")
    else:
        name = name.replace("self_attention", "masked_multi_head").replace("/attention", "/multi_head")
    return f"transformer/{name}:0"


def older(data, config, version):
    """The same model in an older version. Version 1 has eight heads and no names for the number of heads."""
    variables, aliases = read(data)
    for name in ("unk_token", "bos_token", "eos_token"):
        variables.append((name, [len(config[name])], 1, config[name].encode()))
    variables.append(("with_target_bos", [], 1, bytes([config["decoder_start_token"] == config["bos_token"]])))
    if version < 3:
        by_name = {variable[0]: variable for variable in variables}
        variables += [(alias, *by_name[name][1:]) for alias, name in aliases]
    if version == 1:
        shared = {name: variable for name in ("pre_norm", "activation")
                  for variable in variables if variable[0] == f"encoder/{name}"}
        dropped = [f"{side}/{name}" for side in ("encoder", "decoder") for name in ("num_heads", *shared)]
        variables = [variable for variable in variables if variable[0] not in dropped]
        variables = [(oldest_name(name) if len(shape) > 0 and "/" in name else name, shape, *rest)
                     for name, shape, *rest in variables]
        variables += [(name, *variable[1:]) for name, variable in shared.items()]

    def string(text):
        return struct.pack("<H", len(text.encode()) + 1) + text.encode() + b"\0"

    parts = [struct.pack("<I", version)]
    if version >= 2:
        parts.append(string("TransformerSpec") + struct.pack("<I", 7))
    parts.append(struct.pack("<I", len(variables)))
    for name, shape, kind, values in sorted(variables):
        parts.append(string(name) + struct.pack(f"<B{len(shape)}I", len(shape), *shape))
        size = (kind, len(values)) if version >= 4 else (SIZES[kind], len(values) // SIZES[kind])
        parts.append(struct.pack("<BI", *size) + values)
    if version >= 3:
        parts.append(struct.pack("<I", len(aliases)))
        parts += [string(alias) + string(name) for alias, name in aliases]
    return b"".join(parts)


def computed(directory, tokens, targets):
    """What CTranslate2 computes with the model in this directory."""
    translator = ctranslate2.Translator(str(directory), compute_type="float32", inter_threads=1)
    scores = [[round(value, 7) for value in score.log_probs] for score in translator.score_batch(tokens, targets)]
    found = translator.translate_batch(tokens, beam_size=2, return_scores=True, max_decoding_length=23,
                                       min_decoding_length=0)
    return {"log_probabilities": scores, "translations": [result.hypotheses[0] for result in found],
            "scores": [round(result.scores[0], 7) for result in found]}


def main():
    marian, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    sources = [source["text"] for source in json.loads((marian / "expected.json").read_text())["sources"]]
    vocabulary = json.loads((marian / "vocab.json").read_text())
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(marian / "source.spm"))
    tokens = [pieces.encode(text, out_type=str) + ["</s>"] for text in sources]
    words = [word for word in vocabulary if word not in ("</s>", "<unk>", "<pad>")]
    targets = [[words[(7 * i + 5 * n) % len(words)] for n in range(i)] for i in range(len(sources))]
    expected = {"sources": sources, "targets": targets, "models": {}}
    with tempfile.TemporaryDirectory() as scratch:
        original = pathlib.Path(scratch) / "marian"
        shutil.copytree(marian, original)
        weights = torch.load(marian / "mostly.bin")
        torch.save({name: tensor.float() for name, tensor in weights.items()}, original / "pytorch_model.bin")
        for precision in ("float32", "int16", "int8"):
            converted = pathlib.Path(scratch) / precision
            ctranslate2.converters.TransformersConverter(str(original)).convert(str(converted), quantization=precision)
            shutil.copy(converted / "model.bin", directory / f"{precision}.bin")
            for name in ("config.json", "shared_vocabulary.json"):
                shutil.copy(converted / name, directory / name)
            expected["models"][precision] = computed(converted, tokens, targets)
        latest = (directory / "float32.bin").read_bytes()
        for version in range(1, LATEST):
            converted = pathlib.Path(scratch) / f"version-{version}"
            converted.mkdir()
            data = older(latest, json.loads((directory / "config.json").read_text()), version)
            for path in (converted / "model.bin", directory / f"version-{version}.bin"):
                path.write_bytes(data)
            shutil.copy(directory / "shared_vocabulary.json", converted)
            expected["models"][f"version-{version}"] = computed(converted, tokens, targets)
    (directory / "expected.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n")


main()
