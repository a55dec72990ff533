// Texts of the view "Why" about one weight: from query and key to the softmax.

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  shows: {en: "how one weight was computed", zh: "一个权重是怎样算出来的"},
  query: {en: "Query", zh: "查询"},
  key: {en: "Key", zh: "键"},
  otherFormula: {
    en: "The weights of this attention are not computed by equation (1), so this view cannot show the sum behind them.",
    zh: "这种注意力的权重不是按公式 (1) 计算的，所以这里无法显示计算过程。",
  },
  fetchingLayer: {en: "This layer is being fetched.", zh: "正在获取这一层。"},
  noProjections: {
    en: "The server did not send the queries and keys of this head.",
    zh: "服务器没有发来这个头的查询和键。",
  },
  notInFile: {
    en: "This offline file does not contain the queries and keys of this head; the server has them.",
    zh: "这个离线文件不包含这个头的查询和键；服务器上有。",
  },

  // The question
  looks: {
    en: (from, to) => ["How much does ", from, " look at ", to, "? "],
    zh: (from, to) => [from, " 有多关注 ", to, "？"],
  },
  looksAtSource: {
    en: (from, to) => ["When ", from, " was chosen, how much did the decoder look at ", to, " of the source? "],
    zh: (from, to) => ["选 ", from, " 时，解码器有多关注源句中的 ", to, "？"],
  },
  looksAtTranslation: {
    en: (from, to) => [
      "When ", from, " was chosen, how much did the decoder look at ", to, " of the translation so far? ",
    ],
    zh: (from, to) => ["选 ", from, " 时，解码器有多关注已写译文中的 ", to, "？"],
  },

  // The steps
  vectorsTitle: {en: "Query and key", zh: "查询和键"},
  vectors: {
    en: (length) => [
      "This head's projections of the two tokens, ", length, " numbers each. Where both have the same sign, the " +
        "product raises the weight.",
    ],
    zh: (length) => ["这个头对两个词元的投影，各有 ", length, " 个数。两者同号的地方，乘积使权重增大。"],
  },
  largestProducts: {
    en: (dimensions) => `Dimensions with the largest products: ${dimensions.join(", ")}.`,
    zh: (dimensions) => `乘积最大的维度：${dimensions.join("、")}。`,
  },
  scalingTitle: {en: "Scaling", zh: "缩放"},
  scaling: {
    en: (length) => [
      "Long vectors give large sums, and a softmax of large numbers gives almost all weight to the largest. So the sum " +
        "is divided by the square root of ", length, ".",
    ],
    zh: (length) => ["向量越长，和越大；数值很大时，softmax 会把几乎全部权重给最大的一个。所以和要除以 ", length, " 的平方根。"],
  },
  maskTitle: {en: "Mask", zh: "掩码"},
  noMask: {
    en: "There is no mask: every word of the source may be looked at.",
    zh: "没有掩码：源句的每个词都可以看。",
  },
  hiddenKey: {
    en: (hidden, keys) => "This key is hidden: its score is set to −∞, so its weight is 0. " +
      `${hidden} of ${keys} keys are hidden from this query.`,
    zh: (hidden, keys) => `这个键被遮住：分数设为 −∞，权重为 0。对这个查询，${keys} 个键中遮住了 ${hidden} 个。`,
  },
  nothingHidden: {en: "Nothing is hidden from this query.", zh: "这个查询可以看所有的键。"},
  laterHidden: {
    en: (hidden, keys) => `${hidden} of ${keys} keys come later than what has been written; their scores are set to ` +
      "−∞. This key is not one of them.",
    zh: (hidden, keys) => `${keys} 个键中有 ${hidden} 个在已写出的内容之后，分数设为 −∞。这个键不在其中。`,
  },
  outsideHidden: {
    en: (hidden, keys) => `${hidden} of ${keys} keys lie outside the window; their scores are set to −∞. This key is ` +
      "not one of them.",
    zh: (hidden, keys) => `${keys} 个键中有 ${hidden} 个在窗口之外，分数设为 −∞。这个键不在其中。`,
  },
  softmaxTitle: {en: "Softmax over all keys", zh: "对所有键做 softmax"},
  softmax: {
    en: "Each exponential is divided by the sum of its row, so that the weights add up to one.",
    zh: "每个指数除以该行之和，这样权重之和为 1。",
  },
  subtracted: {
    en: (most) => `The largest score of the row, ${most}, is subtracted before exp, as in the attention kernel: this ` +
      "prevents overflow and does not change the weights.",
    zh: (most) => `取指数之前先减去该行的最大分数 ${most}，与注意力内核一致：这样不会溢出，也不改变权重。`,
  },
  row: {
    en: "One row of the softmax; choose a key to see how its weight is computed.",
    zh: "softmax 的一行；选择一个键，看它的权重怎样计算。",
  },
  weightColumn: {en: "weight", zh: "权重"},
  sum: {en: "Sum", zh: "和"},
  listLargest: {en: "List only the largest weights", zh: "只列出最大的权重"},
  listOthers: {en: (count) => `List the other ${count} keys, too`, zh: (count) => `列出其余 ${count} 个键`},

  // The comparison
  recordedTitle: {en: "What the attention kernel recorded", zh: "注意力内核记录的值"},
  here: {en: "computed here, in double precision", zh: "在这里用双精度计算"},
  recorded: {en: "recorded by the attention kernel, float32", zh: "注意力内核记录，float32"},
  difference: {en: "difference", zh: "差"},
  units: {
    en: (difference, units) => `${difference} = ${units} units in the last place`,
    zh: (difference, units) => `${difference} = ${units} 个末位单位`,
  },
  same: {en: "Both are the same number.", zh: "两个数相同。"},
  nearest: {
    en: "The recorded number is the float32 nearest to what was computed here.",
    zh: "记录的数就是最接近这里计算结果的 float32。",
  },
  rounding: {
    en: "The kernel computes in float32 and adds in another order; the difference is rounding.",
    zh: "内核用 float32 计算，相加的顺序也不同；差别来自舍入。",
  },
  fewerDigits: {
    en: "This is more than the rounding of float32: the kernel computes with fewer digits, as on a GPU.",
    zh: "差别超过 float32 的舍入误差：内核用更少的位数计算，例如在 GPU 上。",
  },
  valueNote: {
    en: "The weight says how much of this key's value vector, the V of the equation, goes into the result.",
    zh: "权重表示这个键的值向量（公式中的 V）有多少进入结果。",
  },

  // Dimension by dimension, and the picture
  dimensions: {en: "Dimension of query and key", zh: "查询和键的维度"},
  dimension: {
    en: (dimension, product, sum) => `Dimension ${dimension}: ${product}; sum so far ${sum}`,
    zh: (dimension, product, sum) => `维度 ${dimension}：${product}；累计和 ${sum}`,
  },
  sumName: {en: "sum", zh: "和"},
  picture: {
    en: (attention, layer, head, from, to) => `${attention}, layer ${layer}, head ${head}: how much “${from}” looks at ` +
      `“${to}”`,
    zh: (attention, layer, head, from, to) => `${attention}，第 ${layer} 层第 ${head} 头：“${from}”有多关注“${to}”`,
  },
  pictureRecorded: {en: (weight) => `recorded: ${weight}`, zh: (weight) => `记录值：${weight}`},
});
