# SPDX-License-Identifier: MIT
"""Files for a test."""
import contextlib
import os
import tempfile


@contextlib.contextmanager
def temporary_files(files):
    """A folder with these files: {path: text}."""
    with tempfile.TemporaryDirectory(prefix="weir-chaos-") as folder:
        for name, text in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        yield folder
