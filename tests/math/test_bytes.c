#include "math_test.h"
#include "weft_bits.h"
#include "weft_bytes.h"

#include <string.h>

#define RECORD 34

static const uint8_t record[RECORD] = {
    0x01,                                           // u8
    0x03, 0x02,                                     // u16
    0x07, 0x06, 0x05, 0x04,                         // u32
    0x0f, 0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 0x09, 0x08, // u64
    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, // digest, low half
    0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, // digest, high half
    'a',  'b',  'c',                                // raw
};
/// Where the items of the record end.
static const size_t item_ends[] = {0, 1, 3, 7, 15, 31, 34};

static void put_record(weft__bytes* bytes) {
    weft__bytes_put_u8(bytes, 0x01);
    weft__bytes_put_u16(bytes, 0x0203);
    weft__bytes_put_u32(bytes, 0x04050607);
    weft__bytes_put_u64(bytes, 0x08090a0b0c0d0e0f);
    weft__bytes_put_digest(bytes,
                           (weft_digest){.low = 0x1122334455667788, .high = 0x99aabbccddeeff00});
    weft__bytes_put_raw(bytes, "abc", 3);
}

/// The end of the last item that fits `capacity`, stopping at the first that does not.
static size_t whole_items(size_t capacity) {
    size_t end = 0;
    for (size_t i = 0; i < sizeof item_ends / sizeof item_ends[0]; ++i)
        end = item_ends[i] <= capacity ? item_ends[i] : end;
    return end;
}

Test(bytes, writes_little_endian) {
    uint8_t buffer[64];
    weft__bytes bytes;
    weft__bytes_init(&bytes, buffer, sizeof buffer);
    put_record(&bytes);
    cr_assert_not(bytes.overflow);
    cr_assert_eq(bytes.size, RECORD);
    cr_assert_eq(memcmp(buffer, record, RECORD), 0);
}

Test(bytes, never_writes_past_any_capacity) {
    for (size_t capacity = 0; capacity <= RECORD; ++capacity) {
        uint8_t buffer[RECORD + 16];
        memset(buffer, 0xa5, sizeof buffer);
        weft__bytes bytes;
        weft__bytes_init(&bytes, capacity == 0 ? NULL : buffer, capacity);
        put_record(&bytes);
        size_t kept = whole_items(capacity);
        cr_assert_eq(bytes.overflow, capacity < RECORD);
        cr_assert_eq(bytes.size, kept, "capacity %zu: %zu", capacity, bytes.size);
        cr_assert_eq(memcmp(buffer, record, kept), 0);
        for (size_t i = kept; i < sizeof buffer; ++i)
            cr_assert_eq(buffer[i], 0xa5, "capacity %zu: byte %zu was touched", capacity, i);
    }
}

Test(bytes, overflow_is_sticky) {
    uint8_t buffer[4] = {0};
    weft__bytes bytes;
    weft__bytes_init(&bytes, buffer, sizeof buffer);
    weft__bytes_put_u8(&bytes, 1);
    weft__bytes_put_u64(&bytes, 2);
    weft__bytes_put_u8(&bytes, 3); // would fit
    cr_assert(bytes.overflow);
    cr_assert_eq(bytes.size, 1);
    cr_assert_eq(buffer[1], 0);
    weft__bytes_init(&bytes, buffer, sizeof buffer);
    weft__bytes_put_u8(&bytes, 1);
    weft__bytes_put_raw(&bytes, buffer, SIZE_MAX);
    cr_assert(bytes.overflow, "an offset plus a huge size must not wrap");
    weft__bytes_init(&bytes, NULL, 0);
    weft__bytes_put_raw(&bytes, NULL, 0);
    cr_assert_not(bytes.overflow);
}

Test(bytes, digest_is_of_the_bytes_written) {
    uint8_t buffer[64];
    weft__bytes bytes;
    weft__bytes_init(&bytes, buffer, sizeof buffer);
    weft__bytes_put_u32(&bytes, 0x01020304);
    weft_digest expected = weft_digest_of("\x04\x03\x02\x01", 4, 5);
    cr_assert(weft_digest_equal(weft__bytes_digest(&bytes, 5), expected));
    cr_assert_not(weft_digest_equal(weft__bytes_digest(&bytes, 6), expected));
}

Test(bytes, reads_what_was_written) {
    weft__reader reader;
    weft__reader_init(&reader, record, RECORD);
    cr_assert_eq(weft__reader_get_u8(&reader), 0x01);
    cr_assert_eq(weft__reader_get_u16(&reader), 0x0203);
    cr_assert_eq(weft__reader_get_u32(&reader), 0x04050607);
    cr_assert_eq(weft__reader_left(&reader), 27);
    cr_assert_eq(weft__reader_get_u64(&reader), 0x08090a0b0c0d0e0f);
    weft_digest digest = weft__reader_get_digest(&reader);
    cr_assert_eq(digest.low, 0x1122334455667788);
    cr_assert_eq(digest.high, 0x99aabbccddeeff00);
    cr_assert_eq(weft__reader_finish(&reader), WEFT_STATUS_BAD_FORMAT, "bytes are left");
    cr_assert_eq(memcmp(weft__reader_view(&reader, 3), "abc", 3), 0);
    cr_assert_eq(weft__reader_finish(&reader), WEFT_STATUS_OK);
    cr_assert_eq(weft__reader_left(&reader), 0);
}

