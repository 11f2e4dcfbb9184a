"""Random variants of the forms that passes look for, as templates.

``{s|t}`` is one of its alternatives, and alternatives may have some of their own. Among them are
near misses: an end that is one off, another order, a position that is out of bounds, a guard that
differs. The programs of ``ein.py`` seldom have these forms, since they need several parts that fit.
"""

from __future__ import annotations

import random
import re

from tests.fuzzing.ein import PARAMETERS

CHOICE = re.compile(r"\{([^{}]*)\}")
"""A choice without choices in it."""

ELEMENT = "{a[k]|a[k]|abs(a[k])|-a[k]|a[k + 1]|a[k] + x|a[k] * b[k]|m[k, 0]|a[keys[k]]}"
COUNT = "{a.size()|a.size()|b.size()|n}"
COMBINE = "{sum|sum|max|min|prod}"

BEST = (
    "(lambda f: fold({0|0|-1|p|n}, lambda k, c: where((f(k) {<|>|<=|>=} f(c))"
    "{|| & (a[k] > x)| & (k != p)}, k, c), count=" + COUNT + "))(lambda k: {keys[k]|" + ELEMENT
    + "})",
    "fold((0, {0|1}), lambda k, c: (where(a[k] < a[c[0]], k, c[0]), where({a|b}[k] {>|>=} "
    "{a[c[1]]|b[c[1]]|a[c[0]]}, k, {c[1]|c[0]})), count=" + COUNT + ")",
    "fold_arg{min|max}(lambda k: a[k % {a.size()|3}]{| + b[k // 3]| - k.float(DTYPE)}, "
    "count={70|33|n})",
    "array(lambda i: fold({-1|0}, lambda k, c: where((keys[k] == keys[i]) & (k {<|!=} i), k, c), "
    "count=keys.size()))",
    "fold((a, array(lambda r: x, size={2|n})), lambda k, s: (lambda c: (array(lambda i: where("
    "i == c, {INF|-INF|s[0][i] + 1}, s[0][i])), array(lambda r: where(r == k, {c.float(DTYPE)|"
    "s[0][c]|a[c]}, s[1][r]))))(fold_arg{min|max}(lambda i: s[0][i])), count={2|n})[1]",
    "array(lambda i: fold_sum(lambda k: where({a[k] < a[i]|a[k] <= a[i]|(a[k] == a[i]) & (k < i)"
    "|~(a[k] > a[i])}, {1|N(2)|a[k]}, 0)))",
    "array(lambda i: fold(({INF|x|-INF}, {x|a[0]}), lambda k, s: (lambda d: where({d < s[0]|d > "
    "s[0]|(d <= s[0]) & (b[k] > x)}, (d, (d - b[k]) * (d + x) * a[i] - {d * d * x|abs(d) * b[k]}), "
    "s))({a[i] * b[k]|abs(a[i] - b[k])})){|[1]})",
)  # fmt: skip
"""Searches: carry-keys, search-blocks, raise-top-k, orders."""

GROUPS = (
    "array(lambda i: fold_" + COMBINE + "(lambda k: where(({keys|a}[k] == {keys[i]|keys[i + 1]|a[i]"
    "}){|| & (k % {2|3} == i % {2|3})| & (a[k] > x)} & (k {<|<=|>|>=|!=} {i|i|i + 1|n}), {"
    + ELEMENT + "|1.0}, {0.0|0.0|x})))",
    "array(lambda i: fold_{max|min}(lambda k: where(({keys[k] == keys[i]|a[k] == a[i]}){|| & (a[k] "
    "> x)} & (k {<|<=|>|>=} i), {k|k|2 * k - n|-k}, {-1|99})))",
    "array(lambda i: fold_sum(lambda k: where((keys[k] == {keys[i]|i}) & (a[k] {==|<|<=} {a[i]|b[i]"
    "|x}){| & (k < i)}, {1|k}, 0), count={keys.size()|keys.size()|i}), size=keys.size())",
)  # fmt: skip
"""Equal keys: groups before a step or from it on, several keys, comparisons within a group."""

HALVES = (
    "(lambda t: array(lambda i: fold_while((0, t.size()), lambda s: s[0] < s[1], lambda s: (lambda "
    "c: where(t[c] {<|<=} b[i], (c + 1, s[1]), (s[0], c)))((s[0] + s[1]) // 2))[{0|1}]))"
    "({sort(a)|sort(a)|a})",
    "(lambda t: array(lambda i: fold((0, t.size()), lambda k, s: (lambda c: where(s[0] < s[1], "
    "where(t[c] {<|<=} b[i], (c + 1, s[1]), (s[0], c)), s))((s[0] + s[1]) // 2), count={5|1|n}))"
    ")({sort(a)|a})",
)
"""Searches by halves: raise-searches."""

