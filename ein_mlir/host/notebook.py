"""Tabs of a notebook: HTML and CSS alone, so that they work in trusted and exported notebooks."""

from __future__ import annotations

import html
from collections.abc import Mapping
from secrets import token_hex

_STYLE = """
.ein-tabs > input { position: absolute; opacity: 0; }
.ein-tabs > label { display: inline-block; padding: 2px 10px; cursor: pointer; opacity: .65; }
.ein-tabs > input:checked + label { opacity: 1; border-bottom: 2px solid currentColor; }
.ein-tabs > input:focus-visible + label { outline: 1px dotted currentColor; }
.ein-tabs > div { display: none; max-height: 30em; overflow: auto; }
"""


def tabs(title: str, pages: Mapping[str, str]) -> str:
    """HTML with a tab for each page: a text, or an SVG picture.

    >>> tabs("f", {"program": "a < b"}).count("a &lt; b")
    1
    """
    name = f"ein-{token_hex(4)}"
    rules, parts = list[str](), list[str]()
    for number, label in enumerate(pages):
        own = f"{name}-{number}"
        checked = "" if number else " checked"
        parts.append(
            f'<input type="radio" name="{name}" id="{own}"{checked}>'
            f'<label for="{own}">{html.escape(label)}</label>'
        )
        rules.append(f"#{own}:checked ~ div.{own} {{ display: block; }}")
    for number, text in enumerate(pages.values()):
        parts.append(f'<div class="{name}-{number}">{_shown(text)}</div>')
    style = f"<style>{_STYLE}{''.join(rules)}</style>"
    head = f"<code>{html.escape(title)}</code><br>"
    return f'<div class="ein-tabs">{style}{head}{"".join(parts)}</div>'


def _shown(text: str) -> str:
    """A picture as it is, and other text with its lines."""
    start = text.find("<svg")
    if text.startswith(("<?xml", "<svg")) and start >= 0:
        return text[start:]
    return f"<pre>{html.escape(text)}</pre>"
