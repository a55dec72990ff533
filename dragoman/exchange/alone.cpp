#include "dragoman/exchange/alone.h"

namespace dragoman::exchange {

namespace {

[[noreturn]] void refuse(int rank) { throw Error(join("there is no rank ", rank, ": this process trains alone")); }

}  // namespace

void Alone::trade(const Backend&, int partner, const Array&, Array) { refuse(partner); }
void Alone::send(const Backend&, int to, const Array&) { refuse(to); }
void Alone::receive(const Backend&, int from, Array) { refuse(from); }

}  // namespace dragoman::exchange
