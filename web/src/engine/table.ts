/** Printed from the table of gradwalk by `python -m gradwalk.studio.printed`; do not edit. */

import * as ieee from "./ieee";
import type { Primitive } from "./primitive";

function f_neg(x: number): number {
  const v1 = -x;
  return v1;
}

function r_neg_0(t: number): number | null {
  const v3 = -t;
  return v3;
}

function f_add(a: number, b: number): number {
  const v2 = a + b;
  return v2;
}

function r_add_0(t: number): number | null {
  return t;
}

function r_add_1(t: number): number | null {
  return t;
}

function f_sub(a: number, b: number): number {
  const v2 = a - b;
  return v2;
}

function r_sub_0(t: number): number | null {
  return t;
}

function r_sub_1(t: number): number | null {
  const v4 = -t;
  return v4;
}

function f_mul(a: number, b: number): number {
  const v2 = a * b;
  return v2;
}

function r_mul_0(t: number, _y: number, _a: number, b: number): number | null {
  const v4 = t * b;
  return v4;
}

function r_mul_1(t: number, _y: number, a: number): number | null {
  const v4 = t * a;
  return v4;
}

function f_div(a: number, b: number): number {
  const v2 = a / b;
  return v2;
}

function r_div_0(t: number, _y: number, _a: number, b: number): number | null {
  const v4 = t / b;
  return v4;
}

function r_div_1(t: number, y: number, _a: number, b: number): number | null {
  const v4 = t / b;
  const v5 = -v4;
  const v6 = v5 * y;
  return v6;
}

function f_fma(a: number, b: number, c: number): number {
  const v3 = ieee.fma(a, b, c);
  return v3;
}

function r_fma_0(t: number, _y: number, _a: number, b: number): number | null {
  const v5 = t * b;
  return v5;
}

function r_fma_1(t: number, _y: number, a: number): number | null {
  const v5 = t * a;
  return v5;
}

function r_fma_2(t: number): number | null {
  return t;
}

function f_floordiv(a: number, b: number): number {
  const v2 = ieee.floordiv(a, b);
  return v2;
}

function f_mod(a: number, b: number): number {
  const v2 = ieee.mod(a, b);
  return v2;
}

function r_mod_0(t: number): number | null {
  return t;
}

function r_mod_1(t: number, _y: number, a: number, b: number): number | null {
  const v4 = -t;
  const v5 = ieee.floordiv(a, b);
  const v6 = v4 * v5;
  return v6;
}

function f_less(a: number, b: number): number {
  const v2 = a < b;
  return Number(v2);
}

function f_less_equal(a: number, b: number): number {
  const v2 = a <= b;
  return Number(v2);
}

function f_greater(a: number, b: number): number {
  const v2 = a > b;
  return Number(v2);
}

function f_greater_equal(a: number, b: number): number {
  const v2 = a >= b;
  return Number(v2);
}

function f_equal(a: number, b: number): number {
  const v2 = a === b;
  return Number(v2);
}

function f_not_equal(a: number, b: number): number {
  const v2 = a !== b;
  return Number(v2);
}

function f_logical_and(a: number, b: number): number {
  const v2 = a !== 0 && b !== 0;
  return Number(v2);
}

function f_logical_or(a: number, b: number): number {
  const v2 = a !== 0 || b !== 0;
  return Number(v2);
}

function f_where(condition: number, a: number, b: number): number {
  const v3 = condition !== 0 ? a : b;
  return v3;
}

function r_where_1(t: number, _y: number, condition: number): number | null {
  const v5 = condition !== 0;
  if (!v5) return null;
  return t;
}

function r_where_2(t: number, _y: number, condition: number): number | null {
  const v5 = condition !== 0;
  if (v5) return null;
  return t;
}

function f_maximum(a: number, b: number): number {
  const v2 = a > b;
  const v3 = a <= b;
  const v4 = a + b;
  const v5 = v3 ? b : v4;
  const v6 = v2 ? a : v5;
  return v6;
}

function r_maximum_0(t: number, _y: number, a: number, b: number): number | null {
  const v4 = a < b;
  if (v4) return null;
  const v5 = a === b;
  const v6 = t / 2;
  const v7 = v5 ? v6 : t;
  return v7;
}

function r_maximum_1(t: number, _y: number, a: number, b: number): number | null {
  const v4 = b < a;
  if (v4) return null;
  const v5 = a === b;
  const v6 = t / 2;
  const v7 = v5 ? v6 : t;
  return v7;
}

function f_minimum(a: number, b: number): number {
  const v2 = a < b;
  const v3 = a >= b;
  const v4 = a + b;
  const v5 = v3 ? b : v4;
  const v6 = v2 ? a : v5;
  return v6;
}

function r_minimum_0(t: number, _y: number, a: number, b: number): number | null {
  const v4 = a > b;
  if (v4) return null;
  const v5 = a === b;
  const v6 = t / 2;
  const v7 = v5 ? v6 : t;
  return v7;
}

function r_minimum_1(t: number, _y: number, a: number, b: number): number | null {
  const v4 = b > a;
  if (v4) return null;
  const v5 = a === b;
  const v6 = t / 2;
  const v7 = v5 ? v6 : t;
  return v7;
}

function f_clip(x: number, min: number, max: number): number {
  const v3 = f_maximum(x, min);
  const v4 = f_minimum(v3, max);
  return v4;
}

function r_clip_0(t: number, _y: number, x: number, min: number, max: number): number | null {
  const v5 = x < min;
  const v6 = x > max;
  const v7 = v5 || v6;
  if (v7) return null;
  return t;
}

function r_clip_1(t: number, _y: number, x: number, min: number, max: number): number | null {
  const v5 = x < min;
  const v6 = min <= max;
  const v7 = v5 && v6;
  if (!v7) return null;
  return t;
}

function r_clip_2(t: number, _y: number, x: number, min: number, max: number): number | null {
  const v5 = f_maximum(x, min);
  const v6 = v5 > max;
  if (!v6) return null;
  return t;
}

function f_abs(x: number): number {
  const v1 = Math.abs(x);
  return v1;
}

function r_abs_0(t: number, _y: number, x: number): number | null {
  const v3 = x === 0;
  if (v3) return null;
  const v4 = f_sign(x);
  const v5 = t * v4;
  return v5;
}

function f_sign(x: number): number {
  const v1 = x > 0;
  const v2 = x < 0;
  const v3 = v2 ? (-1) : x;
  const v4 = v1 ? 1 : v3;
  return v4;
}

function f_floor(x: number): number {
  const v1 = Math.floor(x);
  return v1;
}

function f_ceil(x: number): number {
  const v1 = Math.ceil(x);
  return v1;
}

function f_round(x: number): number {
  const v1 = ieee.round(x);
  return v1;
}

function f_pow_slope(x0: number, x1: number, x2: number): number {
  const v3 = ieee.pow(x1, x2);
  const v4 = Math.abs(v3);
  const v5 = v4 < 1e-290;
  const v6 = x1 !== 0;
  const v7 = v5 && v6;
  const v8 = x2 < 0.5;
  const v9 = x2 > 9007199254740992;
  const v10 = v8 || v9;
  const v11 = Math.abs(x1);
  const v12 = v11 < Infinity;
  const v13 = v10 && v12;
  const v14 = v13 && v6;
  const v15 = x2 > 2;
  const v16 = v7 && v15;
  const v17 = x2 <= 9007199254740992;
  const v18 = v16 && v17;
  const v19 = x2 < (-1);
  const v20 = v19 || v9;
  const v21 = v7 && v20;
  const v22 = 0.5 * x2;
  const v23 = Math.floor(v22);
  const v24 = 2 * v23;
  const v25 = v24 === x2;
  const v26 = x2 - 1;
  const v27 = 0.5 * v26;
  const v28 = v18 ? v27 : v26;
  const v29 = v21 ? v22 : v28;
  const v30 = v18 || v21;
  const v31 = v30 ? v11 : x1;
  const v32 = ieee.pow(v31, v29);
  const v33 = v3 === 0;
  const v34 = Math.abs(x2);
  const v35 = v34 === Infinity;
  const v36 = v33 && v35;
  const v37 = v36 ? 0 : x2;
  const v38 = x0 * v37;
  const v39 = x1 < 0;
  const v40 = v39 && v25;
  const v41 = v38 * v32;
  const v42 = -v32;
  const v43 = v40 ? v42 : v32;
  const v44 = v18 ? v43 : 1;
  const v45 = v41 * v44;
  const v46 = x1 === 0;
  const v47 = v46 ? 1 : x1;
  const v48 = Math.abs(v47);
  const v49 = v40 ? v47 : v48;
  const v50 = v32 / v49;
  const v51 = v38 * v50;
  const v52 = v51 * v32;
  const v53 = v38 * v3;
  const v54 = v53 / v47;
  const v55 = v21 ? v52 : v54;
  const v56 = v14 ? v55 : v45;
  return v56;
}

function r_pow_slope_0(t: number, _y: number, _x0: number, x1: number, x2: number): number | null {
  const v5 = f_pow_slope(t, x1, x2);
  return v5;
}

function r_pow_slope_1(t: number, _y: number, x0: number, x1: number, x2: number): number | null {
  const v5 = t * x0;
  const v6 = Math.abs(x1);
  const v7 = x2 - 1;
  const v8 = x2 * v7;
  const v9 = x2 - 2;
  const v10 = v9 + 2;
  const v11 = v10 === x2;
  const v12 = Math.abs(x2);
  const v13 = v12 <= 9007199254740992;
  const v14 = v11 && v13;
  const v15 = x1 === 0;
  const v16 = v14 || v15;
  const v17 = v6 === Infinity;
  const v18 = v16 || v17;
  const v19 = 0.5 * v9;
  const v20 = 0.5 * x2;
  const v21 = v18 ? v19 : v20;
  const v22 = ieee.pow(v6, v21);
  const v23 = v18 ? 1 : v6;
  const v24 = v22 / v23;
  const v25 = v18 ? v22 : v24;
  const v26 = x1 < 0;
  const v27 = Math.floor(v20);
  const v28 = 2 * v27;
  const v29 = v28 !== x2;
  const v30 = v26 && v29;
  const v31 = x1 >= 0;
  const v32 = Math.floor(x2);
  const v33 = v32 === x2;
  const v34 = v31 || v33;
  const v35 = v5 * v8;
  const v36 = v35 * v25;
  const v37 = -v25;
  const v38 = v30 ? v37 : v25;
  const v39 = v36 * v38;
  const v40 = v34 ? v39 : NaN;
  const v41 = v25 > 1e-145;
  const v42 = v25 < 1e+150;
  const v43 = v41 && v42;
  const v44 = v43 || v15;
  const v45 = v18 && v44;
  const v46 = v18 ? v9 : 1;
  const v47 = ieee.pow(x1, v46);
  const v48 = v35 * v47;
  const v49 = v45 ? v48 : v40;
  const v50 = v8 === 0;
  const v51 = v25 === Infinity;
  const v52 = v50 && v51;
  const v53 = v25 === 0;
  const v54 = Math.abs(v8);
  const v55 = v54 === Infinity;
  const v56 = v53 && v55;
  const v57 = v52 || v56;
  const v58 = v5 * 0;
  const v59 = v57 ? v58 : v49;
  return v59;
}

function r_pow_slope_2(t: number, _y: number, x0: number, x1: number, x2: number): number | null {
  const v5 = x1 === 0;
  if (v5) return null;
  const v6 = t * x0;
  const v7 = x2 < 1;
  const v8 = x2 > 9007199254740992;
  const v9 = v7 || v8;
  const v10 = x1 !== 0;
  const v11 = v9 && v10;
  const v12 = Math.abs(x1);
  const v13 = v12 < Infinity;
  const v14 = v11 && v13;
  const v15 = 0.5 * x2;
  const v16 = x2 - 1;
  const v17 = 0.5 * v16;
  const v18 = v14 ? v15 : v17;
  const v19 = ieee.pow(x1, v18);
  const v20 = v14 ? x1 : 1;
  const v21 = v19 / v20;
  const v22 = v14 ? v21 : v19;
  const v23 = v19 === 0;
  const v24 = v22 === 0;
  const v25 = v23 || v24;
  const v26 = Math.log(x1);
  const v27 = x2 * v26;
  const v28 = 1 + v27;
  const v29 = v25 ? 0 : v28;
  const v30 = v6 * v29;
  const v31 = v30 * v19;
  const v32 = v31 * v22;
  return v32;
}

function f_pow_exponent_slope(x0: number, x1: number, x2: number): number {
  const v3 = 0.5 * x2;
  const v4 = ieee.pow(x1, v3);
  const v5 = v4 === 0;
  const v6 = Math.log(x1);
  const v7 = v5 ? 0 : v6;
  const v8 = x0 * v7;
  const v9 = v8 * v4;
  const v10 = v9 * v4;
  return v10;
}

function r_pow_exponent_slope_0(t: number, _y: number, _x0: number, x1: number, x2: number): number | null {
  const v5 = f_pow_exponent_slope(t, x1, x2);
  return v5;
}

function r_pow_exponent_slope_1(t: number, _y: number, x0: number, x1: number, x2: number): number | null {
  const v5 = t * x0;
  const v6 = x2 < 1;
  const v7 = x2 > 9007199254740992;
  const v8 = v6 || v7;
  const v9 = x1 !== 0;
  const v10 = v8 && v9;
  const v11 = Math.abs(x1);
  const v12 = v11 < Infinity;
  const v13 = v10 && v12;
  const v14 = 0.5 * x2;
  const v15 = x2 - 1;
  const v16 = 0.5 * v15;
  const v17 = v13 ? v14 : v16;
  const v18 = ieee.pow(x1, v17);
  const v19 = v13 ? x1 : 1;
  const v20 = v18 / v19;
  const v21 = v13 ? v20 : v18;
  const v22 = v18 === 0;
  const v23 = v21 === 0;
  const v24 = v22 || v23;
  const v25 = Math.log(x1);
  const v26 = x2 * v25;
  const v27 = 1 + v26;
  const v28 = v24 ? 0 : v27;
  const v29 = v5 * v28;
  const v30 = v29 * v18;
  const v31 = v30 * v21;
  return v31;
}

function r_pow_exponent_slope_2(t: number, _y: number, x0: number, x1: number, x2: number): number | null {
  const v5 = t * x0;
  const v6 = 0.5 * x2;
  const v7 = ieee.pow(x1, v6);
  const v8 = v7 === 0;
  const v9 = Math.log(x1);
  const v10 = v8 ? 0 : v9;
  const v11 = v7 * v10;
  const v12 = v5 * v11;
  const v13 = v12 * v11;
  return v13;
}

function f_cbrt_slope(x0: number, x1: number): number {
  const v2 = Math.cbrt(x1);
  const v3 = Math.abs(x1);
  const v4 = v3 > 0;
  const v5 = v3 < Infinity;
  const v6 = v4 && v5;
  const v7 = v2 * v2;
  const v8 = 1 / v7;
  const v9 = v6 ? x1 : 1;
  const v10 = v2 / v9;
  const v11 = 2 * v10;
  const v12 = v8 + v11;
  const v13 = x0 * v12;
  const v14 = v13 / 9;
  const v15 = 3 * v7;
  const v16 = x0 / v15;
  const v17 = v6 ? v14 : v16;
  return v17;
}

function r_cbrt_slope_0(t: number, _y: number, _x0: number, x1: number): number | null {
  const v4 = f_cbrt_slope(t, x1);
  return v4;
}

function r_cbrt_slope_1(t: number, y: number, _x0: number, x1: number): number | null {
  const v4 = (-0.6666666666666666) * t;
  const v5 = v4 * y;
  const v6 = v5 / x1;
  return v6;
}

function f_hypot_slope(x0: number, x1: number, x2: number): number {
  const v3 = f_hypot(x1, x2);
  const v4 = x1 / v3;
  const v5 = x0 * v4;
  return v5;
}

function r_hypot_slope_0(t: number, _y: number, _x0: number, x1: number, x2: number): number | null {
  const v5 = f_hypot_slope(t, x1, x2);
  return v5;
}

function r_hypot_slope_1(t: number, _y: number, x0: number, x1: number, x2: number): number | null {
  const v5 = t * x0;
  const v6 = f_hypot(x1, x2);
  const v8 = x2 / v6;
  const v9 = v5 * v8;
  const v10 = v8 / v6;
  const v11 = v9 * v10;
  return v11;
}

function r_hypot_slope_2(t: number, _y: number, x0: number, x1: number, x2: number): number | null {
  const v5 = t * x0;
  const v6 = f_hypot(x1, x2);
  const v7 = x1 / v6;
  const v8 = x2 / v6;
  const v10 = v8 / v6;
  const v12 = -v5;
  const v13 = v12 * v7;
  const v14 = v13 * v10;
  return v14;
}

function f_pow(a: number, b: number): number {
  const v2 = ieee.pow(a, b);
  return v2;
}

function r_pow_0(t: number, y: number, a: number, b: number): number | null {
  const v4 = b !== 0;
  const v5 = a !== 0;
  const v6 = Math.abs(a);
  const v7 = v6 < Infinity;
  const v8 = v5 && v7;
  const v9 = v4 || v8;
  if (!v9) return null;
  const v10 = Math.abs(y);
  const v11 = v10 < 1e-290;
  const v12 = v11 && v5;
  const v13 = b < 0.5;
  const v14 = b > 9007199254740992;
  const v15 = v13 || v14;
  const v16 = v15 && v7;
  const v17 = v16 && v5;
  const v18 = b > 2;
  const v19 = v12 && v18;
  const v20 = b <= 9007199254740992;
  const v21 = v19 && v20;
  const v22 = b < (-1);
  const v23 = v22 || v14;
  const v24 = v12 && v23;
  const v25 = 0.5 * b;
  const v26 = Math.floor(v25);
  const v27 = 2 * v26;
  const v28 = v27 === b;
  const v29 = b - 1;
  const v30 = 0.5 * v29;
  const v31 = v21 ? v30 : v29;
  const v32 = v24 ? v25 : v31;
  const v33 = v21 || v24;
  const v34 = v33 ? v6 : a;
  const v35 = ieee.pow(v34, v32);
  const v36 = y === 0;
  const v37 = Math.abs(b);
  const v38 = v37 === Infinity;
  const v39 = v36 && v38;
  const v40 = v39 ? 0 : b;
  const v41 = t * v40;
  const v42 = a < 0;
  const v43 = v42 && v28;
  const v44 = v41 * v35;
  const v45 = -v35;
  const v46 = v43 ? v45 : v35;
  const v47 = v21 ? v46 : 1;
  const v48 = v44 * v47;
  const v49 = a === 0;
  const v50 = v49 ? 1 : a;
  const v51 = Math.abs(v50);
  const v52 = v43 ? v50 : v51;
  const v53 = v35 / v52;
  const v54 = v41 * v53;
  const v55 = v54 * v35;
  const v56 = v41 * y;
  const v57 = v56 / v50;
  const v58 = v24 ? v55 : v57;
  const v59 = v17 ? v58 : v48;
  return v59;
}

function r_pow_1(t: number, _y: number, a: number, b: number): number | null {
  const v4 = a === 0;
  const v5 = b >= 0;
  const v6 = v4 && v5;
  if (v6) return null;
  const v7 = 0.5 * b;
  const v8 = ieee.pow(a, v7);
  const v9 = v8 === 0;
  const v10 = Math.log(a);
  const v11 = v9 ? 0 : v10;
  const v12 = t * v11;
  const v13 = v12 * v8;
  const v14 = v13 * v8;
  return v14;
}

function f_square(x: number): number {
  const v1 = x * x;
  return v1;
}

function r_square_0(t: number, _y: number, x: number): number | null {
  const v3 = t * 2;
  const v4 = v3 * x;
  return v4;
}

function f_reciprocal(x: number): number {
  const v1 = 1 / x;
  return v1;
}

function r_reciprocal_0(t: number, y: number): number | null {
  const v3 = -t;
  const v4 = v3 * y;
  const v5 = v4 * y;
  return v5;
}

function f_sqrt(x: number): number {
  const v1 = Math.sqrt(x);
  return v1;
}

function r_sqrt_0(t: number, y: number): number | null {
  const v3 = 2 * y;
  const v4 = t / v3;
  return v4;
}

function f_cbrt(x: number): number {
  const v1 = Math.cbrt(x);
  return v1;
}

function r_cbrt_0(t: number, y: number, x: number): number | null {
  const v3 = Math.abs(x);
  const v4 = v3 > 0;
  const v5 = v3 < Infinity;
  const v6 = v4 && v5;
  const v7 = y * y;
  const v8 = 1 / v7;
  const v9 = v6 ? x : 1;
  const v10 = y / v9;
  const v11 = 2 * v10;
  const v12 = v8 + v11;
  const v13 = t * v12;
  const v14 = v13 / 9;
  const v15 = 3 * v7;
  const v16 = t / v15;
  const v17 = v6 ? v14 : v16;
  return v17;
}

function f_exp(x: number): number {
  const v1 = Math.exp(x);
  return v1;
}

function r_exp_0(t: number, y: number): number | null {
  const v3 = t * y;
  return v3;
}

function f_expm1(x: number): number {
  const v1 = Math.expm1(x);
  return v1;
}

function r_expm1_0(t: number, _y: number, x: number): number | null {
  const v3 = Math.exp(x);
  const v4 = t * v3;
  return v4;
}

function f_exp2(x: number): number {
  const v1 = ieee.exp2(x);
  return v1;
}

function r_exp2_0(t: number, y: number, x: number): number | null {
  const v3 = x < 1023;
  const v4 = t * y;
  const v5 = v4 * 0.6931471805599453;
  const v6 = x - 1;
  const v7 = ieee.exp2(v6);
  const v8 = t * v7;
  const v9 = v8 * 1.3862943611198906;
  const v10 = v3 ? v5 : v9;
  return v10;
}

function f_log(x: number): number {
  const v1 = Math.log(x);
  return v1;
}

function r_log_0(t: number, _y: number, x: number): number | null {
  const v3 = t / x;
  return v3;
}

function f_log1p(x: number): number {
  const v1 = Math.log1p(x);
  return v1;
}

function r_log1p_0(t: number, _y: number, x: number): number | null {
  const v3 = 1 + x;
  const v4 = t / v3;
  return v4;
}

function f_log2(x: number): number {
  const v1 = Math.log2(x);
  return v1;
}

function r_log2_0(t: number, _y: number, x: number): number | null {
  const v3 = t * 1.4426950408889634;
  const v4 = v3 / x;
  return v4;
}

function f_log10(x: number): number {
  const v1 = Math.log10(x);
  return v1;
}

function r_log10_0(t: number, _y: number, x: number): number | null {
  const v3 = t * 0.4342944819032518;
  const v4 = v3 / x;
  return v4;
}

function f_hypot(a: number, b: number): number {
  const v2 = Math.abs(a);
  const v3 = Math.abs(b);
  const v4 = f_maximum(v2, v3);
  const v5 = v4 > 3.273390607896142e+150;
  const v6 = v4 < 3.8725919148493183e-121;
  const v7 = v6 ? 4.149515568880993e+180 : 1;
  const v8 = v5 ? 2.409919865102884e-181 : v7;
  const v9 = a * v8;
  const v10 = b * v8;
  const v11 = v2 === Infinity;
  const v12 = v3 === Infinity;
  const v13 = v11 || v12;
  const v14 = v9 * v9;
  const v15 = v10 * v10;
  const v16 = v14 + v15;
  const v17 = Math.sqrt(v16);
  const v18 = v17 / v8;
  const v19 = v13 ? Infinity : v18;
  return v19;
}

function r_hypot_0(t: number, y: number, a: number, b: number): number | null {
  const v4 = y === 0;
  if (v4) return null;
  const v5 = y > 1.0715086071862673e+301;
  const v6 = y < 1.0261342003245941e-289;
  const v7 = v6 ? 1.152921504606847e+18 : 1;
  const v8 = v5 ? 0.25 : v7;
  const v9 = a * v8;
  const v10 = b * v8;
  const v11 = f_hypot(v9, v10);
  const v12 = v9 / v11;
  const v13 = t * v12;
  return v13;
}

function r_hypot_1(t: number, y: number, a: number, b: number): number | null {
  const v4 = y === 0;
  if (v4) return null;
  const v5 = y > 1.0715086071862673e+301;
  const v6 = y < 1.0261342003245941e-289;
  const v7 = v6 ? 1.152921504606847e+18 : 1;
  const v8 = v5 ? 0.25 : v7;
  const v9 = b * v8;
  const v10 = a * v8;
  const v11 = f_hypot(v9, v10);
  const v12 = v9 / v11;
  const v13 = t * v12;
  return v13;
}

function f_asin_slope(x0: number, x1: number): number {
  const v2 = 1 - x1;
  const v3 = 1 + x1;
  const v4 = v2 * v3;
  const v5 = Math.sqrt(v4);
  const v6 = x0 / v5;
  return v6;
}

function r_asin_slope_0(t: number, _y: number, _x0: number, x1: number): number | null {
  const v4 = f_asin_slope(t, x1);
  return v4;
}

function r_asin_slope_1(t: number, y: number, _x0: number, x1: number): number | null {
  const v4 = t * y;
  const v5 = v4 * x1;
  const v6 = 1 - x1;
  const v7 = 1 + x1;
  const v8 = v6 * v7;
  const v9 = v5 / v8;
  return v9;
}

function f_atanh_slope(x0: number, x1: number): number {
  const v2 = 1 - x1;
  const v3 = 1 + x1;
  const v4 = v2 * v3;
  const v5 = x0 / v4;
  return v5;
}

function r_atanh_slope_0(t: number, _y: number, _x0: number, x1: number): number | null {
  const v4 = f_atanh_slope(t, x1);
  return v4;
}

function r_atanh_slope_1(t: number, y: number, _x0: number, x1: number): number | null {
  const v4 = 2 * t;
  const v5 = v4 * y;
  const v6 = v5 * x1;
  const v7 = 1 - x1;
  const v8 = 1 + x1;
  const v9 = v7 * v8;
  const v10 = v6 / v9;
  return v10;
}

function f_atan_slope(x0: number, x1: number): number {
  const v2 = Math.abs(x1);
  const v3 = f_maximum(v2, 1e+150);
  const v4 = v2 < 1e+150;
  const v5 = x1 * x1;
  const v6 = 1 + v5;
  const v7 = x0 / v6;
  const v8 = x0 / v3;
  const v9 = v8 / v3;
  const v10 = v4 ? v7 : v9;
  return v10;
}

function r_atan_slope_0(t: number, _y: number, _x0: number, x1: number): number | null {
  const v4 = f_atan_slope(t, x1);
  return v4;
}

function r_atan_slope_1(t: number, y: number, _x0: number, x1: number): number | null {
  const v4 = (-2) * t;
  const v5 = v4 * y;
  const v6 = Math.abs(x1);
  const v7 = v6 < 1e+150;
  const v8 = v7 ? x1 : 0;
  const v9 = v5 * v8;
  const v10 = f_maximum(v6, 1e+150);
  const v11 = x1 * x1;
  const v12 = 1 + v11;
  const v13 = v9 / v12;
  const v14 = v9 / v10;
  const v15 = v14 / v10;
  const v16 = v7 ? v13 : v15;
  return v16;
}

function f_asinh_slope(x0: number, x1: number): number {
  const v2 = Math.abs(x1);
  const v3 = v2 < 1e+150;
  const v4 = x1 * x1;
  const v5 = 1 + v4;
  const v6 = Math.sqrt(v5);
  const v7 = v3 ? v6 : v2;
  const v8 = x0 / v7;
  return v8;
}

function r_asinh_slope_0(t: number, _y: number, _x0: number, x1: number): number | null {
  const v4 = f_asinh_slope(t, x1);
  return v4;
}

function r_asinh_slope_1(t: number, y: number, _x0: number, x1: number): number | null {
  const v4 = -t;
  const v5 = v4 * y;
  const v6 = Math.abs(x1);
  const v7 = v6 < 1e+150;
  const v8 = x1 * x1;
  const v9 = 1 + v8;
  const v10 = x1 / v9;
  const v11 = 1 / x1;
  const v12 = v7 ? v10 : v11;
  const v13 = v5 * v12;
  return v13;
}

