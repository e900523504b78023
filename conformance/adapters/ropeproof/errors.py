"""What is raised where there is no report."""


class Error(ValueError):
    """One line: which function, what is wrong, what to do."""

    def __init__(self, line):
        super().__init__(" ".join(line.split()))


class WrongTable(Error):
    """A function does not take the tables of its form: nothing can be judged."""
