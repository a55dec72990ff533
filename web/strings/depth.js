// Texts of the view "Steps".

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  shows: {en: "the steps of each word", zh: "每个词的步数"},
  none: {en: "This translation was made without its steps.", zh: "这个译文没有记录步数。"},
  source: {en: "Source", zh: "原文"},
  target: {en: "Translation", zh: "译文"},
  token: {en: "Word", zh: "词"},
  steps: {en: "Steps", zh: "步数"},
  mean: {
    en: (mean) => `${mean} ${mean === "1" ? "step" : "steps"} on average`,
    zh: (mean) => `平均 ${mean} 步`,
  },
  note: {
    en: "Each word stops by itself. A bar is as long as the word took steps; its light end is what was left of the " +
      "word’s weight when it stopped.",
    zh: "每个词自行决定何时停下。条的长度是它走的步数；末端浅色部分是停下时剩余的权重。",
  },
});
