"""What is raised where there is no report."""


class Error(Exception):
    """One line: which function, what is wrong, what to do."""
