// error: read-only | const
#include <weft/view.h>

WEFT_COMPONENT(Body, (int32_t, mass));

weft_status careless(weft_view* view, const void* context);

weft_status careless(weft_view* view, const void* context) {
    (void)context;
    WEFT_READ(view, Body)[0].mass = 1;
    return WEFT_STATUS_OK;
}
