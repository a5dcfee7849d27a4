#include "peer.h"

const weft_peer* const weft_peer_tbb = NULL;