UNEVEN = (
    "array(lambda i: fold_while(({a[i]|b[i] * 4.0}, {0|i}, keys[i]), lambda s: {(s[0] > x) & "
    "(s[1] < 20)|(s[2] > 0) & (s[1] < {9|keys[i]})}, lambda s: (s[0] {* 0.5|- 0.25|- abs(b[i + 1])}"
    ", s[1] + 1, s[2] - {1|2|keys[s[1]]})){[0]|[1]|[2]}, size={keys.size()|keys.size()|n})",
    "array(lambda i, j: fold_while((a[i], b[j], 0), lambda s: {s[0] < {b[j]|1.5}|s[0] * s[1] < 2.0}"
    " & (s[2] < {7|i + j}), lambda s: (s[0] + {0.25|abs(a[j])|abs(b[s[2]])}, s[1] {* 2.0|+ s[0]}, "
    "s[2] + 1)){[0]|[1]|[2]})",
)  # fmt: skip
"""Loops whose elements take different numbers of steps: compaction."""

OFFSETS = (
    "(lambda g: array(lambda i: fold_{sum|sum|max}(lambda q: g({i - keys[q]|i + keys[q]|"
    "i - keys[q] * 2}, q), count=keys.size()), size={a.size()|b.size()|a.size() + 1}))(lambda t, q:"
    " {a[t]|where(t {>=|>} 0, a[t], 0.0)|where((t >= 0) & (t < a.size()), a[t]{| * b[q]| * x}, "
    "{0.0|x})})",
    "array(lambda i: fold_" + COMBINE + "(lambda d: where((i + d - 1 {>=|>} 0) & (i + d - 1 < "
    "a.size()), {|b[d] * }{a[i + d - 1]|sqrt(abs(a[i + d - 1]))}, {0.0|x|INF|a[i]}), "
    "count={3|2|n|b.size()}), size=a.size())",
    "(lambda f: array(lambda i: f(i + 1) {-|*} f(i){| + f(i - 1)}, size={a.size()|a.size() + 1}))("
    "lambda t: {sqrt(abs(a[t] - a[t + 1]))|where(t < n, a[t], x) ** 2|sin(a[t])})",
)
"""Sums at offsets and in windows: interchange-comprehensions, pad-windows, share-neighbours."""

ROTATIONS = (
    "fold_" + COMBINE + "(lambda k: a[k] {*|-} where(k {+ 1 < a.size()|+ 1 <= a.size()|"
    "< a.size() - 1|!= a.size() - 1}, a[k + 1], a[{0|0|1|k}]), count=a.size())",
    "fold_" + COMBINE + "(lambda k: a[k] * a[where(k == {a.size() - 1|0|n}, {0|a.size() - 1}, k "
    "{+|-} 1)], count=a.size())",
    "fold(a, lambda k, s: array(lambda i: where(i == {0|0|1}, s[{s.size() - 1|s.size() - 2|0}], "
    "s[i - 1]) {+|-} where(i == s.size() - 1, s[0], s[i + 1]), size=s.size()), count={2|3|n})",
)
"""Neighbours on a ring: raise-rotations."""

RUNNING = (
    "fold(({x|x + 1}, {a|b}), lambda k, s: (lambda y: ({y|where(a[k] > x, y, s[0])}, array("
    "lambda i: where(i == {k|k + 1|keys[k]}, {y|s[0]|y + s[1][k]}, s[1][i]))))({s[0] + a[k]|"
    "min(s[0], a[k])|where(a[k] > {x|0.0}, {a[k]|s[0] + 1|x}, s[0])|s[0] * x + a[k]|"
    "max(s[0] {-|+} {1|b[k]}, a[k])}), count=" + COUNT + ")",
    "fold((x, {x|-INF}, {0|n}), lambda k, s: (lambda y: (y, where(y {>|>=} s[1], y, s[1]), where(y "
    "{>|>=} s[{1|1|0}], {k|k + 1}, s[2])))({s[0] + a[k]|min(s[0], a[k])|where(a[k] > 0.0, a[k], "
    "s[0])|where(a[k] > 0.0, s[0] + b[k], {x|a[k]})}), count=" + COUNT + ")",
    "fold((x, a), lambda k, s: (s[0] + s[1][{k|k + 1}], array(lambda i: where(i == {k|k + 1|k - 1}"
    ", {x|0.0}, s[1][i]))), count=" + COUNT + ")",
    "fold(x, lambda q, s: max(s, sqrt(abs(fold(x, lambda t, y: y * 2 - m[t, q], count=m.size(0)))))"
    " {+|-} a[q], count=m.size(1))",
    "array(lambda i: fold_" + COMBINE + "(lambda k: " + ELEMENT + ", count={keys[i]|i|i + 1}), "
    "size={keys.size()|n})",
    "fold(a, lambda k, s: (lambda t: array(lambda i: where(i == {k|k|k + 1|k - 1|keys[k]}, a[k] / "
    "(2 + abs(t)), s[i])))(fold_{sum|max}(lambda j: s[{j|j|j + 1|j - 1}]{| * b[j]}, count={k|k|"
    "k + 1})), count={a.size()|n})",
)
"""Values that loops carry: raise-running-values, read-initial-elements, store-terms, prefixes."""

