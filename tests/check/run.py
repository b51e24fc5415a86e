#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs `weir check` on every file of this folder and compares all that it says.

    run.py WEIR             compares
    run.py WEIR --update    writes what it says now into the .expected files: read them before you
                            commit them

NAME.yaml stands beside NAME.expected: `exit STATUS` on its first line, then standard output, then,
where there is any, `stderr:` and standard error. Each file holds one mistake, but for those whose name
begins with "right-" (none), "ten-" (ten) and "every-": those give the options of one type every kind of
wrong value, one a step, with an operator that the build puts beside the program. A first line `# arguments: ...` of the YAML file gives
more arguments; FILE there stands for its name.
"""
import difflib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def arguments_of(name):
    with open(os.path.join(HERE, name), "rb") as file:
        first = file.readline()
    mark = b"# arguments: "
    if not first.startswith(mark):
        return [name]
    words = first[len(mark):].decode().split()
    return [name if word == "FILE" else word for word in words]


def environment(weir):
    """Nothing that a file could see by chance."""
    plugins = os.path.join(os.path.dirname(os.path.dirname(weir)), "tests", "check", "plugins")
    kept = {key: os.environ[key] for key in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS",
                                             "WEIR_PLUGIN_PATH") if key in os.environ}
    return dict(kept, LC_ALL="C.UTF-8", WEIR_CHECK_SET="readings", WEIR_CHECK_EMPTY="",
                WEIR_CHECK_PLUGINS=plugins)


def answer(weir, name):
    done = subprocess.run([weir, "check", *arguments_of(name)], cwd=HERE, env=environment(weir),
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    text = "exit %d\n" % done.returncode + done.stdout.decode(errors="replace")
    if done.stderr:
        text += "stderr:\n" + done.stderr.decode(errors="replace")
    return text


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def compare(name, got, wanted):
    if got == wanted:
        return True
    print("FAILED " + name)
    sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), got.splitlines(True),
                                               "expected", "got"))
    return False


def main():
    arguments = [word for word in sys.argv[1:] if word != "--update"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    weir = os.path.abspath(arguments[0])
    names = sorted(name for name in os.listdir(HERE) if name.endswith(".yaml"))
    passed = failed = 0
    for name in names:
        path = os.path.join(HERE, name[:-len(".yaml")] + ".expected")
        got = answer(weir, name)
        if "--update" in sys.argv[1:]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(got)
        if compare(name, got, read(path)):
            passed += 1
        else:
            failed += 1
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
