// Recognises tables of positions in a file that are sinusoids, so that there is no longest sentence.
#pragma once

#include <string_view>

#include "dragoman/model/foreign/network.h"
#include "dragoman/model/foreign/tensor.h"

namespace dragoman::model {

// If the network has tables of positions and both are one of our sinusoids, the network becomes one that computes them.
void recognise_sinusoids(const foreign::Tensors& tensors, foreign::Network& network, std::string_view where);

}  // namespace dragoman::model
