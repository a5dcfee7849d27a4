// Decimals of both formats. The oracle works on the text's digits as one exact whole number.

#include "math_big.h"
#include "math_test.h"
#include "weft/fixed64.h"

#include <string.h>

/// A format as the tests see it.
struct format {
    const char* name;
    unsigned bits;
    int64_t min, max;
    size_t size; ///< of a text
    size_t (*format)(int64_t raw, char* text, size_t capacity);
    size_t (*exact)(int64_t raw, char* text, size_t capacity);
    weft_status (*parse)(const char* text, size_t length, int64_t* raw);
};

#define FORMAT(f, raw_type, low, high, room)                                                       \
    static size_t f##_format(int64_t raw, char* text, size_t capacity) {                           \
        return weft_##f##_format(weft_##f##_from_raw((raw_type)raw), text, capacity);              \
    }                                                                                              \
    static size_t f##_exact(int64_t raw, char* text, size_t capacity) {                            \
        return weft_##f##_format_exact(weft_##f##_from_raw((raw_type)raw), text, capacity);        \
    }                                                                                              \
    static weft_status f##_parse(const char* text, size_t length, int64_t* raw) {                  \
        weft_##f number = {(raw_type)*raw};                                                        \
        weft_status status = weft_##f##_parse(text, length, &number);                              \
        *raw = number.raw;                                                                         \
        return status;                                                                             \
    }                                                                                              \
    static const struct format format_##f = {                                                      \
        #f, (unsigned)sizeof(raw_type) * 4, low, high, room, f##_format, f##_exact, f##_parse,     \
    };

FORMAT(fixed, int32_t, INT32_MIN, INT32_MAX, WEFT_FIXED_TEXT_SIZE)
FORMAT(fixed64, int64_t, INT64_MIN, INT64_MAX, WEFT_FIXED64_TEXT_SIZE)

static const struct format* const formats[2] = {&format_fixed, &format_fixed64};

/// The value of a text as n / d, from its digits. At most 50 of them.
static void value_of(const char* text, big* n, big* d) {
    const big ten = big_of(10);
    bool after = false;
    *n = big_of(0);
    *d = big_of(1);
    for (const char* c = text; *c != '\0'; ++c) {
        if (*c == '.') {
            after = true;
        } else if (*c != '-' && *c != '+') {
            *n = big_add(big_mul(*n, ten), big_of(*c - '0'));
            *d = after ? big_mul(*d, ten) : *d;
        }
    }
    *n = *text == '-' ? big_negate(*n) : *n;
}

/// Reads a text that is a number, and checks the result against its digits.
static int64_t check_parse(const struct format* f, const char* text) {
    big n, d;
    value_of(text, &n, &d);
    n = big_mul(n, big_power(f->bits));
    int64_t raw = 77;
    weft_status status = f->parse(text, strlen(text), &raw);
    bool fits = big_fits(n, d, f->min, f->max);
    if (status != (fits ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_RANGE))
        TEST_FAIL("%s parse(%s): %s", f->name, text, weft_status_name(status));
    if (!big_is_saturated(n, d, raw, f->min, f->max))
        TEST_FAIL("%s parse(%s) = %" PRId64, f->name, text, raw);
    return raw;
}

static size_t fraction_length(const char* text) {
    const char* point = strchr(text, '.');
    return point == NULL ? 0 : strlen(point + 1);
}

/// Whether some decimal with `digits` after the point is read as raw: the one nearest to it is.
static bool some_decimal_does(const struct format* f, int64_t raw, size_t digits) {
    // The nearest n to raw * 10^digits / 2^bits, and then raw nearest to n * 2^bits / 10^digits.
    big d = big_of(1);
    for (size_t i = 0; i < digits; ++i)
        d = big_mul(d, big_of(10));
    big n = big_shift(big_mul(big_of(raw), d), f->bits);
    return big_is_rounded(big_mul(n, big_power(f->bits)), d, big_of(raw));
}