function f_tanh_slope(x0: number, x1: number): number {
  const v2 = x1 < 0;
  const v3 = -x1;
  const v4 = v2 ? x1 : v3;
  const v5 = 2 * v4;
  const v6 = Math.exp(v5);
  const v7 = 4 * v6;
  const v8 = x0 * v7;
  const v9 = 2 + v6;
  const v10 = v6 * v9;
  const v11 = 1 + v10;
  const v12 = v8 / v11;
  return v12;
}

function r_tanh_slope_0(t: number, _y: number, _x0: number, x1: number): number | null {
  const v4 = f_tanh_slope(t, x1);
  return v4;
}

function r_tanh_slope_1(t: number, y: number, _x0: number, x1: number): number | null {
  const v4 = (-2) * t;
  const v5 = v4 * y;
  const v6 = Math.tanh(x1);
  const v7 = v5 * v6;
  return v7;
}

function f_atan2_slope(x0: number, x1: number, x2: number): number {
  const v3 = Math.abs(x1);
  const v4 = Math.abs(x2);
  const v5 = f_maximum(v3, v4);
  const v6 = v5 > 3.273390607896142e+150;
  const v7 = v5 < 3.8725919148493183e-121;
  const v8 = v7 ? 4.149515568880993e+180 : 1;
  const v9 = v6 ? 2.409919865102884e-181 : v8;
  const v10 = x1 * v9;
  const v11 = x2 * v9;
  const v12 = x0 * v10;
  const v13 = v10 * v10;
  const v14 = v11 * v11;
  const v15 = v13 + v14;
  const v16 = v12 / v15;
  const v17 = v16 * v9;
  return v17;
}

function r_atan2_slope_0(t: number, _y: number, _x0: number, x1: number, x2: number): number | null {
  const v5 = f_atan2_slope(t, x1, x2);
  return v5;
}

function r_atan2_slope_1(t: number, _y: number, x0: number, x1: number, x2: number): number | null {
  const v5 = t * x0;
  const v6 = Math.abs(x1);
  const v7 = Math.abs(x2);
  const v8 = f_maximum(v6, v7);
  const v9 = v8 > 3.273390607896142e+150;
  const v10 = v8 < 3.8725919148493183e-121;
  const v11 = v10 ? 4.149515568880993e+180 : 1;
  const v12 = v9 ? 2.409919865102884e-181 : v11;
  const v13 = x1 * v12;
  const v14 = x2 * v12;
  const v15 = v13 * v13;
  const v16 = v14 * v14;
  const v17 = v15 + v16;
  const v18 = v14 - v13;
  const v19 = v14 + v13;
  const v20 = v18 * v19;
  const v21 = v20 / v17;
  const v22 = v5 * v21;
  const v23 = v22 / v17;
  const v24 = v23 * v12;
  const v25 = v24 * v12;
  return v25;
}

function r_atan2_slope_2(t: number, _y: number, x0: number, x1: number, x2: number): number | null {
  const v5 = t * x0;
  const v6 = Math.abs(x1);
  const v7 = Math.abs(x2);
  const v8 = f_maximum(v6, v7);
  const v9 = v8 > 3.273390607896142e+150;
  const v10 = v8 < 3.8725919148493183e-121;
  const v11 = v10 ? 4.149515568880993e+180 : 1;
  const v12 = v9 ? 2.409919865102884e-181 : v11;
  const v13 = x1 * v12;
  const v14 = x2 * v12;
  const v15 = v13 * v13;
  const v16 = v14 * v14;
  const v17 = v15 + v16;
  const v26 = (-2) * v5;
  const v27 = v14 / v17;
  const v28 = v13 * v27;
  const v29 = v26 * v28;
  const v30 = v29 / v17;
  const v31 = v30 * v12;
  const v32 = v31 * v12;
  return v32;
}

function f_sin(x: number): number {
  const v1 = Math.sin(x);
  return v1;
}

function r_sin_0(t: number, _y: number, x: number): number | null {
  const v3 = Math.cos(x);
  const v4 = t * v3;
  return v4;
}

function f_cos(x: number): number {
  const v1 = Math.cos(x);
  return v1;
}

function r_cos_0(t: number, _y: number, x: number): number | null {
  const v3 = -t;
  const v4 = Math.sin(x);
  const v5 = v3 * v4;
  return v5;
}

function f_tan(x: number): number {
  const v1 = Math.tan(x);
  return v1;
}

function r_tan_0(t: number, y: number): number | null {
  const v3 = y * y;
  const v4 = 1 + v3;
  const v5 = t * v4;
  return v5;
}

function f_asin(x: number): number {
  const v1 = Math.asin(x);
  return v1;
}

function r_asin_0(t: number, _y: number, x: number): number | null {
  const v3 = 1 - x;
  const v4 = 1 + x;
  const v5 = v3 * v4;
  const v6 = Math.sqrt(v5);
  const v7 = t / v6;
  return v7;
}

function f_acos(x: number): number {
  const v1 = Math.acos(x);
  return v1;
}

function r_acos_0(t: number, _y: number, x: number): number | null {
  const v3 = 1 - x;
  const v4 = 1 + x;
  const v5 = v3 * v4;
  const v6 = Math.sqrt(v5);
  const v7 = t / v6;
  const v8 = -v7;
  return v8;
}

function f_atan(x: number): number {
  const v1 = Math.atan(x);
  return v1;
}

function r_atan_0(t: number, _y: number, x: number): number | null {
  const v3 = Math.abs(x);
  const v4 = f_maximum(v3, 1e+150);
  const v5 = v3 < 1e+150;
  const v6 = x * x;
  const v7 = 1 + v6;
  const v8 = t / v7;
  const v9 = t / v4;
  const v10 = v9 / v4;
  const v11 = v5 ? v8 : v10;
  return v11;
}

function f_atan2(y: number, x: number): number {
  const v2 = Math.atan2(y, x);
  return v2;
}

function r_atan2_0(t: number, _z: number, y: number, x: number): number | null {
  const v4 = x !== 0;
  const v5 = y !== 0;
  const v6 = v4 || v5;
  if (!v6) return null;
  const v7 = Math.abs(x);
  const v8 = Math.abs(y);
  const v9 = f_maximum(v7, v8);
  const v10 = v9 > 3.273390607896142e+150;
  const v11 = v9 < 3.8725919148493183e-121;
  const v12 = v11 ? 4.149515568880993e+180 : 1;
  const v13 = v10 ? 2.409919865102884e-181 : v12;
  const v14 = x * v13;
  const v15 = y * v13;
  const v16 = t * v14;
  const v17 = v14 * v14;
  const v18 = v15 * v15;
  const v19 = v17 + v18;
  const v20 = v16 / v19;
  const v21 = v20 * v13;
  return v21;
}

function r_atan2_1(t: number, _z: number, y: number, x: number): number | null {
  const v4 = x !== 0;
  const v5 = y !== 0;
  const v6 = v4 || v5;
  if (!v6) return null;
  const v7 = Math.abs(y);
  const v8 = Math.abs(x);
  const v9 = f_maximum(v7, v8);
  const v10 = v9 > 3.273390607896142e+150;
  const v11 = v9 < 3.8725919148493183e-121;
  const v12 = v11 ? 4.149515568880993e+180 : 1;
  const v13 = v10 ? 2.409919865102884e-181 : v12;
  const v14 = y * v13;
  const v15 = x * v13;
  const v16 = t * v14;
  const v17 = v14 * v14;
  const v18 = v15 * v15;
  const v19 = v17 + v18;
  const v20 = v16 / v19;
  const v21 = v20 * v13;
  const v22 = -v21;
  return v22;
}

function f_sinh(x: number): number {
  const v1 = Math.sinh(x);
  return v1;
}

function r_sinh_0(t: number, _y: number, x: number): number | null {
  const v3 = Math.cosh(x);
  const v4 = t * v3;
  return v4;
}

function f_cosh(x: number): number {
  const v1 = Math.cosh(x);
  return v1;
}

function r_cosh_0(t: number, _y: number, x: number): number | null {
  const v3 = Math.sinh(x);
  const v4 = t * v3;
  return v4;
}

function f_tanh(x: number): number {
  const v1 = Math.tanh(x);
  return v1;
}

function r_tanh_0(t: number, _y: number, x: number): number | null {
  const v3 = x < 0;
  const v4 = -x;
  const v5 = v3 ? x : v4;
  const v6 = 2 * v5;
  const v7 = Math.exp(v6);
  const v8 = 4 * v7;
  const v9 = t * v8;
  const v10 = 2 + v7;
  const v11 = v7 * v10;
  const v12 = 1 + v11;
  const v13 = v9 / v12;
  return v13;
}

function f_asinh(x: number): number {
  const v1 = Math.asinh(x);
  return v1;
}

function r_asinh_0(t: number, _y: number, x: number): number | null {
  const v3 = Math.abs(x);
  const v4 = v3 < 1e+150;
  const v5 = x * x;
  const v6 = 1 + v5;
  const v7 = Math.sqrt(v6);
  const v8 = v4 ? v7 : v3;
  const v9 = t / v8;
  return v9;
}

function f_acosh(x: number): number {
  const v1 = Math.acosh(x);
  return v1;
}

function r_acosh_0(t: number, _y: number, x: number): number | null {
  const v3 = x - 1;
  const v4 = Math.sqrt(v3);
  const v5 = x + 1;
  const v6 = Math.sqrt(v5);
  const v7 = v4 * v6;
  const v8 = t / v7;
  return v8;
}

function f_atanh(x: number): number {
  const v1 = Math.atanh(x);
  return v1;
}

function r_atanh_0(t: number, _y: number, x: number): number | null {
  const v3 = 1 - x;
  const v4 = 1 + x;
  const v5 = v3 * v4;
  const v6 = t / v5;
  return v6;
}

function f_erf_slope(x0: number, x1: number): number {
  const v2 = Math.abs(x1);
  const v3 = v2 > 28;
  const v4 = v3 ? 28 : x1;
  const v5 = v4 * v4;
  const v6 = -v5;
  const v7 = Math.exp(v6);
  const v8 = 134217729 * v4;
  const v9 = v8 - v4;
  const v10 = v8 - v9;
  const v11 = v10 * v10;
  const v12 = v11 - v5;
  const v13 = v4 - v10;
  const v14 = v4 + v10;
  const v15 = v13 * v14;
  const v16 = v12 + v15;
  const v17 = v7 * v16;
  const v18 = v7 - v17;
  const v19 = 1.1283791670955126 * v18;
  const v20 = x0 * v19;
  return v20;
}

function r_erf_slope_0(t: number, _y: number, _x0: number, x1: number): number | null {
  const v4 = f_erf_slope(t, x1);
  return v4;
}

function r_erf_slope_1(t: number, _y: number, x0: number, x1: number): number | null {
  const v4 = t * x0;
  const v5 = Math.abs(x1);
  const v6 = v5 > 28;
  const v7 = v6 ? 28 : x1;
  const v8 = v7 * v7;
  const v9 = (-0.5) * v8;
  const v10 = Math.exp(v9);
  const v11 = 134217729 * v7;
  const v12 = v11 - v7;
  const v13 = v11 - v12;
  const v14 = v13 * v13;
  const v15 = v14 - v8;
  const v16 = v7 - v13;
  const v17 = v7 + v13;
  const v18 = v16 * v17;
  const v19 = v15 + v18;
  const v20 = 0.5 * v19;
  const v21 = v10 * v20;
  const v22 = v10 - v21;
  const v23 = (-2.256758334191025) * v7;
  const v24 = v23 * v22;
  const v25 = v4 * v24;
  const v26 = v25 * v22;
  return v26;
}

function f_erf(x: number): number {
  const v1 = ieee.erf(x);
  return v1;
}

function r_erf_0(t: number, _y: number, x: number): number | null {
  const v3 = Math.abs(x);
  const v4 = v3 > 28;
  const v5 = v4 ? 28 : x;
  const v6 = v5 * v5;
  const v7 = -v6;
  const v8 = Math.exp(v7);
  const v9 = 134217729 * v5;
  const v10 = v9 - v5;
  const v11 = v9 - v10;
  const v12 = v11 * v11;
  const v13 = v12 - v6;
  const v14 = v5 - v11;
  const v15 = v5 + v11;
  const v16 = v14 * v15;
  const v17 = v13 + v16;
  const v18 = v8 * v17;
  const v19 = v8 - v18;
  const v20 = 1.1283791670955126 * v19;
  const v21 = t * v20;
  return v21;
}

function f_erfc(x: number): number {
  const v1 = ieee.erfc(x);
  return v1;
}

function r_erfc_0(t: number, _y: number, x: number): number | null {
  const v3 = Math.abs(x);
  const v4 = v3 > 28;
  const v5 = v4 ? 28 : x;
  const v6 = v5 * v5;
  const v7 = -v6;
  const v8 = Math.exp(v7);
  const v9 = 134217729 * v5;
  const v10 = v9 - v5;
  const v11 = v9 - v10;
  const v12 = v11 * v11;
  const v13 = v12 - v6;
  const v14 = v5 - v11;
  const v15 = v5 + v11;
  const v16 = v14 * v15;
  const v17 = v13 + v16;
  const v18 = v8 * v17;
  const v19 = v8 - v18;
  const v20 = 1.1283791670955126 * v19;
  const v21 = t * v20;
  const v22 = -v21;
  return v22;
}

function f_sinc(x: number): number {
  const v1 = ieee.round(x);
  const v2 = x - v1;
  const v3 = 0.5 * v1;
  const v4 = Math.floor(v3);
  const v5 = 2 * v4;
  const v6 = v1 - v5;
  const v7 = 2 * v6;
  const v8 = 1 - v7;
  const v9 = x === 0;
  const v10 = 3.141592653589793 * v2;
  const v11 = Math.sin(v10);
  const v12 = v8 * v11;
  const v13 = v9 ? 1 : x;
  const v14 = 3.141592653589793 * v13;
  const v15 = v12 / v14;
  const v16 = v9 ? 1 : v15;
  const v17 = Math.abs(x);
  const v18 = v17 >= 4503599627370496;
  const v19 = v18 ? 0 : v16;
  return v19;
}

function r_sinc_0(t: number, y: number, x: number): number | null {
  const v3 = ieee.round(x);
  const v4 = x - v3;
  const v5 = 0.5 * v3;
  const v6 = Math.floor(v5);
  const v7 = 2 * v6;
  const v8 = v3 - v7;
  const v9 = 2 * v8;
  const v10 = 1 - v9;
  const v11 = Math.abs(x);
  const v12 = v11 < 0.5;
  const v13 = v11 >= 9007199254740992;
  const v14 = v4 < 0;
  const v15 = 0.5 + v4;
  const v16 = 0.5 - v4;
  const v17 = v14 ? v15 : v16;
  const v18 = Math.abs(v4);
  const v19 = v18 < 0.25;
  const v20 = 3.141592653589793 * v4;
  const v21 = Math.cos(v20);
  const v22 = 3.141592653589793 * v17;
  const v23 = Math.sin(v22);
  const v24 = v19 ? v21 : v23;
  const v25 = v10 * v24;
  const v26 = v13 ? 1 : v25;
  const v27 = v26 - y;
  const v28 = x < 0;
  const v29 = -x;
  const v30 = v28 ? v29 : x;
  const v31 = v30 - 1.4302966531242027;
  const v32 = Math.abs(v31);
  const v33 = v32 < 0.3;
  const v34 = v31 - 2.5173451966260676e-17;
  const v35 = v33 ? v34 : 0;
  const v36 = v33 ? (-0.21723362821122166) : 0;
  const v37 = v33 ? (-0.9761196395802046) : 0;
  const v38 = v30 - 2.459024032956761;
  const v39 = Math.abs(v38);
  const v40 = v39 < 0.3;
  const v41 = v38 - 1.8290102056584814e-16;
  const v42 = v40 ? v41 : v35;
  const v43 = v40 ? 0.12837455352589913 : v36;
  const v44 = v40 ? 0.9917257554420104 : v37;
  const v45 = v30 - 3.47088972434702;
  const v46 = Math.abs(v45);
  const v47 = v46 < 0.3;
  const v48 = v45 - (-3.9889161264824234e-17);
  const v49 = v47 ? v48 : v42;
  const v50 = v47 ? (-0.09132520282305767) : v43;
  const v51 = v47 ? (-0.9958211221546405) : v44;
  const v52 = v30 - 4.477408583432515;
  const v53 = Math.abs(v52);
  const v54 = v53 < 0.3;
  const v55 = v52 - 2.4252725266067408e-16;
  const v56 = v54 ? v55 : v49;
  const v57 = v54 ? 0.07091345945046215 : v50;
  const v58 = v54 ? 0.9974824716599122 : v51;
  const v59 = v30 - 5.481536650607196;
  const v60 = Math.abs(v59);
  const v61 = v60 < 0.3;
  const v62 = v59 - 3.135382465176162e-16;
  const v63 = v61 ? v62 : v56;
  const v64 = v61 ? (-0.057971802346153886) : v57;
  const v65 = v61 ? (-0.9983182208758581) : v58;
  const v66 = v30 - 6.484387126386342;
  const v67 = Math.abs(v66);
  const v68 = v67 < 0.3;
  const v69 = v66 - 3.976463193586804e-17;
  const v70 = v68 ? v69 : v63;
  const v71 = v68 ? 0.049029624014074166 : v64;
  const v72 = v68 ? 0.9987973247706656 : v65;
  const v73 = v30 - 7.486474247962769;
  const v74 = Math.abs(v73);
  const v75 = v74 < 0.3;
  const v76 = v73 - (-4.321835149961335e-17);
  const v77 = v75 ? v76 : v70;
  const v78 = v75 ? (-0.04247961697761265) : v71;
  const v79 = v75 ? (-0.9990973336674637) : v72;
  const v80 = v30 - 8.488068696093448;
  const v81 = Math.abs(v80);
  const v82 = v81 < 0.3;
  const v83 = v80 - 6.85525033772e-16;
  const v84 = v82 ? v83 : v77;
  const v85 = v82 ? 0.03747451999393118 : v78;
  const v86 = v82 ? 0.9992975834811292 : v79;
  const v87 = v30 - 9.48932661808597;
  const v88 = Math.abs(v87);
  const v89 = v88 < 0.3;
  const v90 = v87 - (-7.839423677774487e-16);
  const v91 = v89 ? v90 : v84;
  const v92 = v89 ? (-0.033525135021398755) : v85;
  const v93 = v89 ? (-0.9994378746684544) : v86;
  const v94 = v92 === 0;
  const v95 = v94 ? 1 : v30;
  const v96 = v92 / v95;
  const v97 = 3.141592653589793 * v91;
  const v98 = v96 / 3.141592653589793;
  const v99 = v93 + v98;
  const v100 = Math.sin(v97);
  const v101 = v96 * v91;
  const v102 = 134217729 * v91;
  const v103 = v102 - v91;
  const v104 = v102 - v103;
  const v105 = v104 * 3.1415926218032837;
  const v106 = v105 - v97;
  const v107 = v104 * 3.178650954705639e-08;
  const v108 = v91 - v104;
  const v109 = v108 * 3.141592653589793;
  const v110 = v107 + v109;
  const v111 = v106 + v110;
  const v112 = v99 * v111;
  const v113 = v101 - v112;
  const v114 = Math.cos(v97);
  const v115 = v113 * v114;
  const v116 = v99 - v93;
  const v117 = v99 - v116;
  const v118 = v93 - v117;
  const v119 = v98 - v116;
  const v120 = v118 + v119;
  const v121 = v100 * v120;
  const v122 = v115 - v121;
  const v123 = v100 * v99;
  const v124 = v122 - v123;
  const v125 = v94 ? v27 : v124;
  const v126 = v12 ? 1 : x;
  const v127 = v125 / v126;
  const v128 = x * x;
  const v129 = v12 ? v128 : 0;
  const v130 = (-1.2767677625971266e-07) * v129;
  const v131 = v130 + 4.0481712559195145e-06;
  const v132 = v131 * v129;
  const v133 = v132 + (-9.766178324264132e-05);
  const v134 = v133 * v129;
  const v135 = v134 + 0.001781145450463536;
  const v136 = v135 * v129;
  const v137 = v136 + (-0.023460810348859946);
  const v138 = v137 * v129;
  const v139 = v138 + 0.2091827825409616;
  const v140 = v139 * v129;
  const v141 = v140 + (-1.1445109447324986);
  const v142 = v141 * v129;
  const v143 = v142 + 3.2469697011334144;
  const v144 = v143 * v129;
  const v145 = v144 + (-3.289868133696453);
  const v146 = x * v145;
  const v147 = v12 ? v146 : v127;
  const v148 = t * v147;
  return v148;
}

