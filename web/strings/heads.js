// Texts of the view "Heads".

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  shows: {en: "what the model looked at for each word", zh: "模型写每个词时关注了什么"},
  reading: {
    en: "Weights of the word that you point at or have pinned",
    zh: "鼠标所指或已固定的词的权重",
  },
  queries: {en: " (queries)", zh: "（查询）"},
  keys: {en: " (keys)", zh: "（键）"},
  looksAt: {en: "looks at →", zh: "关注 →"},
  showAll: {en: "Show all heads", zh: "显示所有注意力头"},
  allHidden: {
    en: "All heads are hidden, so no lines are drawn. ",
    zh: "所有注意力头都已隐藏，所以没有连线。",
  },
  drawn: {
    en: (drawn, all, weight) => `${drawn} of ${all} links are drawn: those of weight ${weight} or more.`,
    zh: (drawn, all, weight) => `共 ${all} 条连线，画出了权重不低于 ${weight} 的 ${drawn} 条。`,
  },
  pointed: {
    en: "A word that you point at or have pinned shows all of its links.",
    zh: "鼠标所指或已固定的词会显示它的全部连线。",
  },
  dotted: {
    en: "Dotted lines belong to heads that are switched off; their weights are not used.",
    zh: "虚线属于已关闭的注意力头，它们的权重没有被使用。",
  },

  // The weights of one word
  wordLooksAt: {en: (word) => ["“", word, "” looks at"], zh: (word) => ["“", word, "”关注"]},
  whoLooksAt: {en: (word) => ["Who looks at “", word, "”"], zh: (word) => ["关注“", word, "”的词"]},
  meanOfOne: {en: (layer) => `mean of one head, layer ${layer}`, zh: (layer) => `第 ${layer} 层，1 个头`},
  meanOf: {
    en: (count, layer) => `mean of ${count} heads, layer ${layer}`,
    zh: (count, layer) => `第 ${layer} 层，${count} 个头的平均`,
  },
  weight: {en: "weight", zh: "权重"},
  headWeight: {en: (head, weight) => `head ${head}: ${weight}`, zh: (head, weight) => `第 ${head} 头：${weight}`},

  // The numbers of the heads
  usage: {
    en: "Point at a word to see only its lines; click to pin it. With the keyboard: arrows move, Enter pins, Escape " +
      "unpins.",
    zh: "指向一个词，只看它的连线；单击固定。键盘操作：方向键移动，Enter 固定，Escape 取消固定。",
  },
  head: {en: "Head", zh: "头"},
  entropy: {en: "Entropy, bits", zh: "熵（比特）"},
  distance: {en: "Distance", zh: "距离"},
  peak: {en: "Peak", zh: "峰值"},
  statisticsOfSelf: {
    en: "Means over all queries. Entropy: how spread the weights are, 0 if each query looks at one token. Distance: " +
      "between a query and what it looks at, in tokens. Peak: the largest weight.",
    zh: "均为所有查询的平均值。熵：权重的分散程度，每个查询只关注一个词元时为 0。距离：查询与它所关注的词元相隔多远，以词元计。" +
      "峰值：最大的权重。",
  },
  statisticsOfCross: {
    en: "Means over all queries. Entropy: how spread the weights are, 0 if each query looks at one token. Distance: " +
      "from the diagonal, in tokens. Peak: the largest weight.",
    zh: "均为所有查询的平均值。熵：权重的分散程度，每个查询只关注一个词元时为 0。距离：偏离对角线多远，以词元计。峰值：最大的权重。",
  },
});
