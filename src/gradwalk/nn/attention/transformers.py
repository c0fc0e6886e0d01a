"""The Transformer: stacks of encoder and decoder layers."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.expect import describe
from ...errors import OptionError
from ...tensor.functions.arguments import operand
from ..dropout import Dropout
from ..initial import ArraySeed, generator_of, size
from ..modules.containers import ModuleList
from ..modules.module import Module
from ..normalization import LayerNorm
from .multihead import MultiheadAttention, TransformerEncoderLayer

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

    Mask = Tensor | ArrayLike | None

__all__ = ["Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder"]


class TransformerDecoderLayer(TransformerEncoderLayer):
    """Attention of a sequence to itself, then to another one, then a network of two layers.

        x ← norm(x + attention(x));  x ← norm(x + attention(x, memory));  x ← norm(x + f(x))

    Its parameters have the names and shapes of PyTorch's. The call is ``layer(tgt, memory)``, with
    masks for the attention of tgt to itself (``tgt_mask``, ``tgt_key_padding_mask``,
    ``tgt_is_causal``) and to memory (``memory_mask``, ``memory_key_padding_mask``,
    ``memory_is_causal``). They mean what the masks of `MultiheadAttention` mean.

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
    tgt, y : (length, batch, d_model)
        With ``batch_first`` (batch, length, d_model), or (length, d_model).
    memory : (keys, batch, d_model), with ``batch_first`` (batch, keys, d_model), or (keys, d_model)

    See Also
    --------
    TransformerDecoder, TransformerEncoderLayer, MultiheadAttention

    References
    ----------
    Vaswani and others, Attention is all you need (2017).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> layer = TransformerDecoderLayer(8, 2, dim_feedforward=16, batch_first=True, seed=0)
    >>> layer(Tensor([[[0.5] * 8] * 3]), Tensor([[[0.25] * 8] * 5])).shape
    (1, 3, 8)
    """

    dropout3: Dropout

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
        options = (dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        super().__init__(d_model, nhead, *options, bias, seed=rng, dtype=dtype)
        self.multihead_attn: MultiheadAttention = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, seed=rng, dtype=dtype
        )
        self.norm3: LayerNorm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
        self.dropout3 = Dropout(dropout, seed=rng)

    def forward(  # type: ignore[override]
        self,
        tgt: Tensor | ArrayLike,
        memory: Tensor | ArrayLike,
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None,
        memory_key_padding_mask: Mask = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the sequence after attention to itself and to ``memory``."""
        own = (tgt_key_padding_mask, False, tgt_mask, True, tgt_is_causal)
        other = (memory_key_padding_mask, False, memory_mask, True, memory_is_causal)
        x: Tensor = operand(tgt, "TransformerDecoderLayer")
        if self.norm_first:
            x = x + self._attend(self.norm1(x), own)
            x = x + self._read(self.norm2(x), memory, other)
            y: Tensor = x + self._answer(self.norm3(x))
            return y
        x = self.norm1(x + self._attend(x, own))
        x = self.norm2(x + self._read(x, memory, other))
        return self.norm3(x + self._answer(x))

    def _read(self, x: Tensor, memory: Tensor | ArrayLike, masks: tuple[Any, ...]) -> Tensor:
        return self.dropout2(self.multihead_attn(x, memory, memory, *masks)[0])

    def _answer(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def _copies(layer: Module, num_layers: int, where: str) -> ModuleList:
    if not isinstance(layer, Module):
        raise OptionError(
            where=f"{where}(layer)",
            expected="a layer, which is copied",
            got=describe(layer),
            fix=f"Write {where}({where}Layer(512, 8), num_layers=6).",
        )
    return ModuleList([deepcopy(layer) for _ in range(size(num_layers, f"{where}(num_layers)"))])


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other.

    As in PyTorch, all copies start with equal weights. The call is ``encoder(src)``, with the
    options ``mask``, ``src_key_padding_mask`` and ``is_causal``, which every layer gets.

    Parameters
    ----------
    encoder_layer
        The layer that is copied.
    num_layers
        How many copies there are, >= 1.
    norm
        A module for the output of the last copy; ``None`` for none.

    Raises
    ------
    OptionError
        If ``encoder_layer`` is no module, or ``num_layers`` no positive integer.
    SizeError
        If src or a mask has another shape (in the call).

    Shape
    -----
    src, y : (length, batch, d_model)
        With ``batch_first`` (batch, length, d_model), or (length, d_model).

    See Also
    --------
    TransformerEncoderLayer, Transformer

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> layer = TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True, seed=0)
    >>> TransformerEncoder(layer, 2)(Tensor([[[0.5] * 8] * 3])).shape
    (1, 3, 8)
    """

    def __init__(
        self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Module | None = None
    ) -> None:
        self.layers: ModuleList = _copies(encoder_layer, num_layers, "TransformerEncoder")
        self.norm = norm

    def forward(
        self,
        src: Tensor | ArrayLike,
        mask: Mask = None,
        src_key_padding_mask: Mask = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return the sequence after all layers."""
        x: Any = src
        for layer in self.layers:
            x = layer(x, mask, src_key_padding_mask, is_causal)
        return x if self.norm is None else self.norm(x)  # type: ignore[no-any-return]


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other.

    As in PyTorch, all copies start with equal weights. The call is ``decoder(tgt, memory)``, with
    the masks of `TransformerDecoderLayer`, which every layer gets.

    Parameters
    ----------
    decoder_layer
        The layer that is copied.
    num_layers
        How many copies there are, >= 1.
    norm
        A module for the output of the last copy; ``None`` for none.

    Raises
    ------
    OptionError
        If ``decoder_layer`` is no module, or ``num_layers`` no positive integer.
    SizeError
        If tgt, memory or a mask has another shape (in the call).

    Shape
    -----
    tgt, y : (length, batch, d_model)
        With ``batch_first`` (batch, length, d_model), or (length, d_model).
    memory : (keys, batch, d_model), with ``batch_first`` (batch, keys, d_model), or (keys, d_model)

    See Also
    --------
    TransformerDecoderLayer, Transformer

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> layer = TransformerDecoderLayer(8, 2, dim_feedforward=16, batch_first=True, seed=0)
    >>> TransformerDecoder(layer, 2)(Tensor([[[0.5] * 8] * 3]), Tensor([[[0.5] * 8] * 4])).shape
    (1, 3, 8)
    """

    def __init__(
        self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None
    ) -> None:
        self.layers: ModuleList = _copies(decoder_layer, num_layers, "TransformerDecoder")
        self.norm = norm

    def forward(
        self,
        tgt: Tensor | ArrayLike,
        memory: Tensor | ArrayLike,
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None,
        memory_key_padding_mask: Mask = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the sequence after all layers, each of which reads ``memory``."""
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        x: Any = tgt
        for layer in self.layers:
            x = layer(x, memory, *masks, tgt_is_causal, memory_is_causal)
        return x if self.norm is None else self.norm(x)  # type: ignore[no-any-return]


