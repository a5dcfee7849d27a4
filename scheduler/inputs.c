// Format: their number, then of each the channel's number, the addressee's slot and generation and
// the bytes of the message, in the canonical form.

#include "inputs.h"

#include "weft_bytes.h"

#define INPUT_HEAD 12u

static const weft_type* input_type(const weft_world* world, const weft__input* input) {
    return weft__type_at(world, world->channels.items[input->channel].type)->type;
}

size_t weft__inputs_size(const weft_world* world) {
    size_t size = 4;
    for (uint32_t i = 0; i < world->inputs.count; i++)
        size += INPUT_HEAD + input_type(world, &world->inputs.items[i])->size;
    return size;
}

void weft__inputs_put(const weft_world* world, uint8_t* out) {
    weft__bytes bytes;
    weft__bytes_init(&bytes, out, weft__inputs_size(world));
    weft__bytes_put_u32(&bytes, world->inputs.count);
    for (uint32_t i = 0; i < world->inputs.count; i++) {
        const weft__input* input = &world->inputs.items[i];
        const weft_type* type = input_type(world, input);
        WEFT_ASSERT(input->tick == world->inputs.items[0].tick);
        weft__bytes_put_u32(&bytes, input->channel);
        weft__bytes_put_u32(&bytes, input->target.slot);
        weft__bytes_put_u32(&bytes, input->target.generation);
        uint8_t* place = weft__bytes_reserve(&bytes, type->size);
        WEFT_ASSERT(place != NULL);
        weft__type_encode(type, world->input_bytes.items + input->offset, 1, place);
    }
    WEFT_ASSERT(!bytes.overflow && bytes.size == bytes.capacity);
}

static weft_status input_post(weft_world* world, weft__reader* reader) {
    uint64_t message[WEFT_TYPE_SIZE_MAX / sizeof(uint64_t)];
    uint32_t channel = weft__reader_get_u32(reader);
    uint32_t slot = weft__reader_get_u32(reader);
    uint32_t generation = weft__reader_get_u32(reader);
    if (reader->underflow || channel >= world->channels.count)
        return WEFT_STATUS_BAD_FORMAT;
    const weft_type* type = weft__type_at(world, world->channels.items[channel].type)->type;
    const uint8_t* bytes = weft__reader_view(reader, type->size);
    if (bytes == NULL)
        return WEFT_STATUS_BAD_FORMAT;
    weft__type_decode(type, bytes, 1, message);
    return weft_world_post(world, type, (weft_entity){slot, generation}, message);
}

weft_status weft__inputs_post(weft_world* world, const void* bytes, size_t size) {
    weft__reader reader;
    weft__reader_init(&reader, bytes, size);
    uint32_t count = weft__reader_get_u32(&reader);
    weft_status status = WEFT_STATUS_OK;
    for (uint32_t i = 0; i < count && status == WEFT_STATUS_OK; i++)
        status = input_post(world, &reader);
    if (status == WEFT_STATUS_OK)
        status = weft__reader_finish(&reader);
    if (status == WEFT_STATUS_BAD_FORMAT)
        return weft__world_fail(world, status, "the inputs of the tick are cut off or damaged");
    return status;
}