RAGGED = (
    "array(lambda i: fold_" + COMBINE + "(lambda k: {a[keys[i] + k]|a[i + k] * b[k]}, count="
    "{keys[i]|keys[i + 1] - keys[i]|min(keys[i], 3)}), size=keys.size())",
    "fold_sum(lambda i: fold_" + COMBINE + "(lambda k: a[keys[i] + k], "
    "count=max({keys[i]|keys[i + 1] - keys[i]}, 0)).clip(-9.0, 9.0), count=keys.size())",
    "(lambda f: array(lambda r, c: fold_sum(lambda t: fold_sum(lambda k: where(f[t, k] == "
    "{r|r + 1|p}, {m[t, c]|m[t, c] * a[k]|m[t, k]}, 0.0))), size=({3|a.size()}, m.size(1))))("
    "array(lambda t, k: keys[t + k], size=(m.size(0), {2|n})))",
)
"""Rows of several lengths, and rows at keys: coalesce-folds, raise-counted-loops, segments."""

SIZES = (
    "fold({a|b}, lambda k, s: array(lambda i: s[i] {+|-} s[{i - 1|i + 1|i - k}], size={s.size() + 1"
    "|max(s.size() - 1, 0)|s.size() + k|k + 1|max(keys[k], 0)}), count={3|n|keys.size()})",
    "fold(a, lambda k, s: concat(s, {b|s[1:]|array(lambda i: s[i] * 2)|a[:1]}), count={2|n})",
    "fold(x, lambda k, s: s + (lambda w: {w[0]|w[w.size() - 1]|sort(w)[0]|fold_argmin(lambda i: "
    "w[i]).float(DTYPE)|fold_sum(lambda i: w[i])})(array(lambda i: {a[i + 0] + s|a[i + k]|fold_sum("
    "lambda j: where(j <= i, a[j], 0.0), count={k|a.size()})}, size={k|k + 1|max(a.size() - k, 0)})"
    ").clip(-9.0, 9.0), count=a.size())",
    "fold(m, lambda k, v: array(lambda i, j: {min(v[i, j], v[i, k] + v[k, j])|"
    "where((i == k) & (j == {k|0}), x, v[i, j])|v[i + 0, k] + x}, "
    "size=({m.size(0)|n}, {m.size(0)|m.size(1)})), count={m.size(0)|n})",
    "fold({a|b}, lambda k, v: array(lambda i: {max|min}(v[i + 1] {+|-} x, v[i]), size=v.size()), "
    "count={a.size()|n|2})[{0|1|p}]",
)
"""Sizes that change: carry-varying-sizes, fill-varying-arrays, narrow-accumulators."""

TABLES = (
    "fold(m, lambda i, t: fold(t, lambda j, u: array(lambda r, c: where((r == i + 1) & (c == j + 1)"
    ", {min|max}(u[i, j + 1]{| + 1}, u[{i + 1|i}, {j|j + 2}]) + {a[i] * b[j]|where(a[i] == b[j], "
    "N(0.0), N(1.0))|x|u[i, j]}, u[r, c])), count={max(m.size(1) - 1, 0)|m.size(1)}), "
    "count={max(m.size(0) - 1, 0)|m.size(0)})",
    "fold(a, lambda k, s: array(lambda i: where((i {>=|>} {keys[k]|k|1}) & (i < {keys[k] + 2|n|"
    "a.size() - k|keys[k + 1]}), {x|s[i] + x|b[k]|s[i - 1]|s[k]}, s[i])), count={keys.size()|n})",
    "(lambda at: fold(array(lambda t: x, size={9|a.size()}), lambda k, s: array(lambda t: {s[t] + "
    "where((t {>=|>} at(k)) & (t < at(k) + b.size()), b[t - at(k)], 0.0)|where((t >= at(k)) & (t < "
    "at(k) + b.size()), b[t - at(k)], s[t])}), count={keys.size()|3}))(lambda k: {keys[k]|k * 2|"
    "k * n})",
    "fold(m, lambda k, s: array(lambda i, j: where((i {>=|<} {keys[k]|k}) & (j < {keys[k + 1]|k|2})"
    ", {x|s[i, j] + 1|s[i, j] - s[k, j] * s[i, k]|a[k]}, s[i, j])), count={keys.size()|m.size(0)})",
)
"""Tables: skew-folds, raise-updates of parts."""

