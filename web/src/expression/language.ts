/** Printed by `python -m gradwalk.expression.printed`; do not edit. */
export const ASSIGNMENTS: readonly string[] = ["=", ":", "+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", "<<=", ">>="];
export const BINARY = new Map<string, readonly [number, number]>([["=", [2, 1]], [":", [2, 1]], ["+=", [2, 1]], ["-=", [2, 1]], ["*=", [2, 1]], ["/=", [2, 1]], ["//=", [2, 1]], ["%=", [2, 1]], ["**=", [2, 1]], ["@=", [2, 1]], ["&=", [2, 1]], ["|=", [2, 1]], ["^=", [2, 1]], ["<<=", [2, 1]], [">>=", [2, 1]], [",", [4, 5]], ["if", [8, 9]], ["else", [8, 9]], ["or", [10, 11]], ["and", [12, 13]], ["<", [16, 15]], ["<=", [16, 15]], [">", [16, 15]], [">=", [16, 15]], ["==", [16, 15]], ["!=", [16, 15]], ["in", [16, 15]], ["is", [16, 15]], ["&", [18, 19]], ["<<", [18, 19]], [">>", [18, 19]], ["+", [26, 27]], ["-", [26, 27]], ["*", [28, 29]], ["/", [28, 29]], ["//", [28, 29]], ["%", [28, 29]], ["@", [28, 29]], ["**", [32, 31]]]);
export const CLOSING = new Map<string, string>([["(", ")"], ["[", "]"], ["{", "}"]]);
export const COMPARISONS = new Map<string, string>([["<", "less"], ["<=", "less_equal"], [">", "greater"], [">=", "greater_equal"], ["==", "equal"], ["!=", "not_equal"], ["in", ""], ["is", ""]]);
export const EXPECTED = new Map<string, string>([["^", "one of + - * / // ** %"], [":=", "name = formula, and a formula at the end"]]);
export const FOREIGN = new Map<string, string>([["and", "Nest the conditions: where(a < b, where(b < c, x, y), y)."], ["or", "Nest the conditions: where(a < b, where(b < c, x, y), y)."], ["if", "Write where(condition, a, b)."], ["else", "Write where(condition, a, b)."], ["False", "Write 0."], ["True", "Write 1."], [",", "Write decimals with a point, 1.5, and one result per formula."], ["[", "Use round brackets: (a + b) * c. Only logsumexp takes a list: logsumexp([a, b])."], ["{", "Use round brackets: (a + b) * c."], ["[]", "Write x0 instead of x[0]: indexing is not supported."]]);
export const FORMULA = "a formula such as (a + b) * c";
export const INSTEAD = new Map<string, string>([["Value", "Write the number itself: 2.0."], ["float", "Write the number itself: 2.0."], ["int", "Write the number itself: 2.0."], ["Tensor", "Write the number itself: 2.0."], ["tensor", "Write the number itself: 2.0."], ["array", "Write the number itself: 2.0."], ["Variable", "Write the number itself: 2.0."], ["print", "Remove it: the last line is the result."], ["sum", "Write the sum out: a + b."]]);
export const KEYWORDS: readonly string[] = ["False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield"];
export const MALFORMED = [["zero", "(?=0[0-9_]*[1-9][0-9_]*$)"], ["digit", "0[oO][0-7_]*(?=[89])|0[bB][01_]*(?=[2-9])"], ["number", "0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)|(?!0[0-9_]*[1-9][0-9_]*$)(?:[0-9](?:_?[0-9])*\\.?(?:[0-9](?:_?[0-9])*)?|\\.[0-9](?:_?[0-9])*)(?:[eE][-+]?[0-9](?:_?[0-9])*)?[jJ]?"]];
export const MAX_BRACKETS = 200;
export const MAX_DEPTH = 1000;
export const MAX_LENGTH = 10000;
export const MESSAGES = {
  empty: ["a formula such as (a + b) * c", "nothing", "Type a formula."],
  length: ["at most 10,000 characters", "{count}", "Split the formula."],
  text: ["a formula such as (a + b) * c", "a character that is not text", "Remove the invisible character."],
  depth: ["at most 1,000 levels of operations", "more", "Name parts of the formula: d = a * b."],
  nested: ["at most 200 brackets inside each other", "more", "Name parts of the formula: d = a * b."],
  zero: ["a formula such as (a + b) * c", "a number that begins with 0", "Remove the leading 0."],
  digit: ["a formula such as (a + b) * c", "a digit that is too large", "Use digits up to 7 in 0o, up to 1 in 0b."],
  number: ["a formula such as (a + b) * c", "an incomplete number", "Write all its digits."],
  unclosed: ["a formula such as (a + b) * c", "a '{code}' that is never closed", "Add a '{partner}'."],
  unopened: ["a formula such as (a + b) * c", "a '{code}' that closes nothing", "Remove it, or add a '{partner}'."],
  mismatch: ["a formula such as (a + b) * c", "a '{code}' that does not close '{opening}'", "Write '{partner}'."],
  token: ["a formula such as (a + b) * c", "'{code}'", "Write an operator between two operands: a + b."],
  end: ["a formula such as (a + b) * c", "the end of the line", "Complete the line: an operand is missing."],
  quotation: ["a formula such as (a + b) * c", "{code}", "Write names without quotation marks."],
  prime: ["a formula such as (a + b) * c", "{code}", "Use only letters, digits and _ in names: {name}_1."],
  reserved: ["a formula such as (a + b) * c", "'{code}', a word of Python", "{fix}", "Remove it, or rename the variable."],
  blank: ["a formula such as (a + b) * c", "a blank of another kind, {code}", "Type a plain one."],
  invisible: ["a formula such as (a + b) * c", "an invisible character, {code}", "Remove it."],
  unknown: ["a formula such as (a + b) * c", "{code}", "Write {plain} instead.", "Remove it."],
  equals: ["a formula such as (a + b) * c", "=", "Write a named argument as in {example}.", "Name it on its own line: d = a * b."],
  adjacent: ["a formula such as (a + b) * c", "{code} directly after {before}", "Write {function}({b}).", "Write {mantissa} * {b}, or an exponent with digits: 1e5.", "Write {factor} * {b}, or a comma between them.", "Write {a} * {b}."],
  statement: ["name = formula, and a formula at the end", "{code}", "{fix}", "Write one name on the left: d = a * b."],
  augmented: ["name = formula, and a formula at the end", "{code}", "Write a = a + b instead."],
  unnamed: ["name = formula, and a formula at the end", "{code}", "Name the result, d = a * b, or remove the line."],
  equation: ["name = formula, and a formula at the end", "==", "Write d = a * b to name a result. Use comparisons only as the first argument of where: where(a < b, x, y)."],
  equality: ["one of + - * / // ** %", "==", "Write d = a * b to name a result. Use comparisons only as the first argument of where: where(a < b, x, y)."],
  comparison: ["one of + - * / // ** %", "{sign}", "Use comparisons only as the first argument of where: where(a < b, x, y)."],
  condition: ["one comparison: < <= > >= == !=", "{code}", "Nest the conditions: where(a < b, where(b < c, x, y), y)."],
  operator: ["one of + - * / // ** %", "{sign}", "Remove it."],
  product: ["one of + - * / // ** %", "(", "Write {a} * {b}."],
  foreign: ["numbers, names, + - * / // ** %, brackets and functions of gradwalk", "{code}", "{fix}", "Remove it."],
  attribute: ["numbers, names, + - * / // ** %, brackets and functions of gradwalk", "{code}", "{instead}", "Write {known} without {module}.", "{nearest}", "Write {method}({object}).", "Write exp(x) instead of math.exp(x) or x.exp()."],
  function: ["a function of gradwalk", "'{name}'", "{instead}", "{nearest}", "Write {name} * (...) for a product. Available functions: {functions}."],
  arguments: ["{signature}", "{code}", "Give every argument once."],
  order: ["a formula such as (a + b) * c", "a positional argument after a named one", "Put positional ones first."],
  list: ["logsumexp([a, b, ...])", "{code}", "Write logsumexp([a, b])."],
  finite: ["a number below 1.8e308", "{code}", "Write inf for infinity."],
  unused: ["values for its variables ({names})", "one for '{name}'", "{nearest}", "Remove it."],
  missing: ["a value for every variable ({names})", "none for '{name}'", "Give it one, {name}=1.0, or write {constant}.", "Give it one, {name}=1.0, or call the function: {function}(x).", "Give it one: {name}=1.0."],
  value: ["a number such as 2, 1e-3 or 1/3", "the name '{name}'", "Write its number instead."],
} as const;
export const MODULES: readonly string[] = ["math", "cmath", "np", "numpy", "jnp", "jax", "torch", "tf", "tensorflow", "F", "nn", "gw", "gradwalk"];
export const NEAREST = "Did you mean '{name}'?";
export const NOTATION = [["× ⋅ ∙ ∗ • ✕ ⨯ · ·", "Write {a} * {b}.", "Write * instead."], ["÷ ∕ ⁄", "Write {a} / {b}.", "Write / instead."], ["− – — ‐ ‑", "Write {a} - {b}.", "Write -{b}.", "Write - instead."], ["≤", "Write <= instead."], ["≥", "Write >= instead."], ["≠ <>", "Write != instead."], ["∞", "Write inf instead."], ["← ≔", "Write = instead."], [":=", "Name it on its own line: d = a * b."], ["^", "Write the power after the brackets: {function}(x) ** {b}.", "Write {a} ** {b}.", "Write powers with **: a ** 2."], ["⁰ ¹ ² ³ ⁴ ⁵ ⁶ ⁷ ⁸ ⁹ ⁺ ⁻ ⁿ ⁱ", "Write the power after the brackets: {function}(x) ** {digits}.", "Write {a} ** {digits}.", "Write powers with **: a ** 2."], ["₀ ₁ ₂ ₃ ₄ ₅ ₆ ₇ ₈ ₉", "Write {a}{digits}.", "Write {plain} instead.", "Remove it."], ["√", "Write sqrt({argument}).", "Write sqrt(x)."], ["∛", "Write cbrt({argument}).", "Write cbrt(x)."], ["|", "Write abs({inside}).", "Write abs(x)."], ["&& ||", "Nest the conditions: where(a < b, where(b < c, x, y), y)."], ["!", "Write exp(lgamma({a} + 1)) for a factorial.", "Remove it."], ["\\", "Write a / b, sqrt(x) or x ** 2: \\{command} is TeX.", "Remove it."], ["$ ? `", "Remove it."]];
export const NO_LETTERS = "··ⁿⁱ";
export const NUMERAL = "0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)|(?!0[0-9_]*[1-9][0-9_]*$)(?:[0-9](?:_?[0-9])*\\.?(?:[0-9](?:_?[0-9])*)?|\\.[0-9](?:_?[0-9])*)(?:[eE][-+]?[0-9](?:_?[0-9])*)?[jJ]?";
export const OTHER_NAMES = new Map<string, string>([["ln", "log"], ["max", "maximum"], ["min", "minimum"], ["sgn", "sign"], ["σ", "sigmoid"], ["logistic", "sigmoid"], ["swish", "silu"], ["fabs", "abs"], ["power", "pow"]]);
export const PATTERNS = {
  line: "(?:[\\t\\v\\f\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*|#[^\\n]*)\\n",
  blank: "(?:(?<![^\\n])[\\t\\v\\f\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+|[ \\t\\f]|\\\\[\\t\\v\\f\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*\\n(?=[\\s\\S]))+",
  quotation: "[rRbBuUfF]{0,2}(?:'''[\\s\\S]*?'''|\"\"\"[\\s\\S]*?\"\"\"|'(?:\\\\[\\s\\S]|[^'\\\\\\n])*'|\"(?:\\\\[\\s\\S]|[^\"\\\\\\n])*\")",
  number: "0[xXoObB][0-9a-fA-F_]*|(?:[0-9][0-9_]*\\.?(?:[0-9][0-9_]*)?|\\.[0-9][0-9_]*)(?:[eE][-+]?[0-9][0-9_]*)?[jJ]?",
  sign: "\\*\\*=?|//=?|<<=?|>>=?|<>|\\.\\.\\.|->|:=|&&|\\|\\||[-+*/%@&|^<>=!]=|[\\s\\S]",
} as const;
export const PREFIX = new Map<string, number>([["*", 6], ["not", 14], ["+", 31], ["-", 31], ["~", 31]]);
export const PRIMES = "'’′″";
export const PRIMITIVES = new Map<string, string>([["+", "add"], ["-", "sub"], ["*", "mul"], ["/", "div"], ["//", "floordiv"], ["%", "mod"], ["**", "pow"]]);
export const QUOTES = "\"'“”‘’„‚«»‹›";
export const RESERVED: readonly string[] = ["as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "except", "finally", "for", "from", "global", "import", "lambda", "nonlocal", "pass", "raise", "return", "try", "while", "with", "yield"];
export const SPELLED = new Map<string, string>([["π", "pi"], ["Pi", "pi"], ["PI", "pi"], ["infinity", "inf"], ["Inf", "inf"]]);
export const STATEMENTS = new Map<string, string>([["if", "Write where(condition, a, b)."], ["elif", "Write where(condition, a, b)."], ["else", "Write where(condition, a, b)."], ["for", "Write each step on its own line: loops are not supported."], ["while", "Write each step on its own line: loops are not supported."], ["import", "Remove this line: all functions are available without it."], ["from", "Remove this line: all functions are available without it."], ["def", "Write the formula itself: defining functions is not supported."], ["class", "Write the formula itself: defining functions is not supported."], ["return", "Remove 'return': the last line is the result."]]);
export const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";
export const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ";
export const FUNCTIONS: readonly string[] = ["abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "clip", "cos", "cosh", "digamma", "elu", "erf", "erfc", "exp", "exp2", "expm1", "floor", "fma", "gelu", "hardtanh", "hypot", "leaky_relu", "lgamma", "log", "log10", "log1p", "log2", "log_sigmoid", "logaddexp", "maximum", "minimum", "neg", "polygamma", "pow", "reciprocal", "relu", "round", "selu", "sigmoid", "sign", "silu", "sin", "sinc", "sinh", "softplus", "sqrt", "square", "tan", "tanh", "where"];
export const CALLABLE: readonly string[] = ["abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "clip", "cos", "cosh", "digamma", "elu", "erf", "erfc", "exp", "exp2", "expm1", "floor", "fma", "gelu", "hardtanh", "hypot", "leaky_relu", "lgamma", "log", "log10", "log1p", "log2", "log_sigmoid", "logaddexp", "logsumexp", "maximum", "minimum", "neg", "polygamma", "pow", "reciprocal", "relu", "round", "selu", "sigmoid", "sign", "silu", "sin", "sinc", "sinh", "softplus", "sqrt", "square", "tan", "tanh", "where"];
