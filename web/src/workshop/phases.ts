/** Printed from the judge by `python -m gradwalk.workshop.printed`; do not edit. */

export interface Phase {
  phase: number;
  title: string;
  /** What to write. */
  asks: string;
  /** Why it is needed. */
  why: string;
}

export const PHASES: readonly Phase[] = [
  {"phase": 1, "title": "operators and forward", "asks": "Write Value(data) with data and grad, and the operators + - * / ** and -a, which return new Values.", "why": "A graph can only be differentiated if each result is a number of its own."},
  {"phase": 2, "title": "local derivatives", "asks": "For each operation, say how much its result changes with each operand.", "why": "These one-line rules are all the calculus that the engine needs."},
  {"phase": 3, "title": "backward and the chain rule", "asks": "Write backward(): the result's gradient is 1, then each node passes on, consumers first.", "why": "What arrives at a node must be complete before the node multiplies it and passes it on."},
  {"phase": 4, "title": "contributions add up", "asks": "Let each use of a number add its contribution to the gradient.", "why": "A number that is used twice changes the result in two ways, and the changes add up."},
  {"phase": 5, "title": "numbers on either side", "asks": "Let plain numbers stand on either side: a + 3, 3 - a, 3 / a, sum([a, b]).", "why": "Formulas have constants, and Python asks the right operand when the left one is a number."},
  {"phase": 6, "title": "functions", "asks": "Write exp, log, tanh, sigmoid and relu, as methods or functions; each is optional.", "why": "A net of sums and products alone is a straight line, however many layers it has."},
  {"phase": 7, "title": "numerical gradient", "asks": "Write numerical_gradient(f, x, eps), which moves x a little to both sides.", "why": "It needs no rule, so it can judge the rules."},
  {"phase": 8, "title": "neurons, layers, MLP", "asks": "Write Neuron(nin), Layer(nin, nout) and MLP(nin, nouts), each with parameters().", "why": "Training can change only the numbers that parameters() returns."},
  {"phase": 9, "title": "training", "asks": "Write train(model, xs, ys, steps, lr), which returns the loss of each step.", "why": "Gradients say in which direction the loss falls; the loop takes the steps."},
  {"phase": 10, "title": "large numbers", "asks": "Let functions whose result is finite return it: tanh(1000) is 1.", "why": "exp(1000) is too large for a float, and a formula may go through it without need."},
  {"phase": 11, "title": "deep and wide graphs", "asks": "Let backward() handle 3000 additions in a row, and x = x + x 22 times.", "why": "Python's calls have a limit, and paths can be as many as 2 to the power of 22."},
  {"phase": 12, "title": "a second graph", "asks": "Let zero_grad() set the gradients back, and let a second graph be right.", "why": "Training builds a new graph at each step."},
];

/** The file that New opens. */
export const SKELETON = "\"\"\"My engine: gradients by the chain rule. Check: gradwalk workshop my_engine.py.\"\"\"\n\n\nclass Value:\n    def __init__(self, data):\n        self.data = data\n        self.grad = 0.0\n\n# Phase 1: operators and forward\n# Write Value(data) with data and grad, and the operators + - * / ** and -a, which return new Values.\n# Why: A graph can only be differentiated if each result is a number of its own.\n\n# Phase 2: local derivatives\n# For each operation, say how much its result changes with each operand.\n# Why: These one-line rules are all the calculus that the engine needs.\n\n# Phase 3: backward and the chain rule\n# Write backward(): the result's gradient is 1, then each node passes on, consumers first.\n# Why: What arrives at a node must be complete before the node multiplies it and passes it on.\n\n# Phase 4: contributions add up\n# Let each use of a number add its contribution to the gradient.\n# Why: A number that is used twice changes the result in two ways, and the changes add up.\n\n# Phase 5: numbers on either side\n# Let plain numbers stand on either side: a + 3, 3 - a, 3 / a, sum([a, b]).\n# Why: Formulas have constants, and Python asks the right operand when the left one is a number.\n\n# Phase 6: functions\n# Write exp, log, tanh, sigmoid and relu, as methods or functions; each is optional.\n# Why: A net of sums and products alone is a straight line, however many layers it has.\n\n# Phase 7: numerical gradient\n# Write numerical_gradient(f, x, eps), which moves x a little to both sides.\n# Why: It needs no rule, so it can judge the rules.\n\n# Phase 8: neurons, layers, MLP\n# Write Neuron(nin), Layer(nin, nout) and MLP(nin, nouts), each with parameters().\n# Why: Training can change only the numbers that parameters() returns.\n\n# Phase 9: training\n# Write train(model, xs, ys, steps, lr), which returns the loss of each step.\n# Why: Gradients say in which direction the loss falls; the loop takes the steps.\n\n# Phase 10: large numbers\n# Let functions whose result is finite return it: tanh(1000) is 1.\n# Why: exp(1000) is too large for a float, and a formula may go through it without need.\n\n# Phase 11: deep and wide graphs\n# Let backward() handle 3000 additions in a row, and x = x + x 22 times.\n# Why: Python's calls have a limit, and paths can be as many as 2 to the power of 22.\n\n# Phase 12: a second graph\n# Let zero_grad() set the gradients back, and let a second graph be right.\n# Why: Training builds a new graph at each step.\n";
