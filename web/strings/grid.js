// Texts of the view "Grid".

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  shows: {en: "all layers and heads as small pictures", zh: "所有层和所有注意力头的缩略图"},
  note: {
    en: "Rows of a thumbnail are queries, columns are keys; the stronger the colour, the larger the weight. Below it " +
      "are the number of the head and the mean entropy of its rows in bits. Click a thumbnail to enlarge it; the " +
      "switch takes the head out of the model.",
    zh: "缩略图的行是查询，列是键；颜色越深，权重越大。下面是头的编号和各行的平均熵（比特）。单击缩略图放大；开关可以把这个头从模型中去掉。",
  },
  partial: {
    en: "This sentence is long, so layers are fetched one by one. Click an empty thumbnail to fetch its layer.",
    zh: "句子较长，所以逐层获取。单击空白的缩略图，获取它所在的层。",
  },
  layer: {en: (layer) => `Layer ${layer}`, zh: (layer) => `第${layer}层`},
  takesPart: {
    en: (head) => `${head} takes part in the computation`,
    zh: (head) => `${head}参与计算`,
  },
  enlarge: {
    en: (head, entropy) => `Enlarge ${head}, mean entropy ${entropy} bits`,
    zh: (head, entropy) => `放大${head}，平均熵 ${entropy} 比特`,
  },

  // One head, enlarged
  close: {en: "Close", zh: "关闭窗口"},
  facts: {
    en: (entropy, distance, peak) => `Mean entropy ${entropy} bits · mean distance ${distance} · mean largest weight ` +
      peak,
    zh: (entropy, distance, peak) => `平均熵 ${entropy} 比特 · 平均距离 ${distance} · 平均最大权重 ${peak}`,
  },
  switchOn: {en: "Switch on", zh: "打开这个头"},
  switchOff: {en: "Switch off", zh: "关闭这个头"},
  previousHead: {en: "‹ Head", zh: "‹ 头"},
  previousHeadLabel: {en: "Previous head", zh: "上一个头"},
  nextHead: {en: "Head ›", zh: "头 ›"},
  nextHeadLabel: {en: "Next head", zh: "下一个头"},
  previousLayer: {en: "‹ Layer", zh: "‹ 层"},
  previousLayerLabel: {en: "Previous layer", zh: "上一层"},
  nextLayer: {en: "Layer ›", zh: "层 ›"},
  nextLayerLabel: {en: "Next layer", zh: "下一层"},
  matrix: {en: "Matrix", zh: "矩阵"},
  matrixLabel: {en: "Show in Matrix", zh: "在“矩阵”中显示"},
  lines: {en: "Lines", zh: "连线"},
  linesLabel: {en: "Show alone in Heads", zh: "在“注意力头”中单独显示"},
});