DIVIDED = (
    "array(lambda i: where(i % {2|3} == {0|1}, a[i // 2], b[{i // 2|i + 0}]), "
    "size={a.size() * 2|2 * b.size()|6})",
    "array(lambda i, c: where(c == 0, a[i], where(c == {1|2}, b[i + 0]{| * a[i]}, {x|"
    "exp(min(a[i], 2.0))})), size=(a.size(), {3|2|n}))",
    "(lambda h: array(lambda i: where((i // h) % 2 == {0|1}, a[i] + a[i + h], a[i - h] - a[i])))("
    "{N(1)|N(2)|n|max(n, 1)|a.size() // 2})",
    "fold(a, lambda k, v: (lambda h: array(lambda i: where((i // h) % 2 == 0, v[i] + v[i + h], "
    "v[i - h] - v[i]), size=v.size()))(1 << k), count={2|3|n})",
    "(lambda w: array(lambda i: m[i // w, i % w] {+|*} {a[i + 0]|b[i % w]|a[i // w]}, "
    "size={m.size(0) * m.size(1)|m.size(0) * m.size(1) + 1|6}))({m.size(1)|m.size(0)|3})",
    "(lambda q: array(lambda i: where({(i >> q) & 1 == 0|(i & (1 << q)) {==|!=} 0|(i >> q) > 0"
    "|i & {1|2|3} == 0}, a[{i ^ (1 << q)|i ^ (1 << q)|i|i >> q|i ^ 1}], {a[i & ((1 << q) - 1)]|b[i]"
    "|x}), size={70|a.size()|6}))({N(1)|N(3)|n|p|N(4)|N(63)})",
    "array(lambda i, j: m[{i >> 1|i & 1|i ^ 1|(i & 2) // 2}, {j & 3|j >> {1|2}|(j & 2) >> 1|3 - j}]"
    ", size=({5|a.size()}, {4|9}))",
    "array(lambda i: a[i] * b[{i % b.size()|i % 3|(i + 1) % b.size()|(i - p) % b.size()|i % n}])",
    "array(lambda i, j: m[{i % 2|i % m.size(0)|(i + p) % 3}, {j % m.size(1)|j % 2|j}], "
    "size=({5|a.size()}, {4|m.size(1)}))",
)
"""Quotients, remainders and bits of indices: delinearize-indices, split-cases, periodic reads."""

PRODUCTS = (
    "array(lambda i: fold_sum(lambda j: fold_sum(lambda k: m[i, j] * m[{j, k|k, j}] * {a[k]|b[k]|"
    "m[k, i]|m[j, i]|a[j]}, count={m.size(1)|m.size(0)|n}), count={m.size(0)|m.size(1)}), "
    "size={m.size(0)|m.size(1)})",
    "array(lambda i, j: fold_sum(lambda k: where((m[i, k] > {x|0.0}) & (m[j, k] {>|<} 0.0), "
    "{m[i, k] * m[j, k]|a[k]|N(1.0)}, 0.0)))",
)
"""Sums of products: multiply-in-pairs, split-masks."""

SUMS = (
    "fold(a, lambda t, s: (lambda u: array(lambda i: {s[i]|a[i]|s[i] * 2} + u[i]))(accumulate("
    "lambda k: (keys[k{| + t}], {s[k]|b[k % 2]|x}), size={a.size()|a.size() + 1}, "
    "count={keys.size()|2|9|t})), count={2|3|n})",
    "grad(lambda v: (lambda w: fold_sum("
    "lambda i: w[i] * w[i]))(fold(v, lambda i, s: (lambda y: array(lambda q: where(q == i, y, s[q]"
    ")))(a[i] + fold_sum(lambda k: s[keys[{i + k|k}]] * 0.5, count={2|i})), count=a.size())))(a)",
)
"""Sums in place: add-in-place."""