Test(bytes, high_bits_survive) {
    uint8_t buffer[31];
    memset(buffer, 0xff, sizeof buffer);
    weft__reader reader;
    weft__reader_init(&reader, buffer, sizeof buffer);
    cr_assert_eq(weft__reader_get_u8(&reader), UINT8_MAX);
    cr_assert_eq(weft__reader_get_u16(&reader), UINT16_MAX);
    cr_assert_eq(weft__reader_get_u32(&reader), UINT32_MAX);
    cr_assert_eq(weft__reader_get_u64(&reader), UINT64_MAX);
    weft_digest digest = weft__reader_get_digest(&reader);
    cr_assert(digest.low == UINT64_MAX && digest.high == UINT64_MAX);
    cr_assert_eq(weft__reader_finish(&reader), WEFT_STATUS_OK);
}

/// Every truncation is noticed, and what is read past the end is zero. The copy is exactly as long
/// as the reader is told, so that a sanitizer sees a read beyond it.
Test(bytes, every_truncation_is_noticed) {
    for (size_t size = 0; size < RECORD; ++size) {
        uint8_t* copy = malloc(size > 0 ? size : 1);
        cr_assert_not_null(copy);
        memcpy(copy, record, size);
        weft__reader reader;
        weft__reader_init(&reader, size == 0 ? NULL : copy, size);
        cr_assert_eq(weft__reader_get_u8(&reader), size >= 1 ? 0x01 : 0);
        cr_assert_eq(weft__reader_get_u16(&reader), size >= 3 ? 0x0203 : 0);
        cr_assert_eq(weft__reader_get_u32(&reader), size >= 7 ? 0x04050607 : 0);
        cr_assert_eq(weft__reader_get_u64(&reader), size >= 15 ? 0x08090a0b0c0d0e0f : 0);
        weft_digest digest = weft__reader_get_digest(&reader);
        cr_assert_eq(digest.high, size >= 31 ? 0x99aabbccddeeff00 : 0);
        cr_assert_null(weft__reader_view(&reader, 3));
        cr_assert(reader.underflow);
        cr_assert_eq(reader.offset, whole_items(size));
        cr_assert_eq(weft__reader_left(&reader), 0);
        cr_assert_eq(weft__reader_finish(&reader), WEFT_STATUS_BAD_FORMAT);
        free(copy);
    }
}

Test(bytes, underflow_is_sticky) {
    weft__reader reader;
    weft__reader_init(&reader, record, 4);
    cr_assert_eq(weft__reader_get_u64(&reader), 0);
    cr_assert_eq(weft__reader_get_u8(&reader), 0, "would be there");
    cr_assert_eq(weft__reader_finish(&reader), WEFT_STATUS_BAD_FORMAT);
    weft__reader_init(&reader, record, 4);
    cr_assert_eq(weft__reader_get_u8(&reader), 1);
    cr_assert_null(weft__reader_view(&reader, SIZE_MAX), "an offset plus a huge size wraps");
    cr_assert(reader.underflow);
}

Test(bytes, views_are_in_place) {
    weft__reader reader;
    weft__reader_init(&reader, record, RECORD);
    cr_assert_eq(weft__reader_view(&reader, 3), record);
    cr_assert_eq(weft__reader_view(&reader, 31), record + 3);
    weft__reader_view(&reader, 0);
    cr_assert_eq(weft__reader_finish(&reader), WEFT_STATUS_OK);
}

Test(bits, counting) {
    for (unsigned bit = 0; bit < 64; ++bit) {
        uint64_t word = (uint64_t)1 << bit;
        cr_assert_eq(weft__ctz64(word), bit);
        cr_assert_eq(weft__ctz64(word | (uint64_t)1 << 63), bit);
        cr_assert_eq(weft__popcount64(word - 1), bit);
        cr_assert_eq(weft__popcount64(~(word - 1)), 64 - bit);
    }
    cr_assert_eq(weft__popcount64(UINT64_MAX), 64);
}

Test(bits, powers_and_logarithms) {
    cr_assert_not(weft__is_pow2(0));
    cr_assert_eq(weft__ceil_log2(0), 0);
    cr_assert_eq(weft__ceil_log2(1), 0);
    cr_assert_eq(weft__ceil_log2(2), 1);
    for (unsigned bit = 0; bit < 64; ++bit) {
        uint64_t power = (uint64_t)1 << bit;
        cr_assert(weft__is_pow2(power));
        cr_assert_eq(weft__ceil_log2(power), bit);
        cr_assert_eq(weft__ceil_log2(power + 1), bit + 1);
        cr_assert_not(bit > 0 && weft__is_pow2(power + 1));
        cr_assert_not(bit > 1 && weft__is_pow2(power - 1));
    }
    cr_assert_eq(weft__ceil_log2(UINT64_MAX), 64);
}

Test(bits, align_up) {
    for (size_t alignment = 1; alignment <= 64; alignment *= 2) {
        for (size_t size = 0; size < 300; ++size) {
            size_t up = weft__align_up(size, alignment);
            cr_assert(up % alignment == 0 && up >= size && up - size < alignment);
        }
    }
    cr_assert_eq(weft__align_up(SIZE_MAX - 63, 64), SIZE_MAX - 63);
}

Test(bits, checked_sizes) {
    const size_t half = SIZE_MAX / 2;
    size_t out = 0;
    cr_assert(weft__size_add(half, half + 1, &out) && out == SIZE_MAX);
    cr_assert_not(weft__size_add(half + 1, half + 1, &out));
    cr_assert_not(weft__size_add(SIZE_MAX, 1, &out));
    cr_assert(weft__size_mul(half, 2, &out) && out == SIZE_MAX - 1);
    cr_assert_not(weft__size_mul(half + 1, 2, &out));
    cr_assert_not(weft__size_mul(SIZE_MAX, SIZE_MAX, &out));
    cr_assert(weft__size_mul(0, SIZE_MAX, &out) && out == 0);
}
