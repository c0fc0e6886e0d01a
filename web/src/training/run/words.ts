/** The names of settings in words. */

export const WORDS: Record<string, string> = {
  xor: "XOR",
  moons: "Moons",
  circles: "Circles",
  spirals: "Spirals",
  points: "Your points",
  bce: "Cross-entropy (bce)",
  hinge: "Hinge",
  mse: "Squared error (mse)",
  sgd: "SGD",
  momentum: "SGD with momentum",
  adam: "Adam",
  adamw: "AdamW",
  rmsprop: "RMSprop",
  adagrad: "Adagrad",
};