function f_lgamma(x: number): number {
  const v1 = x < 0;
  const v2 = -x;
  const v3 = v1 ? v2 : x;
  const v4 = ieee.round(x);
  const v5 = x - v4;
  const v12 = v3 < 0.7;
  const v13 = 1 + v3;
  const v14 = v12 ? v13 : v3;
  const v15 = v3 - 1;
  const v16 = v12 ? v3 : v15;
  const v17 = v3 - 2;
  const v18 = v12 ? v15 : v17;
  const v19 = v16 * v18;
  const v20 = v3 - 0.35;
  const v21 = v3 - 1.35;
  const v22 = v12 ? v20 : v21;
  const v23 = (-2.9409082400081556e-05) * v22;
  const v24 = v23 + 3.859005502802886e-05;
  const v25 = v24 * v22;
  const v26 = v25 + 3.3168267926053466e-05;
  const v27 = v26 * v22;
  const v28 = v27 + (-3.9267653894029616e-05);
  const v29 = v28 * v22;
  const v30 = v29 + (-6.03231840969914e-05);
  const v31 = v30 * v22;
  const v32 = v31 + 7.563803435868602e-05;
  const v33 = v32 * v22;
  const v34 = v33 + (-1.6493110705307276e-05);
  const v35 = v34 * v22;
  const v36 = v35 + 3.0121617846094922e-05;
  const v37 = v36 * v22;
  const v38 = v37 + (-8.856099327808067e-05);
  const v39 = v38 * v22;
  const v40 = v39 + 0.00012222168241206267;
  const v41 = v40 * v22;
  const v42 = v41 + (-0.0001575648995167771);
  const v43 = v42 * v22;
  const v44 = v43 + 0.0002256256176461221;
  const v45 = v44 * v22;
  const v46 = v45 + (-0.0003264913781369603);
  const v47 = v46 * v22;
  const v48 = v47 + 0.00046808732901819296;
  const v49 = v48 * v22;
  const v50 = v49 + (-0.0006734283885835394);
  const v51 = v50 * v22;
  const v52 = v51 + 0.0009742943790891446;
  const v53 = v52 * v22;
  const v54 = v53 + (-0.0014170415698326595);
  const v55 = v54 * v22;
  const v56 = v55 + 0.002073660090549705;
  const v57 = v56 * v22;
  const v58 = v57 + (-0.0030571315077291142);
  const v59 = v58 * v22;
  const v60 = v59 + 0.004548196502136987;
  const v61 = v60 * v22;
  const v62 = v61 + (-0.0068444554099211805);
  const v63 = v62 * v22;
  const v64 = v63 + 0.0104551409260426;
  const v65 = v64 * v22;
  const v66 = v65 + (-0.016299198814354994);
  const v67 = v66 * v22;
  const v68 = v67 + 0.02616519454183449;
  const v69 = v68 * v22;
  const v70 = v69 + (-0.04394151991657293);
  const v71 = v70 * v22;
  const v72 = v71 + 0.07963311897709796;
  const v73 = v72 * v22;
  const v74 = v73 + (-0.16720002551056057);
  const v75 = v74 * v22;
  const v76 = v75 + 0.5065533949558028;
  const v77 = v19 * v76;
  const v78 = 1 / v14;
  const v79 = v3 - 0.5;
  const v80 = Math.log(v3);
  const v81 = v80 - 1;
  const v82 = v79 * v81;
  const v83 = v78 * v78;
  const v84 = 0.03710130395124417 * v83;
  const v85 = v84 + (-0.01858867406894633);
  const v86 = v85 * v83;
  const v87 = v86 + 0.005848847339849949;
  const v88 = v87 * v83;
  const v89 = v88 + (-0.0018991999279965492);
  const v90 = v89 * v83;
  const v91 = v90 + 0.000841383637018579;
  const v92 = v91 * v83;
  const v93 = v92 + (-0.0005952338614446336);
  const v94 = v93 * v83;
  const v95 = v94 + 0.0007936507688413778;
  const v96 = v95 * v83;
  const v97 = v96 + (-0.002777777777721283);
  const v98 = v97 * v83;
  const v99 = v98 + 0.08333333333333331;
  const v100 = v78 * v99;
  const v101 = 0.4189385332046727 + v100;
  const v102 = v82 + v101;
  const v103 = v3 - 3;
  const v104 = 3.930385267421411e-12 * v103;
  const v105 = v104 + (-1.1995068248285449e-11);
  const v106 = v105 * v103;
  const v107 = v106 + 1.605907793603411e-11;
  const v108 = v107 * v103;
  const v109 = v108 + (-5.256757349194482e-11);
  const v110 = v109 * v103;
  const v111 = v110 + 2.1833586937055229e-10;
  const v112 = v111 * v103;
  const v113 = v112 + (-6.895742037420432e-10);
  const v114 = v113 * v103;
  const v115 = v114 + 2.129696271774186e-09;
  const v116 = v115 * v103;
  const v117 = v116 + (-6.830207915407637e-09);
  const v118 = v117 * v103;
  const v119 = v118 + 2.2064167537995864e-08;
  const v120 = v119 * v103;
  const v121 = v120 + (-7.153354461018216e-08);
  const v122 = v121 * v103;
  const v123 = v122 + 2.336833108747005e-07;
  const v124 = v123 * v103;
  const v125 = v124 + (-7.707138736197574e-07);
  const v126 = v125 * v103;
  const v127 = v126 + 2.5719803065378647e-06;
  const v128 = v127 * v103;
  const v129 = v128 + (-8.712850173201879e-06);
  const v130 = v129 * v103;
  const v131 = v130 + 3.0101124151042608e-05;
  const v132 = v131 * v103;
  const v133 = v132 + (-0.00010678360725495635);
  const v134 = v133 * v103;
  const v135 = v134 + 0.00039312727142376536;
  const v136 = v135 * v103;
  const v137 = v136 + (-0.0015286783000983718);
  const v138 = v137 * v103;
  const v139 = v138 + 0.0064844867278769855;
  const v140 = v139 * v103;
  const v141 = v140 + (-0.032170121114408465);
  const v142 = v141 * v103;
  const v143 = v142 + 0.22963715453852182;
  const v144 = v143 * v103;
  const v145 = v144 + 0.6931471805599453;
  const v146 = v17 * v145;
  const v147 = v3 < 2;
  const v148 = v3 < 4;
  const v149 = v148 ? v146 : v102;
  const v150 = v147 ? v77 : v149;
  const v151 = 3.141592653589793 * v5;
  const v152 = Math.sin(v151);
  const v153 = Math.abs(v152);
  const v154 = v1 ? v153 : 1;
  const v155 = v12 ? 1 : v3;
  const v156 = v154 * v155;
  const v157 = v156 / 3.141592653589793;
  const v158 = Math.log(v157);
  const v159 = -v158;
  const v160 = v159 - v150;
  const v161 = v5 === 0;
  const v162 = x > (-9);
  const v163 = v1 && v162;
  const v164 = v163 ? x : 0;
  const v165 = v164 > (-2.66);
  const v166 = v164 < (-2.25);
  const v167 = v165 && v166;
  const v168 = v164 - (-2.4570247382208006);
  const v169 = v168 - (-3.7075610815513266e-17);
  const v170 = Number(v167) * v169;
  const v171 = 0 + v170;
  const v172 = Number(v167) * (-0.13583711348265284);
  const v173 = 0 + v172;
  const v174 = (-4.5337970332614547e-07) * v169;
  const v175 = v174 + (-1.7817793757724253e-06);
  const v176 = v175 * v169;
  const v177 = v176 + (-7.1518935199336065e-06);
  const v178 = v177 * v169;
  const v179 = v178 + (-2.9796983902059517e-05);
  const v180 = v179 * v169;
  const v181 = v180 + (-0.00012950713789328013);
  const v182 = v181 * v169;
  const v183 = v182 + (-0.0005989023245915108);
  const v184 = v183 * v169;
  const v185 = v184 + (-0.0030545936382113128);
  const v186 = v185 * v169;
  const v187 = v186 + (-0.01854823756563266);
  const v188 = v187 * v169;
  const v189 = v188 + (-0.16753684427578192);
  const v190 = v189 * v169;
  const v191 = v190 + 1.088858570219712;
  const v192 = v169 * v191;
  const v193 = Number(v167) * v192;
  const v194 = 0 + v193;
  const v195 = v164 > (-2.9);
  const v196 = v164 < (-2.66);
  const v197 = v195 && v196;
  const v198 = v164 - (-2.7476826467274127);
  const v199 = v198 - 9.055340329338315e-17;
  const v200 = Number(v197) * v199;
  const v201 = v171 + v200;
  const v202 = Number(v197) * 0.9855446223335973;
  const v203 = v173 + v202;
  const v204 = (-8.188165851363826e-07) * v199;
  const v205 = v204 + (-3.845998593851855e-06);
  const v206 = v205 * v199;
  const v207 = v206 + (-1.745917986458936e-05);
  const v208 = v207 * v199;
  const v209 = v208 + (-8.272496275890824e-05);
  const v210 = v209 * v199;
  const v211 = v210 + (-0.00041746365516111733);
  const v212 = v211 * v199;
  const v213 = v212 + (-0.002325882928683386);
  const v214 = v213 * v199;
  const v215 = v214 + (-0.015445926924571748);
  const v216 = v215 * v199;
  const v217 = v216 + (-0.15277723246325356);
  const v218 = v217 * v199;
  const v219 = v218 + 1.1818295596965578;
  const v220 = v199 * v219;
  const v221 = Number(v197) * v220;
  const v222 = v194 + v221;
  const v223 = v164 > (-3.28);
  const v224 = v164 < (-3.07);
  const v225 = v223 && v224;
  const v226 = v164 - (-3.14358088834998);
  const v227 = v226 - (-2.1818179852331714e-16);
  const v228 = Number(v225) * v227;
  const v229 = v201 + v228;
  const v230 = Number(v225) * (-2.064500300101351);
  const v231 = v203 + v230;
  const v232 = (-1.6974029964232697e-06) * v227;
  const v233 = v232 + (-9.008904027312898e-06);
  const v234 = v233 * v227;
  const v235 = v234 + (-4.7536126406433545e-05);
  const v236 = v235 * v227;
  const v237 = v236 + (-0.0002673372516450593);
  const v238 = v237 * v227;
  const v239 = v238 + (-0.0016617771085404068);
  const v240 = v239 * v227;
  const v241 = v240 + (-0.012327490321394702);
  const v242 = v241 * v227;
  const v243 = v242 + (-0.13638772373581953);
  const v244 = v243 * v227;
  const v245 = v244 + 1.2960656819990233;
  const v246 = v227 * v245;
  const v247 = Number(v225) * v246;
  const v248 = v222 + v247;
  const v249 = v164 > (-3.991);
  const v250 = v164 < (-3.65);
  const v251 = v249 && v250;
  const v252 = v164 - (-3.955294284858598);
  const v253 = v252 - (-1.999428391746348e-17);
  const v254 = Number(v251) * v253;
  const v255 = v229 + v254;
  const v256 = Number(v251) * 7.073238795225894;
  const v257 = v231 + v256;
  const v258 = (-9.650579597656312e-08) * v253;
  const v259 = v258 + (-4.4957375437752675e-07);
  const v260 = v259 * v253;
  const v261 = v260 + (-2.803220824962622e-06);
  const v262 = v261 * v253;
  const v263 = v262 + (-1.7880954346286057e-05);
  const v264 = v263 * v253;
  const v265 = v264 + (-0.00012187434826550124);
  const v266 = v265 * v253;
  const v267 = v266 + (-0.0009195411404274659);
  const v268 = v267 * v253;
  const v269 = v268 + (-0.008293652802745166);
  const v270 = v269 * v253;
  const v271 = v270 + (-0.11176287996511958);
  const v272 = v271 * v253;
  const v273 = v272 + 1.4961741903642813;
  const v274 = v253 * v273;
  const v275 = Number(v251) * v274;
  const v276 = v248 + v275;
  const v277 = v164 > (-4.154);
  const v278 = v164 < (-4.009);
  const v279 = v277 && v278;
  const v280 = v164 - (-4.039361839740537);
  const v281 = v280 - 2.1143995503980602e-16;
  const v282 = Number(v279) * v281;
  const v283 = v255 + v282;
  const v284 = Number(v279) * (-8.045501726649938);
  const v285 = v257 + v284;
  const v286 = (-2.395575226725673e-06) * v281;
  const v287 = v286 + (-1.6309268474455062e-05);
  const v288 = v287 * v281;
  const v289 = v288 + (-0.00011325555953135725);
  const v290 = v289 * v281;
  const v291 = v290 + (-0.0008701516853494214);
  const v292 = v291 * v281;
  const v293 = v292 + (-0.007992844105262735);
  const v294 = v293 * v281;
  const v295 = v294 + (-0.10970948002004677);
  const v296 = v295 * v281;
  const v297 = v296 + 1.514791767253151;
  const v298 = v281 * v297;
  const v299 = Number(v279) * v298;
  const v300 = v276 + v299;
  const v301 = v164 > (-4.999);
  const v302 = v164 < (-4.87);
  const v303 = v301 && v302;
  const v304 = v164 - (-4.991544640560048);
  const v305 = v304 - 1.5174411760571722e-16;
  const v306 = Number(v303) * v305;
  const v307 = v283 + v306;
  const v308 = Number(v303) * 37.63707711293753;
  const v309 = v285 + v308;
  const v310 = (-6.700985242691484e-06) * v305;
  const v311 = v310 + (-5.3480965992658534e-05);
  const v312 = v311 * v305;
  const v313 = v312 + (-0.0004950838189662114);
  const v314 = v313 * v305;
  const v315 = v314 + (-0.005481661530400961);
  const v316 = v315 * v305;
  const v317 = v316 + (-0.09080031407875866);
  const v318 = v317 * v305;
  const v319 = v318 + 1.7045833443534555;
  const v320 = v305 * v319;
  const v321 = Number(v303) * v320;
  const v322 = v300 + v321;
  const v323 = v164 > (-5.088);
  const v324 = v164 < (-5.001);
  const v325 = v323 && v324;
  const v326 = v164 - (-5.0082181683225935);
  const v327 = v326 - (-4.3926353491015815e-17);
  const v328 = Number(v325) * v327;
  const v329 = v307 + v328;
  const v330 = Number(v325) * (-38.723854831888616);
  const v331 = v309 + v330;
  const v332 = (-6.144296432735153e-06) * v327;
  const v333 = v332 + (-5.2867346233239535e-05);
  const v334 = v333 * v327;
  const v335 = v334 + (-0.0004906464232721504);
  const v336 = v335 * v327;
  const v337 = v336 + (-0.005448790711292088);
  const v338 = v337 * v327;
  const v339 = v338 + (-0.09052694151216556);
  const v340 = v339 * v327;
  const v341 = v340 + 1.7076067048145092;
  const v342 = v327 * v341;
  const v343 = Number(v325) * v342;
  const v344 = v322 + v343;
  const v345 = v164 > (-5.99993);
  const v346 = v164 < (-5.97048);
  const v347 = v345 && v346;
  const v348 = v164 - (-5.998607480080875);
  const v349 = v348 - (-3.311862478893795e-16);
  const v350 = Number(v347) * v349;
  const v351 = v329 + v350;
  const v352 = Number(v347) * 228.58405914100294;
  const v353 = v331 + v352;
  const v354 = (-2.7684559224672874e-05) * v349;
  const v355 = v354 + (-0.00030011201697202914);
  const v356 = v355 * v349;
  const v357 = v356 + (-0.003923416673416325);
  const v358 = v357 * v349;
  const v359 = v358 + (-0.07678897579602385);
  const v360 = v359 * v349;
  const v361 = v360 + 1.8725704975623252;
  const v362 = v349 * v361;
  const v363 = Number(v347) * v362;
  const v364 = v344 + v363;
  const v365 = v164 > (-6.02657);
  const v366 = v164 < (-6.00007);
  const v367 = v365 && v366;
  const v368 = v164 - (-6.001385294453155);
  const v369 = v368 - 6.415847287933042e-17;
  const v370 = Number(v367) * v369;
  const v371 = v351 + v370;
  const v372 = Number(v367) * (-229.77633083099542);
  const v373 = v353 + v372;
  const v374 = (-2.7284250560082266e-05) * v369;
  const v375 = v374 + (-0.0002997313883844999);
  const v376 = v375 * v369;
  const v377 = v376 + (-0.003920084061961177);
  const v378 = v377 * v369;
  const v379 = v378 + (-0.07675629411544599);
  const v380 = v379 * v369;
  const v381 = v380 + 1.8729970178070237;
  const v382 = v369 * v381;
  const v383 = Number(v367) * v382;
  const v384 = v364 + v383;
  const v385 = v164 > (-6.9999964);
  const v386 = v164 < (-6.9889202);
  const v387 = v385 && v386;
  const v388 = v164 - (-6.999801507890638);
  const v389 = v388 - 1.0550130037400023e-17;
  const v390 = Number(v387) * v389;
  const v391 = v371 + v390;
  const v392 = Number(v387) * 1603.6397917668767;
  const v393 = v373 + v392;
  const v394 = (-0.0001961504303049502) * v389;
  const v395 = v394 + (-0.002950081471737441);
  const v396 = v395 * v389;
  const v397 = v396 + (-0.06657026401012275);
  const v398 = v397 * v389;
  const v399 = v398 + 2.0156150509600503;
  const v400 = v389 * v399;
  const v401 = Number(v387) * v400;
  const v402 = v384 + v401;
  const v403 = v164 > (-7.0106057);
  const v404 = v164 < (-7.0000036);
  const v405 = v403 && v404;
  const v406 = v164 - (-7.000198333407325);
  const v407 = v406 - 2.504354173632409e-16;
  const v408 = Number(v405) * v407;
  const v409 = v391 + v408;
  const v410 = Number(v405) * (-1604.9229894481584);
  const v411 = v393 + v410;
  const v412 = (-0.00019546855665764716) * v407;
  const v413 = v412 + (-0.002949770874085874);
  const v414 = v413 * v407;
  const v415 = v414 + (-0.06656675218147616);
  const v416 = v415 * v407;
  const v417 = v416 + 2.015667883125266;
  const v418 = v407 * v417;
  const v419 = Number(v405) * v418;
  const v420 = v402 + v419;
  const v421 = v164 > (-7.99999972);
  const v422 = v164 < (-7.99775667);
  const v423 = v421 && v422;
  const v424 = v164 - (-7.999975197095821);
  const v425 = v424 - (-5.261737128572354e-17);
  const v426 = Number(v423) * v425;
  const v427 = v409 + v426;
  const v428 = Number(v423) * 12833.573166998984;
  const v429 = v411 + v428;
  const v430 = (-0.002299343501683108) * v425;
  const v431 = v430 + (-0.05875617804521106);
  const v432 = v431 * v425;
  const v433 = v432 + 2.1406385633120886;
  const v434 = v425 * v433;
  const v435 = Number(v423) * v434;
  const v436 = v420 + v435;
  const v437 = 1.5707963267948966 * v427;
  const v438 = Math.sin(v437);
  const v439 = 2 * v438;
  const v440 = Math.cos(v437);
  const v441 = v429 * v440;
  const v442 = v441 - v438;
  const v443 = v439 * v442;
  const v444 = v429 * v429;
  const v445 = 1 + v444;
  const v446 = Math.sqrt(v445);
  const v447 = v154 * v446;
  const v448 = Math.log(v447);
  const v449 = v443 > (-0.65);
  const v450 = v449 ? v443 : 0;
  const v451 = Math.log1p(v450);
  const v452 = v449 ? v451 : v448;
  const v453 = v436 - v452;
  const v454 = v429 === 0;
  const v455 = v454 ? v160 : v453;
  const v456 = v161 ? Infinity : v455;
  const v457 = v150 - v80;
  const v458 = v12 ? v457 : v150;
  const v459 = v1 ? v456 : v458;
  return v459;
}

function r_lgamma_0(t: number, _y: number, x: number): number | null {
  const v3 = f_digamma(x);
  const v4 = t * v3;
  return v4;
}

function f_digamma(x: number): number {
  const v1 = x < 0;
  const v2 = 1 - x;
  const v3 = v1 ? v2 : x;
  const v4 = 1 / v3;
  const v5 = v3 < 1;
  const v6 = v3 - 1;
  const v7 = v5 ? v3 : v6;
  const v8 = v7 - 0.46163214496836225;
  const v9 = v8 - 9.549995429965697e-17;
  const v10 = v7 - 0.5;
  const v11 = 0.00012241591000024265 * v10;
  const v12 = v11 + (-0.00017837342400462423);
  const v13 = v12 * v10;
  const v14 = v13 + 9.158816882117e-05;
  const v15 = v14 * v10;
  const v16 = v15 + (-0.00014460384609240088);
  const v17 = v16 * v10;
  const v18 = v17 + 0.00032689316473621455;
  const v19 = v18 * v10;
  const v20 = v19 + (-0.00048606417050412354);
  const v21 = v20 * v10;
  const v22 = v21 + 0.0006899428514219089;
  const v23 = v22 * v10;
  const v24 = v23 + (-0.0010364227247828023);
  const v25 = v24 * v10;
  const v26 = v25 + 0.0015635739915515125;
  const v27 = v26 * v10;
  const v28 = v27 + (-0.0023455016279107115);
  const v29 = v28 * v10;
  const v30 = v29 + 0.0035180792717028125;
  const v31 = v30 * v10;
  const v32 = v31 + (-0.0052799364178857415);
  const v33 = v32 * v10;
  const v34 = v33 + 0.007927024136843637;
  const v35 = v34 * v10;
  const v36 = v35 + (-0.011908220169786002);
  const v37 = v36 * v10;
  const v38 = v37 + 0.01790724819228875;
  const v39 = v38 * v10;
  const v40 = v39 + (-0.02697579665686472);
  const v41 = v40 * v10;
  const v42 = v41 + 0.040760833944741226;
  const v43 = v42 * v10;
  const v44 = v43 + (-0.06192213327556183);
  const v45 = v44 * v10;
  const v46 = v45 + 0.09498872445282817;
  const v47 = v46 * v10;
  const v48 = v47 + (-0.14840492305388006);
  const v49 = v48 * v10;
  const v50 = v49 + 0.24054248424078736;
  const v51 = v50 * v10;
  const v52 = v51 + (-0.4236274212814606);
  const v53 = v52 * v10;
  const v54 = v53 + 0.9510558760318328;
  const v55 = v9 * v54;
  const v56 = v55 - v4;
  const v57 = v5 ? v56 : v55;
  const v58 = Math.log(v3);
  const v59 = v4 * v4;
  const v60 = (-1098.5517618384063) * v59;
  const v61 = v60 + 2445.478834913569;
  const v62 = v61 * v59;
  const v63 = v62 + (-2515.5283340889673);
  const v64 = v63 * v59;
  const v65 = v64 + 1591.6199010327016;
  const v66 = v65 * v59;
  const v67 = v66 + (-697.0720857646953);
  const v68 = v67 * v59;
  const v69 = v68 + 226.34914930494998;
  const v70 = v69 * v59;
  const v71 = v70 + (-57.427976109599356);
  const v72 = v71 * v59;
  const v73 = v72 + 12.014783159838057;
  const v74 = v73 * v59;
  const v75 = v74 + (-2.2253428296783424);
  const v76 = v75 * v59;
  const v77 = v76 + 0.4040035928324655;
  const v78 = v77 * v59;
  const v79 = v78 + (-0.08189112846363136);
  const v80 = v79 * v59;
  const v81 = v80 + 0.021054092060816425;
  const v82 = v81 * v59;
  const v83 = v82 + (-0.007575049062108468);
  const v84 = v83 * v59;
  const v85 = v84 + 0.004166658607197026;
  const v86 = v85 * v59;
  const v87 = v86 + (-0.0039682539191525775);
  const v88 = v87 * v59;
  const v89 = v88 + 0.008333333333213365;
  const v90 = v89 * v59;
  const v91 = v90 + (-0.08333333333333329);
  const v92 = v59 * v91;
  const v93 = 0.5 * v4;
  const v94 = v92 - v93;
  const v95 = v58 + v94;
  const v96 = v3 < 2;
  const v97 = v96 ? v57 : v95;
  const v98 = ieee.round(x);
  const v99 = x - v98;
  const v106 = v1 ? v99 : 0.25;
  const v107 = f_sign(v106);
  const v108 = v106 < 0;
  const v109 = 0.5 + v106;
  const v110 = 0.5 - v106;
  const v111 = v108 ? v109 : v110;
  const v112 = Math.abs(v106);
  const v113 = v112 < 0.25;
  const v114 = 3.141592653589793 * v106;
  const v115 = Math.cos(v114);
  const v116 = 3.141592653589793 * v111;
  const v117 = Math.sin(v116);
  const v118 = v113 ? v115 : v117;
  const v119 = 3.141592653589793 * v112;
  const v120 = Math.sin(v119);
  const v121 = v118 / v120;
  const v122 = v107 * v121;
  const v123 = 3.141592653589793 * v122;
  const v124 = v97 - v123;
  const v125 = v1 ? v124 : v97;
  const v126 = x > (-9);
  const v127 = v1 && v126;
  const v128 = v127 ? x : 0;
  const v129 = v128 > (-0.704);
  const v130 = v128 < (-0.304);
  const v131 = v129 && v130;
  const v132 = v128 - (-0.5040830082644554);
  const v133 = v132 - (-8.15428206243813e-18);
  const v134 = Number(v131) * v133;
  const v135 = 0 + v134;
  const v136 = Number(v131) * 0.012827852322625328;
  const v137 = 0 + v136;
  const v138 = (-0.0023362448268592416) * v133;
  const v139 = v138 + (-0.003512277385901408);
  const v140 = v139 * v133;
  const v141 = v140 + (-0.004958417445063212);
  const v142 = v141 * v133;
  const v143 = v142 + (-0.007464943084152344);
  const v144 = v143 * v133;
  const v145 = v144 + (-0.011262964521571908);
  const v146 = v145 * v133;
  const v147 = v146 + (-0.016983890665613812);
  const v148 = v147 * v133;
  const v149 = v148 + (-0.025656100608165068);
  const v150 = v149 * v133;
  const v151 = v150 + (-0.03887750780417407);
  const v152 = v151 * v133;
  const v153 = v152 + (-0.059234993398887666);
  const v154 = v153 * v133;
  const v155 = v154 + (-0.0911480542204242);
  const v156 = v155 * v133;
  const v157 = v156 + (-0.14288471246961498);
  const v158 = v157 * v133;
  const v159 = v158 + (-0.23249963154748438);
  const v160 = v159 * v133;
  const v161 = v160 + (-0.4115360739267288);
  const v162 = v161 * v133;
  const v163 = v162 + (-0.9314299231586555);
  const v164 = v133 * v163;
  const v165 = Number(v131) * v164;
  const v166 = 0 + v165;
  const v167 = v128 > (-1.77);
  const v168 = v128 < (-1.37);
  const v169 = v167 && v168;
  const v170 = v128 - (-1.5734984731623904);
  const v171 = v170 - (-1.574185691077347e-17);
  const v172 = Number(v169) * v171;
  const v173 = v135 + v172;
  const v174 = Number(v169) * 0.23509529193638246;
  const v175 = v137 + v174;
  const v176 = (-1.2479527111834736e-05) * v171;
  const v177 = v176 + (-3.189932397111877e-05);
  const v178 = v177 * v171;
  const v179 = v178 + (-8.169380258657518e-05);
  const v180 = v179 * v171;
  const v181 = v180 + (-0.0002138691299291073);
  const v182 = v181 * v171;
  const v183 = v182 + (-0.0005641120694833626);
  const v184 = v183 * v171;
  const v185 = v184 + (-0.0015050523892863813);
  const v186 = v185 * v171;
  const v187 = v186 + (-0.0040886273831518966);
  const v188 = v187 * v171;
  const v189 = v188 + (-0.011440373126894944);
  const v190 = v189 * v171;
  const v191 = v190 + (-0.033720818625235696);
  const v192 = v191 * v171;
  const v193 = v192 + (-0.11027901394105073);
  const v194 = v193 * v171;
  const v195 = v194 + (-0.4735818098827229);
  const v196 = v171 * v195;
  const v197 = Number(v169) * v196;
  const v198 = v166 + v197;
  const v199 = v128 > (-2.81);
  const v200 = v128 < (-2.41);
  const v201 = v199 && v200;
  const v202 = v128 - (-2.6107208684441447);
  const v203 = v202 - 9.881960746978353e-17;
  const v204 = Number(v201) * v203;
  const v205 = v173 + v204;
  const v206 = Number(v201) * 0.3625824579869301;
  const v207 = v175 + v206;
  const v208 = (-7.997416264918062e-07) * v203;
  const v209 = v208 + (-2.947809097290491e-06);
  const v210 = v209 * v203;
  const v211 = v210 + (-1.0888952481497743e-05);
  const v212 = v211 * v203;
  const v213 = v212 + (-4.09500821301783e-05);
  const v214 = v213 * v203;
  const v215 = v214 + (-0.00015632705692076633);
  const v216 = v215 * v203;
  const v217 = v216 + (-0.0006101287618451117);
  const v218 = v217 * v203;
  const v219 = v218 + (-0.002464583802183212);
  const v220 = v219 * v203;
  const v221 = v220 + (-0.010546851875883587);
  const v222 = v221 * v203;
  const v223 = v222 + (-0.05040882557200935);
  const v224 = v223 * v203;
  const v225 = v224 + (-0.31879339740767804);
  const v226 = v203 * v225;
  const v227 = Number(v201) * v226;
  const v228 = v198 + v227;
  const v229 = v128 > (-3.84);
  const v230 = v128 < (-3.44);
  const v231 = v229 && v230;
  const v232 = v128 - (-3.635293366436901);
  const v233 = v232 - 5.454396163173039e-17;
  const v234 = Number(v231) * v233;
  const v235 = v205 + v234;
  const v236 = Number(v231) * 0.45262730550830915;
  const v237 = v207 + v236;
  const v238 = (-2.5629605187640515e-07) * v233;
  const v239 = v238 + (-1.249256436156445e-06);
  const v240 = v239 * v233;
  const v241 = v240 + (-6.086888280246755e-06);
  const v242 = v241 * v233;
  const v243 = v242 + (-3.027797975526245e-05);
  const v244 = v243 * v233;
  const v245 = v244 + (-0.00015431642493808926);
  const v246 = v245 * v233;
  const v247 = v246 + (-0.0008159365180856838);
  const v248 = v247 * v233;
  const v249 = v248 + (-0.004582367377539578);
  const v250 = v249 * v233;
  const v251 = v250 + (-0.028824928324526492);
  const v252 = v251 * v233;
  const v253 = v252 + (-0.24066547932130047);
  const v254 = v233 * v253;
  const v255 = Number(v231) * v254;
  const v256 = v228 + v255;
  const v257 = v128 > (-4.85);
  const v258 = v128 < (-4.45);
  const v259 = v257 && v258;
  const v260 = v128 - (-4.653237761743142);
  const v261 = v260 - (-2.5492686201468193e-16);
  const v262 = Number(v259) * v261;
  const v263 = v235 + v262;
  const v264 = Number(v259) * 0.5224051197036602;
  const v265 = v237 + v264;
  const v266 = (-3.827741124615703e-08) * v261;
  const v267 = v266 + (-2.2651511558410945e-07);
  const v268 = v267 * v261;
  const v269 = v268 + (-1.361603469258592e-06);
  const v270 = v269 * v261;
  const v271 = v270 + (-8.355007647663292e-06);
  const v272 = v271 * v261;
  const v273 = v272 + (-5.258992461894916e-05);
  const v274 = v273 * v261;
  const v275 = v274 + (-0.00034385794722493926);
  const v276 = v275 * v261;
  const v277 = v276 + (-0.0023913529562870927);
  const v278 = v277 * v261;
  const v279 = v278 + (-0.01865472664376594);
  const v280 = v279 * v261;
  const v281 = v280 + (-0.19345161140843112);
  const v282 = v261 * v281;
  const v283 = Number(v259) * v282;
  const v284 = v256 + v283;
  const v285 = v128 > (-5.87);
  const v286 = v128 < (-5.47);
  const v287 = v285 && v286;
  const v288 = v128 - (-5.6671624415568855);
  const v289 = v288 - (-3.2153051074948335e-18);
  const v290 = Number(v287) * v289;
  const v291 = v263 + v290;
  const v292 = Number(v287) * 0.5794288369977143;
  const v293 = v265 + v292;
  const v294 = (-5.5294505812885414e-08) * v289;
  const v295 = v294 + (-3.9745461783483093e-07);
  const v296 = v295 * v289;
  const v297 = v296 + (-2.897049806655944e-06);
  const v298 = v297 * v289;
  const v299 = v298 + (-2.1711340428423935e-05);
  const v300 = v299 * v289;
  const v301 = v300 + (-0.0001691514812244984);
  const v302 = v301 * v289;
  const v303 = v302 + (-0.0014028253768480375);
  const v304 = v303 * v289;
  const v305 = v304 + (-0.01306104711717965);
  const v306 = v305 * v289;
  const v307 = v306 + (-0.16179705649751489);
  const v308 = v289 * v307;
  const v309 = Number(v287) * v308;
  const v310 = v284 + v309;
  const v311 = v128 > (-6.88);
  const v312 = v128 < (-6.48);
  const v313 = v311 && v312;
  const v314 = v128 - (-6.678418213073427);
  const v315 = v314 - 3.470798723495241e-16;
  const v316 = Number(v313) * v315;
  const v317 = v291 + v316;
  const v318 = Number(v313) * 0.6276704679610906;
  const v319 = v293 + v318;
  const v320 = (-1.675060234676949e-08) * v315;
  const v321 = v320 + (-1.3933798582038897e-07);
  const v322 = v321 * v315;
  const v323 = v322 + (-1.178312566378733e-06);
  const v324 = v323 * v315;
  const v325 = v324 + (-1.0245859629343078e-05);
  const v326 = v325 * v315;
  const v327 = v326 + (-9.266333927646194e-05);
  const v328 = v327 * v315;
  const v329 = v328 + (-0.0008925409364713575);
  const v330 = v329 * v315;
  const v331 = v330 + (-0.00965659066793577);
  const v332 = v331 * v315;
  const v333 = v332 + (-0.13908267808456654);
  const v334 = v315 * v333;
  const v335 = Number(v313) * v334;
  const v336 = v310 + v335;
  const v337 = v128 > (-7.89);
  const v338 = v128 < (-7.49);
  const v339 = v337 && v338;
  const v340 = v128 - (-7.687788325031626);
  const v341 = v340 - (-1.351562494643672e-16);
  const v342 = Number(v339) * v341;
  const v343 = v317 + v342;
  const v344 = Number(v339) * 0.669489637361021;
  const v345 = v319 + v344;
  const v346 = (-5.918228941335817e-09) * v341;
  const v347 = v346 + (-5.601804227070677e-08);
  const v348 = v347 * v341;
  const v349 = v348 + (-5.391526974379082e-07);
  const v350 = v349 * v341;
  const v351 = v350 + (-5.336013761774403e-06);
  const v352 = v351 * v341;
  const v353 = v352 + (-5.494629953782794e-05);
  const v354 = v353 * v341;
  const v355 = v354 + (-0.0006027946586162379);
  const v356 = v355 * v341;
  const v357 = v356 + (-0.007430672888718312);
  const v358 = v357 * v341;
  const v359 = v358 + (-0.12198207058723402);
  const v360 = v341 * v359;
  const v361 = Number(v339) * v360;
  const v362 = v336 + v361;
  const v363 = 3.141592653589793 * v343;
  const v364 = v345 * v345;
  const v365 = Math.tan(v363);
  const v366 = v345 * v365;
  const v367 = 1 + v364;
  const v368 = 1 + v366;
  const v369 = 3.141592653589793 * v367;
  const v370 = 134217729 * v367;
  const v371 = v370 - v367;
  const v372 = v370 - v371;
  const v373 = v372 * 3.1415926218032837;
  const v374 = v373 - v369;
  const v375 = v372 * 3.178650954705639e-08;
  const v376 = v367 - v372;
  const v377 = v376 * 3.141592653589793;
  const v378 = v375 + v377;
  const v379 = v374 + v378;
  const v380 = v379 / 3.141592653589793;
  const v381 = v367 - 1;
  const v382 = v367 - v381;
  const v383 = 1 - v382;
  const v384 = v364 - v381;
  const v385 = v383 + v384;
  const v386 = v380 + v385;
  const v387 = 134217729 * v345;
  const v388 = v387 - v345;
  const v389 = v387 - v388;
  const v390 = v389 * v389;
  const v391 = v390 - v364;
  const v392 = v345 - v389;
  const v393 = v345 + v389;
  const v394 = v392 * v393;
  const v395 = v391 + v394;
  const v396 = v386 + v395;
  const v397 = v396 / v367;
  const v398 = v368 - 1;
  const v399 = v368 - v398;
  const v400 = 1 - v399;
  const v401 = v366 - v398;
  const v402 = v400 + v401;
  const v403 = v402 / v368;
  const v404 = v397 - v403;
  const v405 = v369 * v365;
  const v406 = v405 / v368;
  const v407 = v365 * v365;
  const v408 = 1 + v407;
  const v409 = v369 * v408;
  const v410 = v368 * v368;
  const v411 = v409 / v410;
  const v412 = v406 * v404;
  const v413 = 134217729 * v343;
  const v414 = v413 - v343;
  const v415 = v413 - v414;
  const v416 = v415 * 3.1415926218032837;
  const v417 = v416 - v363;
  const v418 = v415 * 3.178650954705639e-08;
  const v419 = v343 - v415;
  const v420 = v419 * 3.141592653589793;
  const v421 = v418 + v420;
  const v422 = v417 + v421;
  const v423 = v411 * v422;
  const v424 = v412 + v423;
  const v425 = v424 + v362;
  const v426 = v406 + v425;
  const v427 = v345 === 0;
  const v428 = v427 ? v125 : v426;
  return v428;
}

