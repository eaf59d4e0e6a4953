"""Solvers, stores, readers and dataset formats by name: those of this package, and those that other packages add.

A package adds one by an entry point, whose group says what it is and whose name is the name that people give:

    [project.entry-points."quaestor.solvers"]
    mine = "my_package.solver:SPEC"

What is of this package is in a table beside them, so that a checkout works whatever was declared when it was
installed. Nothing is imported before it is asked for.
"""

import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar

from quaestor.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

_log = logging.getLogger("quaestor.plugins")
_LONGEST = 300


class Registry(Generic[T]):
    """Things of one kind, by name.

    Attributes:
        group: The group of their entry points, such as `quaestor.solvers`.
        noun: What one of them is called in messages, such as `solver`.
    """

    def __init__(self, group: str, noun: str, built_in: Mapping[str, str], check: Callable[[str, object], T]) -> None:
        """Take what is of this package, and how something loaded is recognised.

        Args:
            group: Of the entry points.
            built_in: By name, as `module:attribute`.
            check: Returns what was loaded under a name, as what it should be; raises TypeError if it is not that.
        """
        self.group: str = group
        self.noun: str = noun
        self._built_in = dict(built_in)
        self._check = check
        self._told: set[str] = set()

    @property
    def built_in(self) -> frozenset[str]:
        """The names of those that are of this package."""
        return frozenset(self._built_in)

    def names(self) -> tuple[str, ...]:
        """Return all names: first those of this package, then those that others add, sorted."""
        return (*self._built_in, *sorted(self._added().keys() - self._built_in.keys()))

    def find(self, name: str) -> T | None:
        """Return what has a name; None if nothing has it.

        Raises:
            PluginError: It cannot be loaded, or two have the name.
        """
        added = self._added().get(name, [])
        if len(added) + (name in self._built_in) > 1:
            raise PluginError(self._twice(name, added))
        if added:
            return self._load(name, added[0])
        if name not in self._built_in:
            return None
        module, _, attribute = self._built_in[name].partition(":")
        return self._check(name, getattr(import_module(module), attribute))

    def usable(self, names: Iterable[str] | None = None) -> Iterator[tuple[str, T]]:
        """Yield what can be loaded, by name, each loaded when it is asked for.

        What another package adds and cannot be loaded, or has a name that is taken, is left out; a line on the logger
        `quaestor.plugins` says so, once a process.

        Args:
            names: Which, and in which order; by default all in the order of `names`.
        """
        for name in self.names() if names is None else names:
            try:
                found = self.find(name)
            except PluginError as error:
                if str(error) not in self._told:
                    self._told.add(str(error))
                    _log.warning("quaestor: %s", error)
                if name not in self._built_in:
                    continue
                module, _, attribute = self._built_in[name].partition(":")
                found = self._check(name, getattr(import_module(module), attribute))
            if found is not None:
                yield name, found

    def _added(self) -> Mapping[str, list["EntryPoint"]]:
        return _entry_points(self.group, tuple(sys.path))

    def _load(self, name: str, point: "EntryPoint") -> T:
        try:
            return self._check(name, point.load())
        except (Exception, SystemExit) as error:  # whatever another package does when it is imported
            why = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]
            raise PluginError(
                f"cannot load the {self.noun} {name!r} of package {_package(point)} (entry point {_shown(point)} in "
                f"{self.group}): {why}; fix or uninstall the package"
            ) from error

    def _twice(self, name: str, added: list["EntryPoint"]) -> str:
        own = ["quaestor itself"] if name in self._built_in else []
        held = [*own, *(f"package {_package(point)} ({_shown(point)})" for point in added)]
        return f"{len(held)} packages provide the {self.noun} {name!r}: {', '.join(held)}; uninstall all but one"


def named_object(name: str, found: object, parts: tuple[str, ...]) -> object:
    """Return what was loaded under a name: an object, or what its class makes.

    Args:
        name: That it must have itself.
        parts: The attributes that it must have.

    Raises:
        TypeError: It has not all of them, or another name.
    """
    made: object = found() if isinstance(found, type) else found
    if not all(hasattr(made, part) for part in parts):
        raise TypeError(f"{type(made).__name__} must have the attributes {', '.join(parts)}")
    if (own := getattr(made, "name", name)) != name:
        raise TypeError(f"its name is {own!r}")
    return made


@lru_cache(maxsize=16)
def _entry_points(group: str, path: tuple[str, ...]) -> Mapping[str, list["EntryPoint"]]:
    """Return the entry points of a group by name. They change with the path on which packages are found."""
    found: dict[str, list[EntryPoint]] = {}
    for point in _selecting(path)(group=group):
        # A folder that is on the path twice shows its packages twice.
        same = found.setdefault(point.name, [])
        if all((_package(point), point.value) != (_package(other), other.value) for other in same):
            same.append(point)
    return found


@lru_cache(maxsize=2)
def _selecting(path: tuple[str, ...]) -> Callable[..., Iterable["EntryPoint"]]:
    """Return what gives the entry points of a group. Whichever is wanted, all installed packages are looked at."""
    from importlib.metadata import entry_points

    del path
    return entry_points().select


def _package(point: "EntryPoint") -> str:
    return repr(point.dist.name) if point.dist is not None else "of unknown name"


def _shown(point: "EntryPoint") -> str:
    return f"{point.name} = {point.value}"
