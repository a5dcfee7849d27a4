// error: invalid operands
#include <weft/type.h>

WEFT_COMPONENT(Body, (weft_fixed, mass));

weft_fixed twice(const Body* body);

weft_fixed twice(const Body* body) {
    return body->mass * body->mass;
}
