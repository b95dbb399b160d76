"""Files of arrays: .npy, .npz (`x.npz:key` names one of several), .json, and the tables .csv, .tsv, .txt."""

from __future__ import annotations

import os
import re
import warnings
from typing import Any

import numpy as np

from gradcalc.errors import GradcalcError, Label, Source, nearest
from gradcalc.reader import objects, tables
from gradcalc.reader.values import Array, as_array
from gradcalc.reader.words import empty, shown, whole

_NAME = re.compile(r"(?P<path>.+?\.(?P<kind>npy|npz|csv|tsv|txt|json))(?::(?P<key>.*))?", re.IGNORECASE)
_FOREIGN = re.compile(r"[^\s\[\](),]+\.(?P<kind>pt|pth|pkl|pickle|mat|h5|hdf5|xlsx?|parquet|feather)", re.IGNORECASE)
_MAPPED = 1 << 26  # bytes; the engine streams an array this large, so its file is mapped, not read


def read(source: Source) -> Array | None:
    """The array in the file that the text names; None where it does not end as a file's name does."""
    text = source.text.strip()
    if foreign := _FOREIGN.fullmatch(text):
        advice = f'save it from Python: `np.save("x.npy", array)`, then `{source.name} x.npy`'
        raise _error("unreadable-file", f"gradcalc does not read .{foreign['kind']} files", source, advice)
    found = _NAME.fullmatch(text)
    if found is None:
        return None
    path, kind, key = found["path"], found["kind"].lower(), found["key"]
    if key is not None and kind != "npz":
        advice = f"leave out the name: `{source.name} {path}`"
        raise _error("unreadable-file", f"a .{kind} file holds one array, without a name", source, advice)
    try:
        path = _existing(path)
        return _binary(source, path, key) if kind in ("npy", "npz") else _text(source, path, kind)
    except GradcalcError as error:
        raise error.locate(whole(source)) from None
    except (FileNotFoundError, NotADirectoryError):
        raise _missing(source, path) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise _error("unreadable-file", f"cannot read `{shown(path)}`: {reason}", source) from None


def _existing(path: str) -> str:
    """The path of a file that is there, with `~` replaced."""
    try:
        path = os.path.expanduser(path)
        os.stat(path)
    except ValueError:  # no file can have such a name: it holds a NUL byte or a lone surrogate
        raise FileNotFoundError from None
    return path


def _text(source: Source, path: str, kind: str) -> Array:
    try:
        with open(path, encoding="utf-8-sig") as file:
            content = Source(path, file.read())
    except UnicodeDecodeError as error:
        message = f"`{shown(path)}` is not UTF-8 text: byte {error.start} is 0x{error.object[error.start]:02x}"
        raise _error("unreadable-file", message, source, "save it as UTF-8") from None
    if not content.text.strip():
        raise empty(content, source.name)
    return objects.read_document(content) if kind == "json" else tables.read(content)


def _binary(source: Source, path: str, key: str | None) -> Array:
    with open(path, "rb") as file:
        large = os.fstat(file.fileno()).st_size >= _MAPPED and path.lower().endswith(".npy")
        try:
            with warnings.catch_warnings(action="ignore"):  # NumPy remarks on files that Python 2 wrote
                # Never pickle: a file of objects could run any code.
                loaded = np.load(path if large else file, mmap_mode="r" if large else None, allow_pickle=False)
                return as_array(_one_of(source, path, loaded, key), shown(path))
        except GradcalcError:
            raise
        except Exception as error:  # NumPy, zipfile and zlib raise a dozen kinds for a broken file
            if "Object arrays" in str(error):
                raise GradcalcError(
                    "dtype",
                    f"`{shown(path)}` holds Python objects",
                    notes=["gradcalc reads real numbers and truth values"],
                    helps=['make it numbers before it is saved: `np.save("x.npy", x.astype(float))`'],
                ) from None
            message = f"`{shown(path)}` is not a NumPy file, or is damaged"
            raise _error("unreadable-file", message, source) from None


def _one_of(source: Source, path: str, loaded: Any, key: str | None) -> Array:
    """The array itself, or the one of an archive's arrays that is meant."""
    if isinstance(loaded, np.ndarray):
        return loaded
    with loaded:
        names = list(loaded.files)
        if key is None and len(names) == 1:
            key = names[0]
        if key in names:
            return np.asarray(loaded[key])
    listed = ", ".join(f"`{shown(name)}`" for name in names[:10]) + (", …" if len(names) > 10 else "")
    if key is None:
        message = f"`{shown(path)}` holds {len(names)} arrays: {listed}" if names else f"`{shown(path)}` is empty"
        raise _error("needs-key", message, source, *(f"take one: `{source.name} {path}:{name}`" for name in names[:3]))
    meant = nearest(key, names)
    helps = [f"did you mean `{source.name} {path}:{meant}`?"] if meant else [f"it holds {listed}"] if names else []
    raise _error("missing-key", f"`{shown(path)}` holds no array `{shown(key)}`", source, *helps)


def _missing(source: Source, path: str) -> GradcalcError:
    folder, name = os.path.split(path)
    try:
        meant = nearest(name, os.listdir(os.path.expanduser(folder) or "."))
    except (OSError, ValueError):
        return _error("missing-file", f"there is no directory `{shown(folder)}`", source)
    helps = [f"did you mean `{source.name} {os.path.join(folder, meant)}`?"] if meant else []
    return _error("missing-file", f"there is no file `{shown(path)}`", source, *helps)


def _error(kind: str, message: str, source: Source, *helps: str) -> GradcalcError:
    return GradcalcError(kind, message, labels=[Label(whole(source))], helps=helps)
