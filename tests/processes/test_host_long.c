// Hosts that end in every way, again and again (bug D12).

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "hosts.h"

#include <criterion/criterion.h>

#include "effort.h"

Test(host, however_it_ends_no_worker_is_left, .timeout = 900) {
    hosts_end(TEST_EFFORT(20));
}
