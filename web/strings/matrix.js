// Texts of the view "Matrix".

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  shows: {en: "the weights of one head", zh: "一个注意力头的权重"},
  why: {en: "Why this weight?", zh: "这个权重怎么来的？"},
  cellSize: {en: "Cell size", zh: "单元格大小"},
  note: {
    en: (entropy, distance, peak) => `Rows are queries and add up to 1; columns are keys. Mean entropy ${entropy} ` +
      `bits, mean distance ${distance} tokens, mean largest weight ${peak}.`,
    zh: (entropy, distance, peak) => `行是查询，每行之和为 1；列是键。平均熵 ${entropy} 比特，平均距离 ${distance} 个词元，` +
      `平均最大权重 ${peak}。`,
  },
  enlarge: {
    en: "The cells are too small for numbers; make them larger with “Cell size”.",
    zh: "单元格太小，写不下数字；可用“单元格大小”放大。",
  },
  maskedInTarget: {
    en: "Grey cells are masked: words that were not written yet.",
    zh: "灰色单元格被掩码：那些词当时还没有写出。",
  },
  maskedInSource: {
    en: "Grey cells are masked: words that come later.",
    zh: "灰色单元格被掩码：那些词在后面。",
  },
  point: {
    en: "Point at a cell for its weight; click or use the arrow keys to choose one.",
    zh: "指向单元格看权重；单击或用方向键选择一个。",
  },
});
