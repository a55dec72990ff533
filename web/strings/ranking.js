// Texts of the view "Ranking".

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  whatAppears: {en: "what each head does with a sentence", zh: "每个注意力头对句子做了什么"},
  over: {en: "Numbers of", zh: "数值来自"},
  sentence: {en: "This sentence", zh: "当前句子"},
  many: {en: (count) => `${count} sentences`, zh: (count) => `${count} 个句子`},
  attention: {en: "Attention", zh: "注意力"},
  layer: {en: "Layer", zh: "层"},
  role: {en: "Role", zh: "作用"},
  all: {en: "All", zh: "全部"},
  allRoles: {en: "All roles", zh: "所有作用"},
  noRoles: {
    en: "What the heads do over many sentences is not known for this model. “dragoman heads --model DIR FILE” finds " +
      "it, with a file of sentences.",
    zh: "尚不知道这个模型的注意力头在大量句子上的作用。用一个句子文件运行“dragoman heads --model DIR FILE”即可得到。",
  },
  notCurrent: {
    en: "The model has been trained further since the roles were found; “dragoman heads --model DIR FILE” finds them " +
      "again.",
    zh: "得出这些作用之后模型又继续训练过；可用“dragoman heads --model DIR FILE”重新得到。",
  },
  scatter: {
    en: (count) => `${count} heads by distance and entropy. Arrow keys go from head to head, Enter chooses one.`,
    zh: (count) => `按距离和熵排列的 ${count} 个注意力头。方向键切换，回车选择。`,
  },
  distanceInWords: {en: "near ← distance, in words → far", zh: "近 ← 距离（词） → 远"},
  distanceInPieces: {en: "near ← distance, in pieces → far", zh: "近 ← 距离（子词） → 远"},
  entropyAxis: {en: "one word ← entropy, in bits → many words", zh: "一个词 ← 熵（比特） → 许多词"},
  none: {en: "No head fits these filters.", zh: "没有符合筛选条件的注意力头。"},
  numbers: {en: "All numbers as a table", zh: "以表格显示全部数值"},
  caption: {
    en: "Click a column's title to sort by it, or a head to show it in the other views.",
    zh: "点击列标题排序；点击某个注意力头，即可在其他视图中查看它。",
  },
  note: {
    en: "A head is far to the right if it looks far away, and far up if it spreads its weight over many words. In " +
      "the decoder, distance is measured from the word that it read last; in cross-attention, from the place that is " +
      "as far into the source as the word is into the translation. The ring marks the head that other views show; " +
      "click another to choose it.",
    zh: "越靠右，注意力头看得越远；越靠上，权重分散在越多的词上。解码器的距离从它最后读到的词算起；" +
      "交叉注意力的距离从源句中与译文当前词相同比例的位置算起。圆圈标出其他视图显示的头；单击另一个头可选中它。",
  },
  roleNote: {
    en: (count) => `Roles were found over ${count} sentences: at least half of a head's weight goes to that place; a ` +
      "head with the role alignment links the words that often occur together in a sentence and its translation. " +
      "“Mixed” heads do several things.",
    zh: (count) => `作用由 ${count} 个句子得出：至少一半的权重落在该位置；“词对齐”则指注意力头连接的词与` +
      "所有句子中的共现统计一致。“混合”表示同时做几件事。",
  },
  barNote: {
    en: "A full bar is 100 % or, for distance and entropy, the largest value that the sentence allows.",
    zh: "满格表示 100 %；对距离和熵，则表示句子允许的最大值。",
  },
  head: {en: "Head", zh: "注意力头"},
  headHint: {en: "attention, layer, head", zh: "注意力、层、头"},
  distance: {en: "Distance", zh: "距离"},
  distanceHint: {en: "mean distance between a query and what it looks at", zh: "查询与它所看位置的平均距离"},
  entropy: {en: "Entropy, bits", zh: "熵（比特）"},
  entropyHint: {
    en: "mean entropy of a query's weights, in bits; 0 if one key has all", zh: "查询权重的平均熵；全部集中于一个键时为 0",
  },
  peak: {en: "Largest weight", zh: "最大权重"},
  peakHint: {en: "mean of the largest weight of each query", zh: "每个查询最大权重的平均值"},
  own: {en: "Same word", zh: "同一个词"},
  ownHint: {en: "share of the weight on the query's own place", zh: "落在查询自身位置的权重"},
  previous: {en: "Previous", zh: "前一个"},
  previousHint: {en: "share on the one before the query", zh: "落在前一个位置的权重"},
  next: {en: "Next", zh: "后一个"},
  nextHint: {en: "share on the one after the query", zh: "落在后一个位置的权重"},
  first: {en: "First", zh: "第一个"},
  firstHint: {en: "share on the first key", zh: "落在第一个键的权重"},
  last: {en: "End, </s>", zh: "句末 </s>"},
  lastHint: {en: "share on the end of the source", zh: "落在源句末尾的权重"},
  agreement: {en: "Agreement", zh: "一致率"},
  agreementHint: {
    en: "how far the head links the words that belong together, as their occurrences in all sentences show",
    zh: "注意力头所连接的词与由所有句子的共现得出的词对有多一致",
  },
  does: {en: "Looks mostly at", zh: "主要看"},
  doesHint: {
    en: "where at least half of the weight goes in this sentence, or else how spread it is",
    zh: "在这个句子里至少一半权重落在哪里，否则说明其分散程度",
  },
  roleHint: {en: "what the head does over many sentences", zh: "注意力头在大量句子上的作用"},
  sorted: {
    en: (title, down) => `Sorted by ${title}, ${down ? "largest" : "smallest"} first.`,
    zh: (title, down) => `按${title}排序，${down ? "从大到小" : "从小到大"}。`,
  },
  chosen: {
    en: (head) => `${head} is chosen in all views, and shown alone under Heads.`,
    zh: (head) => `已在所有视图中选中${head}，并在“注意力头”视图中单独显示。`,
  },
  looksOwn: {en: "the same position", zh: "同一位置"},
  looksPrevious: {en: "the previous token", zh: "前一个词元"},
  looksNext: {en: "the next token", zh: "后一个词元"},
  looksFirst: {en: "the first token", zh: "第一个词元"},
  looksLast: {en: "</s>", zh: "</s>"},
  looksAlike: {en: "all tokens alike", zh: "均匀地看所有词元"},
  looksOne: {en: "one token each", zh: "各看一个词元"},
  looksSeveral: {en: "several tokens", zh: "看几个词元"},
});
