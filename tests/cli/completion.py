#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is generated from the table of commands for shells and for `man`.

Usage: tests/cli/completion.py WEIR
"""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import Cases, contains, equals, run  # noqa: E402

WEIR = os.path.abspath(sys.argv[1])
cases = Cases()


def weir(*words):
    ended = run([WEIR, *words])
    equals((ended.returncode, ended.stderr), (0, ""))
    return ended.stdout


def commands():
    return re.findall(r"^  ([a-z]+(?: [a-z]+)?)  +\S", weir("help"), re.MULTILINE)


def complete(*words):
    script = weir("help", "--completion", "bash")
    line = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weir; printf "%s\\n" "${COMPREPLY[@]}"'
    ended = run(["bash", "-uc", script + line, "bash", "weir", *words])
    equals((ended.returncode, ended.stderr), (0, ""))
    return ended.stdout.split()


def flags_of(name):
    """As its help shows them."""
    flags = re.findall(r"^  (?:-(\w), )?--([a-z-]+)", weir(*name.split(), "--help"), re.MULTILINE)
    return sorted(["--" + flag for _, flag in flags] + ["-" + letter for letter, _ in flags if letter])


@cases.case
def the_first_word_is_completed():
    equals(sorted(complete("")), sorted({name.split()[0] for name in commands()}))
    equals(complete("che"), ["check"])
    equals(complete("--v"), ["--version"])


@cases.case
def the_second_word_of_a_group_is_completed():
    for group in ("topic", "plugin"):
        wanted = [name.split()[1] for name in commands() if name.startswith(group + " ")]
        assert len(wanted) >= 3
        equals(complete(group, ""), wanted)
    equals(complete("topic", "p"), ["put"])


@cases.case
def every_flag_of_every_command_is_completed():
    for name in commands():
        equals((name, sorted(complete(*name.split(), "-"))), (name, flags_of(name)))


@cases.case
def operands_are_left_to_the_shell():
    equals(complete("run", ""), [])
    equals(complete("topic", "cat", "re"), [])
    contains(weir("help", "--completion", "bash"), "complete -o default -F _weir weir")


@cases.case
def help_completes_commands():
    contains(complete("help", ""), "topic")


@cases.case
def zsh_gets_its_beginning():
    bash, zsh = (weir("help", "--completion", shell) for shell in ("bash", "zsh"))
    contains(zsh, "bashcompinit\n")
    equals(zsh.split("_weir()")[1], bash.split("_weir()")[1])


@cases.case
def other_shells_are_told():
    ended = run([WEIR, "help", "--completion", "fish"])
    equals((ended.returncode, ended.stdout), (2, ""))
    contains(ended.stderr, "no completion is known for 'fish'")


@cases.case
def the_manual_names_every_command_and_flag():
    page = weir("help", "--man")
    text = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
    for name in commands():
        contains(text, ".SS %s\nweir %s" % (name, name))
        for flag in flags_of(name):
            contains(text, flag)
    for part in (".TH WEIR 1 ", ".SH EXIT STATUS", "\n75\n", "WEIR_PLUGIN_PATH"):
        contains(text, part)


@cases.case
def no_line_of_the_manual_is_an_unknown_request():
    known = {".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi", ".RS", ".RE", ".\\\""}
    for line in weir("help", "--man").splitlines():
        if line.startswith((".", "'")):
            contains(known, line.split()[0])


@cases.case
def groff_formats_the_manual_without_a_warning():
    if shutil.which("groff") is None:
        return
    ended = run(["bash", "-c", '"$1" help --man | groff -man -ww -Tutf8 -P-cbou', "bash", WEIR])
    equals((ended.returncode, ended.stderr), (0, ""))
    contains(ended.stdout, "weir topic cat NAME")


cases.finish()
