// Texts of the sentence box: the sentence, its translation, and what there is to say about them.

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  // The sentence
  type: {en: "Type a sentence", zh: "输入一个句子"},
  sentence: {en: "Sentence", zh: "句子"},
  languages: {en: "Languages", zh: "语言"},
  pair: {en: (from, to) => `${from} to ${to}`, zh: (from, to) => `${from} → ${to}`},
  sentencesOfFile: {en: "Sentences of this file", zh: "这个文件里的句子"},
  examples: {en: "Example sentences", zh: "例句"},
  try: {en: "Try", zh: "试试"},
  key: {en: "API key", zh: "API 密钥"},
  knownWords: {en: (count) => `This model knows ${count} words`, zh: (count) => `这个模型认识 ${count} 个词`},
  wordsOfModel: {en: "Words of this model", zh: "这个模型认识的词"},
  named: {
    en: (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0]),
    zh: (words) => words.join("、"),
  },
  namedAndMore: {
    en: (words, more) => `${words.join(", ")} and ${more} more`,
    zh: (words, more) => `${words.join("、")}等 ${words.length + more} 个词`,
  },
  lacks: {
    en: (words) => `The model's vocabulary lacks ${words}: it reads <unk> in its place.`,
    zh: (words) => `模型的词表里没有${words}：它读到的是 <unk>。`,
  },
  neverSaw: {
    en: (words) => `The model never saw ${words} in training: it can only guess.`,
    zh: (words) => `模型训练时没见过${words}，只能猜。`,
  },

  // The translation
  translation: {en: "Translation", zh: "译文"},
  translate: {en: "Translate", zh: "翻译"},
  pressEnter: {en: "Press Enter to translate", zh: "按 Enter 翻译"},
  translating: {en: "Translating …", zh: "正在翻译……"},
  retry: {en: "Retry", zh: "重试"},
  needsKey: {
    en: "This server needs an API key: enter it below the sentence.",
    zh: "这个服务器需要 API 密钥：请在句子下方输入。",
  },
  wroteNothing: {
    en: "The model wrote nothing: it ended the sentence at once.",
    zh: "模型什么也没写：它一开始就结束了句子。",
  },
  score: {en: (score) => `score ${score}`, zh: (score) => `得分 ${score}`},
  scoreTitle: {
    en: "log-probability divided by the length norm: what the search maximises",
    zh: "对数概率除以长度归一化项：搜索要使它最大",
  },
  logTitle: {
    en: "natural logarithm of the translation's probability",
    zh: "译文概率的自然对数",
  },
  timeTitle: {en: "from the request to the complete answer", zh: "从发出请求到收完回答的时间"},
  compareBest: {
    en: (count) => `Compare the ${count} best translations`,
    zh: (count) => `比较最好的 ${count} 个译文`,
  },

  // Warnings
  limit: {
    en: "It was cut off at the length limit, so its end is missing.",
    zh: "译文到达长度上限被截断，结尾不完整。",
  },
  repeats: {
    en: "It repeats itself, as models do when they have lost their way.",
    zh: "译文在重复，模型迷失方向时常会这样。",
  },
  length: {
    en: "It is unusually short or long for this sentence; something may be missing or made up.",
    zh: "对这个句子来说，译文异常地短或长，可能有漏译或凭空增加的内容。",
  },
  bad: {en: "The text could not be read, so it was not translated.", zh: "文本无法读取，所以没有翻译。"},
  unknown: {
    en: "The sentence has parts that the model's vocabulary lacks; the model cannot know what they say.",
    zh: "句中有模型词表里没有的部分，模型无法知道它们的意思。",
  },
  marked: {en: (name) => `The server marked it “${name}”.`, zh: (name) => `服务器给它的标记是“${name}”。`},
  ofSentence: {en: (number) => `Sentence ${number}: `, zh: (number) => `第 ${number} 句：`},

  // The best translations
  scoreColumn: {en: "Score", zh: "得分"},
  look: {en: "Look into it", zh: "看内部"},
  lookAt: {en: (number) => `Look into translation ${number}`, zh: (number) => `看第 ${number} 个译文的内部`},
  lookTitle: {
    en: "Make the model write this translation, to see its attention",
    zh: "让模型写出这个译文，看它的注意力",
  },
  unfinished: {en: " (cut off)", zh: "（被截断）"},
  sameAs: {
    en: (number, how) => `the same text as number ${number}, in other pieces${how}`,
    zh: (number, how) => `与第 ${number} 个文本相同，但子词不同${how}`,
  },
  notSpelled: {en: (own, other) => `: ${own}, not ${other}`, zh: (own, other) => `：是 ${own}，不是 ${other}`},
  sameNote: {
    en: "The search compares sequences of pieces, not texts. Different pieces can spell the same text, and each way " +
      "to spell it is a translation of its own, with its own probability.",
    zh: "搜索比较的是子词序列，而不是文本。不同的子词可以拼出同样的文本，每种拼法都是单独的译文，有各自的概率。",
  },

  // What if
  whatIf: {en: "What if", zh: "假如"},
  undoAll: {en: "Undo all", zh: "全部撤销"},
  sameText: {en: "the same text", zh: "文本相同"},
  otherText: {en: "another text", zh: "文本不同"},
  switchedOff: {en: (heads) => `switched off: ${heads}`, zh: (heads) => `关闭：${heads}`},
  headCount: {en: (count) => `${count} heads`, zh: (count) => `${count} 个头`},
  listed: {en: (entries) => entries.join(", "), zh: (entries) => entries.join("、")},
  joined: {en: (changes) => changes.join("; "), zh: (changes) => changes.join("；")},
});

/** Fields of a request as they are named in a list of changes. */
export const settingNames = inLanguage({
  search: {en: "search", zh: "搜索："},
  beam: {en: "beam", zh: "束宽"},
  alpha: {en: "alpha", zh: "α ="},
  length_norm: {en: "length-norm", zh: "长度归一化"},
  temperature: {en: "temperature", zh: "温度"},
  top_k: {en: "top-k", zh: "top-k"},
  top_p: {en: "top-p", zh: "top-p"},
  seed: {en: "seed", zh: "种子"},
  prefix: {en: "prefix", zh: "开头"},
  prefix_ids: {en: "prefix-ids", zh: "指定的词"},
});

/** Values of the fields `search` and `length_norm`. */
export const settingValues = inLanguage({
  beam: {en: "beam", zh: "束搜索"},
  greedy: {en: "greedy", zh: "贪心"},
  sample: {en: "sample", zh: "采样"},
  none: {en: "none", zh: "无"},
});