static void check_format(const struct format* f, int64_t raw) {
    char text[WEFT_FIXED64_TEXT_SIZE];
    size_t length = f->format(raw, text, f->size);
    if (length != strlen(text) || check_parse(f, text) != raw)
        TEST_FAIL("%s format(%" PRId64 ") = %s", f->name, raw, text);
    size_t digits = fraction_length(text);
    if (digits > 0 && some_decimal_does(f, raw, digits - 1))
        TEST_FAIL("%s format(%" PRId64 ") = %s, not the shortest", f->name, raw, text);
    // Of that length the nearest.
    big n, d;
    value_of(text, &n, &d);
    if (!big_is_rounded(big_mul(big_of(raw), d), big_power(f->bits), n))
        TEST_FAIL("%s format(%" PRId64 ") = %s, not the nearest", f->name, raw, text);

    length = f->exact(raw, text, f->size);
    if (length != strlen(text) || check_parse(f, text) != raw)
        TEST_FAIL("%s format_exact(%" PRId64 ") = %s", f->name, raw, text);
    value_of(text, &n, &d);
    if (big_compare(big_mul(n, big_power(f->bits)), big_mul(big_of(raw), d)) != 0)
        TEST_FAIL("%s format_exact(%" PRId64 ") = %s, not exact", f->name, raw, text);
    if (fraction_length(text) > 0 && text[length - 1] == '0')
        TEST_FAIL("%s format_exact(%" PRId64 ") = %s, too long", f->name, raw, text);
}

static int64_t random_raw(const struct format* f, uint64_t* state) {
    if (f->bits == 16)
        return test_raw(state);
    int64_t raw = (int64_t)test_next(state);
    uint64_t bits = test_next(state);
    return (raw >> (bits % 64)) & -((int64_t)1 << (bits >> 8) % 36);
}

Test(fixed_text, known_texts) {
    static const struct {
        int32_t raw;
        const char* shortest;
        const char* exact;
    } cases[] = {
        {0, "0", "0"},
        {1, "0.00002", "0.0000152587890625"},
        {-1, "-0.00002", "-0.0000152587890625"},
        {6554, "0.1", "0.100006103515625"},
        {32768, "0.5", "0.5"},
        {21845, "0.33333", "0.3333282470703125"},
        {205887, "3.14159", "3.1415863037109375"},
        {-196608, "-3", "-3"},
        {INT32_MAX, "32767.99998", "32767.9999847412109375"},
        {INT32_MIN, "-32768", "-32768"},
        {INT32_MIN + 1, "-32767.99998", "-32767.9999847412109375"},
    };
    char text[WEFT_FIXED64_TEXT_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        weft_fixed value = weft_fixed_from_raw(cases[i].raw);
        cr_assert_eq(weft_fixed_format(value, text, WEFT_FIXED_TEXT_SIZE), strlen(text));
        cr_assert_str_eq(text, cases[i].shortest);
        cr_assert_eq(weft_fixed_format_exact(value, text, WEFT_FIXED_TEXT_SIZE), strlen(text));
        cr_assert_str_eq(text, cases[i].exact);
    }
    weft_fixed64_format(WEFT_FIXED64_MAX, text, sizeof text);
    cr_assert_str_eq(text, "2147483647.9999999998");
    weft_fixed64_format(WEFT_FIXED64_MIN, text, sizeof text);
    cr_assert_str_eq(text, "-2147483648");
    weft_fixed64_format(weft_fixed64_from_raw(1), text, sizeof text);
    cr_assert_str_eq(text, "0.0000000002");
    weft_fixed64_format_exact(weft_fixed64_from_raw(INT64_MIN + 1), text, sizeof text);
    cr_assert_str_eq(text, "-2147483647.99999999976716935634613037109375");
    cr_assert_eq(strlen(text), sizeof text - 1, "the longest text just fits");
}

Test(fixed_text, no_room) {
    char text[16];
    for (size_t capacity = 0; capacity <= 9; ++capacity) {
        memset(text, '#', sizeof text);
        cr_assert_eq(weft_fixed_format(weft_fixed_from_raw(-205887), text, capacity), 8);
        if (capacity == 0)
            cr_assert_eq(text[0], '#');
        else
            cr_assert_str_eq(text, capacity == 9 ? "-3.14159" : "");
        cr_assert_eq(text[capacity], '#', "nothing is written past the capacity");
    }
    cr_assert_eq(weft_fixed64_format(WEFT_FIXED64_ONE, NULL, 0), 1);
}

