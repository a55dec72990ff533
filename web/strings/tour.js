// Texts of the tour.

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  tour: {en: "Tour", zh: "导览"},
  end: {en: "End the tour", zh: "结束导览"},
  back: {en: "Back", zh: "上一步"},
  next: {en: "Next", zh: "下一步"},
  done: {en: "Done", zh: "完成"},
  count: {en: (at, all) => `${at} of ${all}`, zh: (at, all) => `第 ${at} 步，共 ${all} 步`},
  noSentence: {
    en: "Type a sentence first, or choose an example; the tour then explains its translation.",
    zh: "请先输入一个句子，或选一个例句；导览会讲解它的翻译过程。",
  },
  source: {
    en: (section) => `${section} of the paper; source: `,
    zh: (section) => `论文${section}；源码：`,
  },

  learnedTitle: {en: "First, how the model learned", zh: "先看模型是怎样学会的"},
  learnedSection: {en: "Section 5", zh: "第 5 节"},
  learned: {
    en: "A model begins with random numbers and learns from pairs of sentences. The film shows what one head " +
      "looks at, checkpoint after checkpoint: at first everywhere, in the end at few words. ",
    zh: "模型从随机数开始，在句对上学习。这段动画按检查点显示一个注意力头在看哪里：起初到处都看，最后只看少数几个词。",
  },
  film: {
    en: (first, one, last, two) => `It translated the first sentence after ${first} steps as ${one}, and after ` +
      `${last} steps as ${two}.`,
    zh: (first, one, last, two) => `训练 ${first} 步后，它把第一句译成${one}；${last} 步后译成${two}。`,
  },
  filmNothing: {en: "nothing", zh: "空句"},

  piecesTitle: {en: "Your sentence, in pieces", zh: "你的句子，切成子词"},
  piecesSection: {en: "Section 5.1", zh: "第 5.1 节"},
  pieces: {
    en: (count, named) => "The model knows no letters and no words, only pieces from a fixed list, learned from the " +
      `training text. Your sentence became ${count}: ${named.join(", ")}${count > named.length ? ", …" : ""}. A ` +
      "piece that begins with a dot (·) continues a word; the last piece, </s>, marks the end.",
    zh: (count, named) => "模型不认识字母，也不认识词，只认识词表里的子词；词表是从训练文本中学来的（分词）。你的句子成了 " +
      `${count} 个子词：${named.join("、")}${count > named.length ? "……" : ""}。以点（·）开头的子词接在前一个后面，` +
      "最后的 </s> 表示结束。",
  },

  vectorsTitle: {en: "From pieces to vectors", zh: "从子词到向量"},
  vectorsSection: {en: "Section 3.4", zh: "第 3.4 节"},
  vectors: {
    en: (d) => `Each piece is looked up in a table and becomes a vector of ${d} numbers, times √${d}: the block ` +
      "“Embedding” at the bottom. From here on everything is arithmetic with such vectors.",
    zh: (d) => `每个子词查表变成一个 ${d} 维的向量，再乘以 √${d}。也就是最下面的“词嵌入”块。从这里开始，一切都是向量运算。`,
  },
  vectorsOnly: {
    en: (d) => `Each piece is looked up in a table and becomes a vector of ${d} numbers. From here on everything is ` +
      "arithmetic with such vectors.",
    zh: (d) => `每个子词查表变成一个 ${d} 维的向量。从这里开始，一切都是向量运算。`,
  },

  positionsTitle: {en: "Where a word stands", zh: "词在什么位置"},
  positionsSection: {en: "Section 3.5", zh: "第 3.5 节"},
  positionsLearned: {
    en: "Attention by itself does not see order. So each position has a vector of its own, learned like the " +
      "embeddings, that is added.",
    zh: "注意力本身看不到顺序。所以每个位置有自己的向量，和词嵌入一样是学出来的，加到词向量上。",
  },
  positionsSinusoid: {
    en: "Attention by itself does not see order. So a row of this table is added to each vector: waves of different " +
      "lengths, from which the model can tell how far apart two words are. Point at a cell to see its formula.",
    zh: "注意力本身看不到顺序。所以每个向量要加上这张表（位置编码）的一行：不同波长的波，模型由此能知道两个词相隔多远。" +
      "指向一个单元格，看它的公式。",
  },

  selfTitle: {en: "Every word looks at every other", zh: "每个词都看所有的词"},
  selfSection: {en: "Section 3.2.3", zh: "第 3.2.3 节"},
  self: {
    en: (layers) => `In each layer of the encoder (there are ${layers}), every word collects what it needs from all ` +
      "words, in parallel. A line is a weight: how much of the word on the right goes into the one on the left. ",
    zh: (layers) => `编码器共 ${layers} 层，在每一层里，所有词同时从其他词那里收集需要的信息。一条线是一个权重：` +
      "右边的词有多少进入左边的词。",
  },
  selfPinned: {
    en: (from, to, weight) => `“${from}” is pinned here. It looks most at “${to}”: weight ${weight}, the mean of all ` +
      "heads. Click another word to pin it.",
    zh: (from, to, weight) => `这里固定了“${from}”。它看得最多的是“${to}”：所有头的平均权重是 ${weight}。单击另一个词可以固定它。`,
  },
  selfPinnedItself: {
    en: (from, own, to, weight) => `“${from}” is pinned here. It looks most at itself (weight ${own}, the mean of all ` +
      `heads), and at “${to}” with ${weight}. Click another word to pin it.`,
    zh: (from, own, to, weight) => `这里固定了“${from}”。它看得最多的是自己（所有头的平均权重 ${own}），对“${to}”的权重是 ` +
      `${weight}。单击另一个词可以固定它。`,
  },
  selfPinnedOther: {
    en: (from, most, largest, to, weight) => `“${from}” is pinned here. It looks most at “${most}” (weight ` +
      `${largest}, the mean of all heads), and at “${to}” with ${weight}. Click another word to pin it.`,
    zh: (from, most, largest, to, weight) => `这里固定了“${from}”。它看得最多的是“${most}”（所有头的平均权重 ${largest}），` +
      `对“${to}”的权重是 ${weight}。单击另一个词可以固定它。`,
  },
  selfPoint: {en: "Point at a word to see only its lines.", zh: "指向一个词，只看它的连线。"},

  weightTitle: {en: "How a weight is computed", zh: "权重是怎样算出来的"},
  weightSection: {en: "Section 3.2.1, equation (1)", zh: "第 3.2.1 节，公式 (1)"},
  ownScoreSection: {en: "Section 3.2.1", zh: "第 3.2.1 节"},
  additiveWeight: {
    en: "The state of the decoder gives a query, the state of the encoder for each word a key. They are added, go " +
      "through tanh, and a learned vector turns the result into a score. The softmax of the scores gives the weights.",
    zh: "解码器的状态给出查询，编码器对每个词的状态给出键。两者相加，经过 tanh，再由一个学到的向量变成分数。对分数做 softmax 就得到权重。",
  },
  productWeight: {
    en: "The state of the decoder gives a query, the state of the encoder for each word a key. Their dot product is " +
      "the score, and the softmax of the scores gives the weights.",
    zh: "解码器的状态给出查询，编码器对每个词的状态给出键。两者的点积就是分数，对分数做 softmax 就得到权重。",
  },
  weightAsked: {
    en: (from, to, weight) => `How did “${from}” come to give “${to}” the weight ${weight}? `,
    zh: (from, to, weight) => `“${from}”为什么给“${to}”${weight} 的权重？`,
  },
  weight: {
    en: (letter, d) => [
      "The word that looks has a query, the word that is looked at a key. Their dot product says how well they " +
        "match; divided by the square root of ", letter, ` = ${d} and put through a softmax, it becomes the weight. This ` +
        "is the paper's first equation with your sentence's numbers.",
    ],
    zh: (letter, d) => [
      "看的词有一个查询，被看的词有一个键。两者的点积表示有多匹配；除以 ", letter, ` = ${d} 的平方根，再经过 softmax，` +
        "就成了权重。这就是论文的公式 (1)，代入了你这句话的数字。",
    ],
  },

  headsTitle: {en: "Several heads at once", zh: "多个头同时工作"},
  headsSection: {en: "Section 3.2.2", zh: "第 3.2.2 节"},
  heads: {
    en: (heads) => `Each layer does this ${heads} times side by side, with different queries and keys: one head may ` +
      "look at the neighbours, another at the verb, a third at the end. Their results are put side by side and " +
      "multiplied by one more matrix.",
    zh: (heads) => `每一层并行地做 ${heads} 次，查询和键各不相同：一个头可能看相邻的词，另一个看动词，第三个看句尾。` +
      "它们的结果拼接起来，再乘以一个矩阵。",
  },

  restTitle: {en: "The rest of a layer", zh: "一层的其余部分"},
  restSection: {en: "Sections 3.1 and 3.3", zh: "第 3.1 节和第 3.3 节"},
  rest: {
    en: (d, inner) => "What attention collects is added to what was there (the residual connection) and normalised. " +
      `Then a small network, ${d} to ${inner} and back, works on each word alone. Block by block this goes ` +
      "on for all layers, here for all words at once.",
    zh: (d, inner) => "注意力收集的信息加到原来的向量上（残差连接），再做归一化。然后是一个小的前馈网络，从 " +
      `${d} 维到 ${inner} 维再回来，对每个词单独计算。逐块算完所有的层，这里是所有词同时进行。`,
  },

  maskTitle: {en: "The decoder must not see the future", zh: "解码器不能看到未来"},
  maskSection: {en: "Section 3.2.3", zh: "第 3.2.3 节"},
  mask: {
    en: "The translation is written word by word, and a word can only look at those before it. So the upper triangle " +
      "of this matrix is empty: those scores are set to −∞ before the softmax.",
    zh: "译文是逐词写出的，一个词只能看它前面的词。所以这个矩阵的上三角是空的：这些分数在 softmax 之前设为 −∞。",
  },

  crossTitle: {en: "Looking at the source", zh: "看源句"},
  crossSection: {en: "Section 3.2.3", zh: "第 3.2.3 节"},
  cross: {
    en: (count) => `For each of the ${count} pieces of the translation, the decoder looks at what the encoder made ` +
      "of your sentence. In the upper layers these lines often join a word with its translation. ",
    zh: (count) => `译文有 ${count} 个子词，写每一个时，解码器都会看编码器对源句的编码。在较高的层里，这些线常常把一个词和它的译文连起来。`,
  },
  crossPinned: {
    en: (from, to, weight) => `When it wrote “${from}”, pinned here, it looked at “${to}” with a weight of ` +
      `${weight}, the mean of all heads.`,
    zh: (from, to, weight) => `写“${from}”（这里已固定）时，它对“${to}”的权重是 ${weight}，即所有头的平均。`,
  },

  searchTitle: {en: "From vectors to words", zh: "从向量到词"},
  searchSection: {en: "Sections 3.4 and 6.1", zh: "第 3.4 节和第 6.1 节"},
  search: {
    en: (words) => `A last product and a softmax give each of ${words} pieces a probability. Beam search keeps the ` +
      "best few beginnings and goes on with all of them, until no living one can win any more. Each box says why it " +
      "lived or died.",
    zh: (words) => `最后一次矩阵乘法加 softmax，给${words}子词各一个概率。束搜索保留最好的几个开头，一起往下写，直到束中的候选都不可能再胜出。` +
      "每个方框都说明它为什么被保留或淘汰。",
  },
  vocabulary: {en: (count) => `${count}`, zh: (count) => ` ${count} 个`},
  vocabularyUnknown: {en: "the known", zh: "词表中的"},

  turnTitle: {en: "Your turn", zh: "轮到你了"},
  turnSection: {en: "Figures 3 to 5", zh: "图 3 至图 5"},
  turn: {
    en: "All you saw was recorded while the decoder worked; nothing was computed for show. Type another sentence, " +
      "switch heads off under “What if”, or take this page with you under “Export”.",
    zh: "你看到的一切都是解码时记录下来的，没有为演示另算。换一个句子，在“假如”里关闭一些头，或用“导出”把这个页面带走。",
  },
  turnWithoutHeads: {
    en: "All you saw was recorded while the decoder worked; nothing was computed for show. Type another sentence, " +
      "change the search under “What if”, or take this page with you under “Export”.",
    zh: "你看到的一切都是解码时记录下来的，没有为演示另算。换一个句子，在“假如”里改变搜索，或用“导出”把这个页面带走。",
  },
});