FOUND = (
    "grad(lambda v: (lambda s: s[0] * s[1] {+|*} s[1])(fold(({INF|x|0.0}, {0.5|x}), lambda k, s: "
    "(lambda d: (lambda c: (where(c, d, s[0]), where(c, {v[k] * v[k]|d * b[k]|exp(-d * d)}, s[1])))"
    "({d < s[0]|(d < s[0]) & (b[k] > 0.0)|~(d <= s[0])|d * 2 > s[1]}))({v[k] * b[k]|abs(v[k])|v[k]}"
    "), count={v.size()|b.size()|n})))(a)",
)
"""Derivatives of searches: linearize."""

LAGS = (
    "fold(a, lambda k, s: array(lambda i: where(i == k{|| + 1}, {s[k - n]|s[k - {2|3}]|s[k - p]|"
    "min(s[k], s[k - n] + 1)|where(k {>=|>} n, s[k - n]{| - s[k]}, {x|s[k]})|s[k - 2] + s[k - n]} "
    "{+|*} {x|b[k]|0.5|s[k]}, s[i])), count={a.size()|a.size()|a.size() - 1|n})",
    "array(lambda j: fold(array(lambda i: {0.0|a[i]}, size=a.size()), lambda k, s: array(lambda i: "
    "where(i == k, {where(k < {2|n}, a[k], s[k - {2|n}] * b[j])|s[k - 2] + b[j]}, s[i])), "
    "count=a.size()), size=b.size())",
    "fold(a, lambda c, s: fold(s, lambda k, t: array(lambda i: where(i == k, {min|max}(t[k], where("
    "k >= {keys[c]|c + 2}, t[k - {keys[c]|c + 2|c - 2}] + 1, INF)), t[i])), count=a.size()), "
    "count={keys.size()|2})",
)
"""Steps that read elements of steps long before: lags of skew-folds."""

STORES = (
    "fold({a|b}, lambda k, s: array(lambda i: where((i == {keys[k]|keys[k] - 1|a.size() - 1 - k|"
    "2 * k|k + n}){||| & (b[k] > x)| & (k < i)}, {b[k]|k.float(DTYPE)|x|a[i] + b[k]|s[keys[k]]|"
    "s[i] + b[k]}, s[i])), count={keys.size()|keys.size()|n|b.size()})",
    "fold(array(lambda i: -1, size=a.size()), lambda k, s: array(lambda i: where(i == keys[k], "
    "{k|s[k]|keys[k + 1]|max(s[i], k)}, s[i])), count=keys.size())",
    "fold(a, lambda t, s: fold(s, lambda k, u: array(lambda i: where(i == keys[k]{| + t}, {b[k] + "
    "t.float(DTYPE)|s[k]|u[k]}, u[i])), count=keys.size()), count={2|n})",
    "fold(m, lambda k, s: array(lambda i, j: where((i == keys[k]){| & (j == {0|keys[k + 1]})}, "
    "{b[j]|x|a[k]|s[k, j]}, s[i, j])), count=keys.size())",
)
"""Elements stored at computed positions: raise-scatters."""

RECORDED = (
    "fold(array(lambda j: x, size=m.size(1)), lambda t, h: array(lambda j: {0.5 * h[j] + m[t, j]|"
    "m[t, j] * h[j + 1]|max(h[j], m[{t|t + 1|m.size(0) - 1 - t}, j])|m[t, j] + fold_sum(lambda k: "
    "h[k] * m[k, j], count={2|m.size(1)})}), count={m.size(0)|m.size(0)|n})",
    "array(lambda r: fold((array(lambda j: 0.0, size=m.size(1)), x), lambda k, s: (lambda z: ("
    "array(lambda j: where(j == {m.size(1) - 1 - k|k}, z, s[0][j])), z))({m[r, k]|"
    "m[r, m.size(1) - 1 - k]} + 0.5 * s[1]{| * b[k]}), count=m.size(1))[0], size=m.size(0))",
)
"""Rows that steps read: unbind-rows."""

SCANS = tuple(
    f"{{grad|grad|value_and_grad}}(lambda v: (lambda w: fold_sum(lambda i: w[i] * {{w[i]|b[i]|"
    f"1.0}}, count={{a.size()|a.size()|n}}))({scan}))(a)"
    for scan in (
        "scan(v, {0.0|x}, lambda y, z: {y + z|y * z|max(y, z)|min(y, z)})",
        "array(lambda i: fold_{sum|prod|max}(lambda k: {v[k]|1.0 - 0.5 * v[k]|v[k] * b[k]}, count="
        "{i|i + 1}), size=a.size())",
        "array(lambda i: v[i] * fold_{sum|prod}(lambda k: 1.0 - 0.5 * v[k], count={i|i + 1}))",
        "fold((1.0 * x, v), lambda k, s: (s[0] * {(1.0 - 0.5 * v[k])|v[k]|0.5} {+|-} {v[k]|b[k]|"
        "0.0}, array(lambda i: where(i == k, s[0] * v[k], s[1][i]))), count=a.size())[1]",
        "array(lambda i: fold(x, lambda k, c: c * 0.5 + v[{k|i - k|k + 1}], count={i|i + 1|3}), "
        "size=a.size())",
    )
)
"""Derivatives of values that run through an array: scans and products that loops carry."""

