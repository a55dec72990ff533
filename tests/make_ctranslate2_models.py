#!/usr/bin/env python3
"""Makes tests/models/ctranslate2 from tests/models/marian: the model as CTranslate2 stores it in float32, int16 and int8,
and what CTranslate2 computes with it.

tests/import_test.cpp imports the models and compares. CTranslate2 computes in float32, also with stored integers.

Needs Python packages: ctranslate2, torch, transformers, sentencepiece. The program needs none of them.
Usage: tests/make_ctranslate2_models.py MARIAN DIRECTORY
"""
import json
import pathlib
import shutil
import sys
import tempfile

import ctranslate2
import sentencepiece
import torch


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
            translator = ctranslate2.Translator(str(converted), compute_type="float32", inter_threads=1)
            scores = [[round(value, 7) for value in score.log_probs] for score in translator.score_batch(tokens, targets)]
            found = translator.translate_batch(tokens, beam_size=2, return_scores=True, max_decoding_length=23,
                                                min_decoding_length=0)
            expected["models"][precision] = {
                "log_probabilities": scores,
                "translations": [result.hypotheses[0] for result in found],
                "scores": [round(result.scores[0], 7) for result in found]}
    (directory / "expected.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n")


main()
