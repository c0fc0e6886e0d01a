/* Functions of one double without branches, so that a loop over them is computed in vectors.
 *
 * Each is arithmetic, fma and choices alone: the same bits in every lane, at every place of an
 * array, with vectors of any width. Errors stay below 1 ulp for exp, log, log1p, sin and cos, 1.6 for
 * expm1 and erf, 2.6 for tanh and 3.2 for erfc (tests/ops/array/test_vectors.py). Polynomials are
 * Chebyshev interpolations in 60 digits. `sin` and `cos` are for numbers up to CIRCLE, which three
 * parts of pi / 2 reduce; the loops of _vectors.c send others to libm. */

#define FMA __builtin_fma
#define INLINE static inline __attribute__((always_inline))

typedef union {
    double number;
    uint64_t bits;
} Lane; /* the bits of a number */

INLINE uint64_t bits_of(double x)
{
    const Lane lane = {x};
    return lane.bits;
}

INLINE double of_bits(uint64_t bits)
{
    const Lane lane = {.bits = bits};
    return lane.number;
}

/* a or b, by their bits: of a choice with `?` the compiler may make a branch, which no vector has. */
INLINE double choose(int condition, double a, double b)
{
    const uint64_t mask = -(uint64_t)(condition != 0);
    return of_bits((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

/* x + ROUND is an integer in the low bits, to nearest, for |x| < 2^51. */
#define ROUND 0x1.8p52
#define SIGN (UINT64_C(1) << 63)
#define LN2_HIGH 0x1.62e42fefa3800p-1 /* 42 bits: exact times an exponent */
#define LN2_LOW 0x1.ef35793c76730p-45
#define INV_LN2 0x1.71547652b82fep+0

INLINE double v_fabs(double x)
{
    return of_bits(bits_of(x) & ~SIGN);
}

/* 2^n, of n + ROUND with |n| <= 1022. */
INLINE double power_of_two(double rounded)
{
    return of_bits((bits_of(rounded) + 1023) << 52);
}

/* e^r - 1 - r over r^2, for |r| < 0.347. */
INLINE double exp_series(double r)
{
    const double s = r * r, f = s * s;
    const double a = FMA(0.16666666666666669, r, 0.5000000000000001);
    const double b = FMA(0.008333333333330032, r, 0.04166666666662374);
    const double c = FMA(0.00019841269863201828, r, 0.0013888888917406447);
    const double d = FMA(2.7557268229963227e-06, r, 2.4801520996825697e-05);
    const double e = FMA(2.5100494788905042e-08, r, 2.76202305675069e-07);
    return FMA(f, FMA(f, e, FMA(s, d, c)), FMA(s, b, a));
}

INLINE double exp_clamped(double x, double error)
{
    const double t = FMA(x, INV_LN2, ROUND), k = t - ROUND;
    const double r = FMA(k, -LN2_LOW, FMA(k, -LN2_HIGH, x)) + error;
    const double y = 1.0 + FMA(r * r, exp_series(r), r);
    const double half = FMA(k, 0.5, ROUND), rest = (k - (half - ROUND)) + ROUND;
    return y * power_of_two(half) * power_of_two(rest); /* in two, for denormal numbers */
}

INLINE double v_exp(double x)
{
    x = x < -746.0 ? -746.0 : x;
    return exp_clamped(x > 710.0 ? 710.0 : x, 0.0);
}

/* e^x - 1 without its overflow, for x up to 709. */
INLINE double expm1_clamped(double x)
{
    const double t = FMA(x, INV_LN2, ROUND), k = t - ROUND;
    const double high = FMA(k, -LN2_HIGH, x), r = FMA(k, -LN2_LOW, high);
    const double low = FMA(k, -LN2_LOW, high - r);
    const double half = power_of_two(t - 1.0); /* half of 2^k, which may be too large */
    const double em = FMA(r * r, exp_series(r), low) ;
    return 2.0 * FMA(half, em, FMA(half, r, half - 0.5));
}

INLINE double v_expm1(double x)
{
    double y = x < -80.0 ? -80.0 : x;
    y = expm1_clamped(y > 710.0 ? 710.0 : y);
    return v_fabs(x) < 0x1p-54 ? x : y;
}

/* ln(m 2^k) + c for m in [sqrt(1/2), sqrt(2)], of f = m - 1. */
INLINE double log_reduced(double f, double k, double c)
{
    const double s = f / (2.0 + f), z = s * s, w = z * z, half = 0.5 * f * f;
    const double a = FMA(0.3999999999989889, z, 0.666666666666667);
    const double b = FMA(0.22222211089379496, z, 0.28571428626253836);
    const double d = FMA(0.15331611722055008, z, 0.1818289243253687);
    const double series = z * FMA(w, FMA(w, FMA(w, 0.14617807153417325, d), b), a);
    const double low = FMA(s, half + series, FMA(k, LN2_LOW, c));
    return FMA(k, LN2_HIGH, f - (half - low));
}

#define ROOT_HALF_BITS UINT64_C(0x3fe6a09e667f3bcd)
#define ONE_BITS UINT64_C(0x3ff0000000000000)
#define MANTISSA (UINT64_C(0x000fffffffffffff))

/* m - 1 of a positive normal number, whose exponent goes to k. */
INLINE double split(double x, double *k)
{
    const uint64_t shifted = bits_of(x) + (ONE_BITS - ROOT_HALF_BITS);
    *k = of_bits((shifted >> 52) | bits_of(0x1p52)) - (0x1p52 + 1023.0);
    return of_bits((shifted & MANTISSA) + ROOT_HALF_BITS) - 1.0;
}

INLINE double log_special(double x, double zero, double y)
{
    y = zero == 0.0 ? -INFINITY : zero < 0.0 ? NAN : y;
    return x < INFINITY ? y : x; /* infinity and NaN */
}

INLINE double v_log(double x)
{
    double k;
    const int denormal = x < 0x1p-1022;
    const double f = split(denormal ? x * 0x1p54 : x, &k);
    return log_special(x, x, log_reduced(f, denormal ? k - 54.0 : k, 0.0));
}

INLINE double v_log1p(double x)
{
    double k;
    const double u = 1.0 + x, back = u - 1.0, error = (1.0 - (u - back)) + (x - back);
    const double f = split(u, &k);
    const double y = log_reduced(k == 0.0 ? x : f, k, k == 0.0 ? 0.0 : error / u);
    return v_fabs(x) < 0x1p-54 ? x : log_special(x, u, y);
}

INLINE double v_tanh(double x)
{
    const double size = v_fabs(x), bounded = size > 22.0 ? 22.0 : size;
    const double t = expm1_clamped(2.0 * bounded);
    const int large = bounded > 0.55; /* tanh is more than 1/2 */
    const double q = (large ? 2.0 : t) / (t + 2.0), y = large ? 1.0 - q : q;
    return size < 0x1p-28 ? x : of_bits(bits_of(y) | (bits_of(x) & SIGN));
}

/* --- circular ------------------------------------------------------------------------------- */
#define CIRCLE 0x1p30
#define HALF_PI_1 0x1.921fb54442d18p+0
#define HALF_PI_2 0x1.1a62633145c07p-54
#define HALF_PI_3 -0x1.f1976b7ed8fbcp-110

/* sin(x + turns pi / 2) */
INLINE double wave(double x, uint64_t turns)
{
    const double t = FMA(x, 0x1.45f306dc9c883p-1, ROUND), n = t - ROUND;
    const double first = FMA(n, -HALF_PI_1, x); /* exact: a multiple of 2^-53 below 1 */
    const double w = n * HALF_PI_2, rough = first - w, back = rough - first;
    const double error = (first - (rough - back)) - (w + back) - FMA(n, HALF_PI_2, -w);
    const double rest = FMA(n, -HALF_PI_3, error), r = rough + rest, low = rest - (r - rough);
    const double z = r * r, f = z * z, half = 0.5 * z, one = 1.0 - half;
    const double s1 = FMA(0.008333333333330946, z, -0.16666666666666666);
    const double s2 = FMA(2.7557316100128336e-06, z, -0.000198412698367539);
    const double s3 = FMA(1.5918092905114907e-10, z, -2.5051131339848143e-08);
    const double c1 = FMA(-0.0013888888888887395, z, 0.041666666666666664);
    const double c2 = FMA(-2.755731727021332e-07, z, 2.4801587298762765e-05);
    const double c3 = FMA(-1.1382609660408365e-11, z, 2.0876145952384525e-09);
    const double sine = r + FMA(r * z, FMA(f, FMA(f, s3, s2), s1), FMA(-half, low, low));
    const double cosine = FMA(f, FMA(f, FMA(f, c3, c2), c1), FMA(-r, low, (1.0 - one) - half));
    const uint64_t quarter = bits_of(t) + turns;
    const uint64_t odd = -(quarter & 1), sign = (quarter & 2) << 62;
    return of_bits(((bits_of(one + cosine) & odd) | (bits_of(sine) & ~odd)) ^ sign);
}

INLINE double v_sin(double x)
{
    return v_fabs(x) < 0x1p-27 ? x : wave(x, 0);
}

INLINE double v_cos(double x)
{
    return wave(x, 1);
}

/* --- error functions ------------------------------------------------------------------------ */
#define CENTER 2.375

/* erf(x) / x of z = x^2, for |x| <= 3/4 */
INLINE double erf_series(double z)
{
    const double w = z * z, f = w * w;
    const double a = FMA(0.11283791670954912, z, -0.37612638903183754);
    const double b = FMA(0.005223977622578489, z, -0.026866170645005634);
    const double c = FMA(0.00012055310847156579, z, -0.0008548326691523667);
    const double d = FMA(1.6439323133689843e-06, z, -1.4924749484672575e-05);
    const double e = FMA(1.1743419307373386e-08, z, -1.6014414036797913e-07);
    return FMA(z, FMA(f, FMA(f, e, FMA(w, d, c)), FMA(w, b, a)), 1.1283791670955126);
}

/* erfc(x) for 0.75 <= x <= 28: e^(-x^2) / (x + CENTER) times a polynomial of
 * t = (x - CENTER) / (x + CENTER). */
INLINE double erfc_tail(double x)
{
    const double d = x + CENTER, rounding = x - (d - CENTER), rough = 1.0 / d;
    const double inverse = FMA(rough, FMA(-rough, rounding, FMA(-d, rough, 1.0)), rough);
    const double t = (x - CENTER) * inverse, w = t * t;
    const double square = x * x, error = FMA(x, x, -square);
    double even = -1.4315772585726648e-07;
    even = FMA(even, w, 3.964692852035694e-07);
    even = FMA(even, w, -1.0352682787520572e-06);
    even = FMA(even, w, 1.7981018645659628e-06);
    even = FMA(even, w, 3.941504812100975e-06);
    even = FMA(even, w, -6.333214269679417e-05);
    even = FMA(even, w, 0.0004737419410117063);
    even = FMA(even, w, -0.003017145830519934);
    even = FMA(even, w, 0.010844992434293821);
    double odd = 3.138773971524773e-08;
    odd = FMA(odd, w, 6.376045519234085e-08);
    odd = FMA(odd, w, 6.064725072799112e-08);
    odd = FMA(odd, w, -1.8055741996468956e-06);
    odd = FMA(odd, w, 1.0612128568412919e-05);
    odd = FMA(odd, w, -4.823285580268492e-05);
    odd = FMA(odd, w, 0.00021779217197177286);
    odd = FMA(odd, w, -0.0012521205409844495);
    odd = FMA(odd, w, 0.011219832343438242);
    double p = FMA(odd, t, even);
    p = FMA(p, t, -0.1359069768662016);
    p = FMA(p, t, 0.4139495127647038);
    p = FMA(p, t, -0.7796444378464644);
    p = FMA(p, t, 1.0474020379733067);
    return p * inverse * exp_clamped(-square, -error);
}

INLINE double v_erf(double x)
{
    const double size = v_fabs(x), near = x * erf_series(x * x);
    const double far = 1.0 - erfc_tail(size > 28.0 ? 28.0 : size);
    return size <= 0.75 ? near : of_bits(bits_of(far) | (bits_of(x) & SIGN));
}

INLINE double v_erfc(double x)
{
    const double size = v_fabs(x), tail = erfc_tail(size > 28.0 ? 28.0 : size);
    const double near = FMA(-x, erf_series(x * x), 1.0);
    return size < 0.75 ? near : x < 0.0 ? 2.0 - tail : tail;
}

INLINE double v_sqrt(double x)
{
    return __builtin_sqrt(x);
}
