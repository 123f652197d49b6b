"""The TextMate grammar against rule files: every token gets the scope that its role asks for.

    grammar_test.py GRAMMAR FILE.rules...
"""

import re
import sys

from textmate import Grammar

KEYWORDS = {
    "if": "keyword.control.guard",
    "otherwise": "keyword.control.guard",
    "as": "keyword.control.guard",
    "and": "keyword.operator.logical",
    "or": "keyword.operator.logical",
    "not": "keyword.operator.logical",
    "in": "keyword.operator.logical",
    "True": "constant.language",
    "False": "constant.language",
    "None": "constant.language",
    "unknown": "constant.language",
    "root": "variable.language.root",
    "..": "keyword.operator.rest",
    "=>": "keyword.operator.arrow",
    "@": "keyword.operator.bind",
}
ITEMS = {
    "import": "keyword.control.import",
    "param": "storage.type.param",
    "set": "storage.type.set",
    "phase": "storage.type.phase",
    "def": "storage.type.function",
    "pattern": "storage.type.function",
    "meta": "storage.type.function",
    "inverse": "storage.type.function",
    "test": "storage.type.test",
}
# Strings, comments, numbers, names, arrows and dots, as the language has them; written apart from the grammar.
LEXEME = re.compile(r"#.*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|(?<![\w.])\d+(?:\.(?!\.)\d*)?(?:[eE][+-]?\d+)?j?|[A-Za-z_]\w*|=>|\.\.|@|\S")


def expected(line, match, in_test):
    """The beginning of the scope that a lexeme must have; None: any scope will do."""
    text, before, behind = match.group(), line[: match.start()], line[match.end() :]
    if text.startswith("#"):
        return "comment.line"
    if text[0] in "\"'":
        return "string.quoted"
    if text[0].isdigit():
        return "constant.numeric"
    if match.start() == 0 and text in ITEMS and re.match(r"[ \t]+[\"'A-Za-z_<{.*]", behind) and not re.match(r"[ \t]+as\b", behind):
        return ITEMS[text]
    dotted = before.endswith(".") and not before.endswith("..") or behind.startswith(".") and not behind.startswith("..")
    if text in KEYWORDS and not dotted and not re.match(r"[ \t]*=[^=>]", behind):
        return KEYWORDS[text]
    if in_test and text == "return":
        return "keyword.control.return"
    if re.match(r"[A-Za-z_]", text) and behind.startswith("(") and text not in ("keep",) and not before.endswith(">"):
        return "entity.name.function"
    return None


def problems(grammar, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    scopes = {}
    for number, column, token, scope in grammar.tokens(text):
        for i in range(len(token)):
            scopes[number, column + i] = scope
    in_test = False
    for number, line in enumerate(text.split("\n")):
        if re.match(r"[^\s#})\]]", line):
            in_test = line.startswith("test ")
        for match in LEXEME.finditer(line):
            scope = scopes.get((number, match.start()), "")
            wanted = expected(line, match, in_test)
            place = f"{path}:{number + 1}:{match.start() + 1}: `{match.group()}`"
            if not scope:
                yield f"{place} has no scope"
            elif wanted and not scope.startswith(wanted):
                yield f"{place} is {scope}, not {wanted}"


def main(grammar_path, *files):
    grammar = Grammar(grammar_path)
    found = [f"`{source}` means different things to Oniguruma and to this test" for source in grammar.sources()
             if re.search(r"\\[hHRXGK]|\(\?[<P]|\(\?>|\[\[:|&&|\\p|[+*?]\+", source)]
    for path in files:
        found.extend(problems(grammar, path))
    for problem in found[:40]:
        print(problem)
    print(f"{len(files)} files, {len(found)} problems")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
