// The traced weight as one picture, for export: query, key and products, the equation's numbers, the row of weights.

import {number, svg} from "dragoman/draw.js";
import {shortest32} from "dragoman/equation.js";
import {stripPicture} from "dragoman/strip.js";

const [width, top, line] = [760, 240, 20];

/** `listed` are the keys whose weights are drawn. */
export function whyPicture(trace, listed) {
  const {labels, chosen, keys} = trace;
  const head = `${trace.attention}, layer ${trace.layer + 1}, head ${trace.head + 1}`;
  const words = `how much “${labels.queries[trace.query]}” looks at “${labels.keys[trace.key]}”`;
  const sum = `q · k = ${number(chosen.dot, 4)};  ÷ √${trace.d} = ${number(chosen.scaled, 4)}`;
  const softmax = `softmax: ${number(chosen.exp, 4)} / ${number(trace.sum, 4)} = ${number(chosen.weight, 6)}`;
  const height = top + listed.length * line + 12;
  const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height});
  const text = (x, y, content, anchor) => svg("text", {x, y, class: "label", "text-anchor": anchor}, content);
  picture.append(text(8, 20, `${head}: ${words}`),
    text(8, 40, `${sum};  ${softmax};  recorded: ${shortest32(trace.recorded)}`));
  const strip = stripPicture(trace, width - 16, null);
  strip.setAttribute("x", 8);
  strip.setAttribute("y", 52);
  picture.append(strip);
  listed.forEach((j, at) => {
    const {weight} = keys[j];
    const y = top + at * line;
    picture.append(text(120, y + 14, labels.keys[j], "end"),
      svg("rect", {x: 130, y: y + 4, width: Math.max(0.5, 500 * weight), height: 12,
        class: j === trace.key ? "bar-plus" : "bar-plain"}),
      text(138 + 500 * weight, y + 14, number(weight, 4)));
  });
  return picture;
}