LOOKED_UP = (
    "array(lambda i, j: (lambda f: f({keys[i]|(a[i] * 2).int()}) {+|*} f({keys[i] + 1|keys[j]|i}))("
    "lambda t: {m[t, j] - m[t, j + 1]|fold_{sum|max}(lambda k: m[t, k] * {b[k]|m[k, j]})|"
    "abs(m[t, j]) * a[t]|t.float(DTYPE) * m[t, 0] * m[t, 1]}), size=({keys.size()|9|n}, "
    "{m.size(1)|2}))",
)
"""Functions of rows at computed positions: share-elements."""

UNVARYING = (
    "array(lambda i: fold((b[i], {x|1.0|a[i]}), lambda k, s: (s[0] * 0.5 + {a[k]|b[i + k]} / "
    "(abs(s[1]) + 1.0), {abs(s[1] - x) / (s[1] * s[1] + 2.0)|s[1] * 0.5|exp(-abs(s[1])) + a[k]|"
    "s[1] / (abs(s[0]) + 1.0)}), count={3|n|keys[i]|a.size()})[{0|0|1}], size={b.size()|n})",
    "array(lambda i, j: fold(({b[j]|a[i]}, x, 0), lambda k, s: (s[0] * 0.5 + {s[1]|a[j]} / (s[2] + "
    "1).float(DTYPE), exp(-abs(s[1])) + {a[k]|b[i]|b[j]}, (s[2] * 3 + {p|i|j}) % 5), count={3|n|"
    "keys[i]})[{0|0|1}], size=(b.size(), {2|n}))",
    "fold_sum(lambda i: fold((0.0, array(lambda r: x, size=2)), lambda k, s: (s[0] + a[i] * "
    "s[1][0], array(lambda r: s[1][1 - r] / (abs(s[1][r]) + {1.5|abs(b[k])|abs(a[i])}) + "
    "r.float(DTYPE))), count={3|n})[0], count=a.size())",
)
"""Recurrences that do not vary with the loops around them: hoist-recurrences."""

SPARSE = (
    "accumulate(lambda {i, j|j, i}: ({where({m[i, j]|a[j]|a[i] + m[i, j]} {>|<=} {x|1.5}"
    "{|| & (i != j)| & (b[i] > x)}, {keys[j]|i + j|(m[i, j] * 4.0).floor().int()}, {-1|-1|n|i})|"
    "keys[j]}, {where(m[i, j] {>|<} x, {m[i, j]|m[i, j] * a[j]|a[i]|N(2)}, {0.0|{INF|-INF}|x})|"
    "a[j]|1}), size={n|4}, count={(2, 3)|(n, a.size())}, by={'sum'|'sum'|'max'|'min'})",
    "array(lambda i: fold({0.0|x|-INF}, lambda k, s: where({a[k]|m[k, 0]|a[k] + m[k, 1]} {>|<} "
    "{x|1.5|b[i]}{|| & (k != i)}, {s + |max(s, 1.0) + }{exp(-abs(a[k] - b[i]))|m[k, i]|a[k] * b[i]}"
    ", s), count={a.size()|m.size(0)}), size=b.size())",
)
"""Sparse masks of data: gather-contributions."""

REDUCED = (
    "array(lambda i: reduce_{sum|prod|max|argmax|argmin}(lambda k: " + ELEMENT
    + "{| + b[i]| * m[i, 0]}, count=" + COUNT + "), size={b.size()|n})",
    "{a|b|m[p]|a[1:]|array(lambda k: a[keys[k]])}.reduce({0.0, lambda y, z: y + z|1.0, lambda y, z:"
    " y * z|-INF, lambda y, z: max(y, z)|INF, lambda y, z: min(y, z)})",
    "array(lambda i: {reduce|fold}_{any|all}(lambda k: (a[k] {<|>=} {x|b[i]}) {&|^} ({m[i, k] > 0.0"
    "|keys[k] == i|k < i}), count={a.size()|n}), size={b.size()|n})",
)  # fmt: skip
"""Reductions by their names, and by associative functions: raise-reductions."""

