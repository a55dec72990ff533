// The titles of the views' tabs, and what each view shows.

import {inLanguage} from "../core/language.js";

export const title = inLanguage({
  heads: {en: "Heads", zh: "注意力头"},
  grid: {en: "Grid", zh: "总览"},
  matrix: {en: "Matrix", zh: "矩阵"},
  why: {en: "Why", zh: "为什么"},
  ranking: {en: "Ranking", zh: "排名"},
  whatif: {en: "What if", zh: "假如"},
  compare: {en: "Compare", zh: "对比"},
  words: {en: "Next word", zh: "下一个词"},
  beam: {en: "Beam", zh: "束搜索"},
  play: {en: "Play", zh: "推演"},
  depth: {en: "Steps", zh: "步数"},
  positions: {en: "Positions", zh: "位置"},
  film: {en: "Training", zh: "训练"},
});

export const about = inLanguage({
  depth: {
    en: "How many steps each word took before it stopped.",
    zh: "每个词停下之前走了多少步。",
  },
  heads: {
    en: "Which words each word looked at. Each colour is one head, and stronger lines are larger weights.",
    zh: "每个词关注了哪些词。一种颜色是一个注意力头，线越粗，权重越大。",
  },
  grid: {en: "All heads of all layers at a glance.", zh: "一眼看完所有层的所有注意力头。"},
  matrix: {en: "One head, with every weight as a number.", zh: "一个注意力头，每个权重都写成数字。"},
  why: {
    en: "How one weight comes about, and what the layer makes of it up to its end: the paper's equations with the " +
      "numbers of your sentence.",
    zh: "一个权重是怎样算出来的，这一层又怎样用它算到末尾：论文的公式，代入你这句话的数字。",
  },
  whyOwnScore: {
    en: "How one weight comes about, and what it adds to the context: the score of this model with the numbers of " +
      "your sentence.",
    zh: "一个权重是怎样算出来的，它给上下文向量带来什么：这个模型的打分函数，代入你这句话的数字。",
  },
  ranking: {
    en: "Which heads look near or far, at one word or at many, and what each does over many sentences.",
    zh: "哪些注意力头看近处或远处、看一个词或许多词，以及它们在大量句子中各起什么作用。",
  },
  whatif: {
    en: "Change the model or the search, and see what becomes of the translation.",
    zh: "改动模型或搜索，看译文会变成什么样。",
  },
  compare: {
    en: "Two sentences, or two models, side by side: what changes?",
    zh: "两个句子或两个模型并排对照：有什么不同？",
  },
  words: {
    en: "Which words the model considered at each position, and what each layer would have said.",
    zh: "模型在每个位置考虑过哪些词，以及每一层会选什么词。",
  },
  wordsOnly: {en: "Which words the model considered at each position.", zh: "模型在每个位置考虑过哪些词。"},
  beam: {
    en: "How the search found the translation: every candidate, and why it was kept or dropped.",
    zh: "搜索怎样找到译文：所有候选，以及它们为什么被保留或淘汰。",
  },
  play: {
    en: "The model as a drawing, and the translation as it happens in it, block by block and word by word.",
    zh: "模型的结构图，以及翻译在其中逐块、逐词进行的过程。",
  },
  positions: {
    en: "How the model knows where in the sentence a word stands.",
    zh: "模型怎样知道一个词在句中的位置。",
  },
  film: {
    en: "How the model learned: its attention and its translations at each checkpoint of the training.",
    zh: "模型是怎样学会的：训练过程动画，显示每个检查点的注意力和译文。",
  },
});
