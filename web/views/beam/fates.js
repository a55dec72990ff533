// Why a candidate of a search lived, ended or died, and why the search ended, in words. `limit` is {most, asked, stop}:
// how many tokens the search may write, how many results it is to find, and its rule for stopping.

import {number} from "../../core/format.js";
import {lengthPenalty} from "../../core/search_tree.js";
import {label} from "../../core/tokens.js";
import {text as strings} from "../../strings/beam.js";

/** One or two sentences on what became of a node. */
export function fateOf(tree, node, limit) {
  if (node.fate === "crowded out") return crowdedOutText(tree, node);
  if (node.fate === "beaten") return strings.beaten(tree.places);
  if (node.fate === "finished") return finishedText(tree, node);
  if (node.children.some(goesOn)) return node.winner ? strings.won : livesOnText(tree, node);
  if (node.step === tree.steps.length - 1) return stoppedText(tree, node, limit);
  return diedText(tree, node);
}

const goesOn = (node) => node.rank >= 0 || node.fate === "finished";

// The last candidate that stayed in the beam at a step.
const lastInBeam = (tree, step) => (tree.steps[step] ?? []).filter((node) => node.rank >= 0).at(-1);

function crowdedOutText(tree, node) {
  const last = lastInBeam(tree, node.step);
  if (!last) return strings.crowdedOut;
  return strings.crowdedOutBy(tree.places, label(last.token), number(last.score), number(node.score));
}

function finishedText(tree, node) {
  const rank = tree.ended.indexOf(node);
  if (rank === 0) return strings.finishedFirst;
  if (rank > 0) return strings.finishedLater(rank + 1, number(tree.best.score), number(node.score));
  return strings.displaced((node.displaced ?? node.step) + 1, tree.places);
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
  if (ended) return strings.descendantEnded;
  if (last === tree.steps.length - 1) return strings.livedToTheEnd;
  return strings.livedUntil(last + 1);
}

function diedText(tree, node) {
  const next = tree.steps[node.step + 1] ?? [];
  if (next.length === 0) return strings.noNextWord;
  const [last, own] = [lastInBeam(tree, node.step + 1), node.children[0]];
  if (own && last) {
    return strings.diedAgainst(label(own.token), number(own.score), label(last.token), number(last.score));
  }
  return strings.died(next.length, number(next.at(-1).score));
}

function stoppedText(tree, node, limit) {
  if (node === tree.best) return strings.limitReached;
  const last = tree.ended[(limit?.asked ?? 1) - 1];
  const divisor = lengthPenalty(tree.norm, limit?.most ?? 0);
  const most = node.logp / divisor;
  if (!last || !limit?.most || last.score <= most) return strings.alive;
  const rival = last === tree.best ? strings.winner : strings.place(limit.asked);
  return strings.hopeless(
    number(node.logp), number(divisor), number(most), limit.most, rival, number(last.score));
}

/** Why the search ended when it did. */
export function stopText(tree, limit) {
  const count = tree.steps.length;
  if (!tree.living.length) return strings.allEnded(count);
  const last = tree.ended[(limit?.asked ?? 1) - 1];
  if (limit?.stop === "beam" && tree.ended.length >= tree.places) return strings.beamEnded(count, tree.places);
  if (!last || count >= limit.most) return strings.atLimit(count);
  if (limit.rules !== "paper") return strings.byRules(count, limit.rules);
  const most = Math.max(...tree.living.map(({logp}) => logp)) / lengthPenalty(tree.norm, limit.most);
  const rival = limit.asked > 1 ? strings.placeOfEnded(limit.asked) : strings.bestEnded;
  return strings.noneCanWin(count, number(most), rival, number(last.score));
}
