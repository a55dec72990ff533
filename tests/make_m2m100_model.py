#!/usr/bin/env python3
"""Makes tests/models/m2m100: an M2M100 model with random weights, and what Transformers computes with it.

tests/import_test.cpp imports the model for English to German and compares. The limits on translations are those of
dragoman with --max-extra 10.

Needs Python packages: torch, transformers, sentencepiece, safetensors. The program needs none of them.
Usage: tests/make_m2m100_model.py MARIAN DIRECTORY     MARIAN is tests/models/marian, whose SentencePiece model is used
"""
import json
import pathlib
import shutil
import sys

import sentencepiece
import torch
from transformers import GenerationConfig, M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer

MAX_EXTRA = 10


def main():
    marian, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    shutil.copy(marian / "source.spm", directory / "sentencepiece.bpe.model")
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(marian / "source.spm"))
    words = sorted(pieces.id_to_piece(i) for i in range(pieces.get_piece_size())
                   if not pieces.is_control(i) and not pieces.is_unknown(i))
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", *words]
    (directory / "vocab.json").write_text(
        json.dumps({word: number for number, word in enumerate(vocabulary)}, ensure_ascii=False) + "\n")
    tokenizer = M2M100Tokenizer(str(directory / "vocab.json"), str(directory / "sentencepiece.bpe.model"),
                                src_lang="en", tgt_lang="de")
    torch.manual_seed(8)
    config = M2M100Config(
        vocab_size=len(vocabulary) + 100 + 8, d_model=8, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, activation_function="relu",
        scale_embedding=True, max_position_embeddings=64, init_std=0.6)
    model = M2M100ForConditionalGeneration(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.normal_(0, 0.1)
            if "layer_norm.weight" in name:
                parameter.uniform_(0.5, 1.5)
        model.model.shared.weight.normal_(0, 0.3)
        model.model.shared.weight[len(vocabulary):] *= 0.2  # languages are seldom chosen
        model.model.shared.weight[2] += 7 * model.model.decoder.layer_norm.bias  # so that some translations end
    # Neither <s> nor <pad> is ever chosen by a trained model. At the limit dragoman ends a translation.
    model.generation_config = GenerationConfig(
        num_beams=5, early_stopping=True, pad_token_id=1, eos_token_id=2, bos_token_id=0, decoder_start_token_id=2,
        forced_eos_token_id=2, bad_words_ids=[[0], [1]])
    model.save_pretrained(directory)
    expected = []
    for source in json.loads((marian / "expected.json").read_text())["sources"]:
        ids = tokenizer(source["text"]).input_ids
        with torch.no_grad():
            found = model.generate(
                torch.tensor([ids]), forced_bos_token_id=tokenizer.get_lang_id("de"), num_return_sequences=5,
                max_length=len(ids) - 1 + MAX_EXTRA + 1, return_dict_in_generate=True, output_scores=True)
        sequences = [[word for word in sequence[1:] if word != 1] for sequence in found.sequences.tolist()]
        expected.append({"text": source["text"], "source": tokenizer.convert_ids_to_tokens(ids),
                         "translations": [tokenizer.convert_ids_to_tokens(sequence) for sequence in sequences],
                         "scores": [round(score, 7) for score in found.sequences_scores.tolist()]})
    (directory / "expected.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n")


main()