POOLED = (
    "accumulate(lambda i: (keys[i], {a[i] {>|<} {x|b[i]}|keys[i] == i}), size={4|a.size()}, "
    "by={'any'|'all'})",
    "accumulate(lambda i, j: (({keys[j]|j}, {i % 2|keys[i]|i}), m[i, j]{| * a[j]}), size=(4, {2|n})"
    ", by={'sum'|'prod'|'max'|'min'})",
    "array(lambda i: b[i] {+|*} fold_" + COMBINE + "(lambda k: a[keys[i] + k], "
    "count=keys[i + 1] - keys[i]))",
    "fold(x, lambda i, s: s * {0.5|1.0} + fold_"
    + COMBINE
    + "(lambda k: a[{i + k|i - k|i + k + 1}] "
    "{+|*} {x|b[i]}, count={a.size() - i|i + 1|a.size() - i - 1}), count=a.size())",
    "accumulate(lambda i, j: ({i * 3 + j|3 * i + 2 - j|j * n + i|3 * (n - 1 - i) + j|2 * i + j}, "
    "m[i, j] {+|*} a[i]), size={3 * n|n * 3|2 * n}, by={'sum'|'min'}, count=(n, 3))",
    "array(lambda p: accumulate(lambda i: ({2 * i|2 * i + 1|2 * i + 2|n - i}, a[i]), size=2 * n"
    ", count=n)[p] {+|*} accumulate(lambda i: ({2 * i|2 * i + 1}, b[i]), size=2 * n, count=n)[p])",
)
"""Accumulations of all kinds, and rows between the elements of an array."""

SECOND = (
    "hessian(lambda v: fold_sum(lambda i: {v[i] ** 3.0|v[i] * v[i + 1]|exp(-v[i] * v[i]) * b[i]|"
    "max(v[i], x) * v[i]|v[i] * v[keys[i]]}, count=" + COUNT + "))(a)",
    "jacobian(lambda v: array(lambda i: {v[i] * v[i + 1]|fold_sum(lambda k: m[i, k] * v[k])|"
    "sin(v[i]) * v[0]|fold_prod(lambda k: v[k], count=i)}, size={a.size()|n}))(a)",
    "grad(lambda v: fold_sum(lambda i: fold(v, lambda t, s: array(lambda j: s[j] * 0.5 + "
    "{s[j - 1]|s[j + 1]|s[j] * s[j]} * b[t]), count={9|a.size()|n})[i], count=a.size()), "
    "checkpoint={32|256|100000})(a)",
)
"""Second derivatives, matrices of derivatives, and loops that save few of their steps."""

QUOTIENTS = (
    "array(lambda i: fold_sum(lambda k: {{a[k]|m[i, k]|m[k, i] * a[k]|b[k] - x} / {x|b[i]|b[k]|(x "
    "- b[i])|3.0}|where(a[k] > x, a[k] / b[i], 0.0)}{|- x|* a[i]|/ b[i]}, count=" + COUNT
    + "), size={b.size()|n})",
    "array(lambda i: fold({0.0|a[i]}, lambda k, s: s {+|-} m[i, k] * {a[k]|-b[k]} / {x|b[i]}, "
    "count=" + COUNT + "))",
    "accumulate(lambda c: ({c // 2|c // n|c % 2|c // 3|n - c // 2}, array(lambda i, j: a[c] {*|+|/}"
    " {m[i, c]|m[c, j]|b[j] * m[i, c]}, size=({2|n}, 3))), size={2|n|a.size() // 2}, "
    "by={'sum'|'sum'|'max'}, count=a.size())",
)  # fmt: skip
"""Sums of quotients and of differences, and arrays added at quotients: hoist-reciprocals."""

WINDOWS = (
    "fold(x, lambda i, s: {s * 0.5|sin(s)} + fold_" + COMBINE + "(lambda k: {a[i + k]|a[i - k]"
    "|a[i + k] * b[k]|a[i + k] - x}, count=min({2|p|40|n - 1}, {a.size() - i|i + 1|n - i|i})), "
    "count={a.size()|n})",
    "array(lambda i, j: fold_{sum|sum|max}(lambda k: m[i, k] * m[{i + j|i - j + x.int()"
    "|3 * j + i - 1|i * 2 + j}, k]{|| * a[i]| / b[j]}, count=m.size(1)), size=({n|m.size()}, 2))",
    "array(lambda i, c: fold_sum(lambda j: (m[i, j] - x) * {m[i + j - 1, c]|m[i - j, c]"
    "|where((i + j < n), m[i + j, c], 0.0)}, count={m.size(1)|2}), size=(n, {2|m.size(1)}))",
)
"""Windows that end at the ends of an array, in the steps of a loop: raise-scans; those of rows."""

