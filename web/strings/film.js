// Texts of the view "Training".

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  noFilm: {
    en: "This model has no training film. “dragoman train --probe FILE” keeps the attention of the sentences of a " +
      "file at every checkpoint; this view then shows how it changed.",
    zh: "这个模型没有训练过程动画。用“dragoman train --probe FILE”训练，会在每个检查点保存文件中各句的注意力；这里就能显示它的变化。",
  },
  fetching: {en: "The film is being fetched.", zh: "正在获取训练过程动画。"},
  sentence: {en: "Sentence", zh: "句子"},
  checkpoint: {en: "Checkpoint", zh: "检查点"},
  checkpoints: {en: "Checkpoints", zh: "检查点"},
  colours: {
    en: "Colours show the square root of the weight, so that small weights are visible.",
    zh: "颜色表示权重的平方根，这样小的权重也看得见。",
  },
  frame: {
    en: (step, translation) => `Step ${step}: ${translation}`,
    zh: (step, translation) => `第 ${step} 步：${translation}`,
  },
  step: {en: (step) => `Step ${step}`, zh: (step) => `第 ${step} 步`},
  nothing: {en: "(nothing)", zh: "（空）"},
  entropy: {en: (bits) => `Entropy of this head: ${bits} bits`, zh: (bits) => `这个头的熵：${bits} 比特`},
  unit: {en: "training step", zh: "训练步数"},
  attention: {
    en: (head, pairs) => `Attention of head ${head}: ${pairs.join(", ")}`,
    zh: (head, pairs) => `第 ${head} 头的注意力：${pairs.join("，")}`,
  },
  looksMostAt: {en: (query, key) => `${query} looks most at ${key}`, zh: (query, key) => `${query} 最关注 ${key}`},
});
