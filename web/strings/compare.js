// Texts of the view "Compare".

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  compare: {en: "Compare", zh: "比较"},
  sentences: {en: "Two sentences", zh: "两个句子"},
  sentencesTitle: {en: "The same model on two sentences", zh: "同一个模型，两个句子"},
  models: {en: "Two models", zh: "两个模型"},
  modelsTitle: {
    en: "Two models, or two checkpoints of one training run, on the same sentence",
    zh: "两个模型（或同一次训练的两个检查点），同一个句子",
  },
  firstSentence: {en: "First sentence", zh: "第一个句子"},
  secondSentence: {en: "Second sentence", zh: "第二个句子"},
  itsTranslation: {en: "Its translation", zh: "它的译文"},
  placeholder: {en: "A sentence that differs in a word or two", zh: "只差一两个词的句子"},
  fromFile: {en: "Second sentence, from this file", zh: "第二个句子（取自本文件）"},
  choose: {en: "Choose a sentence", zh: "请选择句子"},
  copy: {en: "Copy the first sentence", zh: "复制第一个句子"},
  pronoun: {en: (word) => `Example: what “${word}” stands for`, zh: (word) => `示例：“${word}”指代什么`},
  firstModel: {en: "First model", zh: "第一个模型"},
  secondModel: {en: "Second model", zh: "第二个模型"},
  chooseModel: {en: "Choose a model", zh: "请选择模型"},
  checkpoint: {en: (model, step) => `${model}, step ${step}`, zh: (model, step) => `${model}，第 ${step} 步`},
  score: {en: (score) => `score ${score}`, zh: (score) => `得分 ${score}`},
  logP: {en: (logP) => `log p ${logP}`, zh: (logP) => `log p ${logP}`},
  scoreTitle: {
    en: "log-probability divided by the length norm: what the search maximises",
    zh: "对数概率除以长度归一化项：搜索所最大化的量",
  },
  logPTitle: {
    en: "natural logarithm of the probability that this model gives to its translation",
    zh: "该模型给自己译文的概率的自然对数",
  },
  same: {en: "Both models translate the sentence in the same way.", zh: "两个模型的译文相同。"},
  differ: {
    en: (count) => (count === 1 ? "One word of the second translation is not in the first."
      : `${count} words of the second translation are not in the first.`),
    zh: (count) => `第二个译文中有 ${count} 个词与第一个不同。`,
  },
  onlyMissing: {
    en: "The second translation leaves out words of the first.",
    zh: "第二个译文少了第一个译文中的词。",
  },
  oneModel: {
    en: "This server has only one model for these languages. To compare, start it with a second one (dragoman serve " +
      "--model A --model B), or with the checkpoints of a training run (--checkpoints 2; train --keep 10 keeps the " +
      "last ten).",
    zh: "该服务器在这个语言对上只有一个模型。要比较，请用两个模型启动（dragoman serve --model A --model B），" +
      "或加上训练的检查点（--checkpoints 2；训练时用 --keep 10 保留最近十个）。",
  },
  oneModelOffline: {
    en: "This file holds one model. Two models side by side need the server (dragoman serve --model A --model B); a " +
      "file that is saved from there, while this view is open, holds both.",
    zh: "该文件只含一个模型。并排比较两个模型需要服务器（dragoman serve --model A --model B）；" +
      "在那里打开此视图时保存的文件会包含两个模型。",
  },
  twoModelsOffline: {
    en: "This file holds the translations of both models that were on the page when it was saved; others need the " +
      "server.",
    zh: "该文件保存了当时页面上两个模型的译文；其他译文需要服务器。",
  },
  noLayer: {
    en: (model, layer) => `${model} has no layer ${layer} of this attention; choose another.`,
    zh: (model, layer) => `${model} 的这种注意力没有第 ${layer} 层，请另选一层。`,
  },
  noHead: {
    en: (model) => `${model} has none of these heads; choose others.`,
    zh: (model) => `${model} 没有这些注意力头，请另选。`,
  },
  mostDifferent: {en: "Where the two differ most", zh: "差别最大之处"},
  mostDifferentNote: {
    en: "The numbers are the per cent of each head's attention that goes to other words in the second sentence, " +
      "counted over the words that both have. Choose a head to show it alone.",
    zh: "数字是每个注意力头在第二个句子中转向其他词的注意力的百分比，只计两句共有的词。点击一个头可单独显示。",
  },
  mostDifferentModels: {
    en: "The numbers are the per cent of each head's attention that goes to other words in the second model, counted " +
      "over the words that both have. Heads with the same number need not do the same: training numbers them by " +
      "chance. In checkpoints of one run they are the same heads. Choose a head to show it alone.",
    zh: "数字是每个注意力头在第二个模型中转向其他词的注意力的百分比，只计两边共有的词。" +
      "编号相同的头不一定做同样的事：编号由训练随机决定；同一次训练的检查点中则是同一个头。点击一个头可单独显示。",
  },
  headDiffers: {
    en: (share) => `${share} per cent of its attention differs`,
    zh: (share) => `${share}% 的注意力不同`,
  },
  headTitle: {
    en: (share, layer, head) => `${share} % of the attention of layer ${layer}, head ${head} differs`,
    zh: (share, layer, head) => `第 ${layer} 层第 ${head} 头有 ${share}% 的注意力不同`,
  },
  headMissing: {en: "The second model has no such head", zh: "第二个模型没有这个头"},
  wordHint: {
    en: "Point at a word in either sentence, or click to pin it, to see its weights in both sentences here.",
    zh: "指向任一句子中的词，或点击固定它，即可在此看到它在两个句子中的权重。",
  },
  wordHintModels: {
    en: "Point at a word in either picture, or click to pin it, to see its weights in both models here.",
    zh: "指向任一图中的词，或点击固定它，即可在此看到它在两个模型中的权重。",
  },
  looksAt: {en: (word) => `“${word}” looks at`, zh: (word) => `“${word}”关注`},
  whoLooksAt: {en: (word) => `Who looks at “${word}”`, zh: (word) => `谁关注“${word}”`},
  first: {en: "First", zh: "第一"},
  second: {en: "Second", zh: "第二"},
  change: {en: "Change", zh: "变化"},
  tableNote: {
    en: (site, layer, heads) => `${site}, layer ${layer}, mean of ${heads === 1 ? "one head" : `${heads} heads`}; ` +
      "weights below 0.005 in both are left out.",
    zh: (site, layer, heads) => `${site}，第 ${layer} 层，${heads} 个头的平均；两边都小于 0.005 的权重不显示。`,
  },
});
