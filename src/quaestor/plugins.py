"""Registries of solvers, stores, readers and dataset formats, built in or from other packages.

A package registers one by an entry point whose name is the name that users type:

    [project.entry-points."quaestor.solvers"]
    mine = "my_package.solver:SPEC"

The built-in ones are listed in the code, so that a checkout works without reinstalling. Each is imported on first use.
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
    """Plug-ins of one kind by name.

    Attributes:
        group: The entry point group, such as `quaestor.solvers`.
        noun: The word for one of them in messages, such as `solver`.
    """

    def __init__(self, group: str, noun: str, built_in: Mapping[str, str], check: Callable[[str, object], T]) -> None:
        """Create a registry.

        Args:
            group: The entry point group.
            built_in: Name to `module:attribute`.
            check: Called with the name and the loaded object; returns the plug-in or raises TypeError.
        """
        self.group: str = group
        self.noun: str = noun
        self._built_in = dict(built_in)
        self._check = check
        self._reported: set[str] = set()

    @property
    def built_in(self) -> frozenset[str]:
        """The names of the built-in plug-ins."""
        return frozenset(self._built_in)

    def names(self) -> tuple[str, ...]:
        """Return all names: first the built-in ones, then the others, sorted."""
        return (*self._built_in, *sorted(self._added().keys() - self._built_in.keys()))

    def find(self, name: str) -> T | None:
        """Return the plug-in with a name, or None.

        Raises:
            PluginError: It cannot be loaded, or the name is ambiguous.
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
        """Yield name and plug-in, loading each when it is reached.

        Plug-ins that cannot be loaded or whose name is ambiguous are skipped, with one warning per process on the
        logger `quaestor.plugins`.

        Args:
            names: Names to yield, in this order; by default all.
        """
        for name in self.names() if names is None else names:
            try:
                found = self.find(name)
            except PluginError as error:
                if str(error) not in self._reported:
                    self._reported.add(str(error))
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
        except (Exception, SystemExit) as error:  # importing a foreign package can raise anything
            why = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]
            raise PluginError(
                f"cannot load the {self.noun} {name!r} of package {_package(point)} (entry point "
                f"{_show_entry_point(point)} in {self.group}): {why}; fix or uninstall the package"
            ) from error

    def _twice(self, name: str, added: list["EntryPoint"]) -> str:
        own = ["quaestor itself"] if name in self._built_in else []
        owners = [*own, *(f"package {_package(point)} ({_show_entry_point(point)})" for point in added)]
        return f"{len(owners)} packages provide the {self.noun} {name!r}: {', '.join(owners)}; uninstall all but one"


def named_object(name: str, found: object, parts: tuple[str, ...]) -> object:
    """Return a loaded object, or an instance of a loaded class.

    Args:
        name: The name that it was registered under, which its own `name` must equal.
        parts: Attributes that it must have.

    Raises:
        TypeError: An attribute is missing, or the names differ.
    """
    instance: object = found() if isinstance(found, type) else found
    if not all(hasattr(instance, part) for part in parts):
        raise TypeError(f"{type(instance).__name__} must have the attributes {', '.join(parts)}")
    if (own := getattr(instance, "name", name)) != name:
        raise TypeError(f"its name is {own!r}")
    return instance


@lru_cache(maxsize=16)
def _entry_points(group: str, path: tuple[str, ...]) -> Mapping[str, list["EntryPoint"]]:
    """Return the entry points of a group by name, cached for each value of `sys.path`."""
    found: dict[str, list[EntryPoint]] = {}
    for point in _selecting(path)(group=group):
        # A folder that is on the path twice lists its packages twice.
        same = found.setdefault(point.name, [])
        if all((_package(point), point.value) != (_package(other), other.value) for other in same):
            same.append(point)
    return found


@lru_cache(maxsize=2)
def _selecting(path: tuple[str, ...]) -> Callable[..., Iterable["EntryPoint"]]:
    """Return the `select` method of all entry points: scanning the installed packages is slow."""
    from importlib.metadata import entry_points

    del path
    return entry_points().select


def _package(point: "EntryPoint") -> str:
    return repr(point.dist.name) if point.dist is not None else "of unknown name"


def _show_entry_point(point: "EntryPoint") -> str:
    return f"{point.name} = {point.value}"