Test(fixed_text, edges) {
    for (int k = 0; k < 2; ++k) {
        const struct format* f = formats[k];
        for (int64_t near = 0; near <= 500; ++near) {
            check_format(f, f->min + near);
            check_format(f, f->max - near);
            check_format(f, near - 250);
        }
        for (unsigned bit = 0; bit < 2 * f->bits - 1; ++bit) {
            for (int64_t near = -2; near <= 2; ++near) {
                check_format(f, ((int64_t)1 << bit) + near > f->max ? f->max
                                                                    : ((int64_t)1 << bit) + near);
                check_format(f, -((int64_t)1 << bit) + near);
            }
        }
    }
}

/// A seventh of the fractions, and random numbers. test_fixed_text_long.c has all 2^32 numbers.
Test(fixed_text, round_trips) {
    uint64_t state = test_seed("round_trips");
    for (int32_t fraction = 0; fraction < 65536; fraction += 7)
        check_format(&format_fixed, fraction | (int32_t)(test_next(&state) & 0xffff0000));
    for (int i = 0; i < 20000; ++i)
        check_format(formats[i % 2], random_raw(formats[i % 2], &state));
}

/// Texts on a tie between two numbers and beside it, far beyond the digits that a number needs.
Test(fixed_text, parse_ties) {
    uint64_t state = test_seed("parse_ties");
    char text[WEFT_FIXED64_TEXT_SIZE + 8];
    for (int i = 0; i < 10000; ++i) {
        const struct format* f = formats[i % 2];
        // The tie above raw is the exact text of 2 * raw + 1 with one more bit after the point:
        // raw's digits and half a step, which is a 5 at the place after the last bit's.
        int64_t raw = random_raw(f, &state) >> 1;
        big n = big_add(big_mul(big_of(raw), big_of(2)), big_of(1));
        for (unsigned digit = 0; digit <= f->bits; ++digit)
            n = big_mul(n, big_of(5)); // n / 2^(bits + 1) = n * 5^(bits + 1) / 10^(bits + 1)
        char digits[64];
        size_t count = 0;
        big left = big_abs(n);
        // Decimal digits from the lowest, by division by 10, limb by limb.
        while (big_sign(left) != 0 || count < f->bits + 2) {
            uint64_t rest = 0;
            for (int limb = BIG_LIMBS; limb-- > 0;) {
                rest = rest << 32 | left.limb[limb];
                left.limb[limb] = (uint32_t)(rest / 10);
                rest %= 10;
            }
            digits[count++] = (char)('0' + rest);
        }
        char* at = text;
        if (big_sign(n) < 0)
            *at++ = '-';
        while (count > 0) {
            if (count == f->bits + 1)
                *at++ = '.';
            *at++ = digits[--count];
        }
        *at = '\0';
        int64_t even = raw + (raw & 1);
        cr_assert_eq(check_parse(f, text), even, "%s", text);
        memcpy(at, "0001", sizeof "0001");
        cr_assert_eq(check_parse(f, text), raw < 0 ? raw : raw + 1, "%s", text);
        // One less in the last digit, which is a 5, and nines behind it.
        at[-1] = '4';
        memcpy(at, "999", sizeof "999");
        cr_assert_eq(check_parse(f, text), raw < 0 ? raw + 1 : raw, "%s", text);
    }
}