function r_digamma_0(t: number, _y: number, x: number): number | null {
  const v3 = f_polygamma(1, x);
  const v4 = t * v3;
  return v4;
}

function f_polygamma(n: number, x: number): number {
  const v2 = x < 0;
  const v3 = 1 - x;
  const v4 = v2 ? v3 : x;
  const v5 = n < 2;
  const v6 = v5 ? 2 : n;
  const v7 = v6 >= 2;
  const v8 = v7 ? 2 : 1;
  const v9 = 1 * v8;
  const v10 = v6 >= 3;
  const v11 = v10 ? 3 : 1;
  const v12 = v9 * v11;
  const v13 = v6 >= 4;
  const v14 = v13 ? 4 : 1;
  const v15 = v12 * v14;
  const v16 = v6 >= 5;
  const v17 = v16 ? 5 : 1;
  const v18 = v15 * v17;
  const v19 = v6 >= 6;
  const v20 = v19 ? 6 : 1;
  const v21 = v18 * v20;
  const v22 = v6 >= 7;
  const v23 = v22 ? 7 : 1;
  const v24 = v21 * v23;
  const v25 = v6 >= 8;
  const v26 = v25 ? 8 : 1;
  const v27 = v24 * v26;
  const v28 = v6 >= 9;
  const v29 = v28 ? 9 : 1;
  const v30 = v27 * v29;
  const v31 = v6 >= 10;
  const v32 = v31 ? 10 : 1;
  const v33 = v30 * v32;
  const v34 = v6 >= 11;
  const v35 = v34 ? 11 : 1;
  const v36 = v33 * v35;
  const v37 = v6 >= 12;
  const v38 = v37 ? 12 : 1;
  const v39 = v36 * v38;
  const v40 = v6 >= 13;
  const v41 = v40 ? 13 : 1;
  const v42 = v39 * v41;
  const v43 = v6 >= 14;
  const v44 = v43 ? 14 : 1;
  const v45 = v42 * v44;
  const v46 = v6 >= 15;
  const v47 = v46 ? 15 : 1;
  const v48 = v45 * v47;
  const v49 = v6 >= 16;
  const v50 = v49 ? 16 : 1;
  const v51 = v48 * v50;
  const v52 = v6 >= 17;
  const v53 = v52 ? 17 : 1;
  const v54 = v51 * v53;
  const v55 = v6 >= 18;
  const v56 = v55 ? 18 : 1;
  const v57 = v54 * v56;
  const v58 = v6 >= 19;
  const v59 = v58 ? 19 : 1;
  const v60 = v57 * v59;
  const v61 = v6 >= 20;
  const v62 = v61 ? 20 : 1;
  const v63 = v60 * v62;
  const v64 = v6 >= 21;
  const v65 = v64 ? 21 : 1;
  const v66 = v63 * v65;
  const v67 = v6 >= 22;
  const v68 = v67 ? 22 : 1;
  const v69 = v66 * v68;
  const v70 = v6 > 22;
  const v71 = v6 + 1;
  const v72 = f_lgamma(v71);
  const v73 = Math.exp(v72);
  const v74 = v70 ? v73 : v69;
  const v75 = v4 + 10;
  const v76 = 1 / v75;
  const v77 = v71 * v76;
  const v78 = v77 * v76;
  const v79 = v71 - 1;
  const v80 = 1 / v79;
  const v81 = 0.5 * v76;
  const v82 = v80 + v81;
  const v83 = 0.08333333333333333 * v78;
  const v84 = v82 + v83;
  const v85 = v71 + 1;
  const v86 = v71 + 2;
  const v87 = v85 * v86;
  const v88 = v78 * v87;
  const v89 = v88 * v76;
  const v90 = v89 * v76;
  const v91 = (-0.001388888888888889) * v90;
  const v92 = v84 + v91;
  const v93 = v71 + 3;
  const v94 = v71 + 4;
  const v95 = v93 * v94;
  const v96 = v90 * v95;
  const v97 = v96 * v76;
  const v98 = v97 * v76;
  const v99 = 3.306878306878307e-05 * v98;
  const v100 = v92 + v99;
  const v101 = v71 + 5;
  const v102 = v71 + 6;
  const v103 = v101 * v102;
  const v104 = v98 * v103;
  const v105 = v104 * v76;
  const v106 = v105 * v76;
  const v107 = (-8.267195767195768e-07) * v106;
  const v108 = v100 + v107;
  const v109 = v71 + 7;
  const v110 = v71 + 8;
  const v111 = v109 * v110;
  const v112 = v106 * v111;
  const v113 = v112 * v76;
  const v114 = v113 * v76;
  const v115 = 2.08767569878681e-08 * v114;
  const v116 = v108 + v115;
  const v117 = v71 + 9;
  const v118 = v71 + 10;
  const v119 = v117 * v118;
  const v120 = v114 * v119;
  const v121 = v120 * v76;
  const v122 = v121 * v76;
  const v123 = (-5.284190138687493e-10) * v122;
  const v124 = v116 + v123;
  const v125 = v71 + 11;
  const v126 = v71 + 12;
  const v127 = v125 * v126;
  const v128 = v122 * v127;
  const v129 = v128 * v76;
  const v130 = v129 * v76;
  const v131 = 1.3382536530684679e-11 * v130;
  const v132 = v124 + v131;
  const v133 = v71 + 13;
  const v134 = v71 + 14;
  const v135 = v133 * v134;
  const v136 = v130 * v135;
  const v137 = v136 * v76;
  const v138 = v137 * v76;
  const v139 = (-3.3896802963225827e-13) * v138;
  const v140 = v132 + v139;
  const v147 = 1 - v71;
  const v148 = ieee.pow(v75, v147);
  const v149 = v140 * v148;
  const v150 = v4 + 9;
  const v151 = -v71;
  const v152 = ieee.pow(v150, v151);
  const v153 = v149 + v152;
  const v154 = v4 + 8;
  const v155 = ieee.pow(v154, v151);
  const v156 = v153 + v155;
  const v157 = v4 + 7;
  const v158 = ieee.pow(v157, v151);
  const v159 = v156 + v158;
  const v160 = v4 + 6;
  const v161 = ieee.pow(v160, v151);
  const v162 = v159 + v161;
  const v163 = v4 + 5;
  const v164 = ieee.pow(v163, v151);
  const v165 = v162 + v164;
  const v166 = v4 + 4;
  const v167 = ieee.pow(v166, v151);
  const v168 = v165 + v167;
  const v169 = v4 + 3;
  const v170 = ieee.pow(v169, v151);
  const v171 = v168 + v170;
  const v172 = v4 + 2;
  const v173 = ieee.pow(v172, v151);
  const v174 = v171 + v173;
  const v175 = v4 + 1;
  const v176 = ieee.pow(v175, v151);
  const v177 = v174 + v176;
  const v178 = v4 + 0;
  const v179 = ieee.pow(v178, v151);
  const v180 = v177 + v179;
  const v181 = v74 * v180;
  const v182 = 0.5 * v6;
  const v183 = Math.floor(v182);
  const v184 = 2 * v183;
  const v185 = v6 - v184;
  const v186 = ieee.round(x);
  const v187 = x - v186;
  const v194 = v2 ? v187 : 0.25;
  const v195 = f_sign(v194);
  const v196 = v194 < 0;
  const v197 = 0.5 + v194;
  const v198 = 0.5 - v194;
  const v199 = v196 ? v197 : v198;
  const v200 = Math.abs(v194);
  const v201 = v200 < 0.25;
  const v202 = 3.141592653589793 * v194;
  const v203 = Math.cos(v202);
  const v204 = 3.141592653589793 * v199;
  const v205 = Math.sin(v204);
  const v206 = v201 ? v203 : v205;
  const v207 = 3.141592653589793 * v200;
  const v208 = Math.sin(v207);
  const v209 = v206 / v208;
  const v210 = v195 * v209;
  const v211 = n === 2;
  const v212 = 62.01255336059963 * v210;
  const v213 = v212 + 0;
  const v214 = v213 * v210;
  const v215 = v214 + 62.01255336059963;
  const v216 = v215 * v210;
  const v217 = v216 + 0;
  const v218 = v211 ? v217 : NaN;
  const v219 = n === 3;
  const v220 = (-584.4545462040145) * v210;
  const v221 = v220 + 0;
  const v222 = v221 * v210;
  const v223 = v222 + (-779.2727282720193);
  const v224 = v223 * v210;
  const v225 = v224 + 0;
  const v226 = v225 * v210;
  const v227 = v226 + (-194.81818206800483);
  const v228 = v219 ? v227 : v218;
  const v229 = n === 4;
  const v230 = 7344.4724348467535 * v210;
  const v231 = v230 + 0;
  const v232 = v231 * v210;
  const v233 = v232 + 12240.787391411257;
  const v234 = v233 * v210;
  const v235 = v234 + 0;
  const v236 = v235 * v210;
  const v237 = v236 + 4896.314956564503;
  const v238 = v237 * v210;
  const v239 = v238 + 0;
  const v240 = v229 ? v239 : v228;
  const v241 = n === 5;
  const v242 = (-115366.70322903652) * v210;
  const v243 = v242 + 0;
  const v244 = v243 * v210;
  const v245 = v244 + (-230733.40645807303);
  const v246 = v245 * v210;
  const v247 = v246 + 0;
  const v248 = v247 * v210;
  const v249 = v248 + (-130748.93032624137);
  const v250 = v249 * v210;
  const v251 = v250 + 0;
  const v252 = v251 * v210;
  const v253 = v252 + (-15382.227097204868);
  const v254 = v241 ? v253 : v240;
  const v255 = n === 6;
  const v256 = 2174611.1239992897 * v210;
  const v257 = v256 + 0;
  const v258 = v257 * v210;
  const v259 = v258 + 5074092.622665009;
  const v260 = v259 * v210;
  const v261 = v260 + 0;
  const v262 = v261 * v210;
  const v263 = v262 + 3721001.256621007;
  const v264 = v263 * v210;
  const v265 = v264 + 0;
  const v266 = v265 * v210;
  const v267 = v266 + 821519.7579552872;
  const v268 = v267 * v210;
  const v269 = v268 + 0;
  const v270 = v255 ? v269 : v254;
  const v271 = n === 7;
  const v272 = (-47822196.32099567) * v210;
  const v273 = v272 + 0;
  const v274 = v273 * v210;
  const v275 = v274 + (-127525856.85598847);
  const v276 = v275 * v210;
  const v277 = v276 + 0;
  const v278 = v277 * v210;
  const v279 = v278 + (-114773271.17038962);
  const v280 = v279 * v210;
  const v281 = v280 + 0;
  const v282 = v281 * v210;
  const v283 = v282 + (-37650491.07176802);
  const v284 = v283 * v210;
  const v285 = v284 + 0;
  const v286 = v285 * v210;
  const v287 = v286 + (-2580880.436371195);
  const v288 = v271 ? v287 : v270;
  const v289 = n === 8;
  const v290 = 1201902885.1245508 * v210;
  const v291 = v290 + 0;
  const v292 = v291 * v210;
  const v293 = v292 + 3605708655.3736525;
  const v294 = v293 * v210;
  const v295 = v294 + 0;
  const v296 = v295 * v210;
  const v297 = v296 + 3846089232.3985624;
  const v298 = v297 * v210;
  const v299 = v298 + 0;
  const v300 = v299 * v210;
  const v301 = v300 + 1678848474.45969;
  const v302 = v301 * v210;
  const v303 = v302 + 0;
  const v304 = v303 * v210;
  const v305 = v304 + 236565012.31022903;
  const v306 = v305 * v210;
  const v307 = v306 + 0;
  const v308 = v289 ? v307 : v288;
  const v309 = -v181;
  const v310 = v309 - v308;
  const v311 = 2 * v185;
  const v312 = v311 - 1;
  const v313 = v312 * v181;
  const v314 = v2 ? v310 : v313;
  const v315 = n === 0;
  const v316 = f_digamma(x);
  const v317 = n === 1;
  const v318 = 1 / v4;
  const v319 = v4 < 1;
  const v320 = v4 - 1;
  const v321 = v319 ? v4 : v320;
  const v322 = v321 - 0.5;
  const v323 = 0.0014933783227438191 * v322;
  const v324 = v323 + (-0.0020891833615276248);
  const v325 = v324 * v322;
  const v326 = v325 + 0.0006775788762954757;
  const v327 = v326 * v322;
  const v328 = v327 + (-0.001063775547956939);
  const v329 = v328 * v322;
  const v330 = v329 + 0.0031156953476403054;
  const v331 = v330 * v322;
  const v332 = v331 + (-0.004391182152045137);
  const v333 = v332 * v322;
  const v334 = v333 + 0.005627134938800117;
  const v335 = v334 * v322;
  const v336 = v335 + (-0.008019095725740303);
  const v337 = v336 * v322;
  const v338 = v337 + 0.011520326461733375;
  const v339 = v338 * v322;
  const v340 = v339 + (-0.016259764971882362);
  const v341 = v340 * v322;
  const v342 = v341 + 0.022840977850181226;
  const v343 = v342 * v322;
  const v344 = v343 + (-0.031984273312258636);
  const v345 = v344 * v322;
  const v346 = v345 + 0.044566737089543916;
  const v347 = v346 * v322;
  const v348 = v347 + (-0.06174052306421802);
  const v349 = v348 * v322;
  const v350 = v349 + 0.08496878329898323;
  const v351 = v350 * v322;
  const v352 = v351 + (-0.11604071799470868);
  const v353 = v352 * v322;
  const v354 = v353 + 0.15705320220949961;
  const v355 = v354 * v322;
  const v356 = v355 + (-0.21030987328689327);
  const v357 = v356 * v322;
  const v358 = v357 + 0.2780808133220816;
  const v359 = v358 * v322;
  const v360 = v359 + (-0.3621493650205592);
  const v361 = v360 * v322;
  const v362 = v361 + 0.463064525101577;
  const v363 = v362 * v322;
  const v364 = v363 + (-0.5790416377779087);
  const v365 = v364 * v322;
  const v366 = v365 + 0.7045455170012181;
  const v367 = v366 * v322;
  const v368 = v367 + (-0.8287966442343199);
  const v369 = v368 * v322;
  const v370 = v369 + 0.9348022005446793;
  const v371 = v318 * v318;
  const v372 = v370 + v371;
  const v373 = v319 ? v372 : v370;
  const v374 = (-2508053.114507513) * v371;
  const v375 = v374 + 6449417.435073502;
  const v376 = v375 * v371;
  const v377 = v376 + (-7723794.067395588);
  const v378 = v377 * v371;
  const v379 = v378 + 5727948.256353705;
  const v380 = v379 * v371;
  const v381 = v380 + (-2952005.901830746);
  const v382 = v381 * v371;
  const v383 = v382 + 1125851.2011096;
  const v384 = v383 * v371;
  const v385 = v384 + (-330937.5842505172);
  const v386 = v385 * v371;
  const v387 = v386 + 77328.81287930752;
  const v388 = v387 * v371;
  const v389 = v388 + (-14784.158785482898);
  const v390 = v389 * v371;
  const v391 = v390 + 2392.7139467804923;
  const v392 = v391 * v371;
  const v393 = v392 + (-343.97588073418245);
  const v394 = v393 * v371;
  const v395 = v394 + 47.20775517989001;
  const v396 = v395 * v371;
  const v397 = v396 + (-6.827620629224796);
  const v398 = v397 * v371;
  const v399 = v398 + 1.1597117387033786;
  const v400 = v399 * v371;
  const v401 = v400 + (-0.25297993304111066);
  const v402 = v401 * v371;
  const v403 = v402 + 0.07575582026438687;
  const v404 = v403 * v371;
  const v405 = v404 + (-0.0333333189606887);
  const v406 = v405 * v371;
  const v407 = v406 + 0.0238095237463548;
  const v408 = v407 * v371;
  const v409 = v408 + (-0.03333333333322185);
  const v410 = v409 * v371;
  const v411 = v410 + 0.16666666666666663;
  const v412 = v318 * v411;
  const v413 = 0.5 + v412;
  const v414 = v371 * v413;
  const v415 = v318 + v414;
  const v416 = v4 < 2;
  const v417 = v416 ? v373 : v415;
  const v418 = 3.141592653589793 * v187;
  const v419 = Math.abs(v187);
  const v420 = v419 < 7.458340731200208e-155;
  const v421 = Math.sin(v418);
  const v422 = v420 ? 1 : v421;
  const v423 = v422 * v422;
  const v424 = 9.869604401089358 / v423;
  const v425 = 134217729 * v187;
  const v426 = v425 - v187;
  const v427 = v425 - v426;
  const v428 = v427 * 3.1415926218032837;
  const v429 = v428 - v418;
  const v430 = v427 * 3.178650954705639e-08;
  const v431 = v187 - v427;
  const v432 = v431 * 3.141592653589793;
  const v433 = v430 + v432;
  const v434 = v429 + v433;
  const v435 = 2 * v434;
  const v436 = Math.cos(v418);
  const v437 = v435 * v436;
  const v438 = v437 / v422;
  const v439 = v424 * v438;
  const v440 = v417 + v439;
  const v441 = v424 - v440;
  const v442 = v420 ? Infinity : v441;
  const v443 = v2 ? v442 : v417;
  const v444 = v317 ? v443 : NaN;
  const v445 = v315 ? v316 : v444;
  const v446 = Math.floor(n);
  const v447 = n === v446;
  const v448 = v447 ? v314 : NaN;
  const v449 = v5 ? v445 : v448;
  return v449;
}

function r_polygamma_1(t: number, _y: number, n: number, x: number): number | null {
  const v4 = n + 1;
  const v5 = f_polygamma(v4, x);
  const v6 = t * v5;
  return v6;
}

function f_sigmoid_slope(x0: number, x1: number): number {
  const v2 = x1 < 0;
  const v3 = -x1;
  const v4 = v2 ? x1 : v3;
  const v5 = Math.exp(v4);
  const v6 = x0 * v5;
  const v7 = 2 + v5;
  const v8 = v5 * v7;
  const v9 = 1 + v8;
  const v10 = v6 / v9;
  return v10;
}

function r_sigmoid_slope_0(t: number, _y: number, _x0: number, x1: number): number | null {
  const v4 = f_sigmoid_slope(t, x1);
  return v4;
}

function r_sigmoid_slope_1(t: number, y: number, _x0: number, x1: number): number | null {
  const v4 = -t;
  const v5 = v4 * y;
  const v6 = 0.5 * x1;
  const v7 = Math.tanh(v6);
  const v8 = v5 * v7;
  return v8;
}

function f_silu_slope(x0: number, x1: number): number {
  const v2 = x1 < 0;
  const v3 = -x1;
  const v4 = v2 ? x1 : v3;
  const v5 = v4 < (-1600);
  const v6 = v5 ? (-1600) : v4;
  const v7 = v6 < (-707);
  const v8 = 0.5 * v6;
  const v9 = v7 ? v8 : v6;
  const v10 = Math.exp(v9);
  const v11 = v7 ? v10 : 1;
  const v12 = v6 - (-1.2784645427610737);
  const v13 = v12 - (-1.0946994183093437e-16);
  const v14 = Math.abs(v13);
  const v15 = v14 < 0.75;
  const v16 = Math.expm1(v13);
  const v17 = 0.2784645427610738 * v16;
  const v18 = v13 + v17;
  const v19 = 1 + v6;
  const v20 = v10 * v11;
  const v21 = v19 + v20;
  const v22 = v15 ? v18 : v21;
  const v23 = v10 * v22;
  const v24 = v23 * v11;
  const v25 = 1 - v6;
  const v26 = v20 * v25;
  const v27 = 1 + v26;
  const v28 = v2 ? v24 : v27;
  const v29 = x0 * v28;
  const v30 = 2 + v20;
  const v31 = v20 * v30;
  const v32 = 1 + v31;
  const v33 = v29 / v32;
  return v33;
}

function r_silu_slope_0(t: number, _y: number, _x0: number, x1: number): number | null {
  const v4 = f_silu_slope(t, x1);
  return v4;
}

function r_silu_slope_1(t: number, _y: number, x0: number, x1: number): number | null {
  const v4 = t * x0;
  const v5 = x1 < 0;
  const v6 = -x1;
  const v7 = v5 ? x1 : v6;
  const v8 = v7 < (-1600);
  const v9 = v8 ? (-1600) : v7;
  const v10 = v9 < (-707);
  const v11 = 0.5 * v9;
  const v12 = v10 ? v11 : v9;
  const v13 = Math.exp(v12);
  const v14 = v10 ? v13 : 1;
  const v15 = v13 * v14;
  const v16 = v4 * v13;
  const v17 = Math.tanh(v11);
  const v18 = v9 * v17;
  const v19 = 2 - v18;
  const v20 = v16 * v19;
  const v21 = 2 + v15;
  const v22 = v15 * v21;
  const v23 = 1 + v22;
  const v24 = v20 / v23;
  const v25 = v24 * v14;
  return v25;
}

function f_sigmoid(x: number): number {
  const v1 = x < 0;
  const v2 = -x;
  const v3 = v1 ? x : v2;
  const v4 = Math.exp(v3);
  const v5 = v1 ? v4 : 1;
  const v6 = 1 + v4;
  const v7 = v5 / v6;
  return v7;
}

function r_sigmoid_0(t: number, _y: number, x: number): number | null {
  const v3 = x < 0;
  const v4 = -x;
  const v5 = v3 ? x : v4;
  const v6 = Math.exp(v5);
  const v7 = t * v6;
  const v8 = 2 + v6;
  const v9 = v6 * v8;
  const v10 = 1 + v9;
  const v11 = v7 / v10;
  return v11;
}

function f_softplus(x: number): number {
  const v1 = f_maximum(x, 0);
  const v2 = Math.abs(x);
  const v3 = -v2;
  const v4 = Math.exp(v3);
  const v5 = Math.log1p(v4);
  const v6 = v1 + v5;
  return v6;
}

function r_softplus_0(t: number, _y: number, x: number): number | null {
  const v3 = f_sigmoid(x);
  const v4 = t * v3;
  return v4;
}

function f_log_sigmoid(x: number): number {
  const v1 = -x;
  const v2 = f_softplus(v1);
  const v3 = -v2;
  return v3;
}

function r_log_sigmoid_0(t: number, _y: number, x: number): number | null {
  const v3 = -x;
  const v4 = f_sigmoid(v3);
  const v5 = t * v4;
  return v5;
}

function f_logaddexp(a: number, b: number): number {
  const v2 = f_maximum(a, b);
  const v3 = f_minimum(a, b);
  const v4 = v3 === v2;
  const v5 = Math.abs(v3);
  const v6 = v5 === Infinity;
  const v7 = v4 && v6;
  const v8 = v3 - v2;
  const v9 = v7 ? 0 : v8;
  const v10 = Math.exp(v9);
  const v11 = Math.abs(v9);
  const v12 = v11 < 1000;
  const v13 = v9 !== 0;
  const v14 = v12 && v13;
  const v15 = -v2;
  const v16 = v9 - v3;
  const v17 = v9 - v16;
  const v18 = v3 - v17;
  const v19 = v15 - v16;
  const v20 = v18 + v19;
  const v21 = v14 ? v20 : 0;
  const v22 = v10 * v21;
  const v23 = v10 + v22;
  const v24 = Math.log1p(v23);
  const v25 = v2 + v24;
  return v25;
}

function r_logaddexp_0(t: number, _y: number, a: number, b: number): number | null {
  const v4 = a === b;
  const v5 = Math.abs(a);
  const v6 = v5 === Infinity;
  const v7 = v4 && v6;
  const v8 = a - b;
  const v9 = v7 ? 0 : v8;
  const v10 = f_sigmoid(v9);
  const v11 = Math.abs(v9);
  const v12 = v11 < 1000;
  const v13 = v9 !== 0;
  const v14 = v12 && v13;
  const v15 = -b;
  const v16 = v9 - a;
  const v17 = v9 - v16;
  const v18 = a - v17;
  const v19 = v15 - v16;
  const v20 = v18 + v19;
  const v21 = v14 ? v20 : 0;
  const v22 = -v9;
  const v23 = f_sigmoid(v22);
  const v24 = v21 * v23;
  const v25 = v10 * v24;
  const v26 = v10 + v25;
  const v27 = t * v26;
  return v27;
}

function r_logaddexp_1(t: number, _y: number, a: number, b: number): number | null {
  const v4 = b === a;
  const v5 = Math.abs(b);
  const v6 = v5 === Infinity;
  const v7 = v4 && v6;
  const v8 = b - a;
  const v9 = v7 ? 0 : v8;
  const v10 = f_sigmoid(v9);
  const v11 = Math.abs(v9);
  const v12 = v11 < 1000;
  const v13 = v9 !== 0;
  const v14 = v12 && v13;
  const v15 = -a;
  const v16 = v9 - b;
  const v17 = v9 - v16;
  const v18 = b - v17;
  const v19 = v15 - v16;
  const v20 = v18 + v19;
  const v21 = v14 ? v20 : 0;
  const v22 = -v9;
  const v23 = f_sigmoid(v22);
  const v24 = v21 * v23;
  const v25 = v10 * v24;
  const v26 = v10 + v25;
  const v27 = t * v26;
  return v27;
}

