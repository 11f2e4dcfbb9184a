"""Plans of contractions: the cheapest order, and where it leaves that of the program."""

from __future__ import annotations

import pytest

from ein_mlir.analysis.contraction_plans import Node, Order, Plan, Planner


def planned(text: str, output: str, order: Order | None = None, *scales: int) -> Plan:
    """The plan for factors, ``"ik,kj"``, in an order: from left to right, and then the sum."""
    factors = [tuple(letters) for letters in text.split(",")]
    summed = frozenset(text.replace(",", "")) - {*output}
    order = order or Order(tuple(range(len(factors))), summed)
    return Planner(factors, output, order, frozenset(scales)).plan()


def divided(text: str, output: str) -> Plan:
    """The plan for factors from left to right, those with a slash as divisors."""
    terms = text.split(",")
    divisors = frozenset(k for k, term in enumerate(terms) if term.startswith("/"))
    factors = [tuple(term.removeprefix("/")) for term in terms]
    summed = frozenset(letter for factor in factors for letter in factor) - {*output}
    order = Order(tuple(range(len(factors))), summed)
    return Planner(factors, output, order, divisors=divisors).plan()


def shown(node: Node) -> str:
    """``"(0 (1 2)k)i"``: the factors, and the axes of each product."""
    if node.parts is None:
        return "".join(map(str, node.factors))
    return f"({' '.join(map(shown, node.parts))}){''.join(node.letters)}"


@pytest.mark.parametrize(
    ("text", "output", "tree"),
    [
        ("ik,kj", "ij", "(0 1)ij"),
        ("ik,k,k", "i", "(0 (1 2)k)i"),
        ("i,ij,j", "", "((0 1)j 2)"),
        ("ij,jk,kl", "il", "((0 1)ik 2)il"),
        ("ij,jk,k", "i", "(0 (1 2)j)i"),
        (",ik,jk", "ij", "((0 1)ik 2)ij"),
        ("ik,k,kj", "ij", "((0 1)ik 2)ij"),
        ("i,i,i,i,i,i", "", "(((((0 1)i 2)i 3)i 4)i 5)"),
    ],
)
def test_the_cheapest_order(text: str, output: str, tree: str):
    assert shown(planned(text, output).root) == tree


@pytest.mark.parametrize(
    ("text", "output", "tree"),
    [
        ("ijk,k,kl", "ijl", "((0 1)ijk 2)ijl"),
        ("ik,k,jk", "ij", "((0 1)ik 2)ij"),
        ("ij,jk,k", "i", "(0 (1 2)j)i"),
    ],
)
def test_products_of_matrices_keep_the_order_of_the_program(text: str, output: str, tree: str):
    """Smaller tables of products, which need tests, save little beside products of matrices."""
    plan = planned(text, output)
    assert shown(plan.root) == tree
    assert plan.is_in_order == plan.is_matrix_product


def test_products_that_the_program_does_not_compute():
    plan = planned("ik,k,k", "i")
    assert [shown(node) for node in plan.normal] == ["(1 2)k"]
    assert not plan.is_distributed
    assert [shown(node) for node in plan.finite] == ["(0 (1 2)k)i"]
    grouped = Order((0, Order((1, 2))), frozenset("k"))
    assert planned("ik,k,k", "i", grouped).is_in_order


def test_a_product_of_the_same_factors_is_computed_once():
    order = Order((0, 1, Order((2, 3))), frozenset("k"))
    factors = [tuple(term) for term in ("ik", "k", "ik", "k")]
    plan = Planner(factors, "i", order, same="xwxw").plan()
    assert shown(plan.root) == "((0 1)ik (2 3)ik)i"
    assert plan.is_in_order
    assert plan.cost() < Planner(factors, "i", order).plan().cost()


def test_factors_are_stored_for_the_order_of_the_program():
    """So a product in that order, written once, costs less than a quotient and a test of it."""
    assert divided("j,ij,/ij", "i").is_in_order
    assert not divided("ij,j,/j", "i").is_in_order


def test_sums_of_fewer_factors():
    plan = planned("i,k", "i")
    assert plan.is_distributed
    assert not plan.normal
    assert [shown(node) for node in plan.finite] == ["0", "1"]
    assert planned("i,ij,j", "").is_distributed
    assert planned("ij,jk", "ik").is_in_order


def test_a_literal_from_one_on_may_leave_a_sum():
    assert planned(",k", "", None, 0).is_in_order
    assert planned(",k", "").is_distributed


def test_nested_sums_are_the_order_of_the_program():
    inner = Order((1, 2), frozenset("k"))
    assert planned("ij,jk,k", "i", Order((0, inner), frozenset("j"))).is_in_order
    other = Order((Order((0, 1), frozenset("j")), 2), frozenset("k"))
    plan = planned("ij,jk,k", "i", other)
    assert plan.is_distributed
    assert [shown(node) for node in plan.normal] == ["(1 2)j"]


@pytest.mark.parametrize(
    ("text", "output", "tree"),
    [
        ("ik,k,/k", "i", "(0 (1 2)k)i"),
        ("ik,k,/i", "i", "((0 1)i 2)i"),
        ("ik,/i,k", "i", "((0 2)i 1)i"),
        ("ik,jk,/ij", "ij", "((0 1)ij 2)ij"),
        ("ik,/i", "i", "(0 1)i"),
        ("ik,/ik", "i", "(0 1)i"),
        ("ik,kj,/k,/k", "ij", "(0 ((1 2)jk 3)jk)ij"),
        (",kj,/ik", "ij", "((0 2)ik 1)ij"),
        (",i,/kj", "ij", "((0 2)j 1)ij"),
    ],
)
def test_divisors(text: str, output: str, tree: str):
    plan = divided(text, output)
    assert shown(plan.root) == tree
    assert all(node.parts for node in plan.root.walk() if node.is_quotient)


def test_tests_of_quotients():
    plan = divided("ik,k,/k", "i")
    assert [shown(node) for node in plan.normal] == ["(1 2)k"]
    assert plan.most_divided_axes == 1
    plan = divided("ik,k,/i", "i")
    assert plan.is_distributed
    assert [shown(node) for node in plan.finite] == ["((0 1)i 2)i"]
    assert divided("ik,/ik", "i").is_in_order
    assert planned("ik,k", "i").most_divided_axes is None


@pytest.mark.parametrize(
    ("text", "output", "expected"),
    [
        ("k,k,ki", "i", True),
        ("k,ki", "i", True),
        ("ik,ik,k", "i", False),
        ("aik,ak", "ai", False),
        ("i,k", "i", False),
        ("k,k", "", False),
    ],
)
def test_products_of_a_matrix_and_a_vector(text: str, output: str, expected: bool):
    assert planned(text, output).is_vector_product == expected
