"""The contract of compiled functions with the runtime: names, codes, and the state of a call.

A function ``f`` of the loops becomes ``i64 ein.f(ptr call, ptr slots)``. ``slots`` holds its
arguments, then its results, in words of 64 bits: a scalar has one; an array has its address, and
its unknown sizes. The function returns 0, or the code of a failure; results are set only with 0.

``call`` is the state of a call, which the caller prepares: see `CALL_WORDS`.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType

PREFIX = "ein."
"""Of the symbols of compiled functions: no name of C has a dot."""

ALLOCATE = "ein_allocate"
"""``ptr ein_allocate(ptr call, i64 bytes)``: memory that belongs to the call; null without any."""
RELEASE = "ein_release"
"""``void ein_release(ptr call, ptr memory)``"""
KEEP = "ein_keep"
"""``void ein_keep(ptr memory)``: memory that the caller of the program owns from now on."""
RELEASE_ALL = "ein_release_all"
"""``void ein_release_all(ptr call)``: releases the memory that a failed call has left."""
FILL = "ein_fill"
"""``void ein_fill(ptr memory, i64 bits, i64 count)``: sets some words to the same bits."""
EXTERN = "ein_extern"
"""``i64 ein_extern(ptr call, i64 number, ptr slots)``: calls a function of the host program."""

MULTIPLY = "ein_product"
"""``i64 ein_product(ptr call, ptr slots, i64 least)``: multiplies matrices by the library that
NumPy links, or by NumPy, if there are at least so many multiplications: see `PRODUCT`.
"""

MULTIPLY_HERE = "ein_product_here"
"""``void ein_product_here(ptr slots)``: the same on this thread alone, which may be one without an
interpreter.
"""

PRODUCT = -1
"""The number of a product of matrices, in place of that of a function of the host program.

Its slots hold the bytes of an element, the number of sizes, the sizes (shared, rows, columns,
terms), and for both factors and the result the address and the stride along each, in elements; 0
where an array has no such axis.
"""

LATE = -2
"""The number of the first function that is compiled late, in place of that of a function of the
host program; those of others are below. Its slot is for the address.
"""

LEAST_PRODUCT = 2**15
"""The least number of multiplications that the library of the host is called for: a call takes as
long as so many in loops.
"""

PARALLEL = "ein_parallel"
"""``i64 ein_parallel(ptr call, ptr function, ptr context, i64 loops, i64 threads)``: runs one or
two loops, of which one is split, on at most so many threads; see `WORK_OF_A_THREAD`.

The first word of the context is for the number of the loop that is split; their steps follow.
"""

THREADED = ".threaded"
"""The end of the name of the function that threads run, after that of a loop."""

PARALLEL_LATE = "ein_parallel_late"
"""The same of a function that is compiled when it first has steps to run.

It is asked for that on the thread of the call, with a context that is null.
"""

ASK_LATE = "ein_ask_late"
"""``i64 ein_ask_late(ptr call, ptr function)``: has a function compiled, here.
"""

ASK = "ein_ask"
"""``i64 ein_ask(ptr call)``: the code of a call that is to stop, since a signal has raised an
exception, or 0.
"""

OUT_OF_MEMORY = -1
"""The code of a failed allocation."""
RAISED = -2
"""The code of a function of the host program, or of a signal, that raised an exception."""
DONE = 1
"""What a function of the host program returns; 0 if an exception has come before it could."""

CALL_WORDS = 6
"""The words of a call: the first and the last of its buffers, the function that calls functions of
the host program, the number of threads that it may use, its watch, and its thread.

A call without a watch, such as one of a library of C, does not stop for signals.
"""

WATCH_WORDS = 5
"""The words of a watch: whether the call is to stop, the time of the last question, and the type,
the value and the traceback of the exception.
"""

WORK_OF_A_THREAD = 60_000
"""A loop runs on one more thread for each so many operations that it has: waking a thread takes as
long as a few thousand of them.
"""
GUESSED_STEPS = 8
"""The steps of an inner loop in the estimate of work, if they are not known before the outer."""

SCALE = IntegerType(32)
"""The type of the scale in LLVM's arithmetic with a fixed point."""

MESSAGES = "ein.messages"
"""The attribute of a module with the messages of its assertions: code 1 is the first."""
PURE = "ein.pure"
"""The attribute of a function of scalars without effects: a call may be for several at a time."""
FEW_STEPS = "ein.few_steps"
"""The attribute of a loop whose last index has few steps, and of the jump back to its head."""
NOT_UNROLLED = "ein.not_unrolled"
"""The attribute of a jump back to the head of a loop that LLVM does not unroll."""
UNROLLED = "ein.unrolled"
"""The attribute of a loop that LLVM unrolls as a whole, and of the jump back to its head."""
NOT_INTERLEAVED = "ein.not_interleaved"
"""The attribute of a jump back to the head of a loop of which LLVM takes one vector at a time."""
INTERLEAVED_TWICE = "ein.interleaved_twice"
"""That of a loop of which it takes two."""
COSTLY = "ein.costly"
"""The attribute of a loop whose steps compute functions such as ``exp``."""
RESULTS = "ein.results"
"""The attribute of a loop over neighbouring results, which other loops repeat."""
MASKED = "ein.masked"
"""The attribute of a jump back to the head of a loop whose last vector has a mask."""
UNPREDICTABLE = "ein.unpredictable"
"""The attribute of a choice that the step before decides, and the metadata of a text with any."""
LIKELY = "ein.likely"
"""The attribute of a branch that is seldom not taken: it costs less than what it saves."""
PART = "ein.part"
"""The attribute of a function that is compiled late, with others that have the same number."""
WHOLE = "ein.whole"
"""The attribute of a power whose exponent is an Int: that of a small one is a product."""
EXTERNS = "ein.externs"
"""The attribute of a module with the symbols of functions of the host program, by number."""
