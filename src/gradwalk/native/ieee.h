/* The C half of gradwalk/core/ieee.py: division with remainder as Python defines it, and powers
 * whose squares are products. */
#include <math.h>

static inline double ieee_pow(double a, double b)
{
    return b == 2.0 ? a * a : pow(a, b);
}

static inline double ieee_mod(double a, double b)
{
    if (b == 0.0)
        return NAN;
    double rest = fmod(a, b);
    if (rest != 0.0)
        return (b < 0.0) != (rest < 0.0) ? rest + b : rest;
    return copysign(0.0, b);
}

static inline double ieee_floordiv(double a, double b)
{
    if (b == 0.0)
        return a == 0.0 ? NAN : a / b;
    double rest = fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0.0 && (b < 0.0) != (rest < 0.0))
        quotient -= 1.0;
    if (quotient == 0.0)
        return copysign(0.0, a / b);
    double whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1.0 : whole;
}
