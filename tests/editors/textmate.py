"""The part of TextMate's tokenizer that our grammar uses, over Python's regular expressions.

What a pattern says in the grammar means the same in Oniguruma and in `re`: the test below refuses other constructs.
"""

import json
import re


class Grammar:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.data = json.load(file)
        self.compiled = {}

    def regex(self, source):
        if source not in self.compiled:
            self.compiled[source] = re.compile(source)
        return self.compiled[source]

    def sources(self):
        """Every regular expression of the grammar."""
        todo, out = [self.data], []
        while todo:
            value = todo.pop()
            if isinstance(value, list):
                todo.extend(value)
            elif isinstance(value, dict):
                out.extend(value[key] for key in ("match", "begin", "end") if isinstance(value.get(key), str))
                todo.extend(value.values())
        return out

    def flat(self, patterns):
        """The patterns with includes and groups replaced by what they hold, in order."""
        for pattern in patterns:
            if "include" in pattern:
                yield from self.flat([self.data["repository"][pattern["include"].lstrip("#")]])
            elif "match" in pattern or "begin" in pattern:
                yield pattern
            else:
                yield from self.flat(pattern["patterns"])

    def tokens(self, text):
        """(line, column, text, innermost scope) of everything but white space; lines and columns from 0."""
        stack = [({"patterns": self.data["patterns"]}, [])]
        for number, line in enumerate(text.split("\n")):
            at = 0
            while True:
                rule, scopes = stack[-1]
                best, found = None, None
                if "end" in rule:
                    found = self.regex(rule["end"]).search(line, at)
                for pattern in self.flat(rule["patterns"]):
                    match = self.regex(pattern.get("match") or pattern["begin"]).search(line, at)
                    if match and (found is None or match.start() < found.start()):
                        best, found = pattern, match
                if found is None:
                    yield from self.plain(number, line, at, len(line), scopes)
                    break
                yield from self.plain(number, line, at, found.start(), scopes)
                if best is None:
                    yield from self.captured(number, found, rule.get("endCaptures", {}), scopes)
                    stack.pop()
                    at = found.end()
                    if found.start() == found.end() and at >= len(line):
                        break
                    continue
                inner = scopes + ([best["name"]] if "name" in best else [])
                if "begin" in best:
                    yield from self.captured(number, found, best.get("beginCaptures", {}), inner)
                    stack.append(({**best, "patterns": best.get("patterns", [])}, inner))
                else:
                    yield from self.captured(number, found, best.get("captures", {}), inner)
                if found.end() == found.start() and "begin" not in best:
                    raise AssertionError(f"a pattern that matches nothing: {best}")
                at = found.end()

    @staticmethod
    def plain(number, line, begin, end, scopes):
        for word in re.finditer(r"\S+", line[begin:end]):
            yield number, begin + word.start(), word.group(), scopes[-1] if scopes else ""

    def captured(self, number, match, captures, scopes):
        line, at = match.string, match.start()
        for group in range(1, (match.re.groups or 0) + 1):
            if match.group(group) is None or str(group) not in captures or match.start(group) < at:
                continue
            yield from self.plain(number, line, at, match.start(group), scopes)
            yield from self.plain(number, line, match.start(group), match.end(group), [captures[str(group)]["name"]])
            at = match.end(group)
        if "0" in captures:
            scopes = scopes + [captures["0"]["name"]]
        yield from self.plain(number, line, at, match.end(), scopes)
