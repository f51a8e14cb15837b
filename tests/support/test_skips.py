# SPDX-License-Identifier: MIT
"""unittest prints why tests were skipped, without being asked for it."""
import io
import unittest

import skips  # noqa: F401  pylint: disable=unused-import


@unittest.skip("needs root")
class All(unittest.TestCase):
    def test_one(self):
        pass

    def test_two(self):
        pass


class Some(unittest.TestCase):
    def test_passes(self):
        pass

    def test_needs_a_program(self):
        self.skipTest("no program\nhere")


class Skips(unittest.TestCase):
    def test_reasons_are_lines(self):
        suite = unittest.TestSuite([All("test_one"), Some("test_passes"), Some("test_needs_a_program"), All("test_two")])
        stream = io.StringIO()
        result = unittest.TextTestRunner(stream).run(suite)
        self.assertTrue(result.wasSuccessful())
        self.assertEqual([line for line in stream.getvalue().splitlines() if line.startswith("skipped")],
                         ["skipped: needs root (2 tests)", "skipped: no program here"])


if __name__ == "__main__":
    unittest.main(defaultTest="Skips")
