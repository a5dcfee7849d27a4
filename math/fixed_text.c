// Numbers as decimals, in both formats: `bits` is the number of bits after the point, 16 or 32, and
// of those before it.

#include "weft/fixed64.h"

/// The longest text: a sign, 10 digits, a point and 32 digits.
enum {
    TEXT_MAX = 44
};

_Static_assert(WEFT_FIXED64_TEXT_SIZE == TEXT_MAX + 1, "room for the exact value and a zero");
_Static_assert(WEFT_FIXED_TEXT_SIZE == 1 + 5 + 1 + 16 + 1, "room for the exact value and a zero");

static const uint32_t powers_of_5[11] = {
    1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625,
};

/// A text that grows. Never longer than TEXT_MAX.
struct text {
    char data[TEXT_MAX];
    size_t length;
};

static void put(struct text* text, char c) {
    text->data[text->length++] = c;
}

/// `count` digits, with zeros in front.
static void put_digits(struct text* text, uint64_t number, unsigned count) {
    text->length += count;
    for (char* at = text->data + text->length; count > 0; --count, number /= 10)
        *--at = (char)('0' + number % 10);
}

/// Sign and whole part.
static void put_whole(struct text* text, bool negative, uint64_t whole) {
    if (negative)
        put(text, '-');
    unsigned count = 1;
    for (uint64_t left = whole / 10; left != 0; left /= 10)
        ++count;
    put_digits(text, whole, count);
}

/// The decimal fraction of `count` digits that is nearest to fraction / 2^bits. Whether that is
/// read as this fraction again: whether it is within half a step, a tie going to an even number.
static bool fraction_digits(uint64_t fraction, unsigned bits, unsigned count, uint64_t* digits) {
    // Both sides of fraction * 10^count / 2^bits without their common 2^count: under 2^56.
    unsigned shift = bits - count;
    uint64_t n = fraction * powers_of_5[count];
    uint64_t half = (uint64_t)1 << shift >> 1;
    uint64_t down = n >> shift;
    uint64_t left = n - (down << shift);
    bool up = left > half || (left == half && (down & 1) != 0);
    *digits = down + up;
    uint64_t off = up ? ((uint64_t)1 << shift) - left : left;
    uint64_t step = powers_of_5[count];
    return 2 * off < step || (2 * off == step && (fraction & 1) == 0);
}

/// The shortest fraction that does. Where some number of digits does, more do, and a step of the
/// decimals is less than one of the numbers with 5 digits for 16 bits, and with 10 for 32.
static void put_fraction(struct text* text, uint64_t fraction, unsigned bits) {
    unsigned count = bits == 16 ? 5 : 10;
    uint64_t digits;
    bool good = fraction_digits(fraction, bits, count, &digits);
    WEFT_ASSERT(good);
    while (count > 0) {
        uint64_t fewer;
        if (!fraction_digits(fraction, bits, count - 1, &fewer))
            break;
        digits = fewer;
        --count;
    }
    if (count == 0)
        return;
    put(text, '.');
    put_digits(text, digits, count);
}

/// All digits of the fraction: each bit needs one.
static void put_exact_fraction(struct text* text, uint64_t fraction, unsigned bits) {
    if (fraction == 0)
        return;
    put(text, '.');
    while (fraction != 0) {
        fraction *= 10;
        put(text, (char)('0' + (fraction >> bits)));
        fraction &= ((uint64_t)1 << bits) - 1;
    }
}

static size_t format(int64_t raw, unsigned bits, bool exact, char* out, size_t capacity) {
    struct text text = {.length = 0};
    uint64_t magnitude = raw < 0 ? 0u - (uint64_t)raw : (uint64_t)raw;
    uint64_t fraction = magnitude & (((uint64_t)1 << bits) - 1);
    put_whole(&text, raw < 0, magnitude >> bits);
    if (exact)
        put_exact_fraction(&text, fraction, bits);
    else
        put_fraction(&text, fraction, bits);

    bool room = text.length < capacity;
    for (size_t i = 0; room && i < text.length; ++i)
        out[i] = text.data[i];
    if (capacity > 0)
        out[room ? text.length : 0] = '\0';
    return text.length;
}

size_t weft_fixed_format(weft_fixed value, char* text, size_t capacity) {
    return format(value.raw, 16, false, text, capacity);
}

size_t weft_fixed_format_exact(weft_fixed value, char* text, size_t capacity) {
    return format(value.raw, 16, true, text, capacity);
}

