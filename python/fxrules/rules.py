"""Rule sets: rule files, compiled."""

from __future__ import annotations

import hashlib
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

from fxrules import _core, functions as _functions, schemas
from fxrules.errors import Error

PathLike = Union[str, "os.PathLike[str]"]
Parameter = Union[str, bool, int, float, Iterable[str]]
_PRELUDE = ("lib.rules", "index.rules", "shapes.rules", "views.rules")


def data_folder() -> Path:
    """Where the package keeps what the program finds at ../share/fxrules."""
    given = os.environ.get("FXRULES_DATA_DIR")
    return Path(given) if given else Path(__file__).parent / "share" / "fxrules"


def rules_folder() -> Path:
    """The shipped rule files."""
    return data_folder() / "rules"


@dataclass(frozen=True)
class Rule:
    name: str
    phase: str
    text: str
    file: str
    line: int
    begin: int


def _spelled(value: Parameter) -> str:
    if isinstance(value, (str, bool, int, float)):
        return str(value)
    return ",".join(value)


class RuleSet:
    """Compiled rules. Made by `from_file`, `from_files` or `from_string`; threads may share one.

    A file is a path or the name of a shipped one. What is wrong with the rules raises `Error`, whose text is what
    `fxrules check` prints. Keyword arguments are values of the rules' parameters, as -D gives them.
    """

    def __init__(self, files: Sequence[tuple[str, Optional[str]]], params: Mapping[str, Parameter],
                 functions: Optional[Mapping[str, Callable[..., Any]]] = None):
        self._files = list(files)
        self._params = {name: _spelled(value) for name, value in params.items()}
        self._functions = {**_functions.registered, **(functions or {})}
        self._watch: Optional[Watch] = None
        self._load()

    @classmethod
    def from_file(cls, path: PathLike, *, functions: Optional[Mapping[str, Callable[..., Any]]] = None,
                  **params: Parameter) -> "RuleSet":
        return cls([(os.fspath(path), None)], params, functions)

    @classmethod
    def from_files(cls, paths: Iterable[PathLike], *, functions: Optional[Mapping[str, Callable[..., Any]]] = None,
                   **params: Parameter) -> "RuleSet":
        return cls([(os.fspath(path), None) for path in paths], params, functions)

    @classmethod
    def from_string(cls, text: str, *, name: str = "<string>",
                    functions: Optional[Mapping[str, Callable[..., Any]]] = None, **params: Parameter) -> "RuleSet":
        """Imports of the text are looked up beside `name`, which diagnostics show."""
        return cls([(name, text)], params, functions)

    def _load(self) -> None:
        data = data_folder()
        ops = schemas.registered_ops(data)
        rules, diagnostics = self._loaded_with(ops, data)
        unread = [d["line"] for d in diagnostics if d["file"] == schemas.NAME]
        if unread:
            schemas.refuse(ops, unread)
            rules, diagnostics = self._loaded_with(schemas.registered_ops(data), data)
        if rules is None:
            raise Error(diagnostics)
        self._loaded = rules
        self.diagnostics: list[dict[str, Any]] = diagnostics
        self._uuid: Optional[str] = None

    def _loaded_with(self, ops: str, data: Path) -> tuple[Any, list[dict[str, Any]]]:
        return _core.load(self._files, [str(data / "rules")], self._params, [(schemas.NAME, ops)] if ops else [],
                          _functions.plain(self._functions), str(data))

    @property
    def core(self) -> _core.Loaded:
        """The compiled rules; loaded again when `watch` is on and a file was saved since."""
        if self._watch is not None:
            self._watch.look()
        return self._loaded

    @property
    def rules(self) -> list[Rule]:
        return [Rule(**r) for r in self.core.rules()]

    @property
    def name(self) -> str:
        return "+".join(Path(name).name for name, _ in self._files)

    @property
    def sources(self) -> dict[str, str]:
        """Texts of the files, of what they import and of what every file sees, by path."""
        waiting = [(name, text, None) for name, text in self._files]
        waiting += [(name, None, rules_folder()) for name in _PRELUDE]
        found: dict[str, str] = {}
        while waiting:
            name, text, folder = waiting.pop(0)
            path = _resolve(name, folder) if text is None else Path(name)
            if path is None or str(path) in found:
                continue
            found[str(path)] = path.read_text(encoding="utf-8") if text is None else text
            if path.suffix == ".ops":
                continue
            for imported, _ in _core.syntax(found[str(path)], str(path))["imports"]:
                waiting.append((imported, None, path.parent))
        return found

    @property
    def uuid(self) -> str:
        """Equal for equal contents, parameters and functions: a key for caches of compiled code."""
        self.core
        if self._uuid is None:
            digest = hashlib.sha256()
            for text in sorted(self.sources.values()):
                digest.update(hashlib.sha256(text.encode()).digest())
            for part in [*map(repr, sorted(self._params.items())), _program_version(),
                         *(_code_of(n, f) for n, f in sorted(self._functions.items()))]:
                digest.update(part.encode() + b"\0")
            self._uuid = digest.hexdigest()
        return self._uuid

    def watch(self, on_reload: Optional[Callable[["RuleSet"], None]] = None) -> "Watch":
        """From here on a use of the rules first looks whether a file was saved, and loads it. What then does not
        load is a warning, and the rules stay as they were."""
        self._watch = Watch(self, on_reload)
        return self._watch

    def __deepcopy__(self, memo: Any) -> "RuleSet":
        return self  # compilers copy their configuration, passes and all

    def __reduce__(self) -> Any:
        return RuleSet, (self._files, self._params, self._functions)

    def __repr__(self) -> str:
        return f"<fxrules.RuleSet {self.name}: {len(self.core.rules())} rules>"


