// The bars as a picture for export.

import {number} from "../../core/format.js";
import {label} from "../../core/tokens.js";
import {colour} from "../../parts/colours.js";
import {svg, svgSheet} from "../../parts/elements.js";

const [margin, row, words, bars] = [16, 26, 150, 360];  // pixels: the margin, a row's height, and two columns' widths

/** `title` stands above the bars of a position, see core/next_words.js. */
export function picture(title, {id: chosen, words: likeliest}) {
  const height = 2 * margin + row * (likeliest.length + 1);
  const lines = likeliest.map(({token, id, p}, i) => {
    const y = margin + row * (i + 1);
    const weight = id === chosen ? "bold" : "normal";
    return svg("g", {},
      svg("text", {x: margin + words - 8, y: y + 17, "text-anchor": "end", "font-size": 14, "font-weight": weight,
        fill: colour("--ink")}, label(token)),
      svg("rect", {x: margin + words, y: y + 4, width: bars, height: row - 8, fill: colour("--sunk")}),
      svg("rect", {x: margin + words, y: y + 4, width: Math.max(1, bars * p), height: row - 8,
        fill: colour(id === chosen ? "--accent" : "--edge")}),
      svg("text", {x: margin + words + bars + 8, y: y + 17, "font-size": 12, fill: colour("--soft")}, number(p)));
  });
  return svgSheet(2 * margin + words + bars + 60, height,
    svg("text", {x: margin, y: margin + 14, "font-size": 15, fill: colour("--ink")}, title), ...lines);
}
