// Texts of the view "Positions".

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  learned: {
    en: "These encodings were learned, like the embeddings (row E of the paper's Table 3); no formula gives them.",
    zh: "这些编码是学出来的，和词嵌入一样（论文表 3 的 E 行），没有公式。",
  },
  sinusoid: {
    en: "The table is added to the embeddings and tells the model where a word stands. None of it was learned " +
      "(Section 3.5). The first sines and cosines change quickly from position to position, the last ones slowly.",
    zh: "这张表加到词嵌入上，让模型知道词的位置。它不是学出来的（论文第 3.5 节）。前面的正弦和余弦随位置变化快，后面的变化慢。",
  },
  asInModel: {en: "As in the model", zh: "与模型一致"},
  apart: {en: "Sines, then cosines", zh: "先正弦，后余弦"},
  columns: {en: "Columns", zh: "列"},
  fetching: {en: "The position encodings are being fetched.", zh: "正在获取位置编码。"},
  picture: {
    en: (kind, rows, columns) => `Position encodings${kind ? ` (${kind})` : ""}: ${rows} positions × ${columns} ` +
      "dimensions",
    zh: (kind, rows, columns) => `位置编码${kind ? `（${kind}）` : ""}：${rows} 个位置 × ${columns} 维`,
  },
  mapName: {
    en: "Position encodings, positions down, dimensions across",
    zh: "位置编码，纵向是位置，横向是维度",
  },
  cell: {
    en: (position, dimension, value) => `Position ${position}, dimension ${dimension}: ${value}`,
    zh: (position, dimension, value) => `位置 ${position}，维度 ${dimension}：${value}`,
  },
  table: {
    en: "The table: a row for each position, a column for each dimension",
    zh: "位置编码表：每行一个位置，每列一个维度",
  },
  notInFile: {en: "There are no position encodings in this file.", zh: "这个文件里没有位置编码。"},
  none: {en: "This model has no position encodings.", zh: "这个模型没有位置编码。"},
  noneSeen: {
    en: "This model has no position encodings: it does not see the order of the words.",
    zh: "这个模型没有位置编码：它看不到词的顺序。",
  },
  acrossApart: {
    en: (rows) => `Left to right: even dimensions (sines), then odd ones (cosines); from the top: positions 0 to ` +
      `${rows}. Blue is above 0, orange below.`,
    zh: (rows) => `从左到右：先是偶数维（正弦），再是奇数维（余弦）；从上到下：位置 0 到 ${rows}。蓝色大于 0，橙色小于 0。`,
  },
  across: {
    en: (columns, rows) => `Left to right: dimensions 0 to ${columns}; from the top: positions 0 to ${rows}. Blue is ` +
      "above 0, orange below.",
    zh: (columns, rows) => `从左到右：维度 0 到 ${columns}；从上到下：位置 0 到 ${rows}。蓝色大于 0，橙色小于 0。`,
  },

  // The chosen cell
  chosen: {
    en: (position, dimension) => `Position ${position}, dimension ${dimension}`,
    zh: (position, dimension) => `位置 ${position}，维度 ${dimension}`,
  },
  chosenWord: {
    en: (position, word, dimension) => `Position ${position} (“${word}” of your sentence), dimension ${dimension}`,
    zh: (position, word, dimension) => `位置 ${position}（你句子里的“${word}”），维度 ${dimension}`,
  },
  overPositions: {
    en: (dimension) => `Dimension ${dimension} over the positions`,
    zh: (dimension) => `维度 ${dimension} 随位置的变化`,
  },
  similar: {
    en: (position) => `How similar position ${position} is to the others`,
    zh: (position) => `位置 ${position} 与其他位置有多相似`,
  },
  unit: {en: "position", zh: "位置"},
  withItself: {en: (value) => `${value} with itself`, zh: (value) => `与自身 ${value}`},
  oneLater: {en: (value) => `${value} one position later`, zh: (value) => `与后 1 个位置 ${value}`},
  tenLater: {en: (value) => `${value} ten positions later`, zh: (value) => `与后 10 个位置 ${value}`},
  dotProduct: {
    en: (products) => `The dot product of their rows: ${products.join(", ")}.`,
    zh: (products) => `两行的点积：${products.join("，")}。`,
  },
  distanceOnly: {en: "It depends only on the distance.", zh: "它只取决于距离。"},
  learnedCell: {en: "Learned in training.", zh: "训练中学得。"},
  inTable: {
    en: (value, length) => `In the model's table: ${value}. This column repeats every ${length} positions.`,
    zh: (value, length) => `模型表中的值：${value}。这一列每 ${length} 个位置重复一次。`,
  },
});