class Watch:
    """Looks at the files of a rule set; `stop` ends that. Also a context manager."""

    def __init__(self, rules: RuleSet, on_reload: Optional[Callable[[RuleSet], None]]):
        self._rules, self._on_reload = rules, on_reload
        self._stamps = self._look_at(rules.sources)
        self.error: Optional[Error] = None

    @staticmethod
    def _look_at(paths: Iterable[str]) -> dict[str, tuple[int, int]]:
        stamps = {}
        for path in paths:
            try:
                status = os.stat(path)
                stamps[path] = (status.st_mtime_ns, status.st_size)
            except OSError:  # a text, or a file that is just being replaced
                stamps[path] = (0, 0)
        return stamps

    def look(self) -> bool:
        """Loads the rules again if a file was saved. Whether it did."""
        stamps = self._look_at(self._stamps)
        if stamps == self._stamps:
            return False
        self._stamps = stamps
        try:
            self._rules._load()
        except Error as error:
            self.error = error
            warnings.warn(f"the rules stay as they were:\n{error}", stacklevel=2)
            return False
        self.error = None
        watch, self._rules._watch = self._rules._watch, None  # looking at the sources uses the rules
        self._stamps = self._look_at(self._rules.sources)
        self._rules._watch = watch
        if self._on_reload is not None:
            self._on_reload(self._rules)
        return True

    def stop(self) -> None:
        if self._rules._watch is self:
            self._rules._watch = None

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _program_version() -> str:
    from fxrules import __version__

    return __version__


def _resolve(name: str, folder: Optional[Path]) -> Optional[Path]:
    shipped = rules_folder()
    for candidate in ((folder / name) if folder else Path(name), shipped / name, shipped / f"{name}.rules"):
        if candidate.is_file():
            return candidate
    return None


def _code_of(name: str, f: Callable[..., Any]) -> str:
    code = getattr(f, "__code__", None)
    return f"{name} {code.co_code.hex()} {code.co_consts!r}" if code else f"{name} {f!r}"


Rules = Union[RuleSet, PathLike, Sequence[PathLike]]
_loaded: dict[tuple[Any, ...], RuleSet] = {}


def rule_set(rules: Rules, params: Mapping[str, Parameter]) -> RuleSet:
    """A rule set as it is, or files, kept loaded and loaded again when they were saved."""
    if isinstance(rules, RuleSet):
        if params:
            raise TypeError(f"parameters ({', '.join(params)}) belong to the loading of a rule set")
        return rules
    paths = [rules] if isinstance(rules, (str, os.PathLike)) else list(rules)
    key = (tuple(map(os.fspath, paths)), tuple(sorted((n, _spelled(v)) for n, v in params.items())),
           tuple(sorted((n, id(f)) for n, f in _functions.registered.items())), str(data_folder()), os.getcwd())
    if key not in _loaded:
        made = RuleSet.from_files(paths, **params)
        made.watch()
        _loaded[key] = made
    return _loaded[key]
