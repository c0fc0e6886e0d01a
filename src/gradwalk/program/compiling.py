"""`compile`: a function is recorded once, and runs as a program from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar, overload

from ..core.backend import arrays
from ..core.carrier import is_tensor
from ..core.expect import at_least, describe, is_array, one_of
from ..core.functions import Lambda
from ..core.places import warn_user
from ..core.pytree import flatten
from ..engine.observing import observers
from ..engine.recording import Scope, Scopes
from ..engine.value import Value
from ..errors import ManyVersionsWarning, NotANumberError, OptionError
from ..levels.level import running
from .call import Call, Static, quick_call
from .program import Program
from .version import COMPILERS, UNFIT, ReplayError, Version, record, trains

__all__ = ["Compiled", "compile"]

P = ParamSpec("P")
R = TypeVar("R")


class _Off(Scope):
    """Where this task, or this thread, runs compiled functions as they are written."""

    kind = Scopes()


BRANCH = "Write gradwalk.where(condition, a, b) for the branch, name its argument in static_argnums"
OUTSIDE = "Pass it as an argument"
"""What to do against too many versions."""

BACKENDS = ("numpy", *COMPILERS)
_FLOATS = {float}
_NONE = Static()


@overload
def compile(
    f: Lambda,
    *,
    static_argnums: int | Sequence[int] = (),
    max_versions: int = 8,
    backend: str | None = None,
) -> Compiled[..., Any]: ...
@overload
def compile(
    f: Callable[P, R],
    *,
    static_argnums: int | Sequence[int] = (),
    max_versions: int = 8,
    backend: str | None = None,
) -> Compiled[P, R]: ...
@overload
def compile(
    f: None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    max_versions: int = 8,
    backend: str | None = None,
) -> Callable[[Callable[P, R]], Compiled[P, R]]: ...
def compile(  # the name of the field; Python's own function is `builtins.compile`
    f: Any = None,
    *,
    static_argnums: int | Sequence[int] = (),
    max_versions: int = 8,
    backend: str | None = None,
) -> Any:
    """Return a function that computes what ``f`` does, recorded once and replayed from then on.

    The first call runs ``f`` on tracers that write down every operation. Later calls run this
    program: of numbers without Python and with the same bits, of arrays by the functions of NumPy
    and the kernels that Tensors use.

    * It is recorded anew for another structure of the arguments, for other shapes and dtypes, and
      for other values of what is no number (text, bools, what is in objects).
    * Values and Tensors that ``f`` closes over are read at each call. What else it reads outside
      (numbers, settings, attributes, arrays) is compared at each call, and recorded anew if it is
      different.
    * The answer to a question about numbers (``if x > 0``, ``int(x)``) is a guard, and so is an int
      that is used as one (``range(n)``, ``xs[n]``): arguments with another answer are recorded as
      another version. ``where`` asks nothing.
    * Results have no graph. Inside transforms, on Values and on Tensors that require
      gradients, ``f`` itself runs.
    * Arrays of JAX and PyTorch go to the compilers of these libraries. There a question about
      numbers is an error, because they are known only when the program runs.
    * ``f`` may be a training step, with the model and the optimizer among its arguments: it may
      call ``zero_grad()``, ``backward()`` and ``step()``. Parameters, gradients and states are then
      those that a plain call leaves, also where ``f`` writes into them. So are modes
      (``model.eval()``), ``requires_grad`` and the attributes of Modules, which each call assigns
      again. Gradients and learning rates that ``f`` reads are read at each call.
    * ``print`` and other side effects happen while a version is recorded.

    ``with gradwalk.compile.off():`` runs ``f`` itself. ``compiled.program(*args)`` is the program.

    Parameters
    ----------
    f
        Any function of numbers, arrays, Tensors and modules, in containers too, and any nest of
        transforms, such as ``value_and_grad(loss)``. Without it a decorator is returned.
    static_argnums
        Positions, also from the end, of arguments by position or name for each of whose values the
        function is recorded anew.
    max_versions
        How many versions, and states of what ``f`` reads outside, are recorded at most. After them
        ``f`` itself runs for other answers and states, and a `ManyVersionsWarning` names the line
        or what has changed, once.
    backend
        What computes with arrays of NumPy: ``"xla"``, the compiler of JAX, ``"inductor"``, that of
        PyTorch, or ``"numpy"``, gradwalk's own machine; ``None`` is ``"numpy"``.

    Returns
    -------
    a function of the arguments of f
        It returns what ``f`` returns.

    Raises
    ------
    OptionError
        If ``f`` is no function, or has no such ``static_argnums`` or ``backend``. By a call, if
        ``f`` draws random numbers other than those of Dropout, or reads a clock, or asks for
        numbers of arrays of JAX or PyTorch.
    InPlaceError
        By a call, if ``f`` changes its arguments, or Tensors that it closes over, in another way
        than a training step does; or options of an optimizer, as a schedule does.

    See Also
    --------
    replay, export

    Examples
    --------
    >>> from gradwalk import compile, value_and_grad
    >>> step = compile(value_and_grad(lambda w, x: (w * x - 1.0) ** 2))
    >>> step(3.0, 0.5)
    (0.25, 0.5)
    >>> step(2.0, 0.5)
    (0.0, 0.0)
    """
    if f is None:
        return partial(
            compile, static_argnums=static_argnums, max_versions=max_versions, backend=backend
        )
    max_versions = at_least("compile(max_versions=...)", max_versions, 1, "Pass 8, the default.")
    if not callable(f):
        raise OptionError(
            where="compile(f)",
            expected="a function",
            got=describe(f),
            fix="Write compile(f)(x), not compile(f(x)).",
        )
    empty = isinstance(static_argnums, Sequence) and not static_argnums
    static = _NONE if empty else Static.of(f, static_argnums)
    if backend is not None:
        one_of("compile(backend)", backend, BACKENDS)
    return Compiled(f, static, max_versions, backend)


@contextmanager
def off() -> Iterator[None]:
    """Run compiled functions as they are written, in this thread, for debugging."""
    with _Off():
        yield


compile.off = off  # type: ignore[attr-defined]


class Compiled(Generic[P, R]):
    """A function and the programs that were recorded of it."""

    def __init__(
        self,
        f: Callable[P, R],
        static: Static = _NONE,
        max_versions: int = 8,
        backend: str | None = None,
        trains: bool | None = None,
    ) -> None:
        update_wrapper(self, f)
        self._f: Callable[..., Any] = f
        self._static, self._max, self._backend = static, max_versions, backend
        self._versions: dict[Any, list[Version]] = {}
        self._quick: dict[Any, list[Version]] = {}
        self._through: dict[Any, Compiled[..., Any]] = {}
        self._warned = False
        self._trains = trains  # whether f may write into Modules: known at the first call

    def __call__(self, *args: P.args, **named: P.kwargs) -> R:
        """Return ``f(*args)``, by its program."""
        if running.depth or (_Off.kind.blocks and _Off.kind.depth):
            return self._f(*args, **named)
        if observers:
            return self._observed(args, named)
        if not named and set(map(type, args)) == _FLOATS and self._static == _NONE:
            try:
                for version in self._versions.get(len(args), ()):  # the usual case, in a third
                    numbers = version(list(args))
                    if type(numbers) is list:
                        return version.result(numbers)
            except ReplayError:  # of a loop whose length has changed what is computed from it
                return self._f(*args)
        quick = None if named or self._static != _NONE else quick_call(args)
        try:
            if quick and (found := self._known(*quick)):
                return found[0].result(found[1])
            call = self._call(args, named)
            if call is None:
                return self._f(*args, **named)
            run = self._run(call)
        except ReplayError:
            return self._f(*args, **named)  # which raises the error as it is without compile
        if run is None:  # of too many versions
            return self._f(*args, **named)
        version, numbers = run
        if quick:
            self._know(*quick, call)
        return version.result(numbers)

    def _call(self, args: tuple[Any, ...], named: dict[str, Any]) -> Call | None:
        """Return a call, ``None`` if f itself runs."""
        call = Call.of(self._static, args, named, bool(self._trains))
        if self._trains is None and call is not None:
            self._trains = trains(self._f, call)
            call = Call.of(self._static, args, named, True) if self._trains else call
        return call

    def compiled_through(self, key: Any, transform: Callable[[Any], Any]) -> Compiled[..., Any]:
        """Return a transform of ``f`` that is compiled as ``f`` is: the same one for a key."""
        if key not in self._through:
            self._through[key] = Compiled(
                transform(self._f), self._static, self._max, self._backend
            )
        return self._through[key]

    def _observed(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Return ``f(*args)`` operation by operation, which observers of this thread then see.

        Numbers become Values for it, and arrays Tensors, so that operators are seen as well.
        """
        leaves, structure = flatten((args, named))
        plain = not any(isinstance(x, Value) for x in leaves)
        lifted = [_value(x) if plain else x for x in map(_tensor, leaves)]
        given, options = structure.unflatten(lifted)
        for place, x in self._static.among(args, named).items():
            (options if isinstance(place, str) else given)[place] = x
        results, of_results = flatten(self._f(*given, **options))
        if plain:  # numbers in, numbers out
            results = [x.data if isinstance(x, Value) else x for x in results]
        if not any(map(is_tensor, leaves)):  # arrays in, arrays out
            results = [x._data[()] if is_tensor(x) else x for x in results]
        return of_results.unflatten(results)

    def _known(self, key: Any, numbers: list[Any]) -> tuple[Version, list[Any]] | None:
        """Return the version for arguments that came before, and the numbers of its results."""
        for version in self._quick.get(key, ()):
            found = version(numbers)
            if type(found) is list:
                return version, found
        return None

    def _know(self, key: Any, numbers: list[Any], call: Call) -> None:
        """Note the versions for a key, if the program takes the same numbers in the same order."""
        if list(map(id, numbers)) == list(map(id, call.numbers)):
            self._quick[key] = self._versions[call.key]

    def program(self, *args: P.args, **named: P.kwargs) -> Program:
        """Return the program for these arguments.

        Its inputs are the numbers and arrays among the arguments, then the Values and Tensors that
        the function closes over. A question that was asked about numbers is an equation ``guard``.

        >>> from gradwalk import compile, exp, grad
        >>> print(compile(grad(lambda x: exp(x) * 2.0)).program(0.0))
        program of v0
          v1 = exp v0
          v2 = mul 2.0 v1
          return v2
        """
        return self._version(args, named).program

    def listing(self, *args: P.args, **named: P.kwargs) -> str:
        """Return the instructions that run for these arguments, one line for each of them."""
        return self._version(args, named).listing()

    def _version(self, args: Any, named: Any) -> Version:
        call = self._call(args, named)
        if call is None:
            raise _traced(args)
        run = self._run(call)
        if run is None:
            raise self._too_many()
        return run[0]

    def __get__(self: Compiled[..., Any], instance: object, owner: type | None = None) -> Any:
        """Bind as a method."""
        return self if instance is None else partial(self, instance)

    def _run(self, call: Call) -> tuple[Version, list[Any]] | None:
        """Return the version that answers all guards, and the numbers of its results.

        ``None``: it would be one version more than there may be.
        """
        versions = self._versions.setdefault(call.key, [])
        failed: list[tuple[Version, str]] = []
        unfit: list[Version] = []
        for version in versions:
            numbers = version(call.numbers, call.objects)
            if type(numbers) is list:
                return version, numbers
            if numbers == UNFIT:
                unfit.append(version)
            else:
                failed.append((version, version.program.guards()[numbers]["line"]))  # type: ignore[index]
        if len(failed) >= self._max:
            where = f", {failed[-1][1]}"
            self._warn(where, "answers of a branch on numbers", "", BRANCH)
            return None
        if not failed and len({version.state for version in unfit}) >= self._max:
            changed = unfit[-1].difference(call.objects)
            states = "states of what f reads outside its arguments"
            self._warn("", states, f", for {changed} has changed again", OUTSIDE)
            return None
        recorded = record(self._f, call, self._backend)
        if recorded is None:  # arrays of a library that has no compiler
            return None
        version = recorded
        version.state = failed[0][0].state if failed else version.state
        versions.append(version)
        if call.is_of_floats():
            self._versions[len(call.leaves)] = versions
        numbers = version.first(call.numbers)
        if type(numbers) is not list:  # a number that was read differs in its last place
            version.run_as_recorded()
            numbers = version.first(call.numbers)
        version.recorded = []
        if type(numbers) is not list:
            raise ReplayError
        return version, numbers

    def _warn(self, where: str, many: str, why: str, fix: str) -> None:
        """Warn, once, that the function runs as it is written from now on."""
        if self._warned:
            return
        self._warned = True
        warn_user(
            ManyVersionsWarning(
                where=f"compile(f, max_versions={self._max}){where}",
                expected=f"at most {self._max} different {many}",
                got=f"one more{why}: f runs as it is written for it",
                fix=f"{fix}, or pass a larger max_versions.",
            )
        )

    def _too_many(self) -> OptionError:
        return OptionError(
            where="compile(f).program",
            expected=f"arguments of one of the {self._max} versions",
            got="others",
            fix="Pass a larger max_versions.",
        )


def _value(x: Any) -> Any:
    return Value(x) if type(x) is float else x


def _tensor(x: Any) -> Any:
    return arrays().Tensor(x) if is_array(x) and x.dtype.kind == "f" else x


def _traced(x: Any) -> NotANumberError:
    return NotANumberError(
        where="compile(f).program",
        expected="numbers or arrays that no graph and no transform depends on",
        got=describe(x),
        fix="Pass x.data, the numbers alone.",
    )
