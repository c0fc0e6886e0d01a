"""Read handwritten digits, with two hidden layers or with convolutions.

    python -m examples.digits --model mlp      # 98 % of the test digits
    python -m examples.digits --model cnn      # 99 %, in a few times the time
    python -m examples.digits --out pictures   # the loss curve, and digits with the answers

The data are the 1,797 pictures of 8 x 8 pixels that come with scikit-learn. A fifth of them is
kept for testing. Both networks are float32 and are trained by AdamW, with a learning rate that
decays along a cosine to 0.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from gradwalk import Tensor, nn, no_grad
from gradwalk.data.digits import draw_answers, load_digits
from gradwalk.optim import AdamW, CosineAnnealingLR
from gradwalk.training import History, fit


def mlp(seed: int) -> nn.Sequential:
    """Return a network of 64 pixels, 128 and 64 neurons, and 10 digits."""
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(64, 128, seed=seed),
        nn.ReLU(),
        nn.Dropout(0.2, seed=seed + 3),
        nn.Linear(128, 64, seed=seed + 1),
        nn.ReLU(),
        nn.Dropout(0.2, seed=seed + 4),
        nn.Linear(64, 10, seed=seed + 2),
    )


def cnn(seed: int) -> nn.Sequential:
    """Return a network of two 3 x 3 convolutions, each followed by 2 x 2 max pooling."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, seed=seed),  # 16 x 8 x 8
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),  # 16 x 4 x 4
        nn.Conv2d(16, 32, 3, padding=1, seed=seed + 1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),  # 32 x 2 x 2
        nn.Flatten(),
        nn.Dropout(0.3, seed=seed + 3),
        nn.Linear(128, 10, seed=seed + 2),
    )


def report(history: History) -> None:
    """Print a line for every fifth epoch."""
    if len(history) % 5 == 0:
        loss, accuracy = history["loss"][-1], history["val_accuracy"][-1]
        print(f"epoch {len(history):3}   loss {loss:.4f}   test accuracy {accuracy:.1%}")


def answers(model: nn.Module, images: Any) -> list[int]:
    """Return the most likely digit for each picture."""
    model.eval()
    with no_grad():
        return model(Tensor(images)).argmax(axis=1).tolist()


def main() -> None:
    """Train, test on the digits that were kept for it, and draw."""
    parser = argparse.ArgumentParser(description="Learn to read handwritten digits.")
    parser.add_argument("--model", choices=["mlp", "cnn"], default="mlp")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="a folder for two pictures")
    options = parser.parse_args()

    train, test = load_digits()
    model = (cnn if options.model == "cnn" else mlp)(options.seed).to("float32")
    print(f"{len(train[1])} digits to learn from, {model.num_parameters():,} parameters")
    optimizer = AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)

    start = time.perf_counter()
    history = fit(
        model,
        nn.cross_entropy,
        optimizer,
        train,
        epochs=options.epochs,
        batch_size=64,
        validation=test,
        metrics="accuracy",
        scheduler=CosineAnnealingLR(optimizer, options.epochs),
        callbacks=report,
        seed=options.seed,
    )
    predictions = answers(model, test[0])
    right, total = sum(a == b for a, b in zip(predictions, test[1], strict=True)), len(predictions)
    seconds = time.perf_counter() - start
    print(f"test accuracy {right / total:.2%}: {right} of {total}, after {seconds:.1f} s")

    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        history.plot(options.out / "loss.png", title=f"Digits, {options.model}")
        draw_answers(*test, predictions, options.out / "digits.png")


if __name__ == "__main__":
    main()
