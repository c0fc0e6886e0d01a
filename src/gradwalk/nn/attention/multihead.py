"""`MultiheadAttention` and the encoder layer of the Transformer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.expect import describe
from ...engine.functions import gelu, relu
from ...errors import OptionError, SizeError
from ...ops.array.structure import permute_dims, reshape, unstack
from ...tensor import mean
from ...tensor.functions.arguments import operand
from ..dropout import Dropout
from ..initial import ArraySeed, chance, draw_parameter, float_dtype, generator_of, parameter, size
from ..linear import Linear, linear
from ..modules.module import Module
from ..normalization import LayerNorm
from .scaled_dot_product import Mask, attend, causal_mask, combine, mask_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["MultiheadAttention", "TransformerBlock", "TransformerEncoderLayer"]


class MultiheadAttention(Module):
    """Attention by several heads, each of which looks at a part of the features.

        y = concat(head₁, …, headₕ) Wₒᵀ + bₒ,  headᵢ = attention(Q Wᵢᵀ, K Wᵢᵀ, V Wᵢᵀ)

    The call is ``attention(query, key, value)``. It returns y and the weights, averaged over the
    heads unless ``average_attn_weights`` is false, or ``None`` instead of the weights without
    ``need_weights``. Bools in ``attn_mask`` and ``key_padding_mask`` are true where a query must
    *not* look; numbers are added to the scores. ``is_causal`` alone makes the causal mask. A query
    that may look nowhere gets weights 0.

    Parameters
    ----------
    embed_dim
        The number of features of query, key, value and y, >= 1.
    num_heads
        How many heads there are; a divisor of ``embed_dim``. Each head gets embed_dim /
        num_heads features.
    dropout
        The probability of each weight to be set to 0 in training, from 0 to 1.
    bias
        Whether the four maps have biases.
    batch_first
        Whether the batch is axis 0 of query, key, value and y, before the positions.
    seed
        Draws the initial parameters and the dropped numbers: an int, a generator to draw from,
        or ``None`` for fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no positive integer, ``num_heads`` no divisor of ``embed_dim``, ``dropout``
        no probability, ``seed`` is no seed, or ``dtype`` no floating dtype. Also if a mask
        holds integers (in the call).
    SizeError
        If the shapes of query, key, value or of a mask do not fit (in the call).

    Shape
    -----
    query, y : (queries, batch, embed_dim)
        With ``batch_first`` (batch, queries, embed_dim), or (queries, embed_dim).
    key, value : (keys, batch, embed_dim)
        With ``batch_first`` (batch, keys, embed_dim), or (keys, embed_dim).
    attn_mask : (queries, keys) or (batch · num_heads, queries, keys)
    key_padding_mask : (batch, keys), or (keys,) without batch
    weights : (batch, queries, keys), or (batch, num_heads, queries, keys) without average
    in_proj_weight : (3 embed_dim, embed_dim)
    in_proj_bias : (3 embed_dim,)

    See Also
    --------
    gradwalk.nn.functional.scaled_dot_product_attention, TransformerEncoderLayer

    References
    ----------
    Vaswani and others, Attention is all you need (2017), section 3.2.2.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> attention = MultiheadAttention(4, 2, batch_first=True, seed=0)
    >>> x = Tensor([[[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 1.0]]])
    >>> y, weights = attention(x, x, x, is_causal=True)
    >>> y.shape, weights[0, 0].tolist()
    ((1, 2, 4), [1.0, 0.0])
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        batch_first: bool = False,
        seed: ArraySeed = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        self.embed_dim: int = size(embed_dim, "MultiheadAttention(embed_dim)")
        self.num_heads: int = size(num_heads, "MultiheadAttention(num_heads)")
        if self.embed_dim % self.num_heads:
            raise OptionError(
                where="MultiheadAttention(num_heads)",
                expected=f"a divisor of embed_dim, {self.embed_dim}",
                got=describe(num_heads),
                fix="Choose num_heads so that each head gets embed_dim / num_heads features.",
            )
        self.head_dim: int = self.embed_dim // self.num_heads
        self.dropout: float = chance(dropout, "MultiheadAttention(dropout)")
        self.batch_first = batch_first
        self._rng = rng = generator_of(seed)
        dtype, n = float_dtype(dtype, "MultiheadAttention(dtype)"), self.embed_dim
        self.in_proj_weight: Tensor = draw_parameter(
            rng, (6.0 / (4 * n)) ** 0.5, (3 * n, n), dtype
        )  # Xavier
        self.in_proj_bias: Tensor | None = parameter(np.zeros(3 * n), dtype) if bias else None
        self.out_proj: Linear = Linear(n, n, bias, seed=rng, dtype=dtype)
        if self.out_proj.bias is not None:
            self.out_proj.bias.data = np.zeros(n)

    def forward(
        self,
        query: Tensor | ArrayLike,
        key: Tensor | ArrayLike,
        value: Tensor | ArrayLike,
        key_padding_mask: Tensor | ArrayLike | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | ArrayLike | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the output, and the weights or ``None``.

        Parameters
        ----------
        query : (queries, batch, embed_dim), or as ``batch_first`` says, or (queries, embed_dim)
            What looks.
        key, value : (keys, batch, embed_dim), or as ``batch_first`` says, or (keys, embed_dim)
            Where a query looks, and what it gets.
        key_padding_mask : (batch, keys), or (keys,) without batch
            Bools that are true at keys that fill up short sequences, or numbers that are added
            to the scores.
        need_weights
            Whether the weights are returned, too.
        attn_mask : (queries, keys) or (batch · num_heads, queries, keys)
            Bools that are true where a query must not look, or numbers that are added to the
            scores.
        average_attn_weights
            Whether the weights are means over the heads.
        is_causal
            Whether query i looks at the keys 0 to i only, without ``attn_mask``.

        Returns
        -------
        the shape of query, and (batch, queries, keys) or (batch, num_heads, queries, keys)
            The output and the weights.

        Raises
        ------
        SizeError
            If the shapes of query, key, value or of a mask do not fit.
        OptionError
            If a mask holds integers.
        """
        same = query is key and key is value
        x, batched = self._batch_of(query)
        if same:
            q, k, v = self._heads(linear(x, self.in_proj_weight, self.in_proj_bias), 3)
        else:
            others = [self._like(batched, key, "key"), self._like(batched, value, "value")]
            q, k, v = self._projected(x, *others)
        mask = self._mask(q, k, attn_mask, key_padding_mask, is_causal)
        drop = self.dropout if self.training else 0.0
        mixed, weights = attend(q, k, v, mask, None, drop, self._rng, need_weights)
        y = self.out_proj(self._joined_heads(mixed))
        if weights is not None and average_attn_weights:
            weights = mean(weights, axis=1)
        if not batched:
            return y[0], None if weights is None or not need_weights else weights[0]
        return self._placed(y), weights if need_weights else None

    def _batch_of(self, given: Tensor | ArrayLike) -> tuple[Tensor, bool]:
        """Return an input as (N, L, E), and whether it had a batch."""
        x: Tensor = operand(given, "MultiheadAttention")
        if x.ndim not in (2, 3) or x.shape[-1] != self.embed_dim:
            form = "(N, L, E)" if self.batch_first else "(L, N, E)"
            raise SizeError(
                where="MultiheadAttention",
                expected=f"{form} or (L, E) with E = {self.embed_dim}",
                got=f"shape {x.shape}",
                fix="Reshape x: features come last; with batch_first=True examples come first.",
            )
        if x.ndim == 2:
            return reshape(x, shape=(1, *x.shape)), False
        return self._placed(x), True

    def _like(self, batched: bool, x: Tensor | ArrayLike, name: str) -> Tensor:
        """Return key or value as (N, S, E). It must have a batch if the query has one."""
        other, has_batch = self._batch_of(x)
        if has_batch != batched:
            raise SizeError(
                where=f"MultiheadAttention({name})",
                expected=f"{'three axes' if batched else 'two axes'}, as the query has",
                got=f"shape {operand(x, 'MultiheadAttention').shape}",
                fix="Give all three a batch, or none: x[None] is a batch of one.",
            )
        return other

    def _placed(self, x: Tensor) -> Tensor:
        placed: Tensor = x if self.batch_first else permute_dims(x, axes=(1, 0, 2))
        return placed

    def _heads(self, x: Tensor, parts: int) -> tuple[Tensor, ...]:
        """Split (N, L, parts · E) into ``parts`` of (N, heads, L, features of a head)."""
        batch, length, _ = x.shape
        split = reshape(x, shape=(batch, length, parts, self.num_heads, self.head_dim))
        return tuple(unstack(permute_dims(split, axes=(2, 0, 3, 1, 4)), axis=0))

    def _projected(self, *inputs: Tensor) -> list[Tensor]:
        """Return query, key and value, each projected by its third of the weight."""
        n = self.embed_dim
        heads: list[Tensor] = []
        for i, x in enumerate(inputs):
            rows = slice(i * n, (i + 1) * n)
            bias = None if self.in_proj_bias is None else self.in_proj_bias[rows]
            heads += self._heads(linear(x, self.in_proj_weight[rows], bias), 1)
        return heads

    def _joined_heads(self, heads: Tensor) -> Tensor:
        """Return the outputs of the heads side by side, (N, L, E)."""
        batch, _, length, _ = heads.shape
        together = permute_dims(heads, axes=(0, 2, 1, 3))
        rows: Tensor = reshape(together, shape=(batch, length, self.embed_dim))
        return rows

    def _mask(
        self,
        q: Tensor,
        k: Tensor,
        attn_mask: Tensor | ArrayLike | None,
        padding: Tensor | ArrayLike | None,
        is_causal: bool,
    ) -> Mask:
        """Return the numbers to add to the scores (N, heads, L, S)."""
        where, (batch, heads, queries, _) = "MultiheadAttention", q.shape
        mask: Mask = None
        keys = k.shape[2]
        if attn_mask is not None:
            mask = mask_of(attn_mask, where, q.dtype, true_looks=False)
            _expect_shape(mask, [(queries, keys), (batch * heads, queries, keys)], "attn_mask")
            if mask.ndim == 3:
                mask = reshape(mask, shape=(batch, heads, queries, keys))
        elif is_causal:
            mask = causal_mask(queries, keys, q.dtype.name)
        if padding is None:
            return mask
        absent = mask_of(padding, where, q.dtype, true_looks=False)
        _expect_shape(
            absent, [(batch, keys), *([(keys,)] if batch == 1 else [])], "key_padding_mask"
        )
        return combine(mask, reshape(absent, shape=(batch, 1, 1, keys)))


def _expect_shape(mask: Tensor, shapes: list[tuple[int, ...]], name: str) -> None:
    if mask.shape not in shapes:
        raise SizeError(
            where=f"MultiheadAttention({name})",
            expected=f"shape {' or '.join(map(str, shapes))}",
            got=f"shape {mask.shape}",
            fix="Pass a row per query and a column per key; for padding, a row per example.",
        )


class TransformerEncoderLayer(Module):
    """Attention of a sequence to itself, then a network of two layers, each beside its input.

        x ← norm(x + attention(x));  x ← norm(x + W₂ f(W₁ x))     (``norm_first=False``)
        x ← x + attention(norm(x));  x ← x + W₂ f(W₁ norm(x))     (``norm_first=True``)

    Its parameters have the names and shapes of PyTorch's. The call is ``layer(src)``, with the
    options ``src_mask``, ``src_key_padding_mask`` and ``is_causal``, which are ``attn_mask``,
    ``key_padding_mask`` and ``is_causal`` of `MultiheadAttention`. `TransformerBlock` is another
    name of this class.

    Parameters
    ----------
    d_model
        The number of features, >= 1; a multiple of ``nhead``.
    nhead
        How many heads each attention has, >= 1.
    dim_feedforward
        The width of the network of two layers, >= 1.
    dropout
        The probability of each weight and each output of a part to be set to 0 in training,
        from 0 to 1.
    activation
        "relu", "gelu" or a function, between the two layers of the network.
    layer_norm_eps
        Added to the variances of the normalisations before the root, >= 0.
    batch_first
        Whether the batch is axis 0 of all sequences, before the positions.
    norm_first
        Whether the input of a part is normalised, instead of its sum with the output.
    bias
        Whether the linear maps and the normalisations have biases.
    seed
        Draws the initial parameters and the dropped numbers: an int, a generator to draw from,
        or ``None`` for fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    NotANumberError
        If ``layer_norm_eps`` is no number.
    OptionError
        If a size is no positive integer, ``nhead`` no divisor of ``d_model``, ``dropout`` no
        probability, ``activation`` unknown, ``seed`` is no seed, or ``dtype`` no floating
        dtype.
    SizeError
        If a sequence or a mask has another shape (in the call).

    Shape
    -----
    src, y : (length, batch, d_model)
        With ``batch_first`` (batch, length, d_model), or (length, d_model).
    src_mask : (length, length) or (batch · nhead, length, length)
    src_key_padding_mask : (batch, length), or (length,) without batch

    See Also
    --------
    TransformerEncoder, TransformerDecoderLayer, MultiheadAttention

    References
    ----------
    Vaswani and others, Attention is all you need (2017).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> block = TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True, seed=0)
    >>> block(Tensor([[[0.5] * 8] * 3])).shape
    (1, 3, 8)
    """

    dropout1: Dropout
    dropout2: Dropout

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Any], Any] = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        seed: ArraySeed = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        rng = generator_of(seed)
        made: dict[str, Any] = {"seed": rng, "dtype": dtype}
        self.self_attn: MultiheadAttention = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, **made
        )
        self.linear1: Linear = Linear(d_model, dim_feedforward, bias, **made)
        self.dropout: Dropout = Dropout(dropout, seed=rng)
        self.linear2: Linear = Linear(dim_feedforward, d_model, bias, **made)
        self.norm_first = norm_first
        self.norm1: LayerNorm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
        self.norm2: LayerNorm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
        self.dropout1, self.dropout2 = Dropout(dropout, seed=rng), Dropout(dropout, seed=rng)
        self.activation: Callable[[Any], Any] = _function(activation)

    def forward(
        self,
        src: Tensor | ArrayLike,
        src_mask: Tensor | ArrayLike | None = None,
        src_key_padding_mask: Tensor | ArrayLike | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return the sequence after attention of its members to each other."""
        masks = (src_key_padding_mask, False, src_mask, True, is_causal)
        x: Tensor = operand(src, "TransformerEncoderLayer")
        if self.norm_first:
            x = x + self._attend(self.norm1(x), masks)
            y: Tensor = x + self._feed_forward(self.norm2(x))
            return y
        x = self.norm1(x + self._attend(x, masks))
        return self.norm2(x + self._feed_forward(x))

    def _attend(self, x: Tensor, masks: tuple[Any, ...]) -> Tensor:
        return self.dropout1(self.self_attn(x, x, x, *masks)[0])

    def _feed_forward(self, x: Tensor) -> Tensor:
        hidden = self.dropout(self.activation(self.linear1(x)))
        return self.dropout2(self.linear2(hidden))


TransformerBlock = TransformerEncoderLayer


def _function(activation: str | Callable[[Any], Any]) -> Callable[[Any], Any]:
    known: dict[str, Callable[[Any], Any]] = {"relu": relu, "gelu": gelu}
    if callable(activation):
        return activation
    if isinstance(activation, str) and activation in known:
        return known[activation]
    raise OptionError(
        where="TransformerEncoderLayer(activation=...)",
        expected='"relu", "gelu" or a function',
        got=describe(activation),
        fix="Pass functools.partial(gradwalk.gelu, approximate='tanh') for the fast gelu.",
    )
