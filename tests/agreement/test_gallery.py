"""The programs of the gallery against those by hand, and their pictures."""

from __future__ import annotations

import numpy as np
import pytest

from tests.libraries import INSTALLED, needs
from tools.gallery import PAGE, module_of, programs


@pytest.mark.parametrize("backend", INSTALLED)
@pytest.mark.parametrize("name", programs())
def test_programs_agree(name: str, backend: str) -> None:
    module = module_of(name)
    arguments = module.data(module.SMALL)
    result = np.asarray(module.program.eval(*arguments, backend=backend))
    np.testing.assert_allclose(result, module.by_hand(*arguments), rtol=1e-7, atol=1e-9)


@needs("native")
@pytest.mark.parametrize("name", programs())
def test_pictures_are_drawn(name: str) -> None:
    from matplotlib.figure import Figure

    module = module_of(name)
    arguments = module.data(module.SMALL)
    figure = Figure()
    module.draw(figure, arguments, module.by_hand(*arguments))
    figure.draw_without_rendering()
    assert figure.axes


def test_the_page_has_all_programs() -> None:
    text = PAGE.read_text()
    assert [name for name in programs() if f"gallery/{name}.png" not in text] == []
