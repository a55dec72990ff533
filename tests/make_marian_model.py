#!/usr/bin/env python3
"""Makes tests/models/marian: a MarianMT model with random weights, and what Transformers computes with it.

tests/import_test.cpp imports the model and compares. Three files of weights differ in the bias of </s>, so that
translations end never, sometimes or mostly before the limit. They are in the three formats in which models are
published, with float16 as there. The vocabulary has an order of its own and lacks a piece of the source's model.

Needs Python packages: torch, transformers, sentencepiece, safetensors. The program needs none of them.
Usage: tests/make_marian_model.py DIRECTORY
"""
import io
import json
import pathlib
import random
import sys

import sentencepiece
import torch
from safetensors.torch import save_file
from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer

BIAS_OF_END = {"never": -1.0, "sometimes": 3.25, "mostly": 4.0}
WORDS = {
    "source": (["the old man", "a small child", "my sister", "the red bird", "our teacher"],
               ["sees", "buys", "finds", "follows", "carries"],
               ["the house", "a green tree", "the little dog", "some bread", "the broken window"],
               ["today", "in the morning", "without a word", "again", "near the river"]),
    "target": (["der alte Mann", "ein kleines Kind", "meine Schwester", "der rote Vogel", "unsere Lehrerin"],
               ["sieht", "kauft", "findet", "verfolgt", "trägt"],
               ["das Haus", "einen grünen Baum", "den kleinen Hund", "etwas Brot", "das kaputte Fenster"],
               ["heute", "am Morgen", "ohne ein Wort", "schon wieder", "nahe am Fluss"]),
}
SENTENCES = [
    "the old man sees the house today.", "a small child buys some bread.", "my sister", "near the river",
    "the red bird follows the dog again.", "our teacher finds the broken window in the morning.",
    "grünen", "the 5 birds & a dog", "Überall trägt the man bread!", "漢字 again", "today.",
    "the old man carries the little dog again and again",
]


def make_pieces(directory, side, size):
    random.seed(1)
    everything = [" ".join(random.choice(words) for words in WORDS[side]) + "." for _ in range(300)]
    everything += [" ".join(random.sample(sum(WORDS[side], []), 2)) for _ in range(300)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(everything), model_writer=model, vocab_size=size, model_type="unigram",
        normalization_rule_name="identity", minloglevel=2, num_threads=1)
    (directory / f"{side}.spm").write_bytes(model.getvalue())
    pieces = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return [pieces.id_to_piece(i) for i in range(pieces.get_piece_size())
            if not pieces.is_control(i) and not pieces.is_unknown(i)]


def make_model(words, pad):
    torch.manual_seed(7)
    config = MarianConfig(
        vocab_size=words, d_model=8, encoder_layers=3, decoder_layers=2, encoder_attention_heads=2,
        decoder_attention_heads=4, encoder_ffn_dim=16, decoder_ffn_dim=12, activation_function="swish",
        scale_embedding=True, max_position_embeddings=64, pad_token_id=pad, eos_token_id=0, bos_token_id=0,
        decoder_start_token_id=pad, forced_eos_token_id=0, init_std=0.4)
    model = MarianMTModel(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.normal_(0, 0.1)
            if "layer_norm.weight" in name:
                parameter.uniform_(0.5, 1.5)
        model.model.shared.weight.normal_(0, 0.5)
        model.model.shared.weight[pad] = 0
        model.final_logits_bias.normal_(0, 0.2)
        model.final_logits_bias[0, pad] = 0
        for name, tensor in model.state_dict().items():
            if "embed_positions" not in name:
                tensor.copy_(tensor.half().float())  # so that the files, in float16, hold what is computed with
    model.generation_config = GenerationConfig(
        max_length=24, num_beams=4, bad_words_ids=[[pad]], pad_token_id=pad, eos_token_id=0, bos_token_id=0,
        decoder_start_token_id=pad, forced_eos_token_id=0, renormalize_logits=True)
    return model


def save_weights(model, name, directory):
    tensors = {key: value.half() for key, value in model.state_dict().items() if "embed_positions" not in key}
    if name == "never":
        tied = ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight")
        kept = {key: value.contiguous() for key, value in tensors.items() if key not in tied}
        save_file(kept, directory / f"{name}.safetensors", metadata={"format": "pt"})
    else:
        torch.save(tensors, directory / f"{name}.bin", _use_new_zipfile_serialization=name == "sometimes")


def last_log_probabilities(model, source, target, pad):
    """Of all words but <pad>, after this target."""
    decoder = torch.tensor([[pad] + target])
    with torch.no_grad():
        logits = model(torch.tensor([source]), decoder_input_ids=decoder).logits[0, -1]
    logits[pad] = -float("inf")
    return [round(value, 7) for value in torch.log_softmax(logits, -1).tolist()[:pad]]


def translations(model, source):
    with torch.no_grad():
        found = model.generate(torch.tensor([source]), num_return_sequences=4, return_dict_in_generate=True,
                               output_scores=True)
    pad = model.config.pad_token_id
    ids = [[word for word in sequence if word != pad] for sequence in found.sequences.tolist()]
    return {"ids": ids, "scores": [round(score, 7) for score in found.sequences_scores.tolist()]}


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    source, target = (set(make_pieces(directory, side, 62)) for side in ("source", "target"))
    missing = max(source - target, key=lambda piece: (len(piece), piece))
    vocabulary = ["</s>", "<unk>", *sorted((source | target) - {missing}, reverse=True), "<pad>"]
    pad = len(vocabulary) - 1
    write = lambda name, value: (directory / name).write_text(json.dumps(value, ensure_ascii=False) + "\n")
    write("vocab.json", {piece: number for number, piece in enumerate(vocabulary)})
    write("tokenizer_config.json", {"source_lang": "en", "target_lang": "de"})
    model = make_model(len(vocabulary), pad)
    model.config.save_pretrained(directory)
    model.generation_config.save_pretrained(directory)
    tokenizer = MarianTokenizer.from_pretrained(directory)
    random.seed(3)
    expected = {"sources": [], "log_probabilities": [], "variants": {}}
    for sentence in SENTENCES:
        expected["sources"].append({"text": sentence, "ids": tokenizer(sentence).input_ids})
    for name, bias in BIAS_OF_END.items():
        with torch.no_grad():
            model.final_logits_bias[0, 0] = bias
        save_weights(model, name, directory)
        expected["variants"][name] = [translations(model, source["ids"]) for source in expected["sources"]]
    for source in expected["sources"]:
        target = [random.randrange(2, pad) for _ in range(random.randrange(6))]
        expected["log_probabilities"].append(
            {"target": target, "values": last_log_probabilities(model, source["ids"], target, pad)})
    for variant in expected["variants"].values():
        for found in variant:
            found["texts"] = tokenizer.batch_decode(found["ids"], skip_special_tokens=True)
    write("expected.json", expected)


main()
