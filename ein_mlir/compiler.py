"""From a module of phi to a Python callable: pipeline, printing, ``exec`` once.

::

    f = compile('''
      func.func @twice(%a: !phi.vec<f64>) -> !phi.vec<f64> {
        %n = phi.size %a, 0 : !phi.vec<f64>
        %two = arith.constant 2.0 : f64
        %b = phi.array (%i < %n) -> !phi.vec<f64> {
          %x = phi.get %a[%i] : !phi.vec<f64>[index]
          %y = arith.mulf %two, %x : f64
          phi.yield %y : f64
        }
        func.return %b : !phi.vec<f64>
      }
    ''')
    f(numpy.arange(3.0))   # array([0., 2., 4.])
    print(f.source)        # the NumPy code
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException, VerifyException

from ein_mlir import pipelines
from ein_mlir.analysis.notes import Note, no_note
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.analysis.verification import verify
from ein_mlir.arguments import checker, conversion, converting, finisher, has_scalars, signature_of
from ein_mlir.bounds import described
from ein_mlir.by_device import ByDevice
from ein_mlir.code_cache import CODE, Code
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.fastmath import permit
from ein_mlir.entry import check_externs, find_entry, function_of, parse, reject_python
from ein_mlir.equal_axes import Assumed, Assumptions, assuming, for_equal_axes
from ein_mlir.errors import CompilationError, EinIndexError, EinTypeError, EinValueError, counted
from ein_mlir.extrinsics import CheckedExtern, checked
from ein_mlir.host.arrays import aligned
from ein_mlir.host.attributes import OfCompiled
from ein_mlir.host.bounds import chosen_bounds
from ein_mlir.host.fastmath import Fastmath, laws_of
from ein_mlir.host.garbage import rare_collections
from ein_mlir.host.locations import reported
from ein_mlir.host.notebook import tabs
from ein_mlir.loading import load_source
from ein_mlir.native import NativeCode
from ein_mlir.runtimes import BACKENDS, Function, Jit, Runtime, check_backend, is_wanted
from ein_mlir.small_arrays import MOST_VERSIONS, Known, for_known_sizes, small_sizes

if TYPE_CHECKING:
    from ein_mlir.explanation import Explanation
    from ein_mlir.memory import Memory

_ON_NUMPY = (
    "a loop computes scalars or replaces parts of arrays: without gradients, calls with tensors of "
    "the CPU run NumPy code"
)


_CHECKS = {"check": pipelines.CHECK_ALL_STEPS, "exact": pipelines.CHECK_BOUNDS}
"""The passes that add checks to a program, by the choice of bounds."""


class CompiledFunction(OfCompiled):
    """A compiled program: call it with arrays, Python scalars, and tuples for records.

    The arrays are those of its backend: NumPy arrays, PyTorch tensors, or arrays of JAX.

    Arguments are checked for count, element type and rank. Safe to call from several threads.
    """

    _MADE_BY = "compile(.., {}=..)"

    def __init__(
        self,
        module: ModuleOp,
        entry: func.FuncOp,
        backend: str,
        externs: Mapping[str, Function],
        jit: Jit = None,
        threads: int | None = None,
        bounds: str = "clip",
    ):
        self._given = module
        self._threads = threads
        self._bounds = bounds
        self._module = _after(module, _CHECKS[bounds]) if bounds in _CHECKS else module
        """The program that runs: it may also return whether a position is out of bounds."""
        self._backend = backend
        self._passes = BACKENDS[_compiling(backend)].passes()
        self._externs: Mapping[str, CheckedExtern] = checked(module, externs)
        self._jit = jit
        self.signature = signature_of(entry)
        self._runtime = runtime = BACKENDS[_compiling(backend)].runtime()
        self._check = [checker(runtime, name, type_) for name, type_ in self.signature.arguments]
        self._finish = finisher(runtime, self.signature.results)
        marked = function_of(self._module, self.signature.name).function_type
        self._is_marked = len(marked.outputs) > len(self.signature.results)
        self._assumptions = Assumptions(entry) or None
        """The sizes that the program is for; None if it is for all."""
        self._for_others = dict[Assumed, CompiledFunction]()
        self._small = small_sizes(entry) if backend == "numpy" else None
        self._for_sizes = dict[Known, CompiledFunction]()
        if self._assumptions is None and not self._small:
            self.build()

    def build(self) -> None:
        """Compile the program now, and not before the first call that it is for.

        Raises CompilationError for operations without a lowering.
        """
        _ = self._function

    @cached_property
    def _function(self) -> Function:
        """The program, on values of its library that are checked."""
        with rare_collections():
            return self._build(self._runtime, self._jit)

    def __call__(self, *args: object, **named: object) -> Any:
        """Run the program.

        Raises EinTypeError for a wrong count, name, element type or rank; ValueError for unequal
        sizes that the program asserts to be equal, and for negative sizes.
        """
        if named:
            args = self.signature.by_position(args, named)
        if len(args) != len(self._check):
            expected = counted(len(self._check), "argument")
            raise EinTypeError(
                f"{self.signature.name} takes {expected}, got {len(args)}: {self.signature}"
            )
        return self._of_checked([check(arg) for check, arg in zip(self._check, args, strict=True)])

    def for_keys(self, keys: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:
        """`__call__` for arguments with some keys: what a key says is not checked again."""
        if self._backend == "naive":
            return lambda values: self(*values)
        library = "jax" if self._backend == "jax" else "numpy"
        types = [type_ for _, type_ in self.signature.arguments]
        conversions = [
            conversion(self._runtime, check, type_, key, library)
            for check, type_, key in zip(self._check, types, keys, strict=True)
        ]
        is_plain = self._assumptions is None and not self._small and not self._is_marked
        run = self._of_all_sizes if is_plain and self._backend != "numpy" else self._of_checked
        return converting(run, conversions)

    def _of_checked(self, values: Sequence[Any]) -> Any:
        return self.for_sizes_of(values)._run(values)

    def _of_all_sizes(self, values: Sequence[Any]) -> Any:
        """`_of_checked` of a program without versions."""
        return self._finish(self._function(*values))

    def _run(self, values: Sequence[Any]) -> Any:
        try:
            result = self._function(*values)
        except NotImplementedError:  # Python reads no elements of arrays that are not aligned
            if self._backend != "numpy":
                raise
            result = self._function(*map(aligned, values))
        return self._finish(self._in_bounds(result, values) if self._is_marked else result)

    def _in_bounds(self, marked: Any, values: Sequence[Any]) -> Any:
        """The value of the program; raises EinIndexError if a position is out of bounds."""
        *results, mark = marked
        try:
            is_out = bool(mark)
        except Exception as error:
            raise EinValueError(
                f"{self.signature.name}: bounds='check' reads a result, which has no value inside "
                "jax.jit, vmap and other transformations: write bounds='clip' there"
            ) from error
        if is_out:
            self._check_exactly(values)
        return results[0] if len(results) == 1 else tuple(results)

    def _check_exactly(self, values: Sequence[Any]) -> None:
        """Raise EinIndexError for the first position out of bounds, found by another run.

        If there is none, the program has checked a position that a selection does not use: from now
        on, selections count.
        """
        module, name = _after(self._given, pipelines.LOCATE_BOUNDS), self.signature.name
        entry = function_of(module, name)
        located = self._again(module, "clip")._function(*values)
        mark = list(map(int, located[len(self.signature.results) :]))
        if mark[0]:
            raise EinIndexError(f"{name}: {described(entry, mark)}")
        self._function = self._again(self._given, "exact")._function

    def for_sizes_of(self, arguments: Sequence[Any]) -> CompiledFunction:
        """The version of the program that a call with some arguments runs."""
        if self._assumptions is not None and not self._assumptions.hold(arguments):
            held = self._assumptions.held(arguments)
            return self._for_assumed_sizes(held).for_sizes_of(arguments)
        known = self._small.of(arguments) if self._small else ()
        return self._for_known_sizes(known) if known else self

    def _for_known_sizes(self, known: Known) -> CompiledFunction:
        """The version for known sizes; the program itself if there are many versions of it."""
        version = self._for_sizes.get(known)
        if version is None:
            if len(self._for_sizes) >= MOST_VERSIONS:
                return self
            module = for_known_sizes(self._given, self.signature.name, known)
            version = self._for_sizes.setdefault(known, self._again(module, self._bounds))
        return version

    def _for_assumed_sizes(self, held: Assumed) -> CompiledFunction:
        """The version for fewer assumptions; for none, if there are many versions."""
        if held not in self._for_others and len(self._for_others) >= MOST_VERSIONS:
            held = (), ()
        version = self._for_others.get(held)
        if version is None:
            module = assuming(self._given, self.signature.name, held)
            version = self._for_others.setdefault(held, self._again(module, self._bounds))
        return version

    def _again(self, module: ModuleOp, bounds: str) -> CompiledFunction:
        """The function of another module, compiled in the same way."""
        entry = function_of(module, self.signature.name)
        options = self._jit, self._threads, bounds
        return CompiledFunction(module, entry, self._backend, self._externs, *options)

    def __repr__(self) -> str:
        return f"<compiled {self.signature} for {self._backend}>"

    def _repr_html_(self) -> str:
        return self.html()

    def html(self) -> str:
        """Tabs for notebooks: the program, its source, the decisions of passes, and its graph."""
        from ein_mlir.drawing import draw

        pages = {"program": self.ir()}
        if self._backend != "naive":
            pages["source"] = self.source
            pages["decisions"] = self.explain()
        pages["graph"] = draw(self._given).picture_or_text()
        return tabs(f"{self.signature} for {self._backend}", pages)

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledFunction:
        """The function itself, which never changes."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled function is its program as text, and is compiled again when it is loaded."""
        name, options = self.signature.name, (self._jit, self._threads, False, self._bounds)
        return compile, (str(self._given), name, self._backend, self._externs, *options)

    @cached_property
    def source(self) -> str:
        """The emitted Python source, which runs without this package; natively the loops.

        It is the code of calls, except that it takes numbers of Python, too: `__call__` converts
        them before. Where loops keep the sizes of square matrices it is the version for these;
        `for_sizes_of` has the others, and those for small arrays in loops. Raises EinValueError for
        the naive backend, which interprets.
        """
        if self._backend == "naive":
            raise EinValueError("the naive backend interprets phi and emits no source")
        if self._backend == "native" or not any(
            has_scalars(type_) for _, type_ in self.signature.arguments
        ):
            return self._code.source
        return self._standalone_source()

    def _standalone_source(self) -> str:
        from ein_mlir.rewriting.emitpy.python_numbers import take_python_numbers
        from ein_mlir.targets.python.printer import python_source

        module = copy_of(self._code.emitted)
        take_python_numbers(function_of(module, self.signature.name), self._backend)
        return python_source(module)

    @cached_property
    def assembly(self) -> str:
        """The machine code of the program as assembly, on the native backend.

        Raises EinValueError for other backends.
        """
        if not isinstance(code := self._code, NativeCode):
            raise EinValueError(f"assembly is for native: the backend is {self._backend}")
        return code.assembly

    @property
    def compilations(self) -> int:
        """The number of times that the library has compiled the program.

        JAX compiles once for each combination of shapes and of values of ``static_arguments``,
        PyTorch under ``jit`` whenever its assumptions about shapes fail. 0 without a compiler.
        """
        return getattr(self._function, "compilations", 0)

    @property
    def static_arguments(self) -> tuple[str, ...]:
        """The arguments, and fields of arguments, whose values require another compilation."""
        return getattr(self._function, "static_arguments", ())

    @cached_property
    def _code(self) -> Code:
        """The emitted program, which equal programs share."""
        return self._code_by(self._passes)

    def _code_by(self, passes: tuple[str, ...]) -> Code:
        """The program as emitted by a pipeline."""
        return CODE.get(self._module, (self._backend, passes), partial(self._emit, passes))

    def _emit(self, passes: tuple[str, ...]) -> Code:
        if self._backend == "native":
            return NativeCode(self._module, partial(self._after, pipelines.LOOPS))
        return Code(self._module, self._backend, passes, partial(self._after, passes))

    def _after(self, pipeline: Sequence[str]) -> ModuleOp:
        """The program after some passes; versions for PyTorch share those before its calls."""
        shared = len(self._before_calls) if self._backend == "torch" else 0
        if not shared or pipeline[:shared] != self._before_calls:
            return _after(self._module, pipeline)
        return _after(self._before_conversion, pipeline[shared:])

    @cached_property
    def _before_conversion(self) -> ModuleOp:
        return _after(self._module, self._before_calls)

    @reported
    def ir(self, stage: str = "phi") -> str:
        """The program as text at a stage: ``phi`` (as given), ``yarr`` or ``emitpy``.

        The stages of the native backend are ``phi``, ``loops`` and ``llvm``.
        """
        backend = BACKENDS[_compiling(self._backend)]
        if stage not in backend.stages:
            others = [name for name, each in BACKENDS.items() if stage in each.stages]
            hint = f"; of backend='{others[0]}' it is one" if others else ""
            raise EinValueError(
                f"there is no stage '{stage}'; there are {', '.join(backend.stages)}{hint}"
            )
        return str(self._at(stage))

    def _at(self, stage: str) -> ModuleOp:
        """The program at a stage of its backend."""
        if stage == "phi":
            return copy_of(self._given)
        if stage == "yarr":
            return self._after(self._before_calls)
        return self._after(pipelines.LOOPS if stage == "loops" else self._passes)

    @reported
    def memory(self, *arguments: Any) -> Memory:
        """The bytes that a call with some arguments takes, without the call.

        An argument is an array, a number, a `ShapedArray`, or a tuple of these. Raises EinTypeError
        for a placeholder of which elements are needed, EinValueError if the memory depends on
        elements that the program computes.
        """
        from ein_mlir.memory import Memory, bytes_of
        from ein_mlir.shapes import SizeProgram

        if (version := self.for_sizes_of(arguments)) is not self:
            return version.memory(*arguments)
        results = SizeProgram(self._given, self.signature.name, self._externs)(arguments)
        made = bytes_of(results)
        most = self._most_bytes(arguments, made)
        return Memory(bytes_of(arguments), made, max(0, most - made))

    def _most_bytes(self, arguments: Sequence[Any], results: int) -> int:
        """The most bytes of temporaries and results at once."""
        from ein_mlir.interpreters.loops_memory import BufferMemory
        from ein_mlir.interpreters.yarr_memory import ArrayMemory
        from ein_mlir.memory import leaves_of

        name = self.signature.name
        if self._backend == "naive":
            raise EinValueError(f"{name}: the memory of the interpreter is not known")
        if self._backend == "native":
            from ein_mlir.backends.native.threads import threads_of_calls
            from ein_mlir.short_axes import matrices, short_axes, with_known_sizes

            threads = self._threads or threads_of_calls()
            leaves = tuple(leaves_of(arguments))
            places = matrices([type_ for _, type_ in self.signature.arguments])
            version = with_known_sizes(self._module, name, short_axes(arguments, places))
            return BufferMemory(compile_loops(version), threads).peak_bytes(name, leaves)
        if self._backend == "jax" and self._jit is not False:
            return results + cast(Any, self._function).temporary_bytes(arguments)
        return ArrayMemory(self._at("yarr")).peak_bytes(name, arguments)

    @reported
    def explain(self, *arguments: Any) -> str:
        """The form of each indexing and each fold, with a reason: a line for each, in order.

        Then the loops and the gathered elements that are left, those that take most time first: by
        the sizes of the arguments, if these are given.
        """
        return self._explanation(arguments or None).text()

    def _explanation(self, arguments: Sequence[Any] | None = None) -> Explanation:
        from ein_mlir.dialects import yarr
        from ein_mlir.explanation import COMPILED, PYTHON, Explanation

        module, symbol = copy_of(self._given), self.signature.name
        checks = pipelines.CHECK_BOUNDS if self._bounds == "check" else ()
        pipeline = (*checks, *self._explained)
        steps = COMPILED if self._backend == "jax" else PYTHON
        explanation = Explanation(module, symbol, pipeline, _run, arguments, steps)
        for op in operations_in(module):
            if isinstance(op, yarr.EinsumOp) and len(op.arrays) > 1:
                subscripts = op.subscripts.data
                explanation.note(op, f"a sum of products is the contraction {subscripts}")
        for loop in self._loops_for_numpy():
            explanation.note(loop, _ON_NUMPY)
        return explanation

    @property
    def _explained(self) -> Sequence[str]:
        """The passes that make decisions to explain: those before emitted calls, or loops."""
        if self._backend == "native":
            return pipelines.LOOPS
        return self._before_calls

    @property
    def _before_calls(self) -> Sequence[str]:
        """The passes before the conversion to calls of the library."""
        lowering = f"convert-yarr-to-{_compiling(self._backend)}"
        return self._passes[: self._passes.index(lowering)]

    def _long_loop(self, code: Code, number: int, steps: int) -> str:
        """The text of the warning about a loop of the emitted function, by its number."""
        from ein_mlir.explanation import loops_of_python

        loops = loops_of_python(function_of(code.emitted, self.signature.name))
        return f"{self.signature.name}: {self._explanation().of_loop(loops[number], steps)}"

    def _loops_for_numpy(self) -> Sequence[Operation]:
        """The loops of a PyTorch program because of which calls may run it on NumPy."""
        from ein_mlir.analysis.emitpy.small_steps import loops_with_small_steps

        if self._backend != "torch" or is_wanted(self._jit) or self._externs:
            return ()
        return loops_with_small_steps(function_of(self._code.emitted, self.signature.name))

    def _build(self, runtime: Runtime, jit: Jit) -> Function:
        if self._backend == "naive":
            from ein_mlir.interpreters import run

            module, name, externs = self._module, self.signature.name, self._externs
            if any(isinstance(op, phi.DerivativeOp) for op in operations_in(module)):
                module = _after(module, pipelines.EXPAND_DERIVATIVES)
            return lambda *args: run(module, name, args, externs)
        backend = BACKENDS[self._backend]
        if backend.has_gpu():
            load = partial(self._loaded, runtime, jit)
            return ByDevice(backend.passes, lambda passes: load(self._code_by(passes)))
        if self._backend == "torch" and not is_wanted(jit) and not self._externs:
            return self._by_size(lambda: self._loaded(runtime, jit, self._code))
        return self._loaded(runtime, jit, self._code)

    def _by_size(self, on_tensors: Callable[[], Function]) -> Function:
        """The function on tensors; compiled later if calls with small ones may run NumPy code."""
        from ein_mlir.analysis.phi.looped_elements import bounds_of_loops
        from ein_mlir.backends.torch.runtime import BySize

        bounds = bounds_of_loops(function_of(self._module, self.signature.name))
        if bounds is None:
            return on_tensors()
        return BySize(bounds, partial(self._version, "numpy"), on_tensors)

    def _loaded(self, runtime: Runtime, jit: Jit, code: Code) -> Function:
        """The function of emitted code, which equal programs share."""
        use = self.signature.name, jit, self._threads
        if self._externs or isinstance(jit, Mapping):
            return self._load(runtime, jit, code)
        if use not in code.loaded:
            code.loaded[use] = self._load(runtime, jit, code)
        return code.loaded[use]

    def _load(self, runtime: Runtime, jit: Jit, code: Code) -> Function:
        """The emitted source, loaded; a function of its own each time."""
        symbol = self.signature.name
        if isinstance(code, NativeCode):
            arguments = [type_ for _, type_ in self.signature.arguments]
            results = self.signature.results
            return code.load(symbol, arguments, results, self._externs, self._threads)
        program = code.program
        emitted = program.functions[symbol]
        externs = {name: self._externs[extern] for extern, name in program.externs.items()}
        if runtime.extern is not None:
            externs = {name: runtime.extern(extern) for name, extern in externs.items()}
        describe = None if is_wanted(jit) else partial(self._long_loop, code)
        function = load_source(program.source, emitted.name, externs, describe)
        if runtime.stage is None:
            return function
        names, version = [name for name, _ in self.signature.arguments], self._version
        return runtime.stage(function, emitted, names, jit, None if self._externs else version)

    def _version(self, pipeline: str) -> Function:
        """The function of another pipeline of the library, or of NumPy, of checked arguments."""
        if pipeline == "numpy":
            entry = function_of(self._module, self.signature.name)
            program = CompiledFunction(self._module, entry, pipeline, {})
            return lambda *values: program.for_sizes_of(values)._function(*values)
        if pipeline == "torch-in-place" and self._may_have_guards():
            pipeline = "torch-unguarded"
        code = self._code_by(pipelines.PIPELINES[pipeline])
        name = code.program.functions[self.signature.name].name
        return load_source(code.program.source, name, {}, partial(self._long_loop, code))

    def _may_have_guards(self) -> bool:
        """Whether other passes than those that versions share may lead to another program."""
        from ein_mlir.analysis.phi.singularities import may_have_guards

        return may_have_guards(self._module)


