// Cuts parallel text into tokens, on many threads, and puts it into a cache.
#pragma once

#include "dragoman/data/cache_file.h"
#include "dragoman/data/token_cache.h"

namespace dragoman::data {

PairForm form_of(const CacheRequest& request);

// Pairs come in the order of their lines for any number of threads, and memory holds a few thousand of them at a time.
void cut_corpora(const CacheRequest& request, CacheWriter& writer);

}  // namespace dragoman::data
