"""A character GPT in which every number is a scalar. It learns to invent names.

    python examples/gpt.py --steps 500
    python examples/gpt.py --text names.txt          # your own list, one name per line
    python examples/gpt.py --place jax               # the same on arrays, compiled: gpt_arrays.py

One transformer block (Vaswani et al., Attention is all you need, 2017; Radford et al., GPT-2, 2019)
with RMSNorm (Zhang and Sennrich 2019) before each half, a ReLU MLP four times as wide, no biases:
4,112 parameters for 27 characters. `GPT` takes the scalar class as an argument: it runs on
`gradwalk.Value` and on any other class with ``+ - * / **``, ``exp``, ``log`` and ``relu``.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from operator import add, mul
from pathlib import Path
from string import ascii_lowercase
from typing import Any

WIDTH, HEADS, BLOCK = 16, 4, 8
END = "."  # starts and ends every name

INVENTED = """
    abelin adira alvo amrin anouk ardelle arlo astrid avela balin belisa benno brisa calo camira
    cedrin ciro corvin dalia darin delmo dorella edda elio elvira enno erlin esmira fabrin faro
    felisa fenno fiora galen garo gemma gildo halina haro helvin idris ilsa imara ivo jannik jarla
    joren kalina karo kelda kirin laro lenna lioba lorin luvina malo marin melisa mirko nadira naro
    nelio nilsa norin odalis olin orla osmo palina perrin pilar quilla ramiro ravi renna rosalin
    sabin selma sirio solin talia taro tilda torvin ulla urbano valin vero vilma wanda wilmo xaveria
    yarin yelena zelda ziro zorin
