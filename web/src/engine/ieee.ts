/** Functions of the table that `Math` lacks, or that differ from C and Python there.
 *
 * table.ts takes exp, log, sin and most others from `Math`: there every browser is within a few
 * roundings of C, far inside 1e-12, and IEEE 754 holds at poles, infinities and NaN. This file has
 * division with remainder and rounding as in Python, a power as in C, and the error functions. It also
 * has a product and sum that is rounded once. */

/** The remainder of a / b with the sign of b, as Python has it; NaN for b = 0. */
export function mod(a: number, b: number): number {
  if (b === 0) return NaN;
  const rest = a % b;
  if (rest === 0) return withSign(0, b);
  return b < 0 !== rest < 0 && !Number.isNaN(rest) ? rest + b : rest;
}

/** The floor of a / b, as Python has it. */
export function floordiv(a: number, b: number): number {
  if (b === 0) return a / b;
  const rest = a % b;
  let quotient = (a - rest) / b;
  if (rest !== 0 && b < 0 !== rest < 0) quotient -= 1;
  if (quotient === 0) return withSign(0, a / b);
  const whole = Math.floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

/** The nearest integer, ties to the even one (`Math.round` takes ties upwards). */
export function round(x: number): number {
  const size = Math.abs(x);
  if (!(size < 2 ** 52)) return x; // an integer already, or NaN
  return withSign(size + 2 ** 52 - 2 ** 52, x); // the addition rounds where the bits of fractions end
}

/** The power; 1 to any power and ±1 to an infinite one are 1, as in C (NaN in JavaScript). A
 * square is a product, as in Python. */
export function pow(a: number, b: number): number {
  if (b === 2) return a * a;
  if (a === 1 || (a === -1 && Math.abs(b) === Infinity)) return 1;
  return Math.pow(a, b);
}

/** 2 to the power x. */
export function exp2(x: number): number {
  return Math.pow(2, x);
}

/** `size`, which is not negative, with the sign of x; that of -0 counts. */
function withSign(size: number, x: number): number {
  return x < 0 || Object.is(x, -0) ? -size : size;
}

// --- x y + z, rounded once: exactly, in integers of any size ----------------------------------------

/** x y + z, rounded once. */
export function fma(x: number, y: number, z: number): number {
  if (!Number.isFinite(z)) return Number.isFinite(x) && Number.isFinite(y) ? z : x * y + z;
  if (!Number.isFinite(x * 0 + y * 0) || x === 0 || y === 0) return x * y + z;
  const [a, p] = whole(x);
  const [b, q] = whole(y);
  const [c, r] = whole(z);
  const least = Math.min(p + q, r);
  return rounded(((a * b) << BigInt(p + q - least)) + (c << BigInt(r - least)), least);
}

/** An integer m and an exponent e with x = m 2^e. */
function whole(x: number): [bigint, number] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & ((1n << 52n) - 1n);
  const size = exponent ? fraction + (1n << 52n) : fraction;
  return [x < 0 ? -size : size, Math.max(exponent, 1) - 1075];
}

/** The double next to m 2^e, ties to even; halves below the smallest denormal are ties too. */
function rounded(m: bigint, e: number): number {
  const size = m < 0n ? -m : m;
  const cut = Math.max(e + size.toString(2).length - 53, -1074) - e;
  const kept = cut > 0 ? halved(size, BigInt(cut)) : size;
  const result = Number(kept) * 2 ** (cut > 0 ? e + cut : e);
  return m < 0n ? -result : result;
}

function halved(size: bigint, cut: bigint): bigint {
  const kept = size >> cut;
  const twice = (size - (kept << cut)) << 1n;
  const half = 1n << cut;
  return twice > half || (twice === half && kept & 1n) ? kept + 1n : kept;
}

// --- error functions --------------------------------------------------------------------------------------

/* W. J. Cody, Rational Chebyshev approximations for the error function, Mathematics of Computation 23
 * (1969), 631-637, in the form of his program of 1990: numerators and denominators from the constant term
 * up, each pair for its interval of |x|. */
const CENTER = [
  [3.20937758913846947e3, 3.77485237685302021e2, 1.13864154151050156e2, 3.1611237438705656, 1.85777706184603153e-1],
  [2.84423683343917062e3, 1.28261652607737228e3, 2.44024637934444173e2, 2.36012909523441209e1, 1],
] as const;
const MIDDLE = [
  [
    1.23033935479799725e3, 2.05107837782607147e3, 1.71204761263407058e3, 8.8195222124176909e2,
    2.98635138197400131e2, 6.61191906371416295e1, 8.88314979438837594, 5.64188496988670089e-1,
    2.15311535474403846e-8,
  ],
  [
    1.23033935480374942e3, 3.43936767414372164e3, 4.36261909014324716e3, 3.29079923573345963e3,
    1.62138957456669019e3, 5.37181101862009858e2, 1.17693950891312499e2, 1.57449261107098347e1, 1,
  ],
] as const;
const FAR = [
  [
    6.58749161529837803e-4, 1.60837851487422766e-2, 1.25781726111229246e-1, 3.60344899949804439e-1,
    3.05326634961232344e-1, 1.63153871373020978e-2,
  ],
  [
    2.33520497626869185e-3, 6.05183413124413191e-2, 5.27905102951428412e-1, 1.87295284992346725,
    2.56852019228982242, 1,
  ],
] as const;
const ONE_OVER_SQRT_PI = 5.6418958354775628695e-1;

/** The error function of x. */
export function erf(x: number): number {
  if (Math.abs(x) <= 0.46875) return x * ratio(CENTER, x * x);
  const rest = tail(Math.abs(x));
  return x < 0 ? rest - 1 : 1 - rest;
}

/** 1 - erf(x), with all its digits for large x. */
export function erfc(x: number): number {
  if (Math.abs(x) <= 0.46875) return 1 - x * ratio(CENTER, x * x);
  const rest = tail(Math.abs(x));
  return x < 0 ? 2 - rest : rest;
}

/** erfc(x) for x > 0.46875. */
function tail(x: number): number {
  if (x > 28) return 0; // far below the smallest denormal
  const head = Math.trunc(16 * x) / 16; // its square is exact, while the rounding of x² would show in exp
  const scaled = x <= 4 ? ratio(MIDDLE, x) : far(x);
  return Math.exp(-head * head) * (Math.exp((head - x) * (head + x)) * scaled);
}

function far(x: number): number {
  const inverse = 1 / (x * x);
  return (ONE_OVER_SQRT_PI - inverse * ratio(FAR, inverse)) / x;
}

function ratio([above, below]: readonly [readonly number[], readonly number[]], x: number): number {
  return horner(above, x) / horner(below, x);
}

function horner(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((total, coefficient) => total * x + coefficient, 0);
}