def _compiling(backend: str) -> str:
    """The backend itself, or that of the library of an interpreter's arrays."""
    return "numpy" if backend == "naive" else backend


@reported
def compile(
    program: ModuleOp | str,
    entry: str | None = None,
    backend: str = "numpy",
    externs: Mapping[str, Function] | None = None,
    jit: Jit = None,
    threads: int | None = None,
    fastmath: Fastmath = False,
    bounds: str | None = None,
) -> CompiledFunction:
    """Compile a function of a module of phi, given as IR or as text.

    ``entry`` names the function; it may be omitted if the module has one public function.
    ``backend`` is ``numpy``, ``torch``, ``jax``, ``native`` for machine code by LLVM, or ``naive``
    for the reference interpreter.
    ``externs`` are the functions that ``phi.extern`` may call, by symbol: IR reaches no others.
    ``jit`` is whether the library compiles the program, with ``torch.compile`` or ``jax.jit``; a
    mapping has options for these. By default JAX does and PyTorch does not. ``threads`` is the
    number of threads that a native program may use, by default that of the process. ``fastmath``
    permits laws of real numbers on floats, by their names in LLVM: ``{"reassoc", "nsz"}``, or all
    if true. ``bounds`` is ``check`` for an IndexError where a position that the program uses is out
    of bounds, and ``clip``, the default, for the nearest element; the environment variable
    ``EIN_BOUNDS`` sets another default.

    Raises CompilationError for text that does not parse, IR that does not verify and operations
    without a lowering; EinValueError for an unknown entry or backend and for ``jit`` on a
    backend that has none, MissingBackendError for a backend whose library is not installed. The
    module is not changed.
    """
    check_backend(backend, jit, threads)
    if not isinstance(program, str | ModuleOp):  # pyright: ignore[reportUnnecessaryIsInstance]
        given = f"a {program.name}" if isinstance(program, Operation) else repr(program)
        hint = ": write f.phi(..) of a function, or call it" if hasattr(program, "phi") else ""
        hint = ": write path.read_text()" if hasattr(program, "read_text") else hint
        raise EinTypeError(f"compile: expected a module or its text, not {given}{hint}")
    if isinstance(program, str) and program.endswith(".mlir"):
        raise EinTypeError(
            f"compile: expected a module or its text, not the name of a file: write "
            f"Path({program!r}).read_text()"
        )
    with rare_collections():
        module = _verified(program)
        code = compile_traced(module, entry, backend, externs, jit, threads, fastmath, bounds)
        code.build()
        return code


