// The moments of a translation in order: the stacks of the source, block by block and with all words at once; then for
// each word of the translation its stacks, and the word itself.

/**
 * A moment is {kind, stack?, block?, repeat?, word?}:
 *   "input"  the blocks of a stack's input, together; with `word` the decoder reads that word
 *   "block"  one block; `repeat` counts the layers of its group from 0
 *   "write"  the word is written
 */
export function momentsOf({inOrder}, words) {
  const moments = [];
  for (const stack of inOrder) if (stack.tokens === "source") addStack(moments, stack);
  for (let word = 0; word < words; ++word) {
    for (const stack of inOrder) if (stack.tokens === "target") addStack(moments, stack, word);
    moments.push({kind: "write", word});
  }
  return moments;
}

function addStack(moments, stack, word) {
  moments.push({kind: "input", stack, word});
  for (const group of stack.groups) {
    if (group.part === "input") continue;
    for (let repeat = 0; repeat < group.count; ++repeat) {
      for (const block of group.blocks) moments.push({kind: "block", stack, block, repeat, word});
    }
  }
}

// Milliseconds at speed 1.
const durations = {
  attention: 800, "feed-forward": 320, recurrent: 500, convolution: 500, linear: 220, softmax: 900, input: 600,
  write: 500,
};
const otherDuration = 170;

/** The duration of a moment. The first word takes its time, the second less, and the others pass quickly. */
export function durationOf({kind, block, word}) {
  const base = durations[kind === "block" ? block.kind : kind] ?? otherDuration;
  return base * (!word ? 1 : word === 1 ? 0.6 : 0.3);
}

/**
 * What is going on in a block at a moment: {state, share, repeat}. `state` is "waiting", "active" or "done"; `share` is
 * the part of the block's time that has passed, and `repeat` the layer of its group that was computed last.
 */
export function activityOf(block, moment, t) {
  const last = block.group.count - 1;
  if (moment.kind === "write") return {state: "done", share: 1, repeat: last};
  if (moment.kind === "input") {
    if (block.stack === moment.stack && block.group.part === "input") return inputActivity(block, t);
    return isBefore(block, moment) ? {state: "done", share: 1, repeat: last} : {state: "waiting", share: 0, repeat: 0};
  }
  if (block === moment.block) return {state: "active", share: t, repeat: moment.repeat};
  if (block.group === moment.block.group) {
    const isDone = block.order < moment.block.order;
    return {state: isDone ? "done" : "waiting", share: Number(isDone), repeat: moment.repeat};
  }
  const isDone = block.order < moment.block.order;
  return {state: isDone ? "done" : "waiting", share: Number(isDone), repeat: isDone ? last : 0};
}

// The blocks of an input follow each other within one moment.
function inputActivity(block, t) {
  const {blocks} = block.group;
  const share = Math.min(1, Math.max(0, t * blocks.length - blocks.indexOf(block)));
  const isLast = block === blocks.at(-1);
  return {state: share === 0 && t < 1 ? "waiting" : share < 1 || isLast ? "active" : "done", share, repeat: 0};
}

const isBefore = (block, {stack}) => block.stack !== stack && block.order < (stack.groups[0]?.blocks[0].order ?? 0);
