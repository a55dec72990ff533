// Tokenizes parallel text on many threads and writes the tokens to a cache.
#pragma once

#include "dragoman/data/cache_file.h"
#include "dragoman/data/token_cache.h"

namespace dragoman::data {

// How the cache of this request stores pairs: as text, or as token ids of the smallest size that fits the vocabularies.
PairForm form_of(const CacheRequest& request);

// Pairs are written in the order of their lines for any number of threads. At most 32,768 are in memory at a time.
void tokenise_corpora(const CacheRequest& request, CacheWriter& writer);

}  // namespace dragoman::data
