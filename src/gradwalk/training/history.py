"""`History`: the losses and metrics of a training, epoch by epoch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.expect import as_float, describe
from ..errors import OptionError, UsageError
from ..inspect import plot_loss
from ..inspect.charts import lines_over_time
from ..inspect.draw import Drawing
from ..inspect.flow import Flow

__all__ = ["History", "checked_record", "checked_records"]


class History:
    """The losses and metrics of each epoch, by name.

    ``history["loss"]`` is a list with one number for each epoch; names of measures on validation
    data begin with ``val_``.

    Parameters
    ----------
    records
        A dictionary of the numbers for each epoch.

    Raises
    ------
    UsageError
        If the records are no dictionaries.

    Examples
    --------
    >>> history = History([{"loss": 1.0, "val_loss": 2.0}, {"loss": 0.5, "val_loss": 2.5}])
    >>> len(history), history["loss"], history.best_epoch, history.best
    (2, [1.0, 0.5], 1, 2.0)
    """

    def __init__(self, records: Iterable[Mapping[str, float]] = ()) -> None:
        known = list(records) if isinstance(records, Iterable) else [records]
        if not all(isinstance(record, Mapping) for record in known):
            raise UsageError(
                where="History(records)",
                expected="one mapping of names to numbers for each epoch",
                got=describe(records),
                fix='Write History([{"loss": 1.0}]).',
            )
        self.records: list[dict[str, float]] = [dict(record) for record in known]
        self.flows: list[Flow] = []

    @property
    def names(self) -> list[str]:
        """The names of the losses and metrics."""
        return list(self.records[0]) if self.records else []

    @property
    def monitored(self) -> str:
        """The name of the loss that determines the best epoch: ``val_loss`` if recorded."""
        return "val_loss" if "val_loss" in self.names else "loss"

    @property
    def best_epoch(self) -> int:
        """The epoch, counted from 1, with the smallest loss; 0 before the first."""
        losses = [math.inf if math.isnan(x) else x for x in self[self.monitored]]
        return losses.index(min(losses)) + 1 if losses else 0

    @property
    def best(self) -> float:
        """The smallest loss; NaN before the first epoch."""
        return self.records[self.best_epoch - 1][self.monitored] if self.records else math.nan

    def stale(self, min_delta: float = 0.0) -> int:
        """Return how many epochs ago the loss last fell by more than ``min_delta``."""
        best, ago = math.inf, 0
        for loss in self[self.monitored]:
            best, ago = (loss, 0) if loss < best - min_delta else (best, ago + 1)
        return ago

    def plot(self, path: str | Path | None = None, **options: Any) -> Any:
        """Draw the losses as a figure of matplotlib; see `gradwalk.inspect.plot_loss`."""
        losses = [name for name in self.names if name in ("loss", "val_loss")]
        names = {"loss": "training", "val_loss": "validation"}
        return plot_loss({names[name]: self[name] for name in losses}, path, **options)

    def draw_flow(self) -> Drawing:
        """Draw the norms of each layer's gradients over time, as recorded by ``doctor=True``."""
        names = [layer.name for layer in self.flows[0].layers] if self.flows else []
        layers = [[found.layers[i] for found in self.flows] for i in range(len(names))]
        return lines_over_time("Norms of gradients", [
            (name, [x.gradients for x in over], _changes([x.verdict for x in over]))
            for name, over in zip(names, layers, strict=True)
        ])  # fmt: skip

    def __getitem__(self, name: str) -> list[float]:
        if self.records and name not in self.names:
            raise OptionError(
                where="History",
                expected=f"one of {', '.join(self.names)}",
                got=describe(name),
                fix="Pass metrics= to fit to record more quantities.",
            )
        return [record[name] for record in self.records]

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        if not self.records:
            return "History(no epochs)"
        last = ", ".join(f"{name}={x:.5g}" for name, x in self.records[-1].items())
        return f"History({len(self)} epochs, best {self.best_epoch}; last: {last})"


def checked_record(record: Mapping[str, Any]) -> dict[str, float]:
    """Return a record that was read from a file, if all its entries are numbers."""
    return {name: as_float(x, name) for name, x in record.items()}


def checked_records(records: Iterable[Mapping[str, Any]]) -> list[dict[str, float]]:
    """Return records that were read from a file, if all have the same names, of which one is loss.

    Raise ``ValueError`` otherwise.
    """
    checked = [checked_record(record) for record in records]
    if any(record.keys() != checked[0].keys() or "loss" not in record for record in checked):
        raise ValueError("records of different names")
    return checked


def _changes(verdicts: Sequence[str]) -> str:
    """Return the verdicts on a layer with the epochs since when they hold: healthy, dead from 3."""
    return ", ".join(
        verdict if epoch == 1 else f"{verdict} from {epoch}"
        for epoch, verdict in enumerate(verdicts, 1)
        if epoch == 1 or verdict != verdicts[epoch - 2]
    )