function f_silu(x: number): number {
  const v1 = x < 0;
  const v2 = -x;
  const v3 = v1 ? x : v2;
  const v4 = v3 < (-1600);
  const v5 = v4 ? (-1600) : v3;
  const v6 = v5 < (-707);
  const v7 = 0.5 * v5;
  const v8 = v6 ? v7 : v5;
  const v9 = Math.exp(v8);
  const v10 = v6 ? v9 : 1;
  const v11 = v5 * v9;
  const v12 = v11 * v10;
  const v13 = v1 ? v12 : x;
  const v14 = v9 * v10;
  const v15 = 1 + v14;
  const v16 = v13 / v15;
  return v16;
}

function r_silu_0(t: number, _y: number, x: number): number | null {
  const v3 = x < 0;
  const v4 = -x;
  const v5 = v3 ? x : v4;
  const v6 = v5 < (-1600);
  const v7 = v6 ? (-1600) : v5;
  const v8 = v7 < (-707);
  const v9 = 0.5 * v7;
  const v10 = v8 ? v9 : v7;
  const v11 = Math.exp(v10);
  const v12 = v8 ? v11 : 1;
  const v13 = v7 - (-1.2784645427610737);
  const v14 = v13 - (-1.0946994183093437e-16);
  const v15 = Math.abs(v14);
  const v16 = v15 < 0.75;
  const v17 = Math.expm1(v14);
  const v18 = 0.2784645427610738 * v17;
  const v19 = v14 + v18;
  const v20 = 1 + v7;
  const v21 = v11 * v12;
  const v22 = v20 + v21;
  const v23 = v16 ? v19 : v22;
  const v24 = v11 * v23;
  const v25 = v24 * v12;
  const v26 = 1 - v7;
  const v27 = v21 * v26;
  const v28 = 1 + v27;
  const v29 = v3 ? v25 : v28;
  const v30 = t * v29;
  const v31 = 2 + v21;
  const v32 = v21 * v31;
  const v33 = 1 + v32;
  const v34 = v30 / v33;
  return v34;
}

function f_relu(x: number): number {
  const v1 = x <= 0;
  const v2 = v1 ? 0 : x;
  return v2;
}

function r_relu_0(t: number, y: number): number | null {
  const v3 = y <= 0;
  if (v3) return null;
  return t;
}

function f_leaky_relu(x: number, negative_slope: number): number {
  const v2 = x > 0;
  const v3 = x * negative_slope;
  const v4 = v2 ? x : v3;
  return v4;
}

function r_leaky_relu_0(t: number, _y: number, x: number, negative_slope: number): number | null {
  const v4 = x > 0;
  const v5 = t * negative_slope;
  const v6 = v4 ? t : v5;
  return v6;
}

function r_leaky_relu_1(t: number, _y: number, x: number): number | null {
  const v4 = x > 0;
  if (v4) return null;
  const v5 = t * x;
  return v5;
}

function f_hardtanh(x: number, min_val: number, max_val: number): number {
  const v3 = f_clip(x, min_val, max_val);
  return v3;
}

function r_hardtanh_0(t: number, _y: number, x: number, min_val: number, max_val: number): number | null {
  const v5 = x <= min_val;
  const v6 = x >= max_val;
  const v7 = v5 || v6;
  if (v7) return null;
  return t;
}

function r_hardtanh_1(t: number, _y: number, x: number, min_val: number, max_val: number): number | null {
  const v5 = x < min_val;
  const v6 = min_val <= max_val;
  const v7 = v5 && v6;
  if (!v7) return null;
  return t;
}

function r_hardtanh_2(t: number, _y: number, x: number, min_val: number, max_val: number): number | null {
  const v5 = f_maximum(x, min_val);
  const v6 = v5 > max_val;
  if (!v6) return null;
  return t;
}

function f_elu(x: number, alpha: number): number {
  const v2 = x > 0;
  const v3 = Math.expm1(x);
  const v4 = alpha * v3;
  const v5 = v2 ? x : v4;
  return v5;
}

function r_elu_0(t: number, _y: number, x: number, alpha: number): number | null {
  const v4 = x > 0;
  const v5 = 0.5 * x;
  const v6 = Math.exp(v5);
  const v7 = t * alpha;
  const v8 = v7 * v6;
  const v9 = v8 * v6;
  const v10 = v4 ? t : v9;
  return v10;
}

function r_elu_1(t: number, _y: number, x: number): number | null {
  const v4 = x > 0;
  if (v4) return null;
  const v5 = Math.expm1(x);
  const v6 = t * v5;
  return v6;
}

function f_selu(x: number): number {
  const v1 = x > 0;
  const v2 = 1.0507009873554805 * x;
  const v3 = Math.expm1(x);
  const v4 = 1.7580993408473768 * v3;
  const v5 = v1 ? v2 : v4;
  return v5;
}

function r_selu_0(t: number, _y: number, x: number): number | null {
  const v3 = x > 0;
  const v4 = Math.exp(x);
  const v5 = 1.7580993408473768 * v4;
  const v6 = v3 ? 1.0507009873554805 : v5;
  const v7 = t * v6;
  return v7;
}

function f_gelu_slope(x0: number, x1: number): number {
  const v2 = x1 < (-40);
  const v3 = x1 > 40;
  const v4 = v3 ? 40 : x1;
  const v5 = v2 ? (-40) : v4;
  const v6 = v5 * v5;
  const v7 = (-0.5) * v6;
  const v8 = 134217729 * v5;
  const v9 = v8 - v5;
  const v10 = v8 - v9;
  const v11 = v10 * v10;
  const v12 = v11 - v6;
  const v13 = v5 - v10;
  const v14 = v5 + v10;
  const v15 = v13 * v14;
  const v16 = v12 + v15;
  const v17 = (-0.5) * v16;
  const v18 = v7 < (-707);
  const v19 = 0.5 * v7;
  const v20 = v18 ? v19 : v7;
  const v21 = Math.exp(v20);
  const v22 = 0.5 * v17;
  const v23 = v18 ? v22 : v17;
  const v24 = v21 * v23;
  const v25 = v21 + v24;
  const v26 = v18 ? v25 : 1;
  const v27 = x1 + 1.8;
  const v28 = Math.abs(v27);
  const v29 = v28 < 1.5;
  const v30 = v29 ? x1 : 0;
  const v31 = v30 - (-0.7517915246935645);
  const v32 = v31 - 1.4956759177009883e-17;
  const v33 = v30 + 1.8;
  const v34 = 4.488156174516342e-15 * v33;
  const v35 = v34 + 2.5758938646658454e-14;
  const v36 = v35 * v33;
  const v37 = v36 + 9.213854719994635e-14;
  const v38 = v37 * v33;
  const v39 = v38 + 5.127172431531721e-13;
  const v40 = v39 * v33;
  const v41 = v40 + 3.0663192991153673e-12;
  const v42 = v41 * v33;
  const v43 = v42 + 1.6345826449155355e-11;
  const v44 = v43 * v33;
  const v45 = v44 + 8.452349263676571e-11;
  const v46 = v45 * v33;
  const v47 = v46 + 4.31384309479897e-10;
  const v48 = v47 * v33;
  const v49 = v48 + 2.1514606020589304e-09;
  const v50 = v49 * v33;
  const v51 = v50 + 1.0458441445929571e-08;
  const v52 = v51 * v33;
  const v53 = v52 + 4.9512516480097883e-08;
  const v54 = v53 * v33;
  const v55 = v54 + 2.279289425981766e-07;
  const v56 = v55 * v33;
  const v57 = v56 + 1.0183744228210672e-06;
  const v58 = v57 * v33;
  const v59 = v58 + 4.406818118667948e-06;
  const v60 = v59 * v33;
  const v61 = v60 + 1.842466341760886e-05;
  const v62 = v61 * v33;
  const v63 = v62 + 7.421675133300412e-05;
  const v64 = v63 * v33;
  const v65 = v64 + 0.0002870647768890275;
  const v66 = v65 * v33;
  const v67 = v66 + 0.0010619170415108467;
  const v68 = v67 * v33;
  const v69 = v68 + 0.0037385552944741887;
  const v70 = v69 * v33;
  const v71 = v70 + 0.012449652624817618;
  const v72 = v71 * v33;
  const v73 = v72 + 0.038907171905484775;
  const v74 = v73 * v33;
  const v75 = v74 + 0.5118609224993639;
  const v76 = v25 * v75;
  const v77 = v32 * v76;
  const v78 = v5 < 0;
  const v79 = v78 ? v5 : 0;
  const v80 = v79 * 0.7071067811865476;
  const v81 = 134217729 * v79;
  const v82 = v81 - v79;
  const v83 = v81 - v82;
  const v84 = v83 * 0.7071067839860916;
  const v85 = v84 - v80;
  const v86 = v83 * (-2.799544089368687e-09);
  const v87 = v79 - v83;
  const v88 = v87 * 0.7071067811865476;
  const v89 = v86 + v88;
  const v90 = v85 + v89;
  const v91 = -v5;
  const v92 = v91 * 0.7071067811865476;
  const v93 = ieee.erfc(v92);
  const v94 = v80 * v80;
  const v95 = v94 + 2;
  const v96 = Math.sqrt(v95);
  const v97 = v96 - v80;
  const v98 = v90 * v97;
  const v99 = v93 * v98;
  const v100 = v93 + v99;
  const v101 = 0.5 * v100;
  const v102 = 0.3989422804014327 * v5;
  const v103 = v102 * v25;
  const v104 = v103 * v26;
  const v105 = v101 + v104;
  const v106 = v29 ? v77 : v105;
  const v107 = x0 * v106;
  return v107;
}

function r_gelu_slope_0(t: number, _y: number, _x0: number, x1: number): number | null {
  const v4 = f_gelu_slope(t, x1);
  return v4;
}

function r_gelu_slope_1(t: number, _y: number, x0: number, x1: number): number | null {
  const v4 = t * x0;
  const v5 = x1 < (-40);
  const v6 = x1 > 40;
  const v7 = v6 ? 40 : x1;
  const v8 = v5 ? (-40) : v7;
  const v9 = v8 * v8;
  const v10 = (-0.5) * v9;
  const v11 = 134217729 * v8;
  const v12 = v11 - v8;
  const v13 = v11 - v12;
  const v14 = v13 * v13;
  const v15 = v14 - v9;
  const v16 = v8 - v13;
  const v17 = v8 + v13;
  const v18 = v16 * v17;
  const v19 = v15 + v18;
  const v20 = (-0.5) * v19;
  const v21 = v10 < (-707);
  const v22 = 0.5 * v10;
  const v23 = v21 ? v22 : v10;
  const v24 = Math.exp(v23);
  const v25 = 0.5 * v20;
  const v26 = v21 ? v25 : v20;
  const v27 = v24 * v26;
  const v28 = v24 + v27;
  const v29 = v21 ? v28 : 1;
  const v30 = 1.4142135623730951 - v8;
  const v31 = v30 + (-9.667293313452913e-17);
  const v32 = 1.4142135623730951 + v8;
  const v33 = v32 + (-9.667293313452913e-17);
  const v34 = v31 * v33;
  const v35 = 0.3989422804014327 * v34;
  const v36 = v35 * v28;
  const v37 = v4 * v36;
  const v38 = v37 * v29;
  return v38;
}

function f_gelu_tanh_slope(x0: number, x1: number): number {
  const v2 = x1 < 0;
  const v3 = -x1;
  const v4 = v2 ? x1 : v3;
  const v5 = v4 < (-25);
  const v6 = v5 ? (-25) : v4;
  const v7 = v6 + 1649267441664;
  const v8 = v7 - 1649267441664;
  const v9 = v6 - v8;
  const v10 = v8 * v8;
  const v11 = v10 + 22.36386001110077;
  const v12 = v8 * v11;
  const v13 = 3 * v10;
  const v14 = v13 + 22.36386001110077;
  const v15 = v8 * v14;
  const v16 = v13 + 22.363860002236386;
  const v17 = 3 * v8;
  const v18 = v17 + v9;
  const v19 = v8 * (-8.864383042745111e-09);
  const v20 = v9 * v18;
  const v21 = v16 + v20;
  const v22 = v9 * v21;
  const v23 = v22 + v19;
  const v24 = 6 * v10;
  const v25 = v16 + v24;
  const v26 = 3 * v20;
  const v27 = v25 + v26;
  const v28 = v9 * v27;
  const v29 = v28 + v19;
  const v30 = v15 + v29;
  const v31 = 134217729 * v12;
  const v32 = v31 - v12;
  const v33 = v31 - v32;
  const v34 = 0.071354815736413 * v33;
  const v35 = v12 - v33;
  const v36 = v35 + v23;
  const v37 = 0.07135481627260025 * v36;
  const v38 = 5.361872467621785e-10 * v33;
  const v39 = v37 + v38;
  const v40 = v34 + v39;
  const v41 = v34 - v40;
  const v42 = v41 + v39;
  const v43 = 0.07135481627260025 * v30;
  const v44 = v40 < (-707);
  const v45 = 0.5 * v40;
  const v46 = v44 ? v45 : v40;
  const v47 = Math.exp(v46);
  const v48 = 0.5 * v42;
  const v49 = v44 ? v48 : v42;
  const v50 = v47 * v49;
  const v51 = v47 + v50;
  const v52 = v44 ? v51 : 1;
  const v53 = x1 + 0.8;
  const v54 = Math.abs(v53);
  const v55 = v54 < 0.5;
  const v56 = v55 ? x1 : 0;
  const v57 = v56 - (-0.7524614220710163);
  const v58 = v57 - 3.635560509207687e-17;
  const v59 = 7.072391138722287e-08 * v58;
  const v60 = v59 + 1.2663034156166568e-07;
  const v61 = v60 * v58;
  const v62 = v61 + (-4.326420203076585e-07);
  const v63 = v62 * v58;
  const v64 = v63 + (-9.841530446921254e-07);
  const v65 = v64 * v58;
  const v66 = v65 + 2.4349304421938387e-06;
  const v67 = v66 * v58;
  const v68 = v67 + 5.917415032664086e-06;
  const v69 = v68 * v58;
  const v70 = v69 + (-1.595126792763306e-05);
  const v71 = v70 * v58;
  const v72 = v71 + (-3.4956023253750524e-05);
  const v73 = v72 * v58;
  const v74 = v73 + 0.00012425232994098468;
  const v75 = v74 * v58;
  const v76 = v75 + 0.0002639276294594607;
  const v77 = v76 * v58;
  const v78 = v77 + (-0.0009274420271084303);
  const v79 = v78 * v58;
  const v80 = v79 + (-0.00242273184539271);
  const v81 = v80 * v58;
  const v82 = v81 + 0.005261059255099234;
  const v83 = v82 * v58;
  const v84 = v83 + 0.019682309459821735;
  const v85 = v84 * v58;
  const v86 = v85 + (-0.016619328343056378);
  const v87 = v86 * v58;
  const v88 = v87 + (-0.11394448308095886);
  const v89 = v88 * v58;
  const v90 = v89 + (-0.015782853521848);
  const v91 = v90 * v58;
  const v92 = v91 + 0.38751844613578895;
  const v93 = v92 * v58;
  const v94 = v93 + 0.4304000910248585;
  const v95 = v58 * v94;
  const v96 = x0 * v95;
  const v97 = v43 + 1;
  const v98 = v51 * v52;
  const v99 = v97 + v98;
  const v100 = v51 * v99;
  const v101 = v100 * v52;
  const v102 = 1 - v43;
  const v103 = v98 * v102;
  const v104 = 1 + v103;
  const v105 = v2 ? v101 : v104;
  const v106 = x0 * v105;
  const v107 = 2 + v98;
  const v108 = v98 * v107;
  const v109 = 1 + v108;
  const v110 = v106 / v109;
  const v111 = v55 ? v96 : v110;
  return v111;
}

function r_gelu_tanh_slope_0(t: number, _y: number, _x0: number, x1: number): number | null {
  const v4 = f_gelu_tanh_slope(t, x1);
  return v4;
}

function r_gelu_tanh_slope_1(t: number, _y: number, x0: number, x1: number): number | null {
  const v4 = t * x0;
  const v5 = x1 < 0;
  const v6 = -x1;
  const v7 = v5 ? x1 : v6;
  const v8 = v7 < (-25);
  const v9 = v8 ? (-25) : v7;
  const v10 = v9 + 1649267441664;
  const v11 = v10 - 1649267441664;
  const v12 = v9 - v11;
  const v13 = v11 * v11;
  const v14 = v13 + 22.36386001110077;
  const v15 = v11 * v14;
  const v16 = 3 * v13;
  const v17 = v16 + 22.36386001110077;
  const v18 = v11 * v17;
  const v19 = v16 + 22.363860002236386;
  const v20 = 3 * v11;
  const v21 = v20 + v12;
  const v22 = v11 * (-8.864383042745111e-09);
  const v23 = v12 * v21;
  const v24 = v19 + v23;
  const v25 = v12 * v24;
  const v26 = v25 + v22;
  const v27 = 6 * v13;
  const v28 = v19 + v27;
  const v29 = 3 * v23;
  const v30 = v28 + v29;
  const v31 = v12 * v30;
  const v32 = v31 + v22;
  const v33 = v18 + v32;
  const v34 = 134217729 * v15;
  const v35 = v34 - v15;
  const v36 = v34 - v35;
  const v37 = 0.071354815736413 * v36;
  const v38 = v15 - v36;
  const v39 = v38 + v26;
  const v40 = 0.07135481627260025 * v39;
  const v41 = 5.361872467621785e-10 * v36;
  const v42 = v40 + v41;
  const v43 = v37 + v42;
  const v44 = v37 - v43;
  const v45 = v44 + v42;
  const v46 = 0.07135481627260025 * v33;
  const v47 = v43 < (-707);
  const v48 = 0.5 * v43;
  const v49 = v47 ? v48 : v43;
  const v50 = Math.exp(v49);
  const v51 = 0.5 * v45;
  const v52 = v47 ? v51 : v45;
  const v53 = v50 * v52;
  const v54 = v50 + v53;
  const v55 = v47 ? v54 : 1;
  const v56 = v54 * v55;
  const v57 = v9 * v9;
  const v58 = 3 * v57;
  const v59 = v58 + 22.363860002236386;
  const v60 = 0.07135481627260025 * v59;
  const v61 = 0.21406444881780073 * v57;
  const v62 = v60 + v61;
  const v63 = 2 * v62;
  const v64 = v46 * v60;
  const v65 = Math.tanh(v48);
  const v66 = v64 * v65;
  const v67 = v63 - v66;
  const v68 = v4 * v54;
  const v69 = v68 * v67;
  const v70 = 2 + v56;
  const v71 = v56 * v70;
  const v72 = 1 + v71;
  const v73 = v69 / v72;
  const v74 = v73 * v55;
  return v74;
}

function f_gelu(x: number): number {
  const v1 = x < (-40);
  const v2 = v1 ? (-40) : x;
  const v3 = 0.5 * v2;
  const v4 = v2 < 0;
  const v5 = v4 ? v2 : 0;
  const v6 = v5 * 0.7071067811865476;
  const v7 = 134217729 * v5;
  const v8 = v7 - v5;
  const v9 = v7 - v8;
  const v10 = v9 * 0.7071067839860916;
  const v11 = v10 - v6;
  const v12 = v9 * (-2.799544089368687e-09);
  const v13 = v5 - v9;
  const v14 = v13 * 0.7071067811865476;
  const v15 = v12 + v14;
  const v16 = v11 + v15;
  const v17 = -v2;
  const v18 = v17 * 0.7071067811865476;
  const v19 = ieee.erfc(v18);
  const v20 = v6 * v6;
  const v21 = v20 + 2;
  const v22 = Math.sqrt(v21);
  const v23 = v22 - v6;
  const v24 = v16 * v23;
  const v25 = v19 * v24;
  const v26 = v19 + v25;
  const v27 = v3 * v26;
  const v28 = v2 < (-37.5);
  const v29 = v28 ? v2 : (-37.5);
  const v30 = v29 * v29;
  const v31 = (-0.5) * v30;
  const v32 = 134217729 * v29;
  const v33 = v32 - v29;
  const v34 = v32 - v33;
  const v35 = v34 * v34;
  const v36 = v35 - v30;
  const v37 = v29 - v34;
  const v38 = v29 + v34;
  const v39 = v37 * v38;
  const v40 = v36 + v39;
  const v41 = (-0.5) * v40;
  const v42 = v31 < (-707);
  const v43 = 0.5 * v31;
  const v44 = v42 ? v43 : v31;
  const v45 = Math.exp(v44);
  const v46 = 0.5 * v41;
  const v47 = v42 ? v46 : v41;
  const v48 = v45 * v47;
  const v49 = v45 + v48;
  const v50 = v42 ? v49 : 1;
  const v51 = 1 / v30;
  const v52 = (-10395) * v51;
  const v53 = v52 + 945;
  const v54 = v53 * v51;
  const v55 = v54 + (-105);
  const v56 = v55 * v51;
  const v57 = v56 + 15;
  const v58 = v57 * v51;
  const v59 = v58 + (-3);
  const v60 = v59 * v51;
  const v61 = v60 + 1;
  const v62 = v61 * v51;
  const v63 = v62 + (-1);
  const v64 = 0.3989422804014327 * v63;
  const v65 = v64 * v49;
  const v66 = v65 * v50;
  const v67 = v28 ? v66 : v27;
  return v67;
}

function r_gelu_0(t: number, _y: number, x: number): number | null {
  const v3 = x < (-40);
  const v4 = x > 40;
  const v5 = v4 ? 40 : x;
  const v6 = v3 ? (-40) : v5;
  const v7 = v6 * v6;
  const v8 = (-0.5) * v7;
  const v9 = 134217729 * v6;
  const v10 = v9 - v6;
  const v11 = v9 - v10;
  const v12 = v11 * v11;
  const v13 = v12 - v7;
  const v14 = v6 - v11;
  const v15 = v6 + v11;
  const v16 = v14 * v15;
  const v17 = v13 + v16;
  const v18 = (-0.5) * v17;
  const v19 = v8 < (-707);
  const v20 = 0.5 * v8;
  const v21 = v19 ? v20 : v8;
  const v22 = Math.exp(v21);
  const v23 = 0.5 * v18;
  const v24 = v19 ? v23 : v18;
  const v25 = v22 * v24;
  const v26 = v22 + v25;
  const v27 = v19 ? v26 : 1;
  const v28 = x + 1.8;
  const v29 = Math.abs(v28);
  const v30 = v29 < 1.5;
  const v31 = v30 ? x : 0;
  const v32 = v31 - (-0.7517915246935645);
  const v33 = v32 - 1.4956759177009883e-17;
  const v34 = v31 + 1.8;
  const v35 = 4.488156174516342e-15 * v34;
  const v36 = v35 + 2.5758938646658454e-14;
  const v37 = v36 * v34;
  const v38 = v37 + 9.213854719994635e-14;
  const v39 = v38 * v34;
  const v40 = v39 + 5.127172431531721e-13;
  const v41 = v40 * v34;
  const v42 = v41 + 3.0663192991153673e-12;
  const v43 = v42 * v34;
  const v44 = v43 + 1.6345826449155355e-11;
  const v45 = v44 * v34;
  const v46 = v45 + 8.452349263676571e-11;
  const v47 = v46 * v34;
  const v48 = v47 + 4.31384309479897e-10;
  const v49 = v48 * v34;
  const v50 = v49 + 2.1514606020589304e-09;
  const v51 = v50 * v34;
  const v52 = v51 + 1.0458441445929571e-08;
  const v53 = v52 * v34;
  const v54 = v53 + 4.9512516480097883e-08;
  const v55 = v54 * v34;
  const v56 = v55 + 2.279289425981766e-07;
  const v57 = v56 * v34;
  const v58 = v57 + 1.0183744228210672e-06;
  const v59 = v58 * v34;
  const v60 = v59 + 4.406818118667948e-06;
  const v61 = v60 * v34;
  const v62 = v61 + 1.842466341760886e-05;
  const v63 = v62 * v34;
  const v64 = v63 + 7.421675133300412e-05;
  const v65 = v64 * v34;
  const v66 = v65 + 0.0002870647768890275;
  const v67 = v66 * v34;
  const v68 = v67 + 0.0010619170415108467;
  const v69 = v68 * v34;
  const v70 = v69 + 0.0037385552944741887;
  const v71 = v70 * v34;
  const v72 = v71 + 0.012449652624817618;
  const v73 = v72 * v34;
  const v74 = v73 + 0.038907171905484775;
  const v75 = v74 * v34;
  const v76 = v75 + 0.5118609224993639;
  const v77 = v26 * v76;
  const v78 = v33 * v77;
  const v79 = v6 < 0;
  const v80 = v79 ? v6 : 0;
  const v81 = v80 * 0.7071067811865476;
  const v82 = 134217729 * v80;
  const v83 = v82 - v80;
  const v84 = v82 - v83;
  const v85 = v84 * 0.7071067839860916;
  const v86 = v85 - v81;
  const v87 = v84 * (-2.799544089368687e-09);
  const v88 = v80 - v84;
  const v89 = v88 * 0.7071067811865476;
  const v90 = v87 + v89;
  const v91 = v86 + v90;
  const v92 = -v6;
  const v93 = v92 * 0.7071067811865476;
  const v94 = ieee.erfc(v93);
  const v95 = v81 * v81;
  const v96 = v95 + 2;
  const v97 = Math.sqrt(v96);
  const v98 = v97 - v81;
  const v99 = v91 * v98;
  const v100 = v94 * v99;
  const v101 = v94 + v100;
  const v102 = 0.5 * v101;
  const v103 = 0.3989422804014327 * v6;
  const v104 = v103 * v26;
  const v105 = v104 * v27;
  const v106 = v102 + v105;
  const v107 = v30 ? v78 : v106;
  const v108 = t * v107;
  return v108;
}

function f_gelu_tanh(x: number): number {
  const v1 = x < 0;
  const v2 = -x;
  const v3 = v1 ? x : v2;
  const v4 = v3 < (-25);
  const v5 = v4 ? (-25) : v3;
  const v6 = v5 + 1649267441664;
  const v7 = v6 - 1649267441664;
  const v8 = v5 - v7;
  const v9 = v7 * v7;
  const v10 = v9 + 22.36386001110077;
  const v11 = v7 * v10;
  const v12 = 3 * v9;
  const v15 = v12 + 22.363860002236386;
  const v16 = 3 * v7;
  const v17 = v16 + v8;
  const v18 = v7 * (-8.864383042745111e-09);
  const v19 = v8 * v17;
  const v20 = v15 + v19;
  const v21 = v8 * v20;
  const v22 = v21 + v18;
  const v30 = 134217729 * v11;
  const v31 = v30 - v11;
  const v32 = v30 - v31;
  const v33 = 0.071354815736413 * v32;
  const v34 = v11 - v32;
  const v35 = v34 + v22;
  const v36 = 0.07135481627260025 * v35;
  const v37 = 5.361872467621785e-10 * v32;
  const v38 = v36 + v37;
  const v39 = v33 + v38;
  const v40 = v33 - v39;
  const v41 = v40 + v38;
  const v43 = v39 < (-707);
  const v44 = 0.5 * v39;
  const v45 = v43 ? v44 : v39;
  const v46 = Math.exp(v45);
  const v47 = 0.5 * v41;
  const v48 = v43 ? v47 : v41;
  const v49 = v46 * v48;
  const v50 = v46 + v49;
  const v51 = v43 ? v50 : 1;
  const v52 = v5 * v50;
  const v53 = v52 * v51;
  const v54 = v1 ? v53 : x;
  const v55 = v50 * v51;
  const v56 = 1 + v55;
  const v57 = v54 / v56;
  return v57;
}

