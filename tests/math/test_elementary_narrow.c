// The functions and their tests once more, with the body of the wide products that a machine
// without a 128-bit type has: the digests must be the same.

#undef __SIZEOF_INT128__

#include "elementary.c"
#include "test_elementary.c"