"""
NAMES = INVENTED.split()

Vector = list[Any]
Matrix = list[Vector]


def dot(a: Vector, b: Vector) -> Any:
    """Return a · b."""
    return sum(map(mul, a, b))


def linear(weights: Matrix, x: Vector) -> Vector:
    """Return W x, one output per row of W."""
    return [dot(row, x) for row in weights]


def softmax(x: Vector) -> Vector:
    """Return exp(x) / Σ exp(x), shifted by the largest x to avoid overflow."""
    largest = max(xi.data for xi in x)
    powers = [(xi - largest).exp() for xi in x]
    total = sum(powers)
    return [power / total for power in powers]


def cross_entropy(logits: Vector, target: int) -> Any:
    """Return -ln softmax(logits)[target]."""
    largest = max(logit.data for logit in logits)
    return sum((logit - largest).exp() for logit in logits).log() + largest - logits[target]


def rms_norm(gain: Vector, x: Vector) -> Vector:
    """Return x divided by its root mean square, times a learned gain."""
    scale = (dot(x, x) * (1.0 / len(x)) + 1e-5) ** -0.5
    return [g * (scale * xi) for g, xi in zip(gain, x, strict=True)]


class GPT:
    """A transformer of one block over the characters of ``alphabet``."""

    def __init__(self, scalar: Callable[[float], Any], alphabet: str, seed: int = 0) -> None:
        rng = random.Random(seed)

        def matrix(rows: int, columns: int, std: float = WIDTH**-0.5) -> Matrix:
            return [[scalar(rng.gauss(0.0, std)) for _ in range(columns)] for _ in range(rows)]

        self.alphabet = alphabet
        self.token, self.position = matrix(len(alphabet), WIDTH), matrix(BLOCK, WIDTH)
        self.gains = [[scalar(1.0) for _ in range(WIDTH)] for _ in range(3)]
        self.query, self.key, self.value = (matrix(WIDTH, WIDTH) for _ in range(3))
        self.mix = matrix(WIDTH, WIDTH, std=0.02)
        self.up, self.down = matrix(4 * WIDTH, WIDTH), matrix(WIDTH, 4 * WIDTH, std=0.02)
        self.head = matrix(len(alphabet), WIDTH)

    def parameters(self) -> Vector:
        """Return every learned scalar."""
        matrices = [self.token, self.position, self.gains, self.query, self.key, self.value]
        matrices += [self.mix, self.up, self.down, self.head]
        return [p for matrix in matrices for row in matrix for p in row]

    def logits(self, tokens: Sequence[int]) -> Iterator[Vector]:
        """Yield for each position the scores of the next character."""
        keys: list[Vector] = []
        values: list[Vector] = []
        for token, position in zip(tokens, self.position, strict=False):  # at most BLOCK of them
            x = list(map(add, self.token[token], position))
            x = list(map(add, x, self.attend(rms_norm(self.gains[0], x), keys, values)))
            x = list(map(add, x, self.think(rms_norm(self.gains[1], x))))
            yield linear(self.head, rms_norm(self.gains[2], x))

    def attend(self, x: Vector, keys: list[Vector], values: list[Vector]) -> Vector:
        """Apply causal attention: each head sees all positions up to this one."""
        query = linear(self.query, x)
        keys.append(linear(self.key, x))
        values.append(linear(self.value, x))
        size, heads = WIDTH // HEADS, []
        for start in range(0, WIDTH, size):
            part = slice(start, start + size)
            scores = [dot(query[part], key[part]) * size**-0.5 for key in keys]
            weights = softmax(scores)
            heads += [
                dot(weights, list(column))
                for column in zip(*(value[part] for value in values), strict=True)
            ]
        return linear(self.mix, heads)

    def think(self, x: Vector) -> Vector:
        """Apply the MLP: to four times the width, ReLU, and back."""
        return linear(self.down, [hidden.relu() for hidden in linear(self.up, x)])

    def loss(self, name: str) -> Any:
        """Return the mean cross-entropy of the characters of ``name``, given the ones before."""
        tokens = [self.alphabet.index(character) for character in END + name + END]
        losses = list(map(cross_entropy, self.logits(tokens[:-1]), tokens[1:]))
        return sum(losses) * (1.0 / len(losses))

    def sample(self, rng: random.Random, temperature: float = 0.7) -> str:
        """Invent a name, one character after another."""
        tokens = [0]
        while len(tokens) <= BLOCK:
            *_, logits = self.logits(tokens)
            odds = softmax([logit * (1.0 / temperature) for logit in logits])
            tokens += rng.choices(range(len(odds)), [p.data for p in odds])
            if tokens[-1] == 0:
                break
        return "".join(self.alphabet[token] for token in tokens).strip(END)


def train(model: GPT, optimizer: Any, names: Sequence[str], steps: int) -> Iterator[float]:
    """Train on one name per step, and yield the loss of each step."""
    for step in range(steps):
        optimizer.zero_grad()
        loss = model.loss(names[step % len(names)])
        loss.backward()
        optimizer.step()
        yield loss.data


def main() -> None:
    """Train on a list of names, report the loss, and print names that the model invents."""
    import gradwalk

    parser = argparse.ArgumentParser(description="Train a character GPT made of scalars.")
    parser.add_argument(
        "--text", type=Path, help="a file of names, one per line (default: built in)"
    )
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--place", help="numpy, jax, torch or torch:cuda: on arrays, compiled")
    options = parser.parse_args()

    names = read_names(options.text) if options.text else list(NAMES)
    if not names:
        parser.error(f"{options.text}: expected one name per line, got an empty file")
    rng = random.Random(options.seed)
    rng.shuffle(names)
    losses, model, invent = (on_arrays if options.place else on_scalars)(names, options)
    print(f"{len(names)} names, {model} parameters, {gradwalk.ENGINE} engine")

    start = time.perf_counter()
    recent: list[float] = []
    for step, loss in enumerate(losses, start=1):
        recent = [*recent[-49:], loss]
        if step % 50 == 0 or step == options.steps:
            speed = step / (time.perf_counter() - start)
            print(f"step {step:5}   loss {sum(recent) / len(recent):.4f}   {speed:.0f} steps/s")
    with gradwalk.no_grad():
        print("invented:", ", ".join(invent(rng) for _ in range(options.samples)))


def on_scalars(names: list[str], options: Any) -> tuple[Iterator[float], str, Any]:
    """Return the losses of a training of Values, how many there are, and what invents names."""
    import gradwalk
    from gradwalk.optim import Adam

    model = GPT(gradwalk.Value, alphabet_of(names), seed=options.seed)
    parameters = model.parameters()
    optimizer = Adam(parameters, lr=options.lr, betas=(0.9, 0.95))
    losses = train(model, optimizer, names, options.steps)
    return losses, f"{len(parameters):,}", model.sample


def on_arrays(names: list[str], options: Any) -> tuple[Iterator[float], str, Any]:
    """Return the same of a training of arrays at a place."""
    sys.path.insert(0, str(Path(__file__).parent))
    import gpt_arrays

    alphabet = alphabet_of(names)
    model = gpt_arrays.GPT(len(alphabet), WIDTH, HEADS, BLOCK, options.seed)
    data = gpt_arrays.rows(names, alphabet, BLOCK)
    losses = gpt_arrays.train(model, options.place, data, options.steps, options.lr)

    def invent(rng: random.Random) -> str:
        return gpt_arrays.sample(model.to("numpy"), alphabet, BLOCK, rng)

    return losses, f"{model.num_parameters():,}", invent


def read_names(path: Path) -> list[str]:
    """Return the non-empty lines of a file, in lower case."""
    lines = path.read_text("utf-8").lower().splitlines()
    return [line.strip() for line in lines if line.strip()]


def alphabet_of(names: Sequence[str]) -> str:
    """Return `END`, then a to z and all other characters of the names, in order."""
    return END + "".join(sorted({*ascii_lowercase, *"".join(names)} - {END}))


if __name__ == "__main__":
    main()