function r_gelu_tanh_0(t: number, _y: number, x: number): number | null {
  const v3 = x < 0;
  const v4 = -x;
  const v5 = v3 ? x : v4;
  const v6 = v5 < (-25);
  const v7 = v6 ? (-25) : v5;
  const v8 = v7 + 1649267441664;
  const v9 = v8 - 1649267441664;
  const v10 = v7 - v9;
  const v11 = v9 * v9;
  const v12 = v11 + 22.36386001110077;
  const v13 = v9 * v12;
  const v14 = 3 * v11;
  const v15 = v14 + 22.36386001110077;
  const v16 = v9 * v15;
  const v17 = v14 + 22.363860002236386;
  const v18 = 3 * v9;
  const v19 = v18 + v10;
  const v20 = v9 * (-8.864383042745111e-09);
  const v21 = v10 * v19;
  const v22 = v17 + v21;
  const v23 = v10 * v22;
  const v24 = v23 + v20;
  const v25 = 6 * v11;
  const v26 = v17 + v25;
  const v27 = 3 * v21;
  const v28 = v26 + v27;
  const v29 = v10 * v28;
  const v30 = v29 + v20;
  const v31 = v16 + v30;
  const v32 = 134217729 * v13;
  const v33 = v32 - v13;
  const v34 = v32 - v33;
  const v35 = 0.071354815736413 * v34;
  const v36 = v13 - v34;
  const v37 = v36 + v24;
  const v38 = 0.07135481627260025 * v37;
  const v39 = 5.361872467621785e-10 * v34;
  const v40 = v38 + v39;
  const v41 = v35 + v40;
  const v42 = v35 - v41;
  const v43 = v42 + v40;
  const v44 = 0.07135481627260025 * v31;
  const v45 = v41 < (-707);
  const v46 = 0.5 * v41;
  const v47 = v45 ? v46 : v41;
  const v48 = Math.exp(v47);
  const v49 = 0.5 * v43;
  const v50 = v45 ? v49 : v43;
  const v51 = v48 * v50;
  const v52 = v48 + v51;
  const v53 = v45 ? v52 : 1;
  const v54 = x + 0.8;
  const v55 = Math.abs(v54);
  const v56 = v55 < 0.5;
  const v57 = v56 ? x : 0;
  const v58 = v57 - (-0.7524614220710163);
  const v59 = v58 - 3.635560509207687e-17;
  const v60 = 7.072391138722287e-08 * v59;
  const v61 = v60 + 1.2663034156166568e-07;
  const v62 = v61 * v59;
  const v63 = v62 + (-4.326420203076585e-07);
  const v64 = v63 * v59;
  const v65 = v64 + (-9.841530446921254e-07);
  const v66 = v65 * v59;
  const v67 = v66 + 2.4349304421938387e-06;
  const v68 = v67 * v59;
  const v69 = v68 + 5.917415032664086e-06;
  const v70 = v69 * v59;
  const v71 = v70 + (-1.595126792763306e-05);
  const v72 = v71 * v59;
  const v73 = v72 + (-3.4956023253750524e-05);
  const v74 = v73 * v59;
  const v75 = v74 + 0.00012425232994098468;
  const v76 = v75 * v59;
  const v77 = v76 + 0.0002639276294594607;
  const v78 = v77 * v59;
  const v79 = v78 + (-0.0009274420271084303);
  const v80 = v79 * v59;
  const v81 = v80 + (-0.00242273184539271);
  const v82 = v81 * v59;
  const v83 = v82 + 0.005261059255099234;
  const v84 = v83 * v59;
  const v85 = v84 + 0.019682309459821735;
  const v86 = v85 * v59;
  const v87 = v86 + (-0.016619328343056378);
  const v88 = v87 * v59;
  const v89 = v88 + (-0.11394448308095886);
  const v90 = v89 * v59;
  const v91 = v90 + (-0.015782853521848);
  const v92 = v91 * v59;
  const v93 = v92 + 0.38751844613578895;
  const v94 = v93 * v59;
  const v95 = v94 + 0.4304000910248585;
  const v96 = v59 * v95;
  const v97 = t * v96;
  const v98 = v44 + 1;
  const v99 = v52 * v53;
  const v100 = v98 + v99;
  const v101 = v52 * v100;
  const v102 = v101 * v53;
  const v103 = 1 - v44;
  const v104 = v99 * v103;
  const v105 = 1 + v104;
  const v106 = v3 ? v102 : v105;
  const v107 = t * v106;
  const v108 = 2 + v99;
  const v109 = v99 * v108;
  const v110 = 1 + v109;
  const v111 = v107 / v110;
  const v112 = v56 ? v97 : v111;
  return v112;
}

function f_exp_difference(a: number, b: number): number {
  const v2 = a === b;
  const v3 = Math.abs(a);
  const v4 = v3 === Infinity;
  const v5 = v2 && v4;
  const v6 = a - b;
  const v7 = v5 ? 0 : v6;
  const v8 = Math.exp(v7);
  const v9 = Math.abs(v7);
  const v10 = v9 < 1000;
  const v11 = v7 !== 0;
  const v12 = v10 && v11;
  const v13 = -b;
  const v14 = v7 - a;
  const v15 = v7 - v14;
  const v16 = a - v15;
  const v17 = v13 - v14;
  const v18 = v16 + v17;
  const v19 = v12 ? v18 : 0;
  const v20 = v19 === 0;
  const v21 = v8 === Infinity;
  const v22 = v20 || v21;
  const v23 = v8 * v19;
  const v24 = v8 + v23;
  const v25 = v22 ? v8 : v24;
  return v25;
}

function r_exp_difference_0(t: number, y: number): number | null {
  const v4 = t * y;
  return v4;
}

function r_exp_difference_1(t: number, y: number): number | null {
  const v4 = -t;
  const v5 = v4 * y;
  return v5;
}

function f_share_slope(x0: number, x1: number, x2: number): number {
  const v3 = x2 + x1;
  const v4 = x1 / v3;
  const v5 = x0 * v4;
  return v5;
}

function r_share_slope_0(t: number, _y: number, _x0: number, x1: number, x2: number): number | null {
  const v5 = f_share_slope(t, x1, x2);
  return v5;
}

function r_share_slope_1(t: number, _y: number, x0: number, x1: number, x2: number): number | null {
  const v5 = t * x0;
  const v6 = x2 + x1;
  const v7 = x2 / v6;
  const v8 = v5 * v7;
  const v9 = v8 / v6;
  return v9;
}

function r_share_slope_2(t: number, _y: number, x0: number, x1: number, x2: number): number | null {
  const v5 = -t;
  const v6 = v5 * x0;
  const v7 = x2 + x1;
  const v8 = x1 / v7;
  const v9 = v6 * v8;
  const v10 = v9 / v7;
  return v10;
}

function f_softmax(x: number, shift: number, rest: number): number {
  const v3 = f_exp_difference(x, shift);
  const v4 = v3 + rest;
  const v5 = v3 / v4;
  return v5;
}

function r_softmax_0(t: number, y: number, x: number, shift: number, rest: number): number | null {
  const v5 = t * y;
  const v6 = f_exp_difference(x, shift);
  const v7 = v6 + rest;
  const v8 = rest / v7;
  const v9 = v5 * v8;
  return v9;
}

function r_softmax_1(t: number, y: number, x: number, shift: number, rest: number): number | null {
  const v5 = t * y;
  const v6 = f_exp_difference(x, shift);
  const v7 = v6 + rest;
  const v8 = rest / v7;
  const v9 = v5 * v8;
  const v10 = -v9;
  return v10;
}

function r_softmax_2(t: number, _y: number, x: number, shift: number, rest: number): number | null {
  const v5 = f_exp_difference(x, shift);
  const v6 = t * v5;
  const v7 = v5 + rest;
  const v8 = v7 * v7;
  const v9 = v6 / v8;
  const v10 = -v9;
  return v10;
}

function f_log_softmax(x: number, shift: number, rest: number): number {
  const v3 = x === shift;
  const v4 = Math.abs(x);
  const v5 = v4 === Infinity;
  const v6 = v3 && v5;
  const v7 = x - shift;
  const v8 = v6 ? 0 : v7;
  const v9 = Math.exp(v8);
  const v10 = rest < v9;
  const v11 = rest / v9;
  const v12 = Math.log1p(v11);
  const v13 = -v12;
  const v14 = v9 + rest;
  const v15 = Math.log(v14);
  const v16 = v8 - v15;
  const v17 = v10 ? v13 : v16;
  return v17;
}

function r_log_softmax_0(t: number, _y: number, x: number, shift: number, rest: number): number | null {
  const v5 = f_exp_difference(x, shift);
  const v6 = v5 + rest;
  const v7 = rest / v6;
  const v8 = t * v7;
  return v8;
}

function r_log_softmax_1(t: number, _y: number, x: number, shift: number, rest: number): number | null {
  const v5 = f_exp_difference(x, shift);
  const v6 = v5 + rest;
  const v7 = rest / v6;
  const v8 = t * v7;
  const v9 = -v8;
  return v9;
}

function r_log_softmax_2(t: number, _y: number, x: number, shift: number, rest: number): number | null {
  const v5 = -t;
  const v6 = f_exp_difference(x, shift);
  const v7 = v6 + rest;
  const v8 = v5 / v7;
  return v8;
}

function f_logsumexp(x: number, shift: number, rest: number): number {
  const v3 = x === shift;
  const v4 = Math.abs(x);
  const v5 = v4 === Infinity;
  const v6 = v3 && v5;
  const v7 = x - shift;
  const v8 = v6 ? 0 : v7;
  const v9 = Math.exp(v8);
  const v10 = rest < v9;
  const v11 = rest / v9;
  const v12 = Math.log1p(v11);
  const v13 = x + v12;
  const v14 = v9 + rest;
  const v15 = Math.log(v14);
  const v16 = shift + v15;
  const v17 = v10 ? v13 : v16;
  return v17;
}

function r_logsumexp_0(t: number, _y: number, x: number, shift: number, rest: number): number | null {
  const v5 = f_exp_difference(x, shift);
  const v6 = rest + v5;
  const v7 = v5 / v6;
  const v8 = t * v7;
  return v8;
}

function r_logsumexp_1(t: number, _y: number, x: number, shift: number, rest: number): number | null {
  const v5 = f_exp_difference(x, shift);
  const v6 = v5 + rest;
  const v7 = rest / v6;
  const v8 = t * v7;
  return v8;
}

function r_logsumexp_2(t: number, _y: number, x: number, shift: number, rest: number): number | null {
  const v5 = f_exp_difference(x, shift);
  const v6 = v5 + rest;
  const v7 = t / v6;
  return v7;
}

function f_label_surprise(p: number, label: number): number {
  const v2 = Math.log(p);
  const v3 = f_maximum(v2, (-100));
  const v4 = label * v3;
  const v5 = 1 - label;
  const v6 = -p;
  const v7 = Math.log1p(v6);
  const v8 = f_maximum(v7, (-100));
  const v9 = v5 * v8;
  const v10 = v4 + v9;
  const v11 = -v10;
  return v11;
}

function r_label_surprise_0(t: number, _y: number, p: number, label: number): number | null {
  const v4 = 1 - label;
  const v5 = t * v4;
  const v6 = 1 - p;
  const v7 = f_maximum(v6, 1e-12);
  const v8 = v5 / v7;
  const v9 = t * label;
  const v10 = f_maximum(p, 1e-12);
  const v11 = v9 / v10;
  const v12 = v8 - v11;
  return v12;
}

function r_label_surprise_1(t: number, _y: number, p: number): number | null {
  const v4 = -p;
  const v5 = Math.log1p(v4);
  const v6 = f_maximum(v5, (-100));
  const v7 = Math.log(p);
  const v8 = f_maximum(v7, (-100));
  const v9 = v6 - v8;
  const v10 = t * v9;
  return v10;
}

