// Why a candidate of a search lived, ended or died, and why the search ended, in words. `limit` is {most, asked, stop}:
// how many tokens the search may write, how many results it is to find, and its rule for stopping.

import {number} from "../../core/format.js";
import {lengthPenalty} from "../../core/search_tree.js";
import {label} from "../../core/tokens.js";

/** One or two sentences on what became of a node. */
export function fateOf(tree, node, limit) {
  if (node.fate === "crowded out") return crowdedOutText(tree, node);
  if (node.fate === "beaten") {
    return `Beaten: it ended the sentence, but ${tree.places} hypotheses that had ended before it score better.`;
  }
  if (node.fate === "finished") return finishedText(tree, node);
  if (node.children.some(goesOn)) return node.winner ? "Lives on: it became the translation." : livesOnText(tree, node);
  if (node.step === tree.steps.length - 1) return stoppedText(tree, node, limit);
  return diedText(tree, node);
}

const goesOn = (node) => node.rank >= 0 || node.fate === "finished";

// The last candidate that stayed in the beam at a step.
const lastInBeam = (tree, step) => (tree.steps[step] ?? []).filter((node) => node.rank >= 0).at(-1);

function crowdedOutText(tree, node) {
  const last = lastInBeam(tree, node.step);
  if (!last) return "Crowded out: better ones filled the beam.";
  return `Crowded out: ${tree.places} better continuations filled the beam. The last of them, ` +
    `“${label(last.token)}”, scored ${number(last.score)}; this one scored ${number(node.score)}.`;
}

function finishedText(tree, node) {
  const rank = tree.ended.indexOf(node);
  if (rank === 0) return "Ended the sentence. No other hypothesis that ended scores better, so it is the translation.";
  if (rank > 0) {
    return `Ended the sentence, in place ${rank + 1} of those that did. The winner scored ` +
      `${number(tree.best.score)}, this one ${number(node.score)}.`;
  }
  const step = (node.displaced ?? node.step) + 1;
  return `Ended the sentence, but by step ${step} better ones had taken all ${tree.places} places.`;
}

function livesOnText(tree, node) {
  let last = node.step;
  let ended = false;
  const stack = [node];
  while (stack.length > 0) {
    const at = stack.pop();
    last = Math.max(last, at.step);
    ended ||= at.fate === "finished";
    stack.push(...at.children.filter(goesOn));
  }
  if (ended) return "Lives on: a hypothesis that goes through it ended, but did not win.";
  if (last === tree.steps.length - 1) return "Lives on to the last step of the search, but did not win.";
  return `Lives on until step ${last + 1}; then none of its continuations was among the best.`;
}

function diedText(tree, node) {
  const next = tree.steps[node.step + 1] ?? [];
  if (next.length === 0) return "The search ended here: the settings allowed no next word.";
  const [last, own] = [lastInBeam(tree, node.step + 1), node.children[0]];
  if (own && last) {
    return `Died at the next step: its best continuation, “${label(own.token)}”, scored ${number(own.score)}, ` +
      `and the last place of the beam went to “${label(last.token)}” with ${number(last.score)}.`;
  }
  return `Died at the next step: none of its continuations was among the best ${next.length}, the last of which ` +
    `scored ${number(next.at(-1).score)}.`;
}

function stoppedText(tree, node, limit) {
  if (node === tree.best) {
    return "The length limit was reached before the sentence ended. This was the best hypothesis.";
  }
  const last = tree.ended[(limit?.asked ?? 1) - 1];
  const divisor = lengthPenalty(tree.norm, limit?.most ?? 0);
  const most = node.logp / divisor;
  if (!last || !limit?.most || last.score <= most) return "Alive when the search stopped.";
  const rival = last === tree.best ? "the winner" : `place ${limit.asked}`;
  return "Alive when the search stopped. Log-probabilities only fall, so its score could become at most " +
    `${number(node.logp)} / ${number(divisor)} = ${number(most)} (at ${limit.most} tokens, the longest allowed), but ` +
    `${rival} has ${number(last.score)}.`;
}

/** Why the search ended when it did. */
export function stopText(tree, limit) {
  const count = tree.steps.length;
  const steps = `The search ended after ${count} ${count === 1 ? "step" : "steps"}`;
  if (!tree.living.length) return `${steps}: every hypothesis had ended.`;
  const last = tree.ended[(limit?.asked ?? 1) - 1];
  if (limit?.stop === "beam" && tree.ended.length >= tree.places) {
    return `${steps}: ${tree.places} hypotheses had ended, as many as the beam is wide.`;
  }
  if (!last || count >= limit.most) return `${steps}, at the length limit.`;
  const most = Math.max(...tree.living.map(({logp}) => logp)) / lengthPenalty(tree.norm, limit.most);
  const rival = limit.asked > 1 ? `place ${limit.asked} of those that had ended` : "the best that had ended";
  return `${steps}, because no living hypothesis could win any more: the best of them could score at most ` +
    `${number(most)}, and ${rival} has ${number(last.score)}.`;
}