size_t weft_fixed64_format(weft_fixed64 value, char* text, size_t capacity) {
    return format(value.raw, 32, false, text, capacity);
}

size_t weft_fixed64_format_exact(weft_fixed64 value, char* text, size_t capacity) {
    return format(value.raw, 32, true, text, capacity);
}

/// What is being read. `at` goes up to `length`.
struct input {
    const char* text;
    size_t length;
    size_t at;
};

static bool next_is(const struct input* input, char c) {
    return input->at < input->length && input->text[input->at] == c;
}

/// The digit at hand, which is then passed, or -1.
static int next_digit(struct input* input) {
    if (input->at == input->length)
        return -1;
    int digit = input->text[input->at] - '0';
    if (digit < 0 || digit > 9)
        return -1;
    ++input->at;
    return digit;
}

/// Passes digits and returns their number; the value stops growing above 2^32.
static size_t read_whole(struct input* input, uint64_t* whole) {
    size_t count = 0;
    for (int digit; (digit = next_digit(input)) >= 0; ++count) {
        if (*whole >> 32 == 0)
            *whole = *whole * 10 + (uint64_t)digit;
    }
    return count;
}

/// Passes the digits after a point and returns their number. *doubled is the fraction times
/// 2^(bits + 1), rounded down, and *more whether something is left below that.
static size_t read_fraction(struct input* input, unsigned bits, uint64_t* doubled, bool* more) {
    // Digits in groups of 9: a tie has bits + 1 of them, 17 or 33.
    enum {
        DIGITS = 9,
        LIMBS_MAX = 4
    };
    uint64_t limbs[LIMBS_MAX] = {0};
    const unsigned used = bits == 16 ? 2 : LIMBS_MAX;
    size_t count = 0;
    unsigned limb = 0, in_limb = 0;
    *more = false;
    for (int digit; (digit = next_digit(input)) >= 0; ++count) {
        if (limb == used) {
            *more |= digit != 0;
            continue;
        }
        limbs[limb] = limbs[limb] * 10 + (uint64_t)digit;
        if (++in_limb == DIGITS) {
            ++limb;
            in_limb = 0;
        }
    }
    for (; limb < used && in_limb < DIGITS; ++in_limb)
        limbs[limb] *= 10;

    // Times 2^(bits + 1): what leaves the first limb is the whole part.
    uint64_t carry = 0;
    for (unsigned i = used; i-- > 0;) {
        uint64_t product = (limbs[i] << (bits + 1)) + carry; // under 10^9 * 2^33
        carry = product / 1000000000;
        *more |= product != carry * 1000000000;
    }
    *doubled = carry;
    return count;
}

/// *raw is the limit on a number out of range, and left as it is on anything but a number.
static weft_status parse(const char* text, size_t length, unsigned bits, int64_t* raw) {
    struct input input = {text, length, 0};
    bool negative = next_is(&input, '-');
    if (negative || next_is(&input, '+'))
        ++input.at;

    uint64_t whole = 0, doubled = 0;
    bool more = false;
    size_t count = read_whole(&input, &whole);
    if (next_is(&input, '.')) {
        ++input.at;
        count += read_fraction(&input, bits, &doubled, &more);
    }
    if (count == 0 || input.at < length)
        return WEFT_STATUS_BAD_FORMAT;

    uint64_t limit = ((uint64_t)1 << (2 * bits - 1)) - !negative;
    uint64_t magnitude = limit;
    bool fits = whole <= (uint64_t)1 << (bits - 1);
    if (fits) {
        uint64_t down = (whole << bits) + (doubled >> 1);
        bool half = (doubled & 1) != 0;
        magnitude = down + (half && (more || (down & 1) != 0));
        fits = magnitude <= limit;
        magnitude = fits ? magnitude : limit;
    }
    *raw = (int64_t)(negative ? 0 - magnitude : magnitude);
    return fits ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_RANGE;
}

weft_status weft_fixed_parse(const char* text, size_t length, weft_fixed* out) {
    int64_t raw = 0;
    weft_status status = parse(text, length, 16, &raw);
    if (status != WEFT_STATUS_BAD_FORMAT)
        *out = weft_fixed_from_raw((int32_t)raw);
    return status;
}

weft_status weft_fixed64_parse(const char* text, size_t length, weft_fixed64* out) {
    return parse(text, length, 32, &out->raw);
}
