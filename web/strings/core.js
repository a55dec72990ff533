// Texts of web/core/: failures of requests, names of attention sites and heads, and what is announced.

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  // Requests
  offline: {
    en: "This is an offline file: it shows what was computed when it was made. New translations need the server " +
      "(dragoman serve).",
    zh: "这是离线文件，只有制作时算好的内容。翻译新句子需要服务器（dragoman serve）。",
  },
  otherSentence: {
    en: "This offline file does not hold this sentence; choose one of those that it holds.",
    zh: "这个离线文件里没有这个句子，请从它包含的句子中选择。",
  },
  incomplete: {en: "The server's answer ended before it was complete.", zh: "服务器的回答没有传完。"},
  noAnswer: {en: "The server does not answer. Is it still running?", zh: "服务器没有响应。它还在运行吗？"},
  status: {
    en: (status) => `The server answered with status ${status}.`,
    zh: (status) => `服务器返回了状态码 ${status}。`,
  },
  noNextWords: {
    en: "The server did not send the words that the model considered.",
    zh: "服务器没有发来模型考虑过的词。",
  },

  // Announcements
  plain: {en: (translation) => `Translation: ${translation}`, zh: (translation) => `译文：${translation}`},
  changed: {
    en: (translation) => `Translation with your changes: ${translation}`,
    zh: (translation) => `改动后的译文：${translation}`,
  },
  other: {en: (translation) => `Second translation: ${translation}`, zh: (translation) => `第二句的译文：${translation}`},
  headIsOn: {en: (head) => `${head} is on.`, zh: (head) => `${head}已打开。`},
  headIsOff: {en: (head) => `${head} is off.`, zh: (head) => `${head}已关闭。`},

  // Attention
  encoder: {en: "encoder", zh: "编码器"},
  decoder: {en: "decoder", zh: "解码器"},
  cross: {en: "cross", zh: "交叉"},
  encoderTitle: {en: "Encoder self-attention", zh: "编码器自注意力"},
  decoderTitle: {en: "Decoder self-attention", zh: "解码器自注意力"},
  crossTitle: {en: "Cross-attention", zh: "交叉注意力"},
  siteTitle: {
    en: (name, queries, keys) => `${name} (${queries} to ${keys})`,
    zh: (name, queries, keys) => `${name}（${queries} → ${keys}）`,
  },
  source: {en: "source", zh: "源句"},
  target: {en: "translation", zh: "译文"},
  layerTitle: {en: (site, layer) => `${site}, layer ${layer}`, zh: (site, layer) => `${site}，第 ${layer} 层`},
  headTitle: {
    en: (site, layer, head) => `${site}, layer ${layer}, head ${head}`,
    zh: (site, layer, head) => `${site}，第 ${layer} 层第 ${head} 头`,
  },
  headWithRole: {en: (head, role) => `${head} (${role})`, zh: (head, role) => `${head}（${role}）`},
  choosesOne: {
    en: "This attention is hard: it chooses one token, the one with the largest weight.",
    zh: "这是硬注意力：只选一个词元，即权重最大的那个。",
  },
  noAttention: {en: "This model has no attention to look at.", zh: "这个模型没有注意力可看。"},
  merged: {
    en: "Words are merged from subwords: their rows are averaged, their columns added.",
    zh: "子词已合并成词：行取平均，列相加。",
  },
});
