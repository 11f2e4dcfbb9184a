"""Programs from tutorials of several fields: in Ein, by hand in NumPy, with data and a picture.

Each module has a function ``program`` of Ein, the same ``by_hand``, the arguments ``data(size)``,
``draw(figure, arguments, result)`` for a figure of Matplotlib, and a ``SMALL`` size for tests.
``tools/gallery.py`` measures them and writes docs/gallery.md.
"""
