# SPDX-License-Identifier: MIT
"""Makes unittest print why tests were skipped, as lines `skipped: REASON`, which scripts/check collects. Importing the
module is enough; each folder's support module does so."""
import collections
import unittest


def lines(reasons):
    """A line per reason, with the number of tests that were skipped for it."""
    return ["skipped: " + " ".join(reason.split()) + (" (%d tests)" % n if n > 1 else "")
            for reason, n in collections.Counter(reasons).items()]


class Result(unittest.TextTestResult):
    def printErrors(self):
        super().printErrors()
        for line in lines(reason for _, reason in self.skipped):
            self.stream.writeln(line)


unittest.TextTestRunner.resultclass = Result
