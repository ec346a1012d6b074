"""Checks the server against its own document: it must accept what the document allows, and reject what it forbids.

`run` starts servers and sends thousands of generated requests. This package judges each response.
"""
