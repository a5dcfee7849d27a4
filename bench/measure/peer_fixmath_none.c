#include "peer_fixmath.h"

weft_number_loop* const weft_peer_fixmath[WEFT_NUMBER_OPERATIONS] = {NULL};
