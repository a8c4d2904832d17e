"""Objects of answers."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints


class ApiObject:
    """An object of an answer. Each field is an attribute and an item: ``run.status``, ``run["status"]``.

    Fields that a newer service adds are there too. A field that is a word of Python has an underscore as an
    attribute: ``change.from_``.
    """

    __slots__ = ("_fields", "_read")

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = dict(fields)
        self._read: dict[str, Any] = {}

    def to_dict(self) -> dict[str, Any]:
        """The object as it came, of plain JSON values."""
        return self._fields

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self._fields else default

    def keys(self) -> Any:
        return self._fields.keys()

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            hint = _hints_of(type(self)).get(name, Any)
            self._read[name] = to_value(hint, self._fields[name])
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ApiObject) and self._fields == other._fields

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._fields.items())
        return f"{type(self).__name__}({fields})"

    if not TYPE_CHECKING:
        # A type checker knows the declared fields alone, so it notices a misspelled one.
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__") or name in ApiObject.__slots__:
                raise AttributeError(name)
            field = name if name in self._fields else name.removesuffix("_")
            if field in self._fields:
                return self[field]
            if field in _hints_of(type(self)):
                return None
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")

        def __getstate__(self) -> dict[str, Any]:
            return self._fields

        def __setstate__(self, fields: dict[str, Any]) -> None:
            ApiObject.__init__(self, fields)


def to_value(hint: Any, value: Any) -> Any:
    """Converts a JSON value to what a type hint says; a value that does not fit stays as it is."""
    if isinstance(value, list):
        items = next((get_args(one) for one in _options_of(hint) if get_origin(one) is list), (Any,))
        return [to_value(items[0], item) for item in value]
    if not isinstance(value, dict):
        return value
    options = _options_of(hint)
    models = [one for one in options if isinstance(one, type) and issubclass(one, ApiObject)]
    if models:
        return _best_of(models, value)(value)
    values = next((get_args(one) for one in options if get_origin(one) is dict), None)
    if values is None or values[1] is Any:
        return value
    return {name: to_value(values[1], item) for name, item in value.items()}


def _options_of(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _best_of(models: list[type[ApiObject]], value: dict[str, Any]) -> type[ApiObject]:
    """Of several classes the one that declares most of the fields, and whose constants are these."""
    if len(models) == 1:
        return models[0]
    fitting = [model for model in models if _has_constants(model, value)]
    return max(fitting, key=lambda model: len(_hints_of(model).keys() & value.keys()), default=ApiObject)


def _has_constants(model: type[ApiObject], value: dict[str, Any]) -> bool:
    return all(
        value[name] in get_args(hint)
        for name, hint in _hints_of(model).items()
        if get_origin(hint) is Literal and name in value
    )


_hints: dict[type[ApiObject], dict[str, Any]] = {}


def _hints_of(model: type[ApiObject]) -> dict[str, Any]:
    """The types of the fields of a class, by the names of the API."""
    if model not in _hints:
        _hints[model] = _read_hints(model)
    return _hints[model]


def _read_hints(model: type[ApiObject]) -> dict[str, Any]:
    names = vars(sys.modules[model.__module__])
    hints = get_type_hints(model, globalns=dict(names))
    return {name.removesuffix("_"): hint for name, hint in hints.items() if name[0] != "_"}
