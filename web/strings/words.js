// Texts of the view "Next word".

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  shows: {en: "the words that the model considered", zh: "模型考虑过的词"},
  probability: {en: "probability", zh: "概率"},
  otherWords: {en: "all other words", zh: "其他所有词"},
  fetching: {en: "The words are being fetched.", zh: "正在获取候选词。"},
  positions: {en: "Position in the translation", zh: "译文中的位置"},
  position: {
    en: (position, p) => `Position ${position}: probability ${p}`,
    zh: (position, p) => `位置 ${position}：概率 ${p}`,
  },
  release: {en: "Back to the model’s own translation", zh: "恢复模型自己的译文"},
  atBeginning: {en: "At the beginning", zh: "在开头"},
  after: {en: (words) => `After “${words}”`, zh: (words) => `在“${words}”之后`},
  modelConsidered: {en: (where) => `${where} the model considered`, zh: (where) => `${where}，模型考虑的词`},
  layerSays: {
    en: (where, layer) => `${where} layer ${layer} would say`,
    zh: (where, layer) => `${where}，第 ${layer} 层会选的词`,
  },
  isLikeliest: {en: "The translation has the likeliest word here.", zh: "译文在这里用的正是概率最高的词。"},
  isOther: {
    en: (rank, p) => `The translation has number ${rank} here, with probability ${p}: a search looks for the best ` +
      "whole translation, not for the likeliest next word.",
    zh: (rank, p) => `译文在这里用的是第 ${rank} 名，概率 ${p}：搜索要找的是整句最好的译文，而不是概率最高的下一个词。`,
  },
  lens: {en: "Logit lens", zh: "Logit lens（逐层预测）"},
  lensNote: {
    en: "The logit lens: the words that each layer of the decoder would have chosen if it were the last. The state " +
      "after the layer goes through the model’s own output projection. The last layer is the model itself. " +
      "Darker cells are more certain, and a frame means that the layer already has the word of the translation.",
    zh: "Logit lens：如果解码器的某一层就是最后一层，它会选哪个词。该层之后的状态直接经过模型自己的输出投影；最后一层就是模型本身。颜色越深，把握越大；有边框表示该层已经选出译文中的词。",
  },
  lensCaption: {en: "The likeliest word of each layer and position", zh: "每一层、每个位置概率最高的词"},
  layer: {en: "Layer", zh: "层"},
  lensCell: {
    en: (layer, word, p, rank, own) => `Layer ${layer}: ${word} with probability ${p}; the word of the translation is ` +
      `number ${rank}, with probability ${own}`,
    zh: (layer, word, p, rank, own) => `第 ${layer} 层：${word}，概率 ${p}；译文中的词排第 ${rank}，概率 ${own}`,
  },
  bar: {en: (word, p) => `${word}, probability ${p}`, zh: (word, p) => `${word}，概率 ${p}`},
  chosenBar: {
    en: (word, p) => `${word}, probability ${p}, in the translation`,
    zh: (word, p) => `${word}，概率 ${p}，译文用的词`,
  },
  forceNote: {
    en: "Click another word to put it here; the model then writes the rest.",
    zh: "点击另一个词，把它放在这里，其余由模型续写。",
  },
  force: {en: "Put this word here; the model writes the rest", zh: "把这个词放在这里，其余由模型续写"},
  forceBar: {en: (bar) => `${bar}. Put it here`, zh: (bar) => `${bar}。放在这里`},
  temperature: {en: (value) => `Temperature: ${value}`, zh: (value) => `温度：${value}`},
  temperatureIsOne: {en: "Temperature: 1, as the model computes", zh: "温度：1，即模型算出的概率"},
  temperatureNote: {
    en: "Divides the logits before the softmax: below 1 the likely words become likelier, above 1 all words become " +
      "more alike. 1 is what the model computes.",
    zh: "在 softmax 之前除以这个数：小于 1 时，概率高的词更占优势；大于 1 时，各词的概率更接近。1 就是模型算出的概率。",
  },
});
