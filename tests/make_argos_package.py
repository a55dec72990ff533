#!/usr/bin/env python3
"""Makes tests/models/argos: a package of Argos as its authors make them, and what CTranslate2 computes with it.

A Transformer of OpenNMT-py with random weights, converted to CTranslate2 in int8: LayerNorm before the sub-layers, the
paper's positions as a table, sources without an end, and a vocabulary of both languages with <blank>, which pads.
tests/export_test.cpp imports it and compares. CTranslate2 computes in float32.

Needs Python packages: ctranslate2, torch, sentencepiece. The program needs none of them.
Usage: tests/make_argos_package.py MARIAN DIRECTORY
MARIAN is tests/models/marian, whose SentencePiece model of the source cuts the text.
"""
import argparse
import json
import math
import pathlib
import sys
import tempfile
import zipfile

import ctranslate2
import sentencepiece
import torch

WIDTH, INNER, HEADS, LAYERS, POSITIONS = 8, 16, 2, 2, 64
LIMIT = 23


def tensors(vocabulary):
    """The parameters under the names of OpenNMT-py."""
    torch.manual_seed(14)
    result = {}

    def matrix(name, rows, columns, with_bias=True):
        result[name + ".weight"] = torch.randn(rows, columns) * 0.6
        if with_bias:
            result[name + ".bias"] = torch.randn(rows) * 0.1

    def norm(name):
        result[name + ".weight"] = torch.rand(WIDTH) + 0.5
        result[name + ".bias"] = torch.randn(WIDTH) * 0.1

    frequencies = torch.exp(torch.arange(0, WIDTH, 2) * -(math.log(10000.0) / WIDTH))
    positions = torch.arange(POSITIONS).unsqueeze(1) * frequencies
    table = torch.zeros(POSITIONS, WIDTH)
    table[:, 0::2], table[:, 1::2] = torch.sin(positions), torch.cos(positions)
    for side, layers, attentions in (("encoder", "transformer", ["self_attn"]),
                                     ("decoder", "transformer_layers", ["self_attn", "context_attn"])):
        matrix(f"{side}.embeddings.make_embedding.emb_luts.0", vocabulary, WIDTH, with_bias=False)
        result[f"{side}.embeddings.make_embedding.pe.pe"] = table.unsqueeze(1)
        norm(f"{side}.layer_norm")
        for layer in range(LAYERS):
            scope = f"{side}.{layers}.{layer}"
            for attention in attentions:
                for part in ("linear_query", "linear_keys", "linear_values", "final_linear"):
                    matrix(f"{scope}.{attention}.{part}", WIDTH, WIDTH)
            for name in ["layer_norm"] if side == "encoder" else ["layer_norm_1", "layer_norm_2"]:
                norm(f"{scope}.{name}")
            norm(f"{scope}.feed_forward.layer_norm")
            matrix(f"{scope}.feed_forward.w_1", INNER, WIDTH)
            matrix(f"{scope}.feed_forward.w_2", WIDTH, INNER)
    shared = "encoder.embeddings.make_embedding.emb_luts.0.weight"
    result["decoder.embeddings.make_embedding.emb_luts.0.weight"] = result[shared]
    generator = {"weight": result[shared], "bias": torch.randn(vocabulary) * 0.5}
    return result, generator


def main():
    marian, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    words = [word for word in json.loads((marian / "vocab.json").read_text()) if word not in ("</s>", "<unk>", "<pad>")]
    vocabulary = ["<unk>", "<blank>", "<s>", "</s>"] + words
    model, generator = tensors(len(vocabulary))
    generator["bias"][3] = 2.5  # so that some translations end before the limit
    options = argparse.Namespace(encoder_type="transformer", decoder_type="transformer", position_encoding=True,
                                 enc_layers=LAYERS, dec_layers=LAYERS, heads=HEADS)
    sources = [source["text"] for source in json.loads((marian / "expected.json").read_text())["sources"]][:8]
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(marian / "source.spm"))
    tokens = [pieces.encode(text, out_type=str) for text in sources]
    targets = [[words[(7 * i + 5 * n) % len(words)] for n in range(i)] for i in range(len(sources))]
    with tempfile.TemporaryDirectory() as scratch:
        checkpoint, converted = pathlib.Path(scratch) / "model.pt", pathlib.Path(scratch) / "model"
        torch.save({"opt": options, "model": model, "generator": generator,
                    "vocab": {"src": vocabulary, "tgt": vocabulary}}, checkpoint)
        ctranslate2.converters.OpenNMTPyConverter(str(checkpoint), unsafe_deserialization=True).convert(
            str(converted), quantization="int8")
        root = "translate-en_de-1_9"
        with zipfile.ZipFile(directory / "en_de.argosmodel", "w", zipfile.ZIP_DEFLATED) as package:
            def add(name, contents):
                package.writestr(zipfile.ZipInfo(f"{root}/{name}"), contents, compress_type=zipfile.ZIP_DEFLATED)
            add("metadata.json", json.dumps({"package_version": "1.9", "argos_version": "1.9", "from_code": "en",
                                             "from_name": "English", "to_code": "de", "to_name": "German"}))
            add("sentencepiece.model", (marian / "source.spm").read_bytes())
            for file in sorted(converted.iterdir()):
                add(f"model/{file.name}", file.read_bytes())
        translator = ctranslate2.Translator(str(converted), compute_type="float32", inter_threads=1)
        scores = translator.score_batch(tokens, targets)
        found = translator.translate_batch(tokens, beam_size=4, length_penalty=0.2, return_scores=True,
                                           max_decoding_length=LIMIT, min_decoding_length=0)
    expected = [{"text": text, "target": target, "log_probabilities": [round(value, 7) for value in score.log_probs],
                 "translation": result.hypotheses[0], "score": round(result.scores[0], 7)}
                for text, target, score, result in zip(sources, targets, scores, found)]
    (directory / "expected.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n")


main()
