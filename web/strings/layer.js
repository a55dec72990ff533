// Texts of the second half of the view "Why": the way from the weights to the end of the layer.

import {inLanguage} from "../core/language.js";

export const text = inLanguage({
  title: {en: "From the weights to the end of the layer", zh: "从权重到这一层的末尾"},
  contextTitle: {en: "From the weights to the context", zh: "从权重到上下文向量"},
  about: {
    en: "What follows the softmax, for this query. All vectors are those that the kernels computed; the page adds " +
      "them up again. Blue cells are positive, orange ones negative. Move over a strip, or use the slider, to see " +
      "the numbers of one dimension.",
    zh: "softmax 之后，这个查询经历的计算。所有向量都是计算内核算出的，页面再自己加一遍。蓝色为正，橙色为负。" +
      "把指针移到色带上，或拖动滑块，查看某一维的数值。",
  },
  fetching: {en: "The numbers after the softmax are being fetched.", zh: "正在获取 softmax 之后的数值。"},
  noSteps: {
    en: "The server did not send the steps of this layer.",
    zh: "服务器没有返回这一层的计算步骤。",
  },
  notInFile: {
    en: "This offline file does not contain the numbers after the softmax for this place; the server has them.",
    zh: "这个离线文件不包含此处 softmax 之后的数值；服务器上有。",
  },
  inFile: {
    en: (site, layer) => `Show ${site}, layer ${layer}, which the file contains`,
    zh: (site, layer) => `显示文件中包含的：${site}，第 ${layer} 层`,
  },

  word: {en: "Word", zh: "词"},
  weight: {en: "weight", zh: "权重"},
  share: {en: "share", zh: "占比"},
  value: {en: "value", zh: "数值"},
  dimension: {en: "Dimension", zh: "维度"},
  unit: {en: "Unit", zh: "单元"},
  activation: {en: "activation", zh: "激活值"},
  otherKeys: {en: (n) => (n === 1 ? "1 other key" : `${n} other keys`), zh: (n) => `其他 ${n} 个键`},
  head: {en: (head) => `Head ${head}`, zh: (head) => `头 ${head}`},
  headOff: {en: (head) => `Head ${head} (off)`, zh: (head) => `头 ${head}（已关闭）`},
  headOutput: {en: (head) => `= head ${head}`, zh: (head) => `= 头 ${head}`},
  bias: {en: "bias", zh: "偏置"},
  multiHead: {en: "= MultiHead", zh: "= MultiHead"},
  residual: {en: "residual", zh: "残差"},
  attentionOutput: {en: "+ attention", zh: "+ 注意力"},
  networkOutput: {en: "+ FFN", zh: "+ FFN"},
  sum: {en: "= sum", zh: "= 和"},
  before: {en: "sum", zh: "和"},
  after: {en: "normalised", zh: "归一化后"},
  hidden: {en: "hidden units", zh: "隐藏单元"},
  unitName: {en: (unit) => `Unit ${unit}`, zh: (unit) => `单元 ${unit}`},
  otherUnits: {en: (n) => (n === 1 ? "1 other unit" : `${n} other units`), zh: (n) => `其他 ${n} 个单元`},
  network: {en: "= FFN", zh: "= FFN"},

  valuesTitle: {en: "Weights × values", zh: "权重 × 值"},
  valuesAbout: {
    en: "Each key has a value vector. The output of the head is their sum, each multiplied by its weight. The share " +
      "says how much of the output comes from a word.",
    zh: "每个键都有一个值向量。注意力头的输出是各值向量乘以权重之后的和。占比表示输出中有多少来自这个词。",
  },
  contextAbout: {
    en: "Each key has a value vector. The context is their sum, each multiplied by its weight. The share says how " +
      "much of the context comes from a word.",
    zh: "每个键都有一个值向量。上下文向量是各值向量乘以权重之后的和。占比表示其中有多少来自这个词。",
  },
  contextOutput: {en: "= context", zh: "= 上下文"},
  mostOfContext: {
    en: (word, share) => `The largest part of the context comes from “${word}”: ${share}.`,
    zh: (word, share) => `上下文向量中，来自“${word}”的部分最多：${share}。`,
  },
  contextEnd: {
    en: "From this context and its own state the decoder computes the probability of every word.",
    zh: "解码器由这个上下文向量和自己的状态算出每个词的概率。",
  },
  mostOf: {
    en: (word, share) => `The largest part of this head’s output comes from “${word}”: ${share}.`,
    zh: (word, share) => `这个头的输出中，来自“${word}”的部分最多：${share}。`,
  },
  isOff: {
    en: "This head is switched off: its output is set to zero.",
    zh: "这个头已关闭：它的输出被置为零。",
  },
  headsTitle: {en: "All heads, times Wᴼ", zh: "所有头，乘以 Wᴼ"},
  headsAbout: {
    en: "The outputs of the heads are put side by side and multiplied by one matrix. That is the same as a sum with " +
      "one term for each head; the terms are products that the kernel computed. Choose a head to follow it.",
    zh: "各头的输出并排拼接，再乘以同一个矩阵。这等于每个头各贡献一项之和；每一项都由计算内核相乘得到。点击某个头即可查看它。",
  },
  residualTitle: {en: "Residual connection", zh: "残差连接"},
  attentionResidual: {
    en: "What attention found is added to what was known about this position before.",
    zh: "注意力得到的结果加到这个位置原有的表示上。",
  },
  networkResidual: {
    en: "What the network computed is added to its residual.",
    zh: "前馈网络的结果加到残差上。",
  },
  normTitle: {en: "Layer normalisation", zh: "层归一化"},
  normPost: {
    en: "The numbers are shifted to mean 0 and scaled to variance 1; γ and β, which are learned, then scale and shift " +
      "each dimension.",
    zh: "把数值平移到均值 0、缩放到方差 1，再由学到的 γ 和 β 对每一维缩放和平移。",
  },
  normPre: {
    en: "The numbers are shifted to mean 0 and scaled to variance 1; γ and β, which are learned, then scale and shift " +
      "each dimension. This model normalises before a sub-layer: the next sub-layer reads the normalised numbers, " +
      "and the residual goes on with the sum.",
    zh: "把数值平移到均值 0、缩放到方差 1，再由学到的 γ 和 β 对每一维缩放和平移。这个模型在子层之前归一化：" +
      "下一个子层读取归一化后的数值，而残差沿用归一化之前的和。",
  },
  batchNormTitle: {en: "Batch normalisation", zh: "批归一化"},
  batchNormPost: {
    en: "Each dimension is shifted by its mean and scaled by its variance. Both were measured over the batches of " +
      "training and are the same for all words; γ and β, which are learned, then scale and shift the dimension.",
    zh: "每一维按均值平移、按方差缩放。均值和方差在训练的各个批次上测得，对所有词都相同；再由学到的 γ 和 β 缩放和平移。",
  },
  batchNormPre: {
    en: "Each dimension is shifted by its mean and scaled by its variance. Both were measured over the batches of " +
      "training and are the same for all words; γ and β, which are learned, then scale and shift the dimension. This " +
      "model normalises before a sub-layer: the next sub-layer reads the normalised numbers, and the residual goes on " +
      "with the sum.",
    zh: "每一维按均值平移、按方差缩放。均值和方差在训练的各个批次上测得，对所有词都相同；再由学到的 γ 和 β 缩放和平移。" +
      "这个模型在子层之前归一化：下一个子层读取归一化后的数值，而残差沿用归一化之前的和。",
  },
  mean: {en: "mean μ", zh: "均值 μ"},
  variance: {en: "variance σ²", zh: "方差 σ²"},
  kernel: {en: (value) => `(kernel: ${value})`, zh: (value) => `（内核：${value}）`},
  networkTitle: {en: "Feed-forward network", zh: "前馈网络"},
  networkAbout: {
    en: "Each hidden unit compares the vector with a pattern of its own, its column of W₁. If the result is above 0, " +
      "the unit is on and adds its row of W₂ to the output.",
    zh: "每个隐藏单元把向量与自己的模式（W₁ 的一列）比较。结果大于 0 时，该单元被激活，并把 W₂ 中自己的一行加到输出上。",
  },
  unitsOn: {
    en: (on, all) => `${on} of ${all} hidden units are on for this position.`,
    zh: (on, all) => `对这个位置，${all} 个隐藏单元中有 ${on} 个被激活。`,
  },
  unitProduct: {
    en: (unit) => `Unit ${unit}: the product of the vector with its column of W₁, plus its bias, or 0 if that is ` +
      "negative. The largest terms of the product:",
    zh: (unit) => `单元 ${unit}：向量与 W₁ 中对应列的乘积加上偏置，为负时取 0。乘积中最大的几项：`,
  },
  inDimension: {en: (at, value) => `dimension ${at} (${value})`, zh: (at, value) => `第 ${at} 维（${value}）`},
  crossBetween: {
    en: "In the decoder, cross-attention comes next, and the feed-forward network after it reads its result.",
    zh: "在解码器中，接下来是交叉注意力，其后的前馈网络读取它的结果。",
  },
  showCross: {en: (title) => `Go on with ${title}`, zh: (title) => `继续看${title}`},
  nextLayer: {en: (layer) => `Layer ${layer} reads this vector.`, zh: (layer) => `第 ${layer} 层读取这个向量。`},
  showLayer: {en: (layer) => `Go on with layer ${layer}`, zh: (layer) => `继续看第 ${layer} 层`},
  lastSource: {
    en: "This was the last layer. Cross-attention makes its keys and values for this word from this vector.",
    zh: "这是最后一层。交叉注意力由这个向量得到这个词的键和值。",
  },
  lastTarget: {
    en: "This was the last layer. The output projection turns this vector into a probability for every word.",
    zh: "这是最后一层。输出投影把这个向量变成每个词的概率。",
  },
  showWords: {en: "Show the next words", zh: "查看下一个词"},
  check: {
    en: (most, units) => `Checked here in double precision: no number is more than ${most} away from the kernel’s ` +
      `(${units} units in the last place of the largest number).`,
    zh: (most, units) => `页面用双精度重新计算：与内核的数值最多相差 ${most}，即最大数值末位的 ${units} 个单位。`,
  },
  same: {
    en: "Checked here in double precision: the same numbers as the kernel’s.",
    zh: "页面用双精度重新计算：与内核的数值完全相同。",
  },
  activationCheck: {en: "Activations of these units:", zh: "这些单元的激活值："},
  outputCheck: {en: "Output:", zh: "输出："},
  fewerDigits: {
    en: "This is more than the rounding of float32: the kernel computes with fewer digits, as on a GPU or with " +
      "quantised weights.",
    zh: "这超出了 float32 的舍入误差：内核使用更少的位数，例如在 GPU 上或使用量化权重时。",
  },
});
