// Where the animation draws encoder and decoder.

const labelHeight = 78;  // pixels for slanted words
const gap = 40;          // between encoder and decoder

/**
 * The layout of a picture of this width. `size` is {sources, targets, encoderLayers, decoderLayers}. The encoder is at
 * the bottom left and the decoder at the top right, so that lines to the source cross nothing else. If there is no room
 * for both, they are stacked: the decoder is right above the encoder.
 */
export function layoutOf(size, width) {
  const {sources, targets, encoderLayers, decoderLayers} = size;
  const wide = width >= 900;
  const pad = wide ? 30 : 14;
  const {stacked, column} = columnsOf(size, width, wide, pad);
  const rows = Math.max(1, decoderLayers + encoderLayers - (stacked ? 0 : 0.5));
  const row = Math.max(34, Math.min(64, (wide ? 470 : 400) / rows));
  // How far the decoder's lowest row is above the encoder's.
  const raised = stacked ? encoderLayers * row + labelHeight + 24 : Math.max(0, encoderLayers - 0.5) * row;
  const height = 24 + labelHeight + decoderLayers * row + raised + labelHeight;
  const bottom = height - labelHeight;
  const decoderX = stacked ? pad : pad + sources * column + gap;
  const columns = stacked ? Math.max(sources, targets) : sources + targets;
  const places = {
    encoder: (layer, at) => ({x: pad + (at + 0.5) * column, y: bottom - layer * row}),
    decoder: (layer, at) => ({x: decoderX + (at + 0.5) * column, y: bottom - raised - layer * row}),
  };
  return {
    ...places, column, height, angle: column >= 56 ? 0 : column < 22 ? 70 : 50,
    names: namesOf(size, places, {pad, decoderX, stacked, wide}),
    width: Math.max(width, 2 * pad + (stacked ? 0 : gap) + columns * column + 20),
  };
}

function columnsOf({sources, targets}, width, wide, pad) {
  const together = (width - 2 * pad - gap) / (sources + targets);
  const stacked = together < (wide ? 20 : 24);
  const room = stacked ? (width - 2 * pad) / Math.max(sources, targets) : together;
  return {stacked, column: Math.min(64, Math.max(stacked && !wide ? 16.5 : 20, room))};
}

// The names of the stacks and, in a wide picture, the numbers of the layers.
function namesOf({targets, encoderLayers, decoderLayers}, {encoder, decoder}, {pad, decoderX, stacked, wide}) {
  const names = [{x: pad, y: encoder(encoderLayers, 0).y - 24, text: "Encoder"},
    {x: decoderX, y: decoder(decoderLayers, 0).y - labelHeight - 10, text: "Decoder"}];
  if (!wide) return names;
  for (let layer = 1; layer <= encoderLayers; ++layer) {
    names.push({x: pad - 14, y: encoder(layer, 0).y, text: String(layer)});
  }
  for (let layer = 1; layer <= decoderLayers; ++layer) {
    const x = stacked ? pad - 14 : decoder(layer, targets - 0.5).x + 8;
    names.push({x, y: decoder(layer, 0).y, text: String(layer)});
  }
  return names;
}
