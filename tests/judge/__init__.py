"""Judges the server by its own document: what the document allows is accepted, what it forbids is refused.

`run` starts servers and sends requests by the thousand; the rest of this package decides about each answer.
"""
