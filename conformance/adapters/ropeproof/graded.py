"""The process of a function that grade() was given: imports it, and serves it.

    python3 -m ropeproof.graded '{"module": ..., "function": ..., ...}'
"""

import importlib
import importlib.util
import json
import os
import sys

import ropeproof  # first: what is imported from now on prints to standard error
from ropeproof import decorator, judging


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


def main():
    options = json.loads(sys.argv[1])
    module, name = options.pop("module"), options.pop("function")
    sys.path[:0] = options.pop("path", [])
    try:
        function = function_of(module, name)
        given = options.pop("name", None) or judging._name_of(function)
        decorator.registered = judging._kernel_of(
            function, options.pop("like", None), name=given, **options)
    except (Exception, SystemExit) as error:
        line = " ".join(str(error).split()) or type(error).__name__
        sys.exit(f"{module}:{name}: {type(error).__name__}: {line}")
    ropeproof.serve()


if __name__ == "__main__":
    main()