def _verified(program: str | ModuleOp) -> ModuleOp:
    """A module of the compiler's own."""
    module = parse(program) if isinstance(program, str) else program.clone()
    try:
        verify(module)
    except VerifyException as error:
        raise CompilationError(str(error)) from error
    reject_python(module)
    return module


def compile_traced(
    module: ModuleOp,
    entry: str | None,
    backend: str,
    externs: Mapping[str, Function] | None = None,
    jit: Jit = None,
    threads: int | None = None,
    fastmath: Fastmath = False,
    bounds: str | None = None,
) -> CompiledFunction:
    """`compile` for a module made by the frontend: it is valid, and nobody changes it later."""
    check_backend(backend, jit, threads)
    if laws := laws_of(fastmath):
        permit(module := copy_of(module), laws)
    function = find_entry(module, entry)
    if backend != "naive":
        name = function.sym_name.data
        module = for_equal_axes(module, name, ints=backend != "jax")
        function = function_of(module, name)
    check_externs(module, externs or {})
    chosen = chosen_bounds(bounds)
    return CompiledFunction(module, function, backend, externs or {}, jit, threads, chosen)


def _run(module: ModuleOp, pipeline: Sequence[str], note: Note = no_note) -> None:
    try:
        pipelines.run_pipeline(module, pipeline, note=note)
    except PassFailedException as error:
        raise CompilationError(str(error)) from error


def _after(module: ModuleOp, pipeline: Sequence[str]) -> ModuleOp:
    """A module after some passes; the given one is not changed."""
    module = copy_of(module)
    _run(module, pipeline)
    return module


def compile_loops(module: ModuleOp) -> ModuleOp:
    """The loops of a module of phi; raises CompilationError for an operation without a rule."""
    return _after(module, pipelines.LOOPS)