export const TABLE: Record<string, Primitive> = {
  neg: {
    name: "neg",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Negative of x",
    kinks: "",
    tex: "-x",
    mathml: "<math><mrow><mo>&#x02212;</mo><mi>x</mi></mrow></math>",
    forward: f_neg,
    rules: [r_neg_0],
    slopes: [{ text: "-1", mathml: "<math><mrow><mo>&#x02212;</mo><mn>1</mn></mrow></math>" }],
  },
  add: {
    name: "add",
    params: ["a", "b"],
    defaults: [],
    infix: "+",
    summary: "Sum of a and b",
    kinks: "",
    tex: "a + b",
    mathml: "<math><mrow><mi>a</mi><mo>&#x0002B;</mo><mi>b</mi></mrow></math>",
    forward: f_add,
    rules: [r_add_0, r_add_1],
    slopes: [{ text: "1", mathml: "<math><mrow><mn>1</mn></mrow></math>" }, { text: "1", mathml: "<math><mrow><mn>1</mn></mrow></math>" }],
  },
  sub: {
    name: "sub",
    params: ["a", "b"],
    defaults: [],
    infix: "-",
    summary: "Difference of a and b",
    kinks: "",
    tex: "a - b",
    mathml: "<math><mrow><mi>a</mi><mo>&#x02212;</mo><mi>b</mi></mrow></math>",
    forward: f_sub,
    rules: [r_sub_0, r_sub_1],
    slopes: [{ text: "1", mathml: "<math><mrow><mn>1</mn></mrow></math>" }, { text: "-1", mathml: "<math><mrow><mo>&#x02212;</mo><mn>1</mn></mrow></math>" }],
  },
  mul: {
    name: "mul",
    params: ["a", "b"],
    defaults: [],
    infix: "*",
    summary: "Product of a and b",
    kinks: "",
    tex: "a \\, b",
    mathml: "<math><mrow><mi>a</mi><mspace width=\"0.167em\" /><mi>b</mi></mrow></math>",
    forward: f_mul,
    rules: [r_mul_0, r_mul_1],
    slopes: [{ text: "b", mathml: "<math><mrow><mi>b</mi></mrow></math>" }, { text: "a", mathml: "<math><mrow><mi>a</mi></mrow></math>" }],
  },
  div: {
    name: "div",
    params: ["a", "b"],
    defaults: [],
    infix: "/",
    summary: "Quotient of a and b",
    kinks: "",
    tex: "\\frac{a}{b}",
    mathml: "<math><mrow><mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac></mrow></math>",
    forward: f_div,
    rules: [r_div_0, r_div_1],
    slopes: [{ text: "1/b", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mi>b</mi></mrow></mfrac></mrow></math>" }, { text: "-y/b", mathml: "<math><mrow><mo>&#x02212;</mo><mfrac><mrow><mi>y</mi></mrow><mrow><mi>b</mi></mrow></mfrac></mrow></math>" }],
  },
  fma: {
    name: "fma",
    params: ["a", "b", "c"],
    defaults: [],
    infix: "",
    summary: "a times b plus c, rounded once",
    kinks: "",
    tex: "a \\, b + c",
    mathml: "<math><mrow><mi>a</mi><mspace width=\"0.167em\" /><mi>b</mi><mo>&#x0002B;</mo><mi>c</mi></mrow></math>",
    forward: f_fma,
    rules: [r_fma_0, r_fma_1, r_fma_2],
    slopes: [{ text: "b", mathml: "<math><mrow><mi>b</mi></mrow></math>" }, { text: "a", mathml: "<math><mrow><mi>a</mi></mrow></math>" }, { text: "1", mathml: "<math><mrow><mn>1</mn></mrow></math>" }],
  },
  floordiv: {
    name: "floordiv",
    params: ["a", "b"],
    defaults: [],
    infix: "",
    summary: "Floor of a / b; declared to have no derivative",
    kinks: "",
    tex: "\\lfloor a / b \\rfloor",
    mathml: "<math><mrow><mi>&#x0230A;</mi><mi>a</mi><mo>&#x0002F;</mo><mi>b</mi><mi>&#x0230B;</mi></mrow></math>",
    forward: f_floordiv,
    rules: [null, null],
    slopes: [null, null],
  },
  mod: {
    name: "mod",
    params: ["a", "b"],
    defaults: [],
    infix: "",
    summary: "Remainder of a / b, with the sign of b",
    kinks: "the slope of the piece to the right of a jump",
    tex: "a \\bmod b",
    mathml: "<math><mrow><mi>a</mi><mo>mod</mo><mi>b</mi></mrow></math>",
    forward: f_mod,
    rules: [r_mod_0, r_mod_1],
    slopes: [{ text: "1", mathml: "<math><mrow><mn>1</mn></mrow></math>" }, { text: "-floordiv(a, b)", mathml: "<math><mrow><mo>&#x02212;</mo><mi>&#x0230A;</mi><mi>a</mi><mo>&#x0002F;</mo><mi>b</mi><mi>&#x0230B;</mi></mrow></math>" }],
  },
  less: {
    name: "less",
    params: ["a", "b"],
    defaults: [],
    infix: "<",
    summary: "Whether a is smaller than b",
    kinks: "",
    tex: "a < b",
    mathml: "<math><mrow><mi>a</mi><mo>&#x0003C;</mo><mi>b</mi></mrow></math>",
    forward: f_less,
    rules: [null, null],
    slopes: [null, null],
  },
  less_equal: {
    name: "less_equal",
    params: ["a", "b"],
    defaults: [],
    infix: "<=",
    summary: "Whether a is at most b",
    kinks: "",
    tex: "a \\le b",
    mathml: "<math><mrow><mi>a</mi><mo>&#x02264;</mo><mi>b</mi></mrow></math>",
    forward: f_less_equal,
    rules: [null, null],
    slopes: [null, null],
  },
  greater: {
    name: "greater",
    params: ["a", "b"],
    defaults: [],
    infix: ">",
    summary: "Whether a is larger than b",
    kinks: "",
    tex: "a > b",
    mathml: "<math><mrow><mi>a</mi><mo>&#x0003E;</mo><mi>b</mi></mrow></math>",
    forward: f_greater,
    rules: [null, null],
    slopes: [null, null],
  },
  greater_equal: {
    name: "greater_equal",
    params: ["a", "b"],
    defaults: [],
    infix: ">=",
    summary: "Whether a is at least b",
    kinks: "",
    tex: "a \\ge b",
    mathml: "<math><mrow><mi>a</mi><mo>&#x02265;</mo><mi>b</mi></mrow></math>",
    forward: f_greater_equal,
    rules: [null, null],
    slopes: [null, null],
  },
  equal: {
    name: "equal",
    params: ["a", "b"],
    defaults: [],
    infix: "==",
    summary: "Whether a and b are the same number",
    kinks: "",
    tex: "a = b",
    mathml: "<math><mrow><mi>a</mi><mo>&#x0003D;</mo><mi>b</mi></mrow></math>",
    forward: f_equal,
    rules: [null, null],
    slopes: [null, null],
  },
  not_equal: {
    name: "not_equal",
    params: ["a", "b"],
    defaults: [],
    infix: "!=",
    summary: "Whether a and b are different numbers",
    kinks: "",
    tex: "a \\ne b",
    mathml: "<math><mrow><mi>a</mi><mo>&#x02260;</mo><mi>b</mi></mrow></math>",
    forward: f_not_equal,
    rules: [null, null],
    slopes: [null, null],
  },
  logical_and: {
    name: "logical_and",
    params: ["a", "b"],
    defaults: [],
    infix: "&&",
    summary: "Whether neither a nor b is 0",
    kinks: "",
    tex: "a \\land b",
    mathml: "<math><mrow><mi>a</mi><mo>&#x02227;</mo><mi>b</mi></mrow></math>",
    forward: f_logical_and,
    rules: [null, null],
    slopes: [null, null],
  },
  logical_or: {
    name: "logical_or",
    params: ["a", "b"],
    defaults: [],
    infix: "||",
    summary: "Whether a or b is not 0",
    kinks: "",
    tex: "a \\lor b",
    mathml: "<math><mrow><mi>a</mi><mo>&#x02228;</mo><mi>b</mi></mrow></math>",
    forward: f_logical_or,
    rules: [null, null],
    slopes: [null, null],
  },
  where: {
    name: "where",
    params: ["condition", "a", "b"],
    defaults: [],
    infix: "",
    summary: "a where the condition holds, else b",
    kinks: "",
    tex: "\\begin{cases} a & c \\\\ b & \\neg c \\end{cases}",
    mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mi>a</mi></mtd><mtd columnalign=\"left\"><mi>c</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mi>b</mi></mtd><mtd columnalign=\"left\"><mi>&#x000AC;</mi><mi>c</mi></mtd></mtr></mtable></mrow></mrow></math>",
    forward: f_where,
    rules: [null, r_where_1, r_where_2],
    slopes: [null, { text: "1 if condition ≠ 0; else none", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mi>c</mi><mo>&#x02260;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }, { text: "none if condition ≠ 0; else 1", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>c</mi><mo>&#x02260;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }],
  },
  maximum: {
    name: "maximum",
    params: ["a", "b"],
    defaults: [],
    infix: "",
    summary: "The larger of a and b; NaN if either is NaN",
    kinks: "a tie gives half to each",
    tex: "\\max(a, b)",
    mathml: "<math><mrow><mo>max</mo><mo stretchy=\"false\">&#x00028;</mo><mi>a</mi><mo>&#x0002C;</mo><mi>b</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_maximum,
    rules: [r_maximum_0, r_maximum_1],
    slopes: [{ text: "none if a < b; 1/2 if a = b; else 1", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>a</mi><mo>&#x0003C;</mo><mi>b</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle></mtd><mtd columnalign=\"left\"><mi>a</mi><mo>&#x0003D;</mo><mi>b</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }, { text: "none if b < a; 1/2 if a = b; else 1", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>b</mi><mo>&#x0003C;</mo><mi>a</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle></mtd><mtd columnalign=\"left\"><mi>a</mi><mo>&#x0003D;</mo><mi>b</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }],
  },
  minimum: {
    name: "minimum",
    params: ["a", "b"],
    defaults: [],
    infix: "",
    summary: "The smaller of a and b; NaN if either is NaN",
    kinks: "a tie gives half to each",
    tex: "\\min(a, b)",
    mathml: "<math><mrow><mo>min</mo><mo stretchy=\"false\">&#x00028;</mo><mi>a</mi><mo>&#x0002C;</mo><mi>b</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_minimum,
    rules: [r_minimum_0, r_minimum_1],
    slopes: [{ text: "none if a > b; 1/2 if a = b; else 1", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>a</mi><mo>&#x0003E;</mo><mi>b</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle></mtd><mtd columnalign=\"left\"><mi>a</mi><mo>&#x0003D;</mo><mi>b</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }, { text: "none if b > a; 1/2 if a = b; else 1", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>b</mi><mo>&#x0003E;</mo><mi>a</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle></mtd><mtd columnalign=\"left\"><mi>a</mi><mo>&#x0003D;</mo><mi>b</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }],
  },
  clip: {
    name: "clip",
    params: ["x", "min", "max"],
    defaults: [-Infinity, Infinity],
    infix: "",
    summary: "x, held between min and max",
    kinks: "slope 1 on both bounds",
    tex: "\\min(\\max(x, \\ell), h)",
    mathml: "<math><mrow><mo>min</mo><mo stretchy=\"false\">&#x00028;</mo><mo>max</mo><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo>&#x0002C;</mo><mi>&#x02113;</mi><mo stretchy=\"false\">&#x00029;</mo><mo>&#x0002C;</mo><mi>h</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_clip,
    rules: [r_clip_0, r_clip_1, r_clip_2],
    slopes: [{ text: "none if x < min or x > max; else 1", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x0003C;</mo><mi>&#x02113;</mi><mo>&#x02228;</mo><mi>x</mi><mo>&#x0003E;</mo><mi>h</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }, { text: "1 if x < min and min ≤ max; else none", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x0003C;</mo><mi>&#x02113;</mi><mo>&#x02227;</mo><mi>&#x02113;</mi><mo>&#x02264;</mo><mi>h</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }, { text: "1 if maximum(x, min) > max; else none", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mo>max</mo><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo>&#x0002C;</mo><mi>&#x02113;</mi><mo stretchy=\"false\">&#x00029;</mo><mo>&#x0003E;</mo><mi>h</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }],
  },
  abs: {
    name: "abs",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Absolute value of x",
    kinks: "slope 0 at 0",
    tex: "|x|",
    mathml: "<math><mrow><mo stretchy=\"false\">&#x0007C;</mo><mi>x</mi><mo stretchy=\"false\">&#x0007C;</mo></mrow></math>",
    forward: f_abs,
    rules: [r_abs_0],
    slopes: [{ text: "none if x = 0; else sign(x)", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x0003D;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><mo>sign</mo><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }],
  },
  sign: {
    name: "sign",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "-1, 0 or 1",
    kinks: "",
    tex: "\\operatorname{sign} x",
    mathml: "<math><mrow><mo>sign</mo><mi>x</mi></mrow></math>",
    forward: f_sign,
    rules: [null],
    slopes: [null],
  },
  floor: {
    name: "floor",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Largest integer not above x",
    kinks: "",
    tex: "\\lfloor x \\rfloor",
    mathml: "<math><mrow><mi>&#x0230A;</mi><mi>x</mi><mi>&#x0230B;</mi></mrow></math>",
    forward: f_floor,
    rules: [null],
    slopes: [null],
  },
  ceil: {
    name: "ceil",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Smallest integer not below x",
    kinks: "",
    tex: "\\lceil x \\rceil",
    mathml: "<math><mrow><mi>&#x02308;</mi><mi>x</mi><mi>&#x02309;</mi></mrow></math>",
    forward: f_ceil,
    rules: [null],
    slopes: [null],
  },
  round: {
    name: "round",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Nearest integer, ties to the even one",
    kinks: "",
    tex: "\\operatorname{round} x",
    mathml: "<math><mrow><mo>round</mo><mi>x</mi></mrow></math>",
    forward: f_round,
    rules: [null],
    slopes: [null],
  },
  pow_slope: {
    name: "pow_slope",
    params: ["t", "a", "b"],
    defaults: [],
    infix: "",
    summary: "Derivative of a**b with respect to a, times t",
    kinks: "",
    tex: "t \\, b \\, a^{b - 1}",
    mathml: "<math><mrow><mi>t</mi><mspace width=\"0.167em\" /><mi>b</mi><mspace width=\"0.167em\" /><msup><mi>a</mi><mrow><mi>b</mi><mo>&#x02212;</mo><mn>1</mn></mrow></msup></mrow></math>",
    forward: f_pow_slope,
    rules: [r_pow_slope_0, r_pow_slope_1, r_pow_slope_2],
    slopes: [{ text: "pow_slope(1, a, b)", mathml: "<math><mrow><mo /><mrow><mi>p</mi><mi>o</mi><mi>w</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>a</mi><mo>&#x0002C;</mo><mi>b</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "t·(b·(b - 1))·a^(b - 2)", mathml: "<math><mrow><mi>t</mi><mspace width=\"0.167em\" /><mi>b</mi><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mi>b</mi><mo>&#x02212;</mo><mn>1</mn><mo stretchy=\"false\">&#x00029;</mo><mspace width=\"0.167em\" /><msup><mi>a</mi><mrow><mi>b</mi><mo>&#x02212;</mo><mn>2</mn></mrow></msup></mrow></math>" }, null],
  },
  pow_exponent_slope: {
    name: "pow_exponent_slope",
    params: ["t", "a", "b"],
    defaults: [],
    infix: "",
    summary: "Derivative of a**b with respect to b, times t",
    kinks: "",
    tex: "t \\, a^{b} \\ln a",
    mathml: "<math><mrow><mi>t</mi><mspace width=\"0.167em\" /><msup><mi>a</mi><mrow><mi>b</mi></mrow></msup><mi>ln</mi><mi>a</mi></mrow></math>",
    forward: f_pow_exponent_slope,
    rules: [r_pow_exponent_slope_0, r_pow_exponent_slope_1, r_pow_exponent_slope_2],
    slopes: [{ text: "pow_exponent_slope(1, a, b)", mathml: "<math><mrow><mo /><mrow><mi>p</mi><mi>o</mi><mi>w</mi><mi>&#x0005F;</mi><mi>e</mi><mi>x</mi><mi>p</mi><mi>o</mi><mi>n</mi><mi>e</mi><mi>n</mi><mi>t</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>a</mi><mo>&#x0002C;</mo><mi>b</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, null, { text: "t·(a^(1/2·b)·log(a))²", mathml: "<math><mrow><mi>t</mi><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><msup><mi>a</mi><mrow><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><mi>b</mi></mrow></msup><mspace width=\"0.167em\" /><mi>ln</mi><mo stretchy=\"false\">&#x00028;</mo><mi>a</mi><mo stretchy=\"false\">&#x00029;</mo><msup><mo stretchy=\"false\">&#x00029;</mo><mrow><mn>2</mn></mrow></msup></mrow></math>" }],
  },
  cbrt_slope: {
    name: "cbrt_slope",
    params: ["t", "x"],
    defaults: [],
    infix: "",
    summary: "Derivative of cbrt at x, times t",
    kinks: "",
    tex: "\\frac{t}{3 \\sqrt[3]{x^2}}",
    mathml: "<math><mrow><mfrac><mrow><mi>t</mi></mrow><mrow><mn>3</mn><mroot><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><mn>3</mn></mroot></mrow></mfrac></mrow></math>",
    forward: f_cbrt_slope,
    rules: [r_cbrt_slope_0, r_cbrt_slope_1],
    slopes: [{ text: "cbrt_slope(1, x)", mathml: "<math><mrow><mo /><mrow><mi>c</mi><mi>b</mi><mi>r</mi><mi>t</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "-0.666667·y/x", mathml: "<math><mrow><mo>&#x02212;</mo><mfrac><mrow><mn>0.666667</mn><mspace width=\"0.167em\" /><mi>y</mi></mrow><mrow><mi>x</mi></mrow></mfrac></mrow></math>" }],
  },
  hypot_slope: {
    name: "hypot_slope",
    params: ["t", "a", "b"],
    defaults: [],
    infix: "",
    summary: "Derivative of hypot(a, b) with respect to a, times t",
    kinks: "",
    tex: "\\frac{t \\, a}{\\sqrt{a^2 + b^2}}",
    mathml: "<math><mrow><mfrac><mrow><mi>t</mi><mspace width=\"0.167em\" /><mi>a</mi></mrow><mrow><msqrt><mrow><msup><mi>a</mi><mn>2</mn></msup><mo>&#x0002B;</mo><msup><mi>b</mi><mn>2</mn></msup></mrow></msqrt></mrow></mfrac></mrow></math>",
    forward: f_hypot_slope,
    rules: [r_hypot_slope_0, r_hypot_slope_1, r_hypot_slope_2],
    slopes: [{ text: "hypot_slope(1, a, b)", mathml: "<math><mrow><mo /><mrow><mi>h</mi><mi>y</mi><mi>p</mi><mi>o</mi><mi>t</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>a</mi><mo>&#x0002C;</mo><mi>b</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "t·(b/hypot(a, b))·(b/hypot(a, b)²)", mathml: "<math><mrow><mi>t</mi><mspace width=\"0.167em\" /><mfrac><mrow><mi>b</mi></mrow><mrow><mo>hypot</mo><mo stretchy=\"false\">&#x00028;</mo><mi>a</mi><mo>&#x0002C;</mo><mi>b</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></mfrac><mspace width=\"0.167em\" /><mfrac><mrow><mi>b</mi></mrow><mrow><mo>hypot</mo><mo stretchy=\"false\">&#x00028;</mo><mi>a</mi><mo>&#x0002C;</mo><mi>b</mi><msup><mo stretchy=\"false\">&#x00029;</mo><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }, { text: "-t·(a/hypot(a, b))·(b/hypot(a, b)²)", mathml: "<math><mrow><mo>&#x02212;</mo><mi>t</mi><mspace width=\"0.167em\" /><mfrac><mrow><mi>a</mi></mrow><mrow><mo>hypot</mo><mo stretchy=\"false\">&#x00028;</mo><mi>a</mi><mo>&#x0002C;</mo><mi>b</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></mfrac><mspace width=\"0.167em\" /><mfrac><mrow><mi>b</mi></mrow><mrow><mo>hypot</mo><mo stretchy=\"false\">&#x00028;</mo><mi>a</mi><mo>&#x0002C;</mo><mi>b</mi><msup><mo stretchy=\"false\">&#x00029;</mo><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }],
  },
  pow: {
    name: "pow",
    params: ["a", "b"],
    defaults: [],
    infix: "",
    summary: "a to the power b",
    kinks: "0 to any power >= 0 does not depend on the exponent",
    tex: "a^{b}",
    mathml: "<math><mrow><msup><mi>a</mi><mrow><mi>b</mi></mrow></msup></mrow></math>",
    forward: f_pow,
    rules: [r_pow_0, r_pow_1],
    slopes: [{ text: "b·a^(b - 1)", mathml: "<math><mrow><mi>b</mi><mspace width=\"0.167em\" /><msup><mi>a</mi><mrow><mi>b</mi><mo>&#x02212;</mo><mn>1</mn></mrow></msup></mrow></math>" }, { text: "log(a)·a^b", mathml: "<math><mrow><mi>ln</mi><mo stretchy=\"false\">&#x00028;</mo><mi>a</mi><mo stretchy=\"false\">&#x00029;</mo><mspace width=\"0.167em\" /><msup><mi>a</mi><mrow><mi>b</mi></mrow></msup></mrow></math>" }],
  },
  square: {
    name: "square",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Square of x",
    kinks: "",
    tex: "x^2",
    mathml: "<math><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></math>",
    forward: f_square,
    rules: [r_square_0],
    slopes: [{ text: "2·x", mathml: "<math><mrow><mn>2</mn><mspace width=\"0.167em\" /><mi>x</mi></mrow></math>" }],
  },
  reciprocal: {
    name: "reciprocal",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "One divided by x",
    kinks: "",
    tex: "\\frac{1}{x}",
    mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mi>x</mi></mrow></mfrac></mrow></math>",
    forward: f_reciprocal,
    rules: [r_reciprocal_0],
    slopes: [{ text: "-y²", mathml: "<math><mrow><mo>&#x02212;</mo><msup><mi>y</mi><mrow><mn>2</mn></mrow></msup></mrow></math>" }],
  },
  sqrt: {
    name: "sqrt",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Square root of x",
    kinks: "",
    tex: "\\sqrt{x}",
    mathml: "<math><mrow><msqrt><mrow><mi>x</mi></mrow></msqrt></mrow></math>",
    forward: f_sqrt,
    rules: [r_sqrt_0],
    slopes: [{ text: "1/(2·y)", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn><mspace width=\"0.167em\" /><mi>y</mi></mrow></mfrac></mrow></math>" }],
  },
  cbrt: {
    name: "cbrt",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Cube root of x",
    kinks: "",
    tex: "\\sqrt[3]{x}",
    mathml: "<math><mrow><mroot><mrow><mi>x</mi></mrow><mn>3</mn></mroot></mrow></math>",
    forward: f_cbrt,
    rules: [r_cbrt_0],
    slopes: [{ text: "1/(3·y²)", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mn>3</mn><mspace width=\"0.167em\" /><msup><mi>y</mi><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }],
  },
  exp: {
    name: "exp",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "e to the power x",
    kinks: "",
    tex: "e^{x}",
    mathml: "<math><mrow><msup><mi>e</mi><mrow><mi>x</mi></mrow></msup></mrow></math>",
    forward: f_exp,
    rules: [r_exp_0],
    slopes: [{ text: "y", mathml: "<math><mrow><mi>y</mi></mrow></math>" }],
  },
  expm1: {
    name: "expm1",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "e to the power x minus 1, exact near 0",
    kinks: "",
    tex: "e^{x} - 1",
    mathml: "<math><mrow><msup><mi>e</mi><mrow><mi>x</mi></mrow></msup><mo>&#x02212;</mo><mn>1</mn></mrow></math>",
    forward: f_expm1,
    rules: [r_expm1_0],
    slopes: [{ text: "exp(x)", mathml: "<math><mrow><msup><mi>e</mi><mrow><mi>x</mi></mrow></msup></mrow></math>" }],
  },
  exp2: {
    name: "exp2",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "2 to the power x",
    kinks: "",
    tex: "2^{x}",
    mathml: "<math><mrow><msup><mn>2</mn><mrow><mi>x</mi></mrow></msup></mrow></math>",
    forward: f_exp2,
    rules: [r_exp2_0],
    slopes: [{ text: "y·ln 2", mathml: "<math><mrow><mi>y</mi><mspace width=\"0.167em\" /><mi>ln</mi><mn>2</mn></mrow></math>" }],
  },
  log: {
    name: "log",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Natural logarithm of x",
    kinks: "",
    tex: "\\ln x",
    mathml: "<math><mrow><mi>ln</mi><mi>x</mi></mrow></math>",
    forward: f_log,
    rules: [r_log_0],
    slopes: [{ text: "1/x", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mi>x</mi></mrow></mfrac></mrow></math>" }],
  },
  log1p: {
    name: "log1p",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Natural logarithm of 1 + x, exact near 0",
    kinks: "",
    tex: "\\ln(1 + x)",
    mathml: "<math><mrow><mi>ln</mi><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002B;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_log1p,
    rules: [r_log1p_0],
    slopes: [{ text: "1/(1 + x)", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mn>1</mn><mo>&#x0002B;</mo><mi>x</mi></mrow></mfrac></mrow></math>" }],
  },
  log2: {
    name: "log2",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Logarithm of x to base 2",
    kinks: "",
    tex: "\\log_2 x",
    mathml: "<math><mrow><msub><mi>log</mi><mn>2</mn></msub><mi>x</mi></mrow></math>",
    forward: f_log2,
    rules: [r_log2_0],
    slopes: [{ text: "1/(x·ln 2)", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mi>x</mi><mspace width=\"0.167em\" /><mi>ln</mi><mn>2</mn></mrow></mfrac></mrow></math>" }],
  },
  log10: {
    name: "log10",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Logarithm of x to base 10",
    kinks: "",
    tex: "\\log_{10} x",
    mathml: "<math><mrow><msub><mi>log</mi><mrow><mn>10</mn></mrow></msub><mi>x</mi></mrow></math>",
    forward: f_log10,
    rules: [r_log10_0],
    slopes: [{ text: "1/(x·ln 10)", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mi>x</mi><mspace width=\"0.167em\" /><mi>ln</mi><mn>10</mn></mrow></mfrac></mrow></math>" }],
  },
  hypot: {
    name: "hypot",
    params: ["a", "b"],
    defaults: [],
    infix: "",
    summary: "Length of the vector (a, b)",
    kinks: "slope 0 at the origin",
    tex: "\\sqrt{a^2 + b^2}",
    mathml: "<math><mrow><msqrt><mrow><msup><mi>a</mi><mn>2</mn></msup><mo>&#x0002B;</mo><msup><mi>b</mi><mn>2</mn></msup></mrow></msqrt></mrow></math>",
    forward: f_hypot,
    rules: [r_hypot_0, r_hypot_1],
    slopes: [{ text: "none if y = 0; else a/y", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>y</mi><mo>&#x0003D;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><mfrac><mrow><mi>a</mi></mrow><mrow><mi>y</mi></mrow></mfrac></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }, { text: "none if y = 0; else b/y", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>y</mi><mo>&#x0003D;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><mfrac><mrow><mi>b</mi></mrow><mrow><mi>y</mi></mrow></mfrac></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }],
  },
  asin_slope: {
    name: "asin_slope",
    params: ["t", "x"],
    defaults: [],
    infix: "",
    summary: "Derivative of asin at x, times t",
    kinks: "",
    tex: "\\frac{t}{\\sqrt{1 - x^2}}",
    mathml: "<math><mrow><mfrac><mrow><mi>t</mi></mrow><mrow><msqrt><mrow><mn>1</mn><mo>&#x02212;</mo><msup><mi>x</mi><mn>2</mn></msup></mrow></msqrt></mrow></mfrac></mrow></math>",
    forward: f_asin_slope,
    rules: [r_asin_slope_0, r_asin_slope_1],
    slopes: [{ text: "asin_slope(1, x)", mathml: "<math><mrow><mo /><mrow><mi>a</mi><mi>s</mi><mi>i</mi><mi>n</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "y·x/((1 - x)·(1 + x))", mathml: "<math><mrow><mfrac><mrow><mi>y</mi><mspace width=\"0.167em\" /><mi>x</mi></mrow><mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x02212;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002B;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></mfrac></mrow></math>" }],
  },
  atanh_slope: {
    name: "atanh_slope",
    params: ["t", "x"],
    defaults: [],
    infix: "",
    summary: "Derivative of atanh at x, times t",
    kinks: "",
    tex: "\\frac{t}{1 - x^2}",
    mathml: "<math><mrow><mfrac><mrow><mi>t</mi></mrow><mrow><mn>1</mn><mo>&#x02212;</mo><msup><mi>x</mi><mn>2</mn></msup></mrow></mfrac></mrow></math>",
    forward: f_atanh_slope,
    rules: [r_atanh_slope_0, r_atanh_slope_1],
    slopes: [{ text: "atanh_slope(1, x)", mathml: "<math><mrow><mo /><mrow><mi>a</mi><mi>t</mi><mi>a</mi><mi>n</mi><mi>h</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "2·y·x/((1 - x)·(1 + x))", mathml: "<math><mrow><mfrac><mrow><mn>2</mn><mspace width=\"0.167em\" /><mi>y</mi><mspace width=\"0.167em\" /><mi>x</mi></mrow><mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x02212;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002B;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></mfrac></mrow></math>" }],
  },
  atan_slope: {
    name: "atan_slope",
    params: ["t", "x"],
    defaults: [],
    infix: "",
    summary: "Derivative of atan at x, times t",
    kinks: "",
    tex: "\\frac{t}{1 + x^2}",
    mathml: "<math><mrow><mfrac><mrow><mi>t</mi></mrow><mrow><mn>1</mn><mo>&#x0002B;</mo><msup><mi>x</mi><mn>2</mn></msup></mrow></mfrac></mrow></math>",
    forward: f_atan_slope,
    rules: [r_atan_slope_0, r_atan_slope_1],
    slopes: [{ text: "atan_slope(1, x)", mathml: "<math><mrow><mo /><mrow><mi>a</mi><mi>t</mi><mi>a</mi><mi>n</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "-2·y·x/(1 + x²)", mathml: "<math><mrow><mo>&#x02212;</mo><mfrac><mrow><mn>2</mn><mspace width=\"0.167em\" /><mi>y</mi><mspace width=\"0.167em\" /><mi>x</mi></mrow><mrow><mn>1</mn><mo>&#x0002B;</mo><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }],
  },
  asinh_slope: {
    name: "asinh_slope",
    params: ["t", "x"],
    defaults: [],
    infix: "",
    summary: "Derivative of asinh at x, times t",
    kinks: "",
    tex: "\\frac{t}{\\sqrt{1 + x^2}}",
    mathml: "<math><mrow><mfrac><mrow><mi>t</mi></mrow><mrow><msqrt><mrow><mn>1</mn><mo>&#x0002B;</mo><msup><mi>x</mi><mn>2</mn></msup></mrow></msqrt></mrow></mfrac></mrow></math>",
    forward: f_asinh_slope,
    rules: [r_asinh_slope_0, r_asinh_slope_1],
    slopes: [{ text: "asinh_slope(1, x)", mathml: "<math><mrow><mo /><mrow><mi>a</mi><mi>s</mi><mi>i</mi><mi>n</mi><mi>h</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "-y·(x/(1 + x²))", mathml: "<math><mrow><mo>&#x02212;</mo><mi>y</mi><mspace width=\"0.167em\" /><mfrac><mrow><mi>x</mi></mrow><mrow><mn>1</mn><mo>&#x0002B;</mo><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }],
  },
  tanh_slope: {
    name: "tanh_slope",
    params: ["t", "x"],
    defaults: [],
    infix: "",
    summary: "Derivative of tanh at x, times t",
    kinks: "",
    tex: "\\frac{t}{\\cosh^2 x}",
    mathml: "<math><mrow><mfrac><mrow><mi>t</mi></mrow><mrow><msup><mi>cosh</mi><mn>2</mn></msup><mi>x</mi></mrow></mfrac></mrow></math>",
    forward: f_tanh_slope,
    rules: [r_tanh_slope_0, r_tanh_slope_1],
    slopes: [{ text: "tanh_slope(1, x)", mathml: "<math><mrow><mo /><mrow><mi>t</mi><mi>a</mi><mi>n</mi><mi>h</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "-2·y·tanh(x)", mathml: "<math><mrow><mo>&#x02212;</mo><mn>2</mn><mspace width=\"0.167em\" /><mi>y</mi><mspace width=\"0.167em\" /><mi>tanh</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  atan2_slope: {
    name: "atan2_slope",
    params: ["t", "a", "b"],
    defaults: [],
    infix: "",
    summary: "a over the square of the length of (a, b), times t",
    kinks: "",
    tex: "\\frac{t \\, a}{a^2 + b^2}",
    mathml: "<math><mrow><mfrac><mrow><mi>t</mi><mspace width=\"0.167em\" /><mi>a</mi></mrow><mrow><msup><mi>a</mi><mn>2</mn></msup><mo>&#x0002B;</mo><msup><mi>b</mi><mn>2</mn></msup></mrow></mfrac></mrow></math>",
    forward: f_atan2_slope,
    rules: [r_atan2_slope_0, r_atan2_slope_1, r_atan2_slope_2],
    slopes: [{ text: "atan2_slope(1, a, b)", mathml: "<math><mrow><mo /><mrow><mi>a</mi><mi>t</mi><mi>a</mi><mi>n</mi><mn>2</mn><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>a</mi><mo>&#x0002C;</mo><mi>b</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "t·((b - a)·(b + a)/(a² + b²))/(a² + b²)", mathml: "<math><mrow><mfrac><mrow><mi>t</mi><mspace width=\"0.167em\" /><mfrac><mrow><mo stretchy=\"false\">&#x00028;</mo><mi>b</mi><mo>&#x02212;</mo><mi>a</mi><mo stretchy=\"false\">&#x00029;</mo><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mi>b</mi><mo>&#x0002B;</mo><mi>a</mi><mo stretchy=\"false\">&#x00029;</mo></mrow><mrow><msup><mi>a</mi><mrow><mn>2</mn></mrow></msup><mo>&#x0002B;</mo><msup><mi>b</mi><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow><mrow><msup><mi>a</mi><mrow><mn>2</mn></mrow></msup><mo>&#x0002B;</mo><msup><mi>b</mi><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }, { text: "-2·t·(a·(b/(a² + b²)))/(a² + b²)", mathml: "<math><mrow><mo>&#x02212;</mo><mfrac><mrow><mn>2</mn><mspace width=\"0.167em\" /><mi>t</mi><mspace width=\"0.167em\" /><mi>a</mi><mspace width=\"0.167em\" /><mfrac><mrow><mi>b</mi></mrow><mrow><msup><mi>a</mi><mrow><mn>2</mn></mrow></msup><mo>&#x0002B;</mo><msup><mi>b</mi><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow><mrow><msup><mi>a</mi><mrow><mn>2</mn></mrow></msup><mo>&#x0002B;</mo><msup><mi>b</mi><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }],
  },
  sin: {
    name: "sin",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Sine of x (radians)",
    kinks: "",
    tex: "\\sin x",
    mathml: "<math><mrow><mi>sin</mi><mi>x</mi></mrow></math>",
    forward: f_sin,
    rules: [r_sin_0],
    slopes: [{ text: "cos(x)", mathml: "<math><mrow><mi>cos</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  cos: {
    name: "cos",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Cosine of x (radians)",
    kinks: "",
    tex: "\\cos x",
    mathml: "<math><mrow><mi>cos</mi><mi>x</mi></mrow></math>",
    forward: f_cos,
    rules: [r_cos_0],
    slopes: [{ text: "-sin(x)", mathml: "<math><mrow><mo>&#x02212;</mo><mi>sin</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  tan: {
    name: "tan",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Tangent of x (radians)",
    kinks: "",
    tex: "\\tan x",
    mathml: "<math><mrow><mi>tan</mi><mi>x</mi></mrow></math>",
    forward: f_tan,
    rules: [r_tan_0],
    slopes: [{ text: "1 + y²", mathml: "<math><mrow><mn>1</mn><mo>&#x0002B;</mo><msup><mi>y</mi><mrow><mn>2</mn></mrow></msup></mrow></math>" }],
  },
  asin: {
    name: "asin",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Inverse sine of x, in radians",
    kinks: "",
    tex: "\\arcsin x",
    mathml: "<math><mrow><mi>arcsin</mi><mi>x</mi></mrow></math>",
    forward: f_asin,
    rules: [r_asin_0],
    slopes: [{ text: "1/sqrt((1 - x)·(1 + x))", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><msqrt><mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x02212;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002B;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></msqrt></mrow></mfrac></mrow></math>" }],
  },
  acos: {
    name: "acos",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Inverse cosine of x, in radians",
    kinks: "",
    tex: "\\arccos x",
    mathml: "<math><mrow><mi>arccos</mi><mi>x</mi></mrow></math>",
    forward: f_acos,
    rules: [r_acos_0],
    slopes: [{ text: "-1/sqrt((1 - x)·(1 + x))", mathml: "<math><mrow><mo>&#x02212;</mo><mfrac><mrow><mn>1</mn></mrow><mrow><msqrt><mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x02212;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002B;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></msqrt></mrow></mfrac></mrow></math>" }],
  },
  atan: {
    name: "atan",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Inverse tangent of x, in radians",
    kinks: "",
    tex: "\\arctan x",
    mathml: "<math><mrow><mi>arctan</mi><mi>x</mi></mrow></math>",
    forward: f_atan,
    rules: [r_atan_0],
    slopes: [{ text: "1/(1 + x²)", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mn>1</mn><mo>&#x0002B;</mo><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }],
  },
  atan2: {
    name: "atan2",
    params: ["y", "x"],
    defaults: [],
    infix: "",
    summary: "Angle of the point (x, y), in radians, from -pi to pi",
    kinks: "slope 0 at the origin",
    tex: "\\operatorname{atan2}(y, x)",
    mathml: "<math><mrow><mo /><mrow><mi>a</mi><mi>t</mi><mi>a</mi><mi>n</mi><mn>2</mn></mrow><mo stretchy=\"false\">&#x00028;</mo><mi>y</mi><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_atan2,
    rules: [r_atan2_0, r_atan2_1],
    slopes: [{ text: "x/(x² + y²)", mathml: "<math><mrow><mfrac><mrow><mi>x</mi></mrow><mrow><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup><mo>&#x0002B;</mo><msup><mi>y</mi><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }, { text: "-y/(y² + x²)", mathml: "<math><mrow><mo>&#x02212;</mo><mfrac><mrow><mi>y</mi></mrow><mrow><msup><mi>y</mi><mrow><mn>2</mn></mrow></msup><mo>&#x0002B;</mo><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }],
  },
  sinh: {
    name: "sinh",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Hyperbolic sine of x",
    kinks: "",
    tex: "\\sinh x",
    mathml: "<math><mrow><mi>sinh</mi><mi>x</mi></mrow></math>",
    forward: f_sinh,
    rules: [r_sinh_0],
    slopes: [{ text: "cosh(x)", mathml: "<math><mrow><mi>cosh</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  cosh: {
    name: "cosh",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Hyperbolic cosine of x",
    kinks: "",
    tex: "\\cosh x",
    mathml: "<math><mrow><mi>cosh</mi><mi>x</mi></mrow></math>",
    forward: f_cosh,
    rules: [r_cosh_0],
    slopes: [{ text: "sinh(x)", mathml: "<math><mrow><mi>sinh</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  tanh: {
    name: "tanh",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Hyperbolic tangent of x",
    kinks: "",
    tex: "\\tanh x",
    mathml: "<math><mrow><mi>tanh</mi><mi>x</mi></mrow></math>",
    forward: f_tanh,
    rules: [r_tanh_0],
    slopes: [{ text: "1 - y²", mathml: "<math><mrow><mn>1</mn><mo>&#x02212;</mo><msup><mi>y</mi><mrow><mn>2</mn></mrow></msup></mrow></math>" }],
  },
  asinh: {
    name: "asinh",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Inverse hyperbolic sine of x",
    kinks: "",
    tex: "\\operatorname{arsinh} x",
    mathml: "<math><mrow><mo>arsinh</mo><mi>x</mi></mrow></math>",
    forward: f_asinh,
    rules: [r_asinh_0],
    slopes: [{ text: "1/sqrt(1 + x²)", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><msqrt><mrow><mn>1</mn><mo>&#x0002B;</mo><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></msqrt></mrow></mfrac></mrow></math>" }],
  },
  acosh: {
    name: "acosh",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Inverse hyperbolic cosine of x",
    kinks: "",
    tex: "\\operatorname{arcosh} x",
    mathml: "<math><mrow><mo>arcosh</mo><mi>x</mi></mrow></math>",
    forward: f_acosh,
    rules: [r_acosh_0],
    slopes: [{ text: "1/(sqrt(x - 1)·sqrt(x + 1))", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><msqrt><mrow><mi>x</mi><mo>&#x02212;</mo><mn>1</mn></mrow></msqrt><mspace width=\"0.167em\" /><msqrt><mrow><mi>x</mi><mo>&#x0002B;</mo><mn>1</mn></mrow></msqrt></mrow></mfrac></mrow></math>" }],
  },
  atanh: {
    name: "atanh",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Inverse hyperbolic tangent of x",
    kinks: "",
    tex: "\\operatorname{artanh} x",
    mathml: "<math><mrow><mo>artanh</mo><mi>x</mi></mrow></math>",
    forward: f_atanh,
    rules: [r_atanh_0],
    slopes: [{ text: "1/((1 - x)·(1 + x))", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x02212;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002B;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></mfrac></mrow></math>" }],
  },
  erf_slope: {
    name: "erf_slope",
    params: ["t", "x"],
    defaults: [],
    infix: "",
    summary: "Derivative of erf at x, times t",
    kinks: "",
    tex: "t \\, \\tfrac{2}{\\sqrt \\pi} e^{-x^2}",
    mathml: "<math><mrow><mi>t</mi><mspace width=\"0.167em\" /><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>2</mn></mrow><mrow><msqrt><mi>&#x003C0;</mi></msqrt></mrow></mfrac></mstyle><msup><mi>e</mi><mrow><mo>&#x02212;</mo><msup><mi>x</mi><mn>2</mn></msup></mrow></msup></mrow></math>",
    forward: f_erf_slope,
    rules: [r_erf_slope_0, r_erf_slope_1],
    slopes: [{ text: "erf_slope(1, x)", mathml: "<math><mrow><mo /><mrow><mi>e</mi><mi>r</mi><mi>f</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "-2.25676·x·exp(-1/2·x²)·t·exp(-1/2·x²)", mathml: "<math><mrow><mo>&#x02212;</mo><mn>2.25676</mn><mspace width=\"0.167em\" /><mi>x</mi><mspace width=\"0.167em\" /><msup><mi>e</mi><mrow><mo>&#x02212;</mo><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></msup><mspace width=\"0.167em\" /><mi>t</mi><mspace width=\"0.167em\" /><msup><mi>e</mi><mrow><mo>&#x02212;</mo><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></msup></mrow></math>" }],
  },
  erf: {
    name: "erf",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Error function of x",
    kinks: "",
    tex: "\\operatorname{erf} x",
    mathml: "<math><mrow><mo>erf</mo><mi>x</mi></mrow></math>",
    forward: f_erf,
    rules: [r_erf_0],
    slopes: [{ text: "2/√π·exp(-x²)", mathml: "<math><mrow><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>2</mn></mrow><mrow><msqrt><mi>&#x003C0;</mi></msqrt></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><msup><mi>e</mi><mrow><mo>&#x02212;</mo><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></msup></mrow></math>" }],
  },
  erfc: {
    name: "erfc",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "1 - erf(x), exact for large x",
    kinks: "",
    tex: "\\operatorname{erfc} x",
    mathml: "<math><mrow><mo>erfc</mo><mi>x</mi></mrow></math>",
    forward: f_erfc,
    rules: [r_erfc_0],
    slopes: [{ text: "-2/√π·exp(-x²)", mathml: "<math><mrow><mo>&#x02212;</mo><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>2</mn></mrow><mrow><msqrt><mi>&#x003C0;</mi></msqrt></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><msup><mi>e</mi><mrow><mo>&#x02212;</mo><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></msup></mrow></math>" }],
  },
  sinc: {
    name: "sinc",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Sine of pi x over pi x, 1 at 0",
    kinks: "",
    tex: "\\frac{\\sin \\pi x}{\\pi x}",
    mathml: "<math><mrow><mfrac><mrow><mi>sin</mi><mi>&#x003C0;</mi><mi>x</mi></mrow><mrow><mi>&#x003C0;</mi><mi>x</mi></mrow></mfrac></mrow></math>",
    forward: f_sinc,
    rules: [r_sinc_0],
    slopes: [null],
  },
  lgamma: {
    name: "lgamma",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Logarithm of the absolute value of the gamma function",
    kinks: "",
    tex: "\\ln |\\Gamma(x)|",
    mathml: "<math><mrow><mi>ln</mi><mo stretchy=\"false\">&#x0007C;</mo><mi>&#x00393;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mo stretchy=\"false\">&#x0007C;</mo></mrow></math>",
    forward: f_lgamma,
    rules: [r_lgamma_0],
    slopes: [{ text: "digamma(x)", mathml: "<math><mrow><mi>&#x003C8;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  digamma: {
    name: "digamma",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Derivative of lgamma; NaN at its poles below 0",
    kinks: "",
    tex: "\\psi(x)",
    mathml: "<math><mrow><mi>&#x003C8;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_digamma,
    rules: [r_digamma_0],
    slopes: [{ text: "polygamma(1, x)", mathml: "<math><mrow><msup><mi>&#x003C8;</mi><mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo stretchy=\"false\">&#x00029;</mo></mrow></msup><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  polygamma: {
    name: "polygamma",
    params: ["n", "x"],
    defaults: [],
    infix: "",
    summary: "n-th derivative of digamma, for whole n >= 0 (n <= 8 below x = 0)",
    kinks: "",
    tex: "\\psi^{(n)}(x)",
    mathml: "<math><mrow><msup><mi>&#x003C8;</mi><mrow><mo stretchy=\"false\">&#x00028;</mo><mi>n</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></msup><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_polygamma,
    rules: [null, r_polygamma_1],
    slopes: [null, { text: "polygamma(n + 1, x)", mathml: "<math><mrow><msup><mi>&#x003C8;</mi><mrow><mo stretchy=\"false\">&#x00028;</mo><mi>n</mi><mo>&#x0002B;</mo><mn>1</mn><mo stretchy=\"false\">&#x00029;</mo></mrow></msup><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  sigmoid_slope: {
    name: "sigmoid_slope",
    params: ["t", "x"],
    defaults: [],
    infix: "",
    summary: "Derivative of sigmoid at x, times t",
    kinks: "",
    tex: "t \\, \\sigma(x) \\sigma(-x)",
    mathml: "<math><mrow><mi>t</mi><mspace width=\"0.167em\" /><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mo>&#x02212;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_sigmoid_slope,
    rules: [r_sigmoid_slope_0, r_sigmoid_slope_1],
    slopes: [{ text: "sigmoid_slope(1, x)", mathml: "<math><mrow><mo /><mrow><mi>s</mi><mi>i</mi><mi>g</mi><mi>m</mi><mi>o</mi><mi>i</mi><mi>d</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "-y·tanh(1/2·x)", mathml: "<math><mrow><mo>&#x02212;</mo><mi>y</mi><mspace width=\"0.167em\" /><mi>tanh</mi><mo stretchy=\"false\">&#x00028;</mo><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  silu_slope: {
    name: "silu_slope",
    params: ["t", "x"],
    defaults: [],
    infix: "",
    summary: "Derivative of silu at x, times t",
    kinks: "",
    tex: "t \\, \\sigma(x) (1 + x \\, \\sigma(-x))",
    mathml: "<math><mrow><mi>t</mi><mspace width=\"0.167em\" /><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002B;</mo><mi>x</mi><mspace width=\"0.167em\" /><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mo>&#x02212;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_silu_slope,
    rules: [r_silu_slope_0, r_silu_slope_1],
    slopes: [{ text: "silu_slope(1, x)", mathml: "<math><mrow><mo /><mrow><mi>s</mi><mi>i</mi><mi>l</mi><mi>u</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "t·exp(-|x|)·(2 + |x|·tanh(-1/2·|x|))/(1 + exp(-|x|))²", mathml: "<math><mrow><mfrac><mrow><mi>t</mi><mspace width=\"0.167em\" /><msup><mi>e</mi><mrow><mo>&#x02212;</mo><mo stretchy=\"false\">&#x0007C;</mo><mi>x</mi><mo stretchy=\"false\">&#x0007C;</mo></mrow></msup><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mn>2</mn><mo>&#x0002B;</mo><mo stretchy=\"false\">&#x0007C;</mo><mi>x</mi><mo stretchy=\"false\">&#x0007C;</mo><mspace width=\"0.167em\" /><mi>tanh</mi><mo stretchy=\"false\">&#x00028;</mo><mo>&#x02212;</mo><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x0007C;</mo><mi>x</mi><mo stretchy=\"false\">&#x0007C;</mo><mo stretchy=\"false\">&#x00029;</mo><mo stretchy=\"false\">&#x00029;</mo></mrow><mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002B;</mo><msup><mi>e</mi><mrow><mo>&#x02212;</mo><mo stretchy=\"false\">&#x0007C;</mo><mi>x</mi><mo stretchy=\"false\">&#x0007C;</mo></mrow></msup><msup><mo stretchy=\"false\">&#x00029;</mo><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }],
  },
  sigmoid: {
    name: "sigmoid",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Logistic function of x",
    kinks: "",
    tex: "\\sigma(x) = \\frac{1}{1 + e^{-x}}",
    mathml: "<math><mrow><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mo>&#x0003D;</mo><mfrac><mrow><mn>1</mn></mrow><mrow><mn>1</mn><mo>&#x0002B;</mo><msup><mi>e</mi><mrow><mo>&#x02212;</mo><mi>x</mi></mrow></msup></mrow></mfrac></mrow></math>",
    forward: f_sigmoid,
    rules: [r_sigmoid_0],
    slopes: [{ text: "y·(1 - y)", mathml: "<math><mrow><mi>y</mi><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x02212;</mo><mi>y</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  softplus: {
    name: "softplus",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "A smooth maximum of x and 0",
    kinks: "",
    tex: "\\ln(1 + e^{x})",
    mathml: "<math><mrow><mi>ln</mi><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002B;</mo><msup><mi>e</mi><mrow><mi>x</mi></mrow></msup><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_softplus,
    rules: [r_softplus_0],
    slopes: [{ text: "sigmoid(x)", mathml: "<math><mrow><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  log_sigmoid: {
    name: "log_sigmoid",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "Logarithm of the logistic function of x",
    kinks: "",
    tex: "\\ln \\sigma(x)",
    mathml: "<math><mrow><mi>ln</mi><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_log_sigmoid,
    rules: [r_log_sigmoid_0],
    slopes: [{ text: "sigmoid(-x)", mathml: "<math><mrow><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mo>&#x02212;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  logaddexp: {
    name: "logaddexp",
    params: ["a", "b"],
    defaults: [],
    infix: "",
    summary: "Logarithm of e^a + e^b",
    kinks: "",
    tex: "\\ln(e^{a} + e^{b})",
    mathml: "<math><mrow><mi>ln</mi><mo stretchy=\"false\">&#x00028;</mo><msup><mi>e</mi><mrow><mi>a</mi></mrow></msup><mo>&#x0002B;</mo><msup><mi>e</mi><mrow><mi>b</mi></mrow></msup><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_logaddexp,
    rules: [r_logaddexp_0, r_logaddexp_1],
    slopes: [{ text: "sigmoid(a - b)", mathml: "<math><mrow><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>a</mi><mo>&#x02212;</mo><mi>b</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "sigmoid(b - a)", mathml: "<math><mrow><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>b</mi><mo>&#x02212;</mo><mi>a</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
  silu: {
    name: "silu",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "x times its logistic function (swish)",
    kinks: "",
    tex: "x \\, \\sigma(x)",
    mathml: "<math><mrow><mi>x</mi><mspace width=\"0.167em\" /><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_silu,
    rules: [r_silu_0],
    slopes: [null],
  },
  relu: {
    name: "relu",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "x if it is positive, else 0",
    kinks: "slope 0 at 0",
    tex: "\\max(x, 0)",
    mathml: "<math><mrow><mo>max</mo><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo>&#x0002C;</mo><mn>0</mn><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_relu,
    rules: [r_relu_0],
    slopes: [{ text: "none if y ≤ 0; else 1", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>y</mi><mo>&#x02264;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }],
  },
  leaky_relu: {
    name: "leaky_relu",
    params: ["x", "negative_slope"],
    defaults: [0.01],
    infix: "",
    summary: "x if it is positive, else a small multiple of x",
    kinks: "the negative slope at 0",
    tex: "\\max(x, 0) + s \\min(x, 0)",
    mathml: "<math><mrow><mo>max</mo><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo>&#x0002C;</mo><mn>0</mn><mo stretchy=\"false\">&#x00029;</mo><mo>&#x0002B;</mo><mi>s</mi><mo>min</mo><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo>&#x0002C;</mo><mn>0</mn><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_leaky_relu,
    rules: [r_leaky_relu_0, r_leaky_relu_1],
    slopes: [{ text: "1 if x > 0; else negative_slope", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x0003E;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><mi>s</mi></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }, { text: "none if x > 0; else x", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x0003E;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><mi>x</mi></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }],
  },
  hardtanh: {
    name: "hardtanh",
    params: ["x", "min_val", "max_val"],
    defaults: [-1, 1],
    infix: "",
    summary: "x, held between two bounds",
    kinks: "slope 0 on both bounds",
    tex: "\\min(\\max(x, \\ell), h)",
    mathml: "<math><mrow><mo>min</mo><mo stretchy=\"false\">&#x00028;</mo><mo>max</mo><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo>&#x0002C;</mo><mi>&#x02113;</mi><mo stretchy=\"false\">&#x00029;</mo><mo>&#x0002C;</mo><mi>h</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_hardtanh,
    rules: [r_hardtanh_0, r_hardtanh_1, r_hardtanh_2],
    slopes: [{ text: "none if x ≤ min_val or x ≥ max_val; else 1", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x02264;</mo><mi>&#x02113;</mi><mo>&#x02228;</mo><mi>x</mi><mo>&#x02265;</mo><mi>h</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }, { text: "1 if x < min_val and min_val ≤ max_val; else none", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x0003C;</mo><mi>&#x02113;</mi><mo>&#x02227;</mo><mi>&#x02113;</mi><mo>&#x02264;</mo><mi>h</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }, { text: "1 if maximum(x, min_val) > max_val; else none", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mo>max</mo><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo>&#x0002C;</mo><mi>&#x02113;</mi><mo stretchy=\"false\">&#x00029;</mo><mo>&#x0003E;</mo><mi>h</mi></mtd></mtr><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }],
  },
  elu: {
    name: "elu",
    params: ["x", "alpha"],
    defaults: [1],
    infix: "",
    summary: "x if it is positive, else alpha (e^x - 1)",
    kinks: "the slope from the left, alpha, at 0",
    tex: "\\begin{cases} x & x > 0 \\\\ \\alpha (e^{x} - 1) & x \\le 0 \\end{cases}",
    mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mi>x</mi></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x0003E;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><mi>&#x003B1;</mi><mo stretchy=\"false\">&#x00028;</mo><msup><mi>e</mi><mrow><mi>x</mi></mrow></msup><mo>&#x02212;</mo><mn>1</mn><mo stretchy=\"false\">&#x00029;</mo></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x02264;</mo><mn>0</mn></mtd></mtr></mtable></mrow></mrow></math>",
    forward: f_elu,
    rules: [r_elu_0, r_elu_1],
    slopes: [{ text: "1 if x > 0; else alpha·exp(x)", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mn>1</mn></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x0003E;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><mi>&#x003B1;</mi><mspace width=\"0.167em\" /><msup><mi>e</mi><mrow><mi>x</mi></mrow></msup></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }, { text: "none if x > 0; else expm1(x)", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mtext>none</mtext></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x0003E;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><msup><mi>e</mi><mrow><mi>x</mi></mrow></msup><mo>&#x02212;</mo><mn>1</mn></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }],
  },
  selu: {
    name: "selu",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "The self-normalising elu",
    kinks: "the slope from the left at 0",
    tex: "\\lambda \\operatorname{elu}(x, \\alpha)",
    mathml: "<math><mrow><mi>&#x003BB;</mi><mo>elu</mo><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo>&#x0002C;</mo><mi>&#x003B1;</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_selu,
    rules: [r_selu_0],
    slopes: [{ text: "1.0507 if x > 0; else 1.7581·exp(x)", mathml: "<math><mrow><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x0007B;</mo><mtable><mtr><mtd columnalign=\"left\"><mn>1.0507</mn></mtd><mtd columnalign=\"left\"><mi>x</mi><mo>&#x0003E;</mo><mn>0</mn></mtd></mtr><mtr><mtd columnalign=\"left\"><mn>1.7581</mn><mspace width=\"0.167em\" /><msup><mi>e</mi><mrow><mi>x</mi></mrow></msup></mtd><mtd columnalign=\"left\"><mtext>else</mtext></mtd></mtr></mtable></mrow></mrow></math>" }],
  },
  gelu_slope: {
    name: "gelu_slope",
    params: ["t", "x"],
    defaults: [],
    infix: "",
    summary: "Derivative of gelu at x, times t",
    kinks: "",
    tex: "t \\, (\\Phi(x) + x \\, \\varphi(x))",
    mathml: "<math><mrow><mi>t</mi><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mi>&#x003A6;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mo>&#x0002B;</mo><mi>x</mi><mspace width=\"0.167em\" /><mi>&#x003C6;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_gelu_slope,
    rules: [r_gelu_slope_0, r_gelu_slope_1],
    slopes: [{ text: "gelu_slope(1, x)", mathml: "<math><mrow><mo /><mrow><mi>g</mi><mi>e</mi><mi>l</mi><mi>u</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "t·(1/√(2π)·((√2 - x)·(√2 + x))·exp(-1/2·x²))", mathml: "<math><mrow><mi>t</mi><mspace width=\"0.167em\" /><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><msqrt><mrow><mn>2</mn><mi>&#x003C0;</mi></mrow></msqrt></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><msqrt><mn>2</mn></msqrt><mo>&#x02212;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><msqrt><mn>2</mn></msqrt><mo>&#x0002B;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mspace width=\"0.167em\" /><msup><mi>e</mi><mrow><mo>&#x02212;</mo><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></msup></mrow></math>" }],
  },
  gelu_tanh_slope: {
    name: "gelu_tanh_slope",
    params: ["t", "x"],
    defaults: [],
    infix: "",
    summary: "Derivative of gelu_tanh at x, times t",
    kinks: "",
    tex: "t \\, (\\sigma(u) + x \\, \\sigma'(u) u')",
    mathml: "<math><mrow><mi>t</mi><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mi>&#x003C3;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>u</mi><mo stretchy=\"false\">&#x00029;</mo><mo>&#x0002B;</mo><mi>x</mi><mspace width=\"0.167em\" /><msup><mi>&#x003C3;</mi><mi>&#x02032;</mi></msup><mo stretchy=\"false\">&#x00028;</mo><mi>u</mi><mo stretchy=\"false\">&#x00029;</mo><msup><mi>u</mi><mi>&#x02032;</mi></msup><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_gelu_tanh_slope,
    rules: [r_gelu_tanh_slope_0, r_gelu_tanh_slope_1],
    slopes: [{ text: "gelu_tanh_slope(1, x)", mathml: "<math><mrow><mo /><mrow><mi>g</mi><mi>e</mi><mi>l</mi><mi>u</mi><mi>&#x0005F;</mi><mi>t</mi><mi>a</mi><mi>n</mi><mi>h</mi><mi>&#x0005F;</mi><mi>s</mi><mi>l</mi><mi>o</mi><mi>p</mi><mi>e</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x0002C;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, null],
  },
  gelu: {
    name: "gelu",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "x times the normal distribution function",
    kinks: "",
    tex: "x \\, \\Phi(x)",
    mathml: "<math><mrow><mi>x</mi><mspace width=\"0.167em\" /><mi>&#x003A6;</mi><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_gelu,
    rules: [r_gelu_0],
    slopes: [{ text: "1/2·erfc(-1/√2·x) + 1/√(2π)·x·exp(-1/2·x²)", mathml: "<math><mrow><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><mo>erfc</mo><mo stretchy=\"false\">&#x00028;</mo><mo>&#x02212;</mo><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><msqrt><mn>2</mn></msqrt></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><mi>x</mi><mo stretchy=\"false\">&#x00029;</mo><mo>&#x0002B;</mo><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><msqrt><mrow><mn>2</mn><mi>&#x003C0;</mi></mrow></msqrt></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><mi>x</mi><mspace width=\"0.167em\" /><msup><mi>e</mi><mrow><mo>&#x02212;</mo><mstyle displaystyle=\"false\" scriptlevel=\"0\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mstyle><mspace width=\"0.167em\" /><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></mrow></msup></mrow></math>" }],
  },
  gelu_tanh: {
    name: "gelu_tanh",
    params: ["x"],
    defaults: [],
    infix: "",
    summary: "The tanh form of gelu",
    kinks: "",
    tex: "\\frac{x}{2}\\left(1 + \\tanh \\sqrt{2/\\pi}(x + 0.044715 x^3)\\right)",
    mathml: "<math><mrow><mfrac><mrow><mi>x</mi></mrow><mrow><mn>2</mn></mrow></mfrac><mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">&#x00028;</mo><mn>1</mn><mo>&#x0002B;</mo><mi>tanh</mi><msqrt><mrow><mn>2</mn><mo>&#x0002F;</mo><mi>&#x003C0;</mi></mrow></msqrt><mo stretchy=\"false\">&#x00028;</mo><mi>x</mi><mo>&#x0002B;</mo><mn>0.044715</mn><msup><mi>x</mi><mn>3</mn></msup><mo stretchy=\"false\">&#x00029;</mo><mo stretchy=\"true\" fence=\"true\" form=\"postfix\">&#x00029;</mo></mrow></mrow></math>",
    forward: f_gelu_tanh,
    rules: [r_gelu_tanh_0],
    slopes: [null],
  },
  exp_difference: {
    name: "exp_difference",
    params: ["a", "b"],
    defaults: [],
    infix: "",
    summary: "e to the power a - b, with the rounding of a - b put back",
    kinks: "",
    tex: "e^{a - b}",
    mathml: "<math><mrow><msup><mi>e</mi><mrow><mi>a</mi><mo>&#x02212;</mo><mi>b</mi></mrow></msup></mrow></math>",
    forward: f_exp_difference,
    rules: [r_exp_difference_0, r_exp_difference_1],
    slopes: [{ text: "y", mathml: "<math><mrow><mi>y</mi></mrow></math>" }, { text: "-y", mathml: "<math><mrow><mo>&#x02212;</mo><mi>y</mi></mrow></math>" }],
  },
  share_slope: {
    name: "share_slope",
    params: ["t", "a", "b"],
    defaults: [],
    infix: "",
    summary: "Fraction a / (a + b), times t",
    kinks: "",
    tex: "\\frac{t \\, a}{a + b}",
    mathml: "<math><mrow><mfrac><mrow><mi>t</mi><mspace width=\"0.167em\" /><mi>a</mi></mrow><mrow><mi>a</mi><mo>&#x0002B;</mo><mi>b</mi></mrow></mfrac></mrow></math>",
    forward: f_share_slope,
    rules: [r_share_slope_0, r_share_slope_1, r_share_slope_2],
    slopes: [{ text: "a/(a + b)", mathml: "<math><mrow><mfrac><mrow><mi>a</mi></mrow><mrow><mi>a</mi><mo>&#x0002B;</mo><mi>b</mi></mrow></mfrac></mrow></math>" }, { text: "t·(b/(b + a))/(b + a)", mathml: "<math><mrow><mfrac><mrow><mi>t</mi><mspace width=\"0.167em\" /><mfrac><mrow><mi>b</mi></mrow><mrow><mi>b</mi><mo>&#x0002B;</mo><mi>a</mi></mrow></mfrac></mrow><mrow><mi>b</mi><mo>&#x0002B;</mo><mi>a</mi></mrow></mfrac></mrow></math>" }, { text: "-t·(a/(b + a))/(b + a)", mathml: "<math><mrow><mo>&#x02212;</mo><mfrac><mrow><mi>t</mi><mspace width=\"0.167em\" /><mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi><mo>&#x0002B;</mo><mi>a</mi></mrow></mfrac></mrow><mrow><mi>b</mi><mo>&#x0002B;</mo><mi>a</mi></mrow></mfrac></mrow></math>" }],
  },
  softmax: {
    name: "softmax",
    params: ["x", "shift", "rest"],
    defaults: [],
    infix: "",
    summary: "Quotient of e^(x - shift) and its sum with the rest",
    kinks: "",
    tex: "\\frac{e^{x - s}}{e^{x - s} + r}",
    mathml: "<math><mrow><mfrac><mrow><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup></mrow><mrow><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup><mo>&#x0002B;</mo><mi>r</mi></mrow></mfrac></mrow></math>",
    forward: f_softmax,
    rules: [r_softmax_0, r_softmax_1, r_softmax_2],
    slopes: [{ text: "y·(1 - y)", mathml: "<math><mrow><mi>y</mi><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x02212;</mo><mi>y</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "y·(y - 1)", mathml: "<math><mrow><mi>y</mi><mspace width=\"0.167em\" /><mo stretchy=\"false\">&#x00028;</mo><mi>y</mi><mo>&#x02212;</mo><mn>1</mn><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }, { text: "-exp(x - shift)/(exp(x - shift) + rest)²", mathml: "<math><mrow><mo>&#x02212;</mo><mfrac><mrow><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup></mrow><mrow><mo stretchy=\"false\">&#x00028;</mo><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup><mo>&#x0002B;</mo><mi>r</mi><msup><mo stretchy=\"false\">&#x00029;</mo><mrow><mn>2</mn></mrow></msup></mrow></mfrac></mrow></math>" }],
  },
  log_softmax: {
    name: "log_softmax",
    params: ["x", "shift", "rest"],
    defaults: [],
    infix: "",
    summary: "Logarithm of the softmax of x",
    kinks: "",
    tex: "x - s - \\ln(e^{x - s} + r)",
    mathml: "<math><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi><mo>&#x02212;</mo><mi>ln</mi><mo stretchy=\"false\">&#x00028;</mo><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup><mo>&#x0002B;</mo><mi>r</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_log_softmax,
    rules: [r_log_softmax_0, r_log_softmax_1, r_log_softmax_2],
    slopes: [{ text: "rest/(exp(x - shift) + rest)", mathml: "<math><mrow><mfrac><mrow><mi>r</mi></mrow><mrow><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup><mo>&#x0002B;</mo><mi>r</mi></mrow></mfrac></mrow></math>" }, { text: "-rest/(exp(x - shift) + rest)", mathml: "<math><mrow><mo>&#x02212;</mo><mfrac><mrow><mi>r</mi></mrow><mrow><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup><mo>&#x0002B;</mo><mi>r</mi></mrow></mfrac></mrow></math>" }, { text: "-1/(exp(x - shift) + rest)", mathml: "<math><mrow><mo>&#x02212;</mo><mfrac><mrow><mn>1</mn></mrow><mrow><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup><mo>&#x0002B;</mo><mi>r</mi></mrow></mfrac></mrow></math>" }],
  },
  logsumexp: {
    name: "logsumexp",
    params: ["x", "shift", "rest"],
    defaults: [],
    infix: "",
    summary: "Logarithm of the sum of e^x and the rest",
    kinks: "",
    tex: "s + \\ln(e^{x - s} + r)",
    mathml: "<math><mrow><mi>s</mi><mo>&#x0002B;</mo><mi>ln</mi><mo stretchy=\"false\">&#x00028;</mo><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup><mo>&#x0002B;</mo><mi>r</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_logsumexp,
    rules: [r_logsumexp_0, r_logsumexp_1, r_logsumexp_2],
    slopes: [{ text: "exp(x - shift)/(rest + exp(x - shift))", mathml: "<math><mrow><mfrac><mrow><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup></mrow><mrow><mi>r</mi><mo>&#x0002B;</mo><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup></mrow></mfrac></mrow></math>" }, { text: "rest/(exp(x - shift) + rest)", mathml: "<math><mrow><mfrac><mrow><mi>r</mi></mrow><mrow><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup><mo>&#x0002B;</mo><mi>r</mi></mrow></mfrac></mrow></math>" }, { text: "1/(exp(x - shift) + rest)", mathml: "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><msup><mi>e</mi><mrow><mi>x</mi><mo>&#x02212;</mo><mi>s</mi></mrow></msup><mo>&#x0002B;</mo><mi>r</mi></mrow></mfrac></mrow></math>" }],
  },
  label_surprise: {
    name: "label_surprise",
    params: ["p", "label"],
    defaults: [],
    infix: "",
    summary: "Surprise at a label, given the probability of a 1",
    kinks: "logarithms are at least -100, their slopes at most 1e12",
    tex: "-t \\ln p - (1 - t) \\ln (1 - p)",
    mathml: "<math><mrow><mo>&#x02212;</mo><mi>t</mi><mi>ln</mi><mi>p</mi><mo>&#x02212;</mo><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x02212;</mo><mi>t</mi><mo stretchy=\"false\">&#x00029;</mo><mi>ln</mi><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x02212;</mo><mi>p</mi><mo stretchy=\"false\">&#x00029;</mo></mrow></math>",
    forward: f_label_surprise,
    rules: [r_label_surprise_0, r_label_surprise_1],
    slopes: [{ text: "(1 - label)/maximum(1 - p, 1e-12) - label/maximum(p, 1e-12)", mathml: "<math><mrow><mfrac><mrow><mn>1</mn><mo>&#x02212;</mo><mi>l</mi><mi>a</mi><mi>b</mi><mi>e</mi><mi>l</mi></mrow><mrow><mo>max</mo><mo stretchy=\"false\">&#x00028;</mo><mn>1</mn><mo>&#x02212;</mo><mi>p</mi><mo>&#x0002C;</mo><mn>1</mn><mo>&#x000B7;</mo><msup><mn>10</mn><mrow><mo>&#x02212;</mo><mn>12</mn></mrow></msup><mo stretchy=\"false\">&#x00029;</mo></mrow></mfrac><mo>&#x02212;</mo><mfrac><mrow><mi>l</mi><mi>a</mi><mi>b</mi><mi>e</mi><mi>l</mi></mrow><mrow><mo>max</mo><mo stretchy=\"false\">&#x00028;</mo><mi>p</mi><mo>&#x0002C;</mo><mn>1</mn><mo>&#x000B7;</mo><msup><mn>10</mn><mrow><mo>&#x02212;</mo><mn>12</mn></mrow></msup><mo stretchy=\"false\">&#x00029;</mo></mrow></mfrac></mrow></math>" }, { text: "maximum(log1p(-p), -100) - maximum(log(p), -100)", mathml: "<math><mrow><mo>max</mo><mo stretchy=\"false\">&#x00028;</mo><mo /><mrow><mi>l</mi><mi>o</mi><mi>g</mi><mn>1</mn><mi>p</mi></mrow><mo stretchy=\"false\">&#x00028;</mo><mo>&#x02212;</mo><mi>p</mi><mo stretchy=\"false\">&#x00029;</mo><mo>&#x0002C;</mo><mo>&#x02212;</mo><mn>100</mn><mo stretchy=\"false\">&#x00029;</mo><mo>&#x02212;</mo><mo>max</mo><mo stretchy=\"false\">&#x00028;</mo><mi>ln</mi><mo stretchy=\"false\">&#x00028;</mo><mi>p</mi><mo stretchy=\"false\">&#x00029;</mo><mo>&#x0002C;</mo><mo>&#x02212;</mo><mn>100</mn><mo stretchy=\"false\">&#x00029;</mo></mrow></math>" }],
  },
};
