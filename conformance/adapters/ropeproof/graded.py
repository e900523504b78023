"""The process of a function that grade() was given: imports it, and serves it.

    python3 -m ropeproof.graded '{"module": ..., "function": ..., ...}'
"""

import json
import sys

import ropeproof  # first: what is imported from now on prints to standard error
from ropeproof import decorator, judging
from ropeproof.named import function_of


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