POWERS = (
    "array(lambda i: fold_sum(lambda k: {a|b}[k] * {a[i]|x} ** {k|(k + 1)|(2 * k + 1)|(n - k)"
    "|(k - 2)|keys[k]|k.float(DTYPE)}, count={n|5}), size=a.size())",
    "array(lambda i, k: (a[i] - x) ** {k|(k - 1)|(3 - k)|5|-7|keys[i]|p}, size=(a.size(), {n|9}))",
)
"""Powers by counters, indices and literals."""

FACTORS = (
    "array(lambda i: fold_sum(lambda k: {a[i + k] / a[i]|a[i] * (b[i + k] * a[i + k])|b[i + k] / "
    "a[i] * a[i + k]|a[i + k] / (a[i] * b[i + k])}{| * b[i + k]| * x| / b[i]| * x ** k}, "
    "count=a.size() - i), size=a.size())",
    "array(lambda i: fold_sum(lambda k: where((k {<|<=|>|>=} i){| & (a[k] > x)}, {a[k] / a[i]|a[k] "
    "* (a[i] * b[k])|b[k] / a[i] * a[k]|a[i] / a[k] / b[i]}, {0.0|0.0|x}), count={a.size()|n}), "
    "size=a.size())",
)
"""Factors and divisors that leave sums: raise-scans."""

DECAYS = (
    "array(lambda i: {x *|} fold_prod(lambda k: where((a[k] {<|<=|>} {b|a}[i]){| & (k < i)"
    "| & (b[k] > x)}, {b[k]|0.9 + a[k] / 9|b[k] * b[i]}, 1.0), count=a.size()), size={a|b}.size())",
    "array(lambda i: fold_sum(lambda k: {a[k]|b[k + 1]|1.0} {*|*|/} {(fold_prod|exp(-fold_sum}"
    "(lambda j: {0.5 + b[k + 1 + j] / 9|where(b[k + j] > x, 0.5, 1.2)|a[i - j]|0.9 + a[k + j] * "
    "b[i] / 9}, count={i - k|i - k|i - k + 1|k})), count={i + 1|i + 1|i}), size=a.size())",
    "array(lambda i: fold_sum(lambda k: {a[i + k]|x ** k|1.0} {*|*|/} {(fold_prod|exp(-fold_sum}"
    "(lambda j: {0.5 + b[i + j] / 9|where(b[i + j] > x, 0.0, 0.9)|0.9 + a[i + j] * b[k] / 9}, "
    "count={k|k|k + 1|2 * k})), count=a.size() - i), size=a.size())",
    "array(lambda i: fold_sum(lambda k: where((k {<|<=|>|>=} i){| & (a[k] > x)}, a[k] * fold_prod("
    "lambda j: where((j {>|>=} {i|k}) & (j {<|<=} {i|k}), 0.5 + b[j] / 9, 1.0), count={n|a.size()"
    "}), 0.0), count=a.size()), size=a.size())",
    "array(lambda i: fold_{max|min}(lambda k: {a[k] +|x -|} fold_sum(lambda j: {b[k + j]|b[k + j] "
    "* a[i]}, count={i - k|i - k|i - k + 1}), count=i + 1), size=a.size())",
)
"""Products of elements between a step and an index: raise-scans."""

FORMS = (
    *(*BEST, *GROUPS, *HALVES, *UNEVEN, *OFFSETS, *ROTATIONS, *RUNNING),
    *(*RAGGED, *SIZES, *TABLES, *DIVIDED, *PRODUCTS, *SUMS, *FOUND),
    *(*LAGS, *STORES, *RECORDED, *SCANS, *LOOKED_UP, *SPARSE, *REDUCED, *POOLED, *SECOND),
    *(*UNVARYING, *QUOTIENTS, *WINDOWS, *POWERS, *FACTORS, *DECAYS),
)


def filled(template: str, rng: random.Random) -> str:
    """A template with an alternative in the place of each choice."""
    while CHOICE.search(template):
        template = CHOICE.sub(lambda found: rng.choice(found[1].split("|")), template)
    return template


def write_form(rng: random.Random) -> str:
    """The text of a function ``f`` of ``PARAMETERS`` with one form, perhaps at each index."""
    form = filled(rng.choice(FORMS), rng)
    if rng.random() < 0.3:
        values = "x + r.float(DTYPE), p + r"
        form = f"array(lambda r: (lambda x, p: {form})({values}), size={rng.choice(('2', 'n'))})"
    return f"def f({', '.join(PARAMETERS)}):\n    return {form}\n"
