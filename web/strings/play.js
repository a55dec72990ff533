// Texts of the view "Play".

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  shows: {en: "a translation as an animation", zh: "动画形式的翻译过程"},
  moment: {en: "Moment of the translation", zh: "翻译过程中的时刻"},
  picture: {
    en: "The model while it translates. Arrow left and right: one step; space: play or pause.",
    zh: "正在翻译的模型。左右方向键：单步；空格：播放或暂停。",
  },
  note: {
    en: "The model is drawn in the way of Figure 1 of the paper, from the blocks that it declares. Curves are " +
      "attention weights of the shown heads, in their colours: the thicker a curve, the larger its weight. The " +
      "smallest weights are left out. Click a block to see how it works. From the second word on it goes faster.",
    zh: "模型按论文图 1 的方式画出，依据的是模型自己声明的模块。曲线是所选注意力头的权重，颜色对应注意力头：" +
      "曲线越粗，权重越大；最小的权重不画。点击模块可以查看它的工作方式。从第二个词起播放加快。",
  },
  blocks: {en: "Blocks of the model, in the order of the computation", zh: "模型的模块，按计算顺序排列"},
  named: {en: (title) => `${title}:`, zh: (title) => `${title}：`},
  opens: {en: (view) => `Opens “${view}”.`, zh: (view) => `打开“${view}”。`},
  noView: {en: "No view shows more of it.", zh: "没有显示其细节的视图。"},

  encoder: {en: "Encoder", zh: "编码器"},
  decoder: {en: "Decoder", zh: "解码器"},
  layers: {en: (count) => `${count} ×`, zh: (count) => `${count} ×`},
  layerNow: {en: (layer, count) => `layer ${layer} of ${count}`, zh: (layer, count) => `第 ${layer} / ${count} 层`},
  shared: {en: "same weights", zh: "共享权重"},
  output: {en: "Output", zh: "输出"},
  probabilities: {en: "Output probabilities", zh: "输出概率"},
  otherWords: {en: "others", zh: "其他词"},

  embedding: {en: "Embedding", zh: "词嵌入"},
  positions: {en: "Positions", zh: "位置编码"},
  attention: {en: "Attention", zh: "注意力"},
  multiHead: {en: "Multi-head attention", zh: "多头注意力"},
  masked: {en: "Masked attention", zh: "掩码注意力"},
  maskedMultiHead: {en: "Masked multi-head attention", zh: "掩码多头注意力"},
  feedForward: {en: "Feed-forward", zh: "前馈网络"},
  norm: {en: "Norm", zh: "归一化"},
  add: {en: "Add", zh: "残差相加"},
  addNorm: {en: "Add & norm", zh: "残差与归一化"},
  recurrent: {en: "Recurrent", zh: "循环网络"},
  bidirectional: {en: "Recurrent, both directions", zh: "双向循环网络"},
  readout: {en: "Readout", zh: "读出层"},
  convolution: {en: "Convolution", zh: "卷积"},
  linear: {en: "Linear", zh: "线性层"},
  softmax: {en: "Softmax", zh: "Softmax"},

  aboutEmbedding: {
    en: "Looks up a vector for each piece in a learned table.", zh: "在学到的表中为每个子词查出一个向量。",
  },
  aboutPositions: {
    en: "Adds a vector that says where in the sentence a piece stands.", zh: "加上一个表示子词在句中位置的向量。",
  },
  aboutSelf: {
    en: "Each word collects what it needs from all words of its sentence.", zh: "每个词从整个句子的词中收集所需的信息。",
  },
  aboutMasked: {
    en: "The word looks at itself and at the words before it, never at those to come.",
    zh: "当前词只看自己和前面的词，看不到后面的词。",
  },
  aboutCross: {
    en: (stack) => `The word looks at what the ${stack.toLowerCase()} made of the source.`,
    zh: (stack) => `当前词查看${stack}对源句的表示。`,
  },
  aboutFeedForward: {
    en: "A small network of two layers works on each word alone.", zh: "一个两层的小网络，对每个词单独计算。",
  },
  aboutNorm: {
    en: "Brings the numbers of each word to the same mean and spread.", zh: "把每个词的数值调整到相同的均值和方差。",
  },
  aboutAdd: {
    en: "Adds the result to what was there before: the residual connection.", zh: "把结果加到之前的值上：残差连接。",
  },
  aboutAddNorm: {
    en: "Adds the result to what was there before (the residual connection), and brings the sum to the same mean and " +
      "spread.",
    zh: "把结果加到之前的值上（残差连接），再把和调整到相同的均值和方差。",
  },
  aboutRecurrent: {
    en: "Reads one word after the other and carries its state along.", zh: "逐词读取，并把状态传递下去。",
  },
  aboutBidirectional: {
    en: "Two networks read one word after the other, one from the beginning and one from the end. The state of a " +
      "word is both of theirs.",
    zh: "两个网络逐词读取，一个从头开始，一个从尾开始；一个词的状态由两者的状态组成。",
  },
  aboutReadout: {
    en: "Combines what the decoder knows into the vector that the output projection reads.",
    zh: "把解码器掌握的信息合成输出投影所读取的向量。",
  },
  aboutConvolution: {en: "Combines each word with its neighbours.", zh: "把每个词与相邻的词结合起来。"},
  aboutLinear: {
    en: "Turns the last vector into a score for each piece of the vocabulary.", zh: "把最后的向量变成词表中每个子词的得分。",
  },
  aboutSoftmax: {
    en: "Turns the scores into probabilities of the next piece.", zh: "把得分变成下一个子词的概率。",
  },
  aboutOther: {en: "A block of this model’s own.", zh: "该模型特有的模块。"},
  aboutSearch: {
    en: "The translation so far: the search takes words by these probabilities.", zh: "目前的译文：搜索根据这些概率选词。",
  },

  embeds: {
    en: (count) => `Each of the ${count} pieces of the source becomes a vector.`,
    zh: (count) => `源句的 ${count} 个子词各变成一个向量。`,
  },
  embedsWithPositions: {
    en: (count) => `Each of the ${count} pieces of the source becomes a vector, and its position is added.`,
    zh: (count) => `源句的 ${count} 个子词各变成一个向量，并加上位置编码。`,
  },
  begins: {en: "The decoder begins: it reads the start token.", zh: "解码器开始：读入起始符。"},
  reads: {
    en: (word) => `The decoder reads “${word}”, which it has just written.`,
    zh: (word) => `解码器读入刚写出的“${word}”。`,
  },
  inLayer: {
    en: (stack, layer, count) => `${stack}, layer ${layer} of ${count}`,
    zh: (stack, layer, count) => `${stack}第 ${layer} / ${count} 层`,
  },
  forWord: {en: (word, where) => `Word ${word}. ${where}`, zh: (word, where) => `第 ${word} 个词，${where}`},
  blockNow: {
    en: (where, title, about) => `${where}. ${title}: ${about.charAt(0).toLowerCase()}${about.slice(1)}`,
    zh: (where, title, about) => `${where}。${title}：${about}`,
  },
  heaviest: {
    en: (head, word, weight) => ` The largest weight: head ${head} gives “${word}” ${weight}.`,
    zh: (head, word, weight) => `最大的权重：第 ${head} 头给“${word}” ${weight}。`,
  },
  likeliest: {
    en: (word, p) => ` The likeliest is “${word}” with ${p}.`, zh: (word, p) => `概率最高的是“${word}”，${p}。`,
  },
  writes: {
    en: (position, word) => `Word ${position}: “${word}” is written.`,
    zh: (position, word) => `第 ${position} 个词：写出“${word}”。`,
  },
  writesLikeliest: {
    en: (position, word, p) => `Word ${position}: “${word}” is written, the likeliest, with probability ${p}.`,
    zh: (position, word, p) => `第 ${position} 个词：写出概率最高的“${word}”，概率 ${p}。`,
  },
  writesOther: {
    en: (position, word, p, rank) => `Word ${position}: “${word}” is written, number ${rank} with probability ${p}; ` +
      "the search looks for the best whole translation.",
    zh: (position, word, p, rank) => `第 ${position} 个词：写出排第 ${rank} 的“${word}”，概率 ${p}；搜索要找的是整句最好的译文。`,
  },
  ends: {
    en: "The end token, </s>, is chosen, so the sentence is complete.", zh: "选中了结束符 </s>，句子完成。",
  },
  firstPiece: {en: " (The probabilities are those of its first piece.)", zh: "（概率是该词第一个子词的概率。）"},
  probabilityOf: {en: (word, p) => `${word} ${p}`, zh: (word, p) => `${word} ${p}`},
  notYet: {en: "not computed yet", zh: "尚未计算"},
  noProbabilities: {
    en: (reason) => `The probabilities of the words could not be fetched, so their bars stay empty. ${reason}`,
    zh: (reason) => `没能取得各词的概率，所以概率条是空的。${reason}`,
  },
  curve: {
    en: (head, from, to, weight) => `Head ${head}: ${from} to ${to}, ${weight}`,
    zh: (head, from, to, weight) => `第 ${head} 头：${from} 到 ${to}，${weight}`,
  },
});
