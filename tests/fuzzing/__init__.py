"""Random programs, and the check that all backends agree on them.

- `ein`, `loops`, `machines`, `grids`, `chains`, `walks` and `wide_ints` write Ein functions, `phi`
  writes textual IR; each contains forms that passes look for. `float_machines`, `derived` and
  `variants` change the programs of others or of the tests.
- `samples` makes a sample, a program with arguments, of any of these kinds from a number.
- `ways` are the ways to run a program: backends, passes left out, tiny blocks.
- `check` compares them with the interpreter; `reduction` makes a failing program small.
- `texts` changes tokens of textual IR, for the tools.

A generator is a function of a `random.Random`. ``tools/fuzz.py`` seeds one for each sample, and
hypothesis provides it in the tests of passes.
"""
