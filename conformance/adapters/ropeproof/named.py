"""Functions that are named in words: "module:function", "file.py:function"."""

import importlib
import importlib.util
import os
import sys

from ropeproof.errors import Error


def function_of(module, name):
    """An attribute of a module, or of a file."""
    if module.endswith(".py"):
        spec = importlib.util.spec_from_file_location(
            os.path.basename(module)[:-len(".py")], module)
        found = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = found
        spec.loader.exec_module(found)
    else:
        found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def function_named(words, folder, flag):
    """The function, its module looked for in `folder` first; `flag` says where
    the words are from."""
    module, _, name = words.partition(":")
    if not module or not name:
        raise Error(f"{flag} {words}: expected module:function, or file.py:function")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return function_of(module, name)
    except (Exception, SystemExit) as error:
        raise Error(f"{flag} {words}: {error!r}") from error