Test(fixed_text, parse_known) {
    for (int k = 0; k < 2; ++k) {
        const struct format* f = formats[k];
        const int64_t one = (int64_t)1 << f->bits;
        cr_assert_eq(check_parse(f, "3"), 3 * one);
        cr_assert_eq(check_parse(f, "+3."), 3 * one);
        cr_assert_eq(check_parse(f, "-.5"), -one / 2);
        cr_assert_eq(check_parse(f, "-0"), 0);
        cr_assert_eq(check_parse(f, "-0.000"), 0);
        cr_assert_eq(check_parse(f, "00000000000000000000000000000012.50"), one * 25 / 2);
        cr_assert_eq(check_parse(f, "99999999999999999999999999"), f->max);
        cr_assert_eq(check_parse(f, "-4294967296000000000000000"), f->min);
        cr_assert_eq(check_parse(f, "18446744073709551616"), f->max, "2^64 does not wrap to 0");
        // Only so many characters are read.
        int64_t raw = 0;
        cr_assert_eq(f->parse("12345", 2, &raw), WEFT_STATUS_OK);
        cr_assert_eq(raw, 12 * one);
    }
    // The last that fit, and the first that do not.
    cr_assert_eq(check_parse(&format_fixed, "32767.99999237060546874"), INT32_MAX);
    cr_assert_eq(check_parse(&format_fixed, "32767.99999237060546875"), INT32_MAX);
    cr_assert_eq(check_parse(&format_fixed, "-32768.00000762939453125"), INT32_MIN);
    cr_assert_eq(check_parse(&format_fixed, "-32768.00000762939453126"), INT32_MIN);
    weft_fixed out = WEFT_FIXED_ZERO;
    cr_assert_eq(weft_fixed_parse("32767.99999237060546875", 23, &out), WEFT_STATUS_OUT_OF_RANGE);
    cr_assert_eq(out.raw, INT32_MAX);
    cr_assert_eq(weft_fixed_parse("-32768.00000762939453125", 24, &out), WEFT_STATUS_OK);
    cr_assert_eq(out.raw, INT32_MIN);
    // 60 zeros before the digit that decides a tie.
    char text[128] = "0.00000762939453125";
    size_t length = strlen(text);
    memset(text + length, '0', 60);
    cr_assert_eq(weft_fixed_parse(text, length + 60, &out), WEFT_STATUS_OK);
    cr_assert_eq(out.raw, 0);
    text[length + 60] = '1';
    cr_assert_eq(weft_fixed_parse(text, length + 61, &out), WEFT_STATUS_OK);
    cr_assert_eq(out.raw, 1);
}

Test(fixed_text, garbage_is_refused) {
    static const char* const texts[] = {
        "",     " ",    "-",   "+",    ".",    "-.",   "+.",  " 1",  "1 ",    "--1", "+-1",
        "1..2", "1.2.", "1,5", "1e3",  "0x10", "1.5f", "nan", "inf", "1'000", "1_0", "٣",
        "1\n",  "1-",   ".e1", "1.-5", "\t1",  "one",  "1/2", "- 1", "1. 5",  ":",   "1;",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        for (int k = 0; k < 2; ++k) {
            int64_t raw = 77;
            weft_status status = formats[k]->parse(texts[i], strlen(texts[i]), &raw);
            cr_assert_eq(status, WEFT_STATUS_BAD_FORMAT, "'%s'", texts[i]);
            cr_assert_eq(raw, 77, "'%s' changed the number", texts[i]);
        }
    }
    int64_t raw = 77;
    cr_assert_eq(format_fixed.parse("1\0002", 3, &raw), WEFT_STATUS_BAD_FORMAT);
    cr_assert_eq(format_fixed.parse(NULL, 0, &raw), WEFT_STATUS_BAD_FORMAT);
    // Too large and not a number: not a number.
    cr_assert_eq(format_fixed.parse("99999x", 6, &raw), WEFT_STATUS_BAD_FORMAT);
    cr_assert_eq(raw, 77);
}

/// Random characters of those that numbers are made of: read as the digits say, or refused.
Test(fixed_text, random_texts) {
    static const char letters[] = "0123456789.-+05";
    uint64_t state = test_seed("random_texts");
    int numbers = 0;
    for (int i = 0; i < 100000; ++i) {
        char text[16];
        size_t length = test_next(&state) % 12;
        size_t points = 0, digits = 0;
        bool good = true;
        for (size_t j = 0; j < length; ++j) {
            text[j] = letters[test_next(&state) % (sizeof letters - 1)];
            bool sign = text[j] == '-' || text[j] == '+';
            points += text[j] == '.';
            digits += !sign && text[j] != '.';
            good = good && (!sign || j == 0);
        }
        text[length] = '\0';
        good = good && points <= 1 && digits > 0;
        numbers += good;
        const struct format* f = formats[i % 2];
        if (good) {
            check_parse(f, text);
            continue;
        }
        int64_t raw;
        if (f->parse(text, length, &raw) != WEFT_STATUS_BAD_FORMAT)
            TEST_FAIL("%s parse(%s)", f->name, text);
    }
    cr_assert_gt(numbers, 10000);
}
