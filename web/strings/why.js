// Texts of the first half of the view "Why": how one weight is computed.

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  shows: {en: "how one weight was computed", zh: "一个权重是怎样算出来的"},
  otherFormula: {
    en: "This model does not show the queries and keys of this attention, so this view cannot show the sum behind " +
      "its weights.",
    zh: "这个模型不提供这种注意力的查询和键，所以这里无法展示权重的计算过程。",
  },
  fetching: {en: "This layer is being fetched.", zh: "正在获取这一层。"},
  noProjections: {
    en: "The server did not send the queries and keys of this head.",
    zh: "服务器没有返回这个注意力头的查询和键。",
  },
  notInFile: {
    en: "This offline file does not contain the queries and keys of this head; the server has them.",
    zh: "这个离线文件不包含这个注意力头的查询和键；服务器上有。",
  },
  query: {en: "Query", zh: "查询"},
  key: {en: "Key", zh: "键"},

  states: {
    en: "This is the score of this model. s is the state of the decoder, h the state of the encoder for a word of " +
      "the source; the part with s is the query q, the part with h the key k.",
    zh: "这是这个模型的打分函数。s 是解码器的状态，h 是编码器对源句中某个词的状态；含 s 的部分是查询 q，含 h 的部分是键 k。",
  },

  // Questions: the parts around the two tokens.
  inSource: {en: ["How much does ", " look at ", "? "], zh: ["", " 对 ", " 的关注有多少？"]},
  ofSource: {
    en: ["When ", " was chosen, how much did the decoder look at ", " of the source? "],
    zh: ["选择 ", " 时，解码器对源句中 ", " 的关注有多少？"],
  },
  ofTarget: {
    en: ["When ", " was chosen, how much did the decoder look at ", " of the translation so far? "],
    zh: ["选择 ", " 时，解码器对已有译文中 ", " 的关注有多少？"],
  },

  // Steps. The parts of a list stand before and after the symbol d_k.
  dotTitle: {en: "Query and key", zh: "查询与键"},
  dotAbout: {
    en: ["This head's projections of the two tokens, ",
      " numbers each. Where both have the same sign, the product raises the weight."],
    zh: ["这个头对两个词元的投影，各有 ", " 个数。两者同号之处，乘积使权重增大。"],
  },
  productAbout: {
    en: ["Query and key of the two tokens, ",
      " numbers each. Where both have the same sign, the product raises the weight."],
    zh: ["两个词元的查询和键，各有 ", " 个数。两者同号之处，乘积使权重增大。"],
  },
  additiveAbout: {
    en: ["Query and key have ", " numbers each. In each dimension they are added, tanh keeps the sum between −1 and " +
      "1, and the learned vector v says how much the dimension counts. The score is the sum of all dimensions."],
    zh: ["查询和键各有 ", " 个数。每一维上两者相加，tanh 把和限制在 −1 与 1 之间，学到的向量 v 决定这一维的分量。" +
      "各维之和就是分数。"],
  },
  score: {en: "score", zh: "分数"},
  terms: {en: "term", zh: "项"},
  dimension: {en: "Dimension of query and key", zh: "查询和键的维度"},
  sumName: {en: "sum", zh: "和"},
  dimensionText: {
    en: (at, product, sum) => `Dimension ${at}: ${product}; sum so far ${sum}`,
    zh: (at, product, sum) => `第 ${at} 维：${product}；到此为止的和 ${sum}`,
  },
  largest: {
    en: (list) => `Dimensions with the largest products: ${list}.`,
    zh: (list) => `乘积最大的维度：${list}。`,
  },
  largestTerms: {
    en: (list) => `Dimensions with the largest terms: ${list}.`,
    zh: (list) => `绝对值最大的项所在的维度：${list}。`,
  },
  scaleTitle: {en: "Scaling", zh: "缩放"},
  scaleAbout: {
    en: ["Long vectors give large sums, and a softmax of large numbers gives almost all weight to the largest. So the " +
      "sum is divided by the square root of ", "."],
    zh: ["向量越长，和越大，而对很大的数做 softmax 会把几乎全部权重给最大的那个。因此把和除以 ", " 的平方根。"],
  },
  maskTitle: {en: "Mask", zh: "掩码"},
  noMask: {
    en: "There is no mask: every word of the source may be looked at.",
    zh: "没有掩码：源句的每个词都可以关注。",
  },
  hiddenKey: {
    en: (hidden, all) => "This key is hidden: its score is set to −∞, so its weight is 0. " +
      `${hidden} of ${all} keys are hidden from this query.`,
    zh: (hidden, all) => `这个键被遮住：分数设为 −∞，所以权重是 0。${all} 个键中有 ${hidden} 个对这个查询不可见。`,
  },
  nothingHidden: {en: "Nothing is hidden from this query.", zh: "没有键对这个查询不可见。"},
  laterKeys: {
    en: (hidden, all) => `${hidden} of ${all} keys come later than what has been written; their scores are set to −∞. ` +
      "This key is not one of them.",
    zh: (hidden, all) => `${all} 个键中有 ${hidden} 个在已写出的内容之后，分数设为 −∞。这个键不在其中。`,
  },
  outsideKeys: {
    en: (hidden, all) => `${hidden} of ${all} keys lie outside the window; their scores are set to −∞. ` +
      "This key is not one of them.",
    zh: (hidden, all) => `${all} 个键中有 ${hidden} 个在窗口之外，分数设为 −∞。这个键不在其中。`,
  },
  softmaxTitle: {en: "Softmax over all keys", zh: "对所有键做 softmax"},
  softmaxAbout: {
    en: "Each exponential is divided by the sum of its row, so that the weights add up to one.",
    zh: "每个指数除以所在行之和，使权重相加为 1。",
  },
  largestScore: {
    en: (most) => `The largest score of the row, ${most}, is subtracted before exp, as in the attention kernel: this ` +
      "prevents overflow and does not change the weights.",
    zh: (most) => `取指数之前先减去该行最大的分数 ${most}，与注意力内核一样：这样不会溢出，也不改变权重。`,
  },
  rowCaption: {
    en: "One row of the softmax; choose a key to see how its weight is computed.",
    zh: "softmax 的一行；选择一个键，查看它的权重怎样算出。",
  },
  weight: {en: "weight", zh: "权重"},
  total: {en: "Sum", zh: "合计"},
  listFewer: {en: "List only the largest weights", zh: "只列出最大的权重"},
  listOthers: {en: (rest) => `List the other ${rest} keys, too`, zh: (rest) => `也列出其余 ${rest} 个键`},
  choiceTitle: {en: "Choice", zh: "选择"},
  choiceAbout: {
    en: "This attention is hard: it chooses one token, the one with the largest weight. The matrix shows 1 for it " +
      "and 0 for all others.",
    zh: "这是硬注意力：只选一个词元，即权重最大的那个。矩阵中它是 1，其余都是 0。",
  },
  choice: {
    en: (word, weight) => `The largest weight is ${weight}, that of “${word}”.`,
    zh: (word, weight) => `最大的权重是“${word}”的 ${weight}。`,
  },
  isChosen: {en: "So this key is chosen.", zh: "因此选中了这个键。"},
  isNotChosen: {en: "So this key is not chosen.", zh: "因此没有选中这个键。"},
  recordedTitle: {en: "What the attention kernel recorded", zh: "注意力内核记录的数值"},
  computedHere: {en: "computed here, in double precision", zh: "页面用双精度计算"},
  recorded: {en: "recorded by the attention kernel, float32", zh: "注意力内核的记录，float32"},
  difference: {en: "difference", zh: "差"},
  lastPlaces: {
    en: (difference, units) => `${difference} = ${units} units in the last place`,
    zh: (difference, units) => `${difference}，即末位的 ${units} 个单位`,
  },
  sameNumber: {en: "Both are the same number.", zh: "两者是同一个数。"},
  nearestNumber: {
    en: "The recorded number is the float32 nearest to what was computed here.",
    zh: "记录的数就是离页面计算结果最近的 float32。",
  },
  rounding: {
    en: "The kernel computes in float32 and adds in another order; the difference is rounding.",
    zh: "内核用 float32 计算，相加的顺序也不同；差异来自舍入。",
  },
  fewerDigits: {
    en: "This is more than the rounding of float32: the kernel computes with fewer digits, as on a GPU.",
    zh: "这超出了 float32 的舍入误差：内核使用更少的位数，例如在 GPU 上。",
  },
  meaning: {
    en: "The weight says how much of this key's value vector, the V of the equation, goes into the result.",
    zh: "权重表示这个键的值向量（公式中的 V）有多少进入结果。",
  },

  meaningForResult: {
    en: "The weight says how much of this key's value vector goes into the result.",
    zh: "权重表示这个键的值向量有多少进入结果。",
  },

  meaningForContext: {
    en: "The weight says how much of this key's value vector goes into the context.",
    zh: "权重表示这个键的值向量有多少进入上下文向量。",
  },

  // The picture for export.
  pictureTitle: {
    en: (site, layer, head, from, to) => `${site}, layer ${layer}, head ${head}: how much “${from}” looks at “${to}”`,
    zh: (site, layer, head, from, to) => `${site}，第 ${layer} 层第 ${head} 头：“${from}”对“${to}”的关注有多少`,
  },
  pictureRecorded: {en: (weight) => `recorded: ${weight}`, zh: (weight) => `记录：${weight}`},
});
