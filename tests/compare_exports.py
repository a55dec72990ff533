#!/usr/bin/env python3
"""Exports a model for CTranslate2, Argos and Transformers and compares these programs with dragoman.

    tests/compare_exports.py PROGRAM MODEL TEXT

PROGRAM is dragoman and TEXT has a sentence in each line. dragoman translates them; each other program computes the
log-probability of these translations, from the files of its export alone: it cuts the text itself, except for
CTranslate2, which has no tokenizer. Prints the largest difference for each token, and how many sentences were cut into
the same pieces. A format that does not fit the model is named with dragoman's reason. For CTranslate2 the exported
network is also computed in double precision, which shows whose rounding the differences are. Needs Python with
ctranslate2, sentencepiece, torch and transformers.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import zipfile

import ctranslate2
import sentencepiece
import torch
import transformers

from exact_ctranslate2 import ExactModel


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def source_words(directory):
    """The words that CTranslate2 knows; it reads all others as unknown."""
    files = (directory / "shared_vocabulary.json", directory / "source_vocabulary.json")
    return set(json.loads(next(file for file in files if file.exists()).read_text()))


def without_end(tokens):
    return tokens[:-1] if tokens[-1:] == ["</s>"] else tokens


def ctranslate2_scores(directory, lines, tokenizer):
    """For each line the sum of the log-probabilities, and whether the text was cut as by dragoman."""
    tokenizer, words = sentencepiece.SentencePieceProcessor(model_file=str(tokenizer)), source_words(directory)
    sources = [tokenizer.encode(line["source"], out_type=str) for line in lines]
    translator = ctranslate2.Translator(str(directory), compute_type="float32", inter_threads=1)
    scores = translator.score_batch(sources, [without_end(line["tgt"]) for line in lines])
    known = [[piece if piece in words else "<unk>" for piece in source] for source in sources]
    return [(sum(score.log_probs), source == without_end(line["src"]))
            for score, source, line in zip(scores, known, lines)]


def transformers_scores(directory, lines):
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(directory).eval()
    target_ids = json.loads((directory / ("target_vocab.json" if (directory / "target_vocab.json").exists()
                                          else "vocab.json")).read_text())
    scores = []
    for line in lines:
        source = tokenizer(line["source"]).input_ids
        target = [target_ids[token] for token in line["tgt"]]
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([source]),
                           decoder_input_ids=torch.tensor([[model.config.decoder_start_token_id] + target[:-1]])).logits
        log_p = logits[0].double().log_softmax(-1)
        same = tokenizer.convert_ids_to_tokens(source) == line["src"]
        scores.append((sum(log_p[n, word].item() for n, word in enumerate(target)), same))
    return scores


def exact_scores(directory, lines):
    model = ExactModel(directory)
    return [sum(model.log_probabilities(without_end(line["src"]), line["tgt"])) for line in lines]


def largest_difference(lines, some, others):
    return max(abs(a - b) / len(line["tgt"]) for line, a, b in zip(lines, some, others))


def show(name, lines, scores):
    worst = largest_difference(lines, [score for score, _ in scores], [line["logp"] for line in lines])
    same = sum(same for _, same in scores)
    print(f"{name}: log-probabilities differ by at most {worst:.1e} for each token; "
          f"{same} of {len(lines)} sentences are cut alike")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("text", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        made = run(options.program, "translate", "--model", options.model, "--attention", str(scratch / "traces"),
                   "--output", str(scratch / "translations"), str(options.text))
        if made.returncode != 0:
            raise SystemExit(made.stderr)
        texts = options.text.read_text().splitlines()
        lines = [json.loads(line) for line in (scratch / "traces").read_text().splitlines()]
        lines = [{**line, "source": texts[line["line"] - 1]} for line in lines if line["finished"]]
        for name in ("ctranslate2", "argos", "transformers"):
            to = scratch / name
            made = run(options.program, "export", "--model", options.model, "--output", str(to), "--format", name)
            print(made.stderr, end="")
            if made.returncode != 0:
                continue
            if name == "ctranslate2":
                tokenizer = to / ("source.spm" if (to / "source.spm").exists() else "sentencepiece.model")
                scores, exact = ctranslate2_scores(to, lines, tokenizer), exact_scores(to, lines)
                show(name, lines, scores)
                theirs = largest_difference(lines, [score for score, _ in scores], exact)
                ours = largest_difference(lines, [line["logp"] for line in lines], exact)
                print(f"from double precision CTranslate2 differs by {theirs:.1e} and dragoman by {ours:.1e}")
            elif name == "argos":
                with zipfile.ZipFile(to) as package:
                    package.extractall(scratch / "package")
                root = next((scratch / "package").iterdir())
                show(name, lines, ctranslate2_scores(root / "model", lines, root / "sentencepiece.model"))
            else:
                show(name, lines, transformers_scores(to, lines))


if __name__ == "__main__":
    main()
