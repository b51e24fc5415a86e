# SPDX-License-Identifier: MIT
"""Cases that mostly wait, run at once."""
import sys
import os
from concurrent.futures import ThreadPoolExecutor

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))]
from cases import Cases  # noqa: E402

AT_ONCE = 16


class CasesAtOnce(Cases):
    def case(self, function, *arguments):
        """With arguments, which are part of its name, it is one case of several that share the function."""
        def bound():
            function(*arguments)

        bound.__name__ = "_".join([function.__name__, *map(str, arguments)])
        self.list.append(bound)
        return function

    def finish(self, words=()):
        """words: only those that have one of them in their names."""
        chosen = [case for case in self.list if not words or any(word in case.__name__ for word in words)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            self.list = [awaited(case.__name__, pool.submit(case)) for case in chosen]
            super().finish()


def awaited(name, future):
    def result():
        future.result()

    result.__name__ = name
    return result
