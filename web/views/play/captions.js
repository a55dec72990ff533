// What each moment of the animation shows, in words. `play` is described in scene.js.

import {number} from "../../core/format.js";
import {label} from "../../core/tokens.js";
import {text} from "../../strings/play.js";
import {heaviest} from "./attention.js";
import {hasPositionsBlock} from "./figure.js";

/** The caption of a moment. */
export function momentText(play, moment) {
  switch (moment.kind) {
    case "input":
      return inputText(play, moment);
    case "block":
      return blockText(play, moment);
    default:
      return writeText(play, moment.word);
  }
}

function inputText({sources, inputs}, {stack, word}) {
  if (word === undefined) return (hasPositionsBlock(stack) ? text.embedsWithPositions : text.embeds)(sources.length);
  return word === 0 ? text.begins : text.reads(inputs[word]);
}

function blockText(play, {stack, block, repeat, word}) {
  const {group, title, about, site, kind} = block;
  let where = group.part === "layer" ? text.inLayer(stack.title, group.first + repeat + 1, stack.layers) : stack.title;
  if (word !== undefined) where = text.forWord(word + 1, where);
  let more = "";
  if (site && word !== undefined) more = heaviestText(play, site, block.siteLayer(repeat), word);
  if (kind === "softmax" && word !== undefined) more = likeliestText(play, word);
  return text.blockNow(where, title, about) + more;
}

function heaviestText(play, site, layer, word) {
  const [first] = heaviest(play, site, layer, word, 4 * site.heads);
  if (!first) return "";
  const tokens = site.keys === "source" ? play.sources : play.inputs;
  return text.heaviest(first.head + 1, tokens[first.key], number(first.weight));
}

function likeliestText(play, word) {
  const best = play.wordsAt(word)?.words[0];
  return best ? text.likeliest(label(best.token), number(best.p)) : "";
}

function writeText(play, word) {
  const written = play.outputs[word];
  if (written === "</s>") return text.ends;
  const found = play.wordsAt(word);
  if (!found) return text.writes(word + 1, written);
  const sentence = found.rank === 0 ? text.writesLikeliest(word + 1, written, number(found.p))
    : text.writesOther(word + 1, written, number(found.p), found.rank + 1);
  return sentence + (play.hasSeveralPieces(word) ? text.firstPiece : "");
}
