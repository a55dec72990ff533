// Where the animation draws the stacks and blocks: side by side, from the bottom to the top, as in Figure 1.

const bars = 7;  // rows of the distribution: six words, and all others

// Sizes in pixels for a wide and for a narrow picture.
const wideSizes = {
  pad: 16, between: 96, column: 540, outer: 30, inner: 14, gap: 13, box: 27, attention: 82, labels: 74, angle: 45,
  frame: 12, head: 20, bar: 17, font: 13, isNarrow: false,
};
const narrowSizes = {
  pad: 2, between: 26, column: 300, outer: 17, inner: 6, gap: 10, box: 24, attention: 72, labels: 66, angle: 62,
  frame: 9, head: 18, bar: 15, font: 11, isNarrow: true,
};

const leastShare = 0.68;     // of the heights above, if the picture must be low
const leastAttention = 56;   // pixels: the title of an attention block, and two rows of dots with curves between them

// The sizes of a picture that is lower: heights of boxes and gaps are this share of the usual ones.
function lowered(sizes, share) {
  const [gap, box, attention, bar] = [sizes.gap, sizes.box, sizes.attention, sizes.bar].map((size) => size * share);
  return {...sizes, gap, box, attention: Math.max(leastAttention, attention), bar: Math.max(sizes.font, bar)};
}

/** The layout of a picture of this width, see below. If possible it is not higher than `room`. */
export function layoutOf(figure, counts, width, room = Infinity) {
  const sizes = width >= 760 ? wideSizes : narrowSizes;
  const usual = placed(figure, counts, width, sizes);
  if (usual.height <= room) return usual;
  const lowest = placed(figure, counts, width, lowered(sizes, leastShare));
  const between = Math.max(0, (room - lowest.height) / (usual.height - lowest.height));
  return placed(figure, counts, width, lowered(sizes, leastShare + (1 - leastShare) * between));
}

/**
 * The layout of a picture of this width. `counts` is {source, target}: the numbers of tokens. Gives
 *   width, height, font (the size of texts)
 *   rects      a Map from each block to its {x, y, w, h}
 *   places     a Map from each stack to its place, see below
 *   output     {text, bars}: the rectangles of the written words and of the distribution; null without a softmax
 */
function placed({stacks, blocks}, counts, width, sizes) {
  const count = Math.max(1, stacks.length);
  const column = Math.min(sizes.column, (width - 2 * sizes.pad - (count - 1) * sizes.between) / count);
  const left = (width - count * column - (count - 1) * sizes.between) / 2;
  const layout = {width, font: sizes.font, bar: sizes.bar, rects: new Map(), places: new Map(), output: null};
  stacks.forEach((stack, i) => {
    const isLeft = i < count / 2 && count > 1;
    const place = placeOf(left + i * (column + sizes.between), column, isLeft, counts[stack.tokens], sizes);
    layout.places.set(stack, place);
    stackUp(layout, stack, place, sizes);
  });
  const softmax = blocks.filter(({kind}) => kind === "softmax").at(-1);
  if (softmax) layout.output = outputAbove(layout, softmax, sizes);
  shiftDown(layout, sizes);
  return layout;
}

// The place of a stack: its column {x, w}, its boxes {boxX, boxW}, the side of its residual connections (`outer`: -1
// for left), and the x of each token, lane(i). Its frames, `top` and `bottom` are added when it is stacked up.
function placeOf(x, w, isLeft, tokens, {outer, inner, angle}) {
  const boxX = x + (isLeft ? outer : inner);
  const boxW = w - outer - inner;
  const step = Math.min(62, (boxW - 16) / Math.max(1, tokens));
  const begin = boxX + (boxW - step * tokens) / 2;
  return {
    x, w, boxX, boxW, middle: boxX + boxW / 2, outer: isLeft ? -1 : 1, step, frames: [], bottom: 0,
    angle: step >= 58 ? 0 : step < 20 ? Math.max(angle, 62) : angle, lane: (i) => begin + (i + 0.5) * step,
  };
}

// Places the blocks of a stack. y is 0 at the bottom and negative above it until shiftDown().
function stackUp(layout, stack, place, sizes) {
  const {boxX, boxW, x, w} = place;
  let y = -sizes.labels;
  place.bottom = y;
  for (const group of stack.groups) {
    const isLayer = group.part === "layer";
    const below = y - sizes.gap;
    if (isLayer) y -= sizes.gap + sizes.frame - 4;
    for (const block of group.blocks) {
      const h = block.kind === "attention" ? sizes.attention : sizes.box;
      y -= sizes.gap + h;
      layout.rects.set(block, {x: boxX, y, w: boxW, h});
    }
    if (!isLayer) continue;
    y -= sizes.head;
    place.frames.push({group, x, y, w, h: below - y});
  }
  place.top = y - sizes.gap;
  // The tokens of the output, which other stacks read.
  if (stack.read) place.top -= 4;
}

// The output is as wide as the boxes below it. In a narrow picture it also takes the free place above other stacks.
function outputAbove({places, rects}, softmax, sizes) {
  const place = places.get(softmax.stack);
  const h = (bars + 1) * sizes.bar + 6;
  const y = rects.get(softmax).y - sizes.gap - h;
  const line = sizes.font + 14;
  const others = [...places.values()].filter((other) => other !== place && other.x < place.x);
  const isFree = sizes.isNarrow && others.every(({top}) => top - 2 * sizes.font > y + h);
  const x = Math.min(place.boxX, ...(isFree ? others.map((other) => other.boxX) : []));
  const w = place.boxX + place.boxW - x;
  return {bars: {x, y, w, h, rows: bars}, text: {x, y: y - sizes.gap - line, w, h: line}};
}

// Moves everything down so that the highest part is at the top of the picture.
function shiftDown(layout, {font}) {
  const {rects, places, output} = layout;
  const highest = Math.min(0, ...[...rects.values(), ...(output ? [output.text] : [])].map(({y}) => y),
    ...[...places.values()].map(({top}) => top - font - 8));
  layout.height = 8 - highest;
  const shift = layout.height - 2;
  for (const rect of [...rects.values(), ...(output ? Object.values(output) : [])]) rect.y += shift;
  for (const place of places.values()) {
    place.top += shift;
    place.bottom += shift;
    for (const frame of place.frames) frame.y += shift;
  }
}