class Transformer(Module):
    """An encoder that reads one sequence, and a decoder that writes another.

    The call is ``model(src, tgt)``, with the masks of both stacks: ``src_mask``,
    ``src_key_padding_mask`` and ``src_is_causal`` of the encoder, and the masks of
    `TransformerDecoderLayer`. ``init.xavier_uniform_`` draws the matrices.

    Parameters
    ----------
    d_model
        The number of features of both sequences, >= 1; a multiple of ``nhead``.
    nhead
        How many heads each attention has, >= 1.
    num_encoder_layers, num_decoder_layers
        How many layers read src and write y, >= 1.
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
    src : (keys, batch, d_model), with ``batch_first`` (batch, keys, d_model), or (keys, d_model)
    tgt, y : (length, batch, d_model)
        With ``batch_first`` (batch, length, d_model), or (length, d_model).

    See Also
    --------
    TransformerEncoder, TransformerDecoder

    References
    ----------
    Vaswani and others, Attention is all you need (2017).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> model = Transformer(8, 2, 1, 1, dim_feedforward=16, batch_first=True, seed=0)
    >>> model(Tensor([[[0.5] * 8] * 4]), Tensor([[[0.5] * 8] * 3])).shape
    (1, 3, 8)
    """

    d_model: int
    nhead: int
    batch_first: bool

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
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
        options = (dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        made: dict[str, Any] = {"bias": bias, "seed": rng, "dtype": dtype}
        ends = [LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype) for _ in range(2)]
        reader = TransformerEncoderLayer(d_model, nhead, *options, **made)
        writer = TransformerDecoderLayer(d_model, nhead, *options, **made)
        self.encoder: TransformerEncoder = TransformerEncoder(reader, num_encoder_layers, ends[0])
        self.decoder: TransformerDecoder = TransformerDecoder(writer, num_decoder_layers, ends[1])
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        parameters: list[Any] = [*self.parameters()]
        for matrix in parameters:
            if matrix.ndim > 1:
                bound = float(np.sqrt(6.0 / (matrix.shape[0] + matrix.shape[1])))
                matrix.data = rng.uniform(-bound, bound, matrix.shape).astype(matrix.dtype)

    def forward(
        self,
        src: Tensor | ArrayLike,
        tgt: Tensor | ArrayLike,
        src_mask: Mask = None,
        tgt_mask: Mask = None,
        memory_mask: Mask = None,
        src_key_padding_mask: Mask = None,
        tgt_key_padding_mask: Mask = None,
        memory_key_padding_mask: Mask = None,
        src_is_causal: bool = False,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the sequence that the decoder writes."""
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return self.decoder(tgt, memory, *masks, tgt_is_causal, memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int) -> Tensor:
        """Return the mask of a sequence that may not look ahead: 0, and -inf above the diagonal.

        Parameters
        ----------
        sz
            The length of the sequence, >= 1.

        Returns
        -------
        (sz, sz)
            Numbers to add to the scores.

        Raises
        ------
        OptionError
            If ``sz`` is no positive integer.

        Examples
        --------
        >>> Transformer.generate_square_subsequent_mask(2).tolist()
        [[0.0, -inf], [0.0, 0.0]]
        """
        from ...tensor import Tensor

        length = size(sz, "generate_square_subsequent_mask(sz)")
        return Tensor(np.triu(np.full((length, length), -np.inf), 1))
