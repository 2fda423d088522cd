"""The canonical form of an expression, by math-verify and SymPy: equal values have one form.

This runs in the process of ``moot.parsing.mathematics.process`` alone: an expression may take any
time. The form depends on the expression alone, on no other answer and no order, so that equal forms
are an equivalence, which ``math_verify.verify`` is not.
"""

import logging
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import sympy
from latex2sympy2_extended import NormalizationConfig
from math_verify import parse
from math_verify.parser import LatexExtractionConfig
from sympy.core.alphabets import greeks
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.functions.elementary.trigonometric import TrigonometricFunction
from sympy.logic.boolalg import And, Boolean
from sympy.printing.latex import LatexPrinter

from moot.core.latex import LONGEST, strip_marks
from moot.parsing.mathematics.plain import (
    is_prose,
    make_plain,
    read_number,
    read_plain,
    write_value,
)

logging.getLogger("math_verify").setLevel(logging.ERROR)  # it warns that it sets no time limit
_LATEX = [
    LatexExtractionConfig(
        normalization_config=NormalizationConfig(
            basic_latex=True, units=False, malformed_operators=True, nits=True, boxed="all"
        )
    )
]
_CHECKED = 30
"""Digits by which a constant is taken for a whole number."""
_LETTER = re.compile(r"\\[A-Za-z]+|([A-Za-z])")
_DRAWN = re.compile(
    r"\\(?:vec|overline|bar|hat|angle|triangle|widehat|operatorname|text|overrightarrow)(?![A-Za-z])"
)
"""Signs of geometry: what they are put over is no product of variables."""


_VARIABLE = re.compile(rf"(?:[A-Za-z]|{'|'.join(greeks)}|var\w{{2,7}})(?:_\{{?\w+\}}?)?")
_SPACE = re.compile(r"(?<![A-Za-z])\s+|\s+(?![A-Za-z])")


class _Unreadable(Exception):
    """There is no canonical form."""


def find_canonical(latex: str) -> str | None:
    """Return the canonical form of LaTeX; None where it is no answer. Never raises."""
    text = make_plain(latex)
    if text is None:
        return None
    if (plain := read_plain(text)) is not None:
        return plain
    if is_prose(text):
        return None
    try:
        return _compute_joined(latex) or _compute(text)
    except Exception:  # noqa: BLE001 -- whatever the libraries raise, the LaTeX is no answer
        return None


def _compute_joined(latex: str) -> str | None:
    """Return the form of inequalities joined by "and" or "or"; None where there is none."""
    for word, join in (("or", sympy.Or), ("and", And)):
        parts = re.split(rf"(?:\\text\s*\{{\s*|\b){word}\b\s*\}}?", strip_marks(latex))
        if len(parts) > 1 and all(_UNEQUAL.search(each) for each in parts):
            found = [
                parse(f"\\boxed{{{make_plain(each)}}}", _LATEX, parsing_timeout=0) for each in parts
            ]
            return _write_condition(join(*(each[0] for each in found)))
    return None


_UNEQUAL = re.compile(r"[<>≤≥]|\\(?:le|ge|leq|geq|lt|gt)(?![A-Za-z])")


def _compute(text: str) -> str | None:
    letters = {found[1] for found in _LETTER.finditer(text) if found[1]}
    alike = len(letters) > len({each.lower() for each in letters})
    if alike or "I" in letters or _DRAWN.search(text):
        return _SPACE.sub("", text)  # math-verify takes A and a for one variable
    found = parse(
        f"\\boxed{{{text}}}",
        _LATEX,
        fallback_mode="no_fallback",
        parsing_timeout=0,
        raise_on_error=True,
    )
    if not found or isinstance(found[0], str):
        return None
    value = found[0].rhs if _names_value(found[0]) else found[0]
    if any(map(_is_word, found[0].free_symbols)) or value.has(AppliedUndef):
        return _SPACE.sub("", text)
    form = _write(found[0])
    return form if len(form) <= LONGEST else None


def _is_word(symbol: Any) -> bool:  # noqa: ANN401
    """Return whether math-verify took a word, or damaged text, for a variable."""
    return not _VARIABLE.fullmatch(symbol.name)


def _write(value: Any) -> str:  # noqa: ANN401, PLR0911 -- SymPy's classes have no types
    """Return the canonical form of what math-verify found."""
    if isinstance(value, sympy.MatrixBase):
        rows = r" \\ ".join(" & ".join(map(_write, value.row(at))) for at in range(value.rows))
        return rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}"
    if isinstance(value, (sympy.Tuple, tuple)):
        return f"({', '.join(map(_write, value))})"
    if isinstance(value, sympy.FiniteSet):
        return _write_members(value.args)
    if isinstance(value, sympy.Set):
        return _write_set(value)
    if isinstance(value, sympy.Equality):
        return _write_equation(value)
    if isinstance(value, Boolean) and not isinstance(value, sympy.Symbol):
        return _write_condition(value)
    if isinstance(value, sympy.Expr):
        return _write_expression(value)
    raise _Unreadable


def _write_members(members: Iterable[Any]) -> str:
    """Return a set, or a list of solutions, in an order of its own; of "x = 1", the 1."""
    members = list(members)
    if members and all(isinstance(each, Relational) and not _is_equation(each) for each in members):
        if len(members) > 1:
            raise _Unreadable  # a comma says neither "and" nor "or"
        return _write_condition(members[0])
    plain = [each.rhs if _names_value(each) else each for each in members]
    named = {each.lhs for each in members if _names_value(each)}
    if len(named) > 1:  # a value says nothing without its name
        forms = dict.fromkeys(_write_named(each) for each in members)
    else:
        forms = dict.fromkeys(map(_write, plain))
    if len(forms) == 1:
        return next(iter(forms))
    return rf"\{{{', '.join(sorted(forms, key=_order))}\}}"


def _write_named(value: Any) -> str:  # noqa: ANN401
    """Return "x = 3" with its name; anything else as usual."""
    return f"{_print(value.lhs)} = {_write(value.rhs)}" if _names_value(value) else _write(value)


def _is_equation(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, sympy.Equality)


def _order(form: str) -> tuple[bool, Any, str]:
    value = read_number(form)
    return value is None, 0 if value is None else value, form


def _write_set(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, sympy.Interval):
        start, end = _write(value.start), _write(value.end)
        left, right = "(" if value.left_open else "[", ")" if value.right_open else "]"
        return f"{left}{start}, {end}{right}"
    if isinstance(value, sympy.Union):
        parts = sorted(value.args, key=lambda part: sympy.default_sort_key(part.inf))
        return r" \cup ".join(map(_write, parts))
    if value is sympy.S.EmptySet:
        return r"\emptyset"
    if value is sympy.S.Reals:
        return r"(-\infty, \infty)"
    return _print(value)


def _names_value(value: Any) -> bool:  # noqa: ANN401
    """Return whether an equation says what one thing is: "x = 3", "f(x) = 2x"."""
    return (
        isinstance(value, sympy.Equality)
        and isinstance(value.lhs, (sympy.Symbol, AppliedUndef))
        and (isinstance(value.rhs, sympy.Set) or value.lhs not in value.rhs.free_symbols)
    )


def _write_equation(value: Any) -> str:  # noqa: ANN401
    """Return the right side of "x = 3"; of other equations the polynomial that is 0."""
    if _names_value(value):
        return _write(value.rhs)
    if _names_value(turned := sympy.Eq(value.rhs, value.lhs, evaluate=False)):
        return _write(turned.rhs)
    return f"{_write_side(value.lhs - value.rhs)} = 0"


def _write_side(difference: Any, *, signed: bool = True) -> str:  # noqa: ANN401
    """Return the numerator of a difference without a common factor, and with one sign."""
    over = sympy.fraction(sympy.together(_evaluate(difference)))[0]
    factor, rest = sympy.expand(over).as_content_primitive()
    turns = rest.could_extract_minus_sign() if signed else factor < 0
    return _write_expression(-rest if turns else rest)


def _write_condition(value: Any) -> str:  # noqa: ANN401
    """Return the numbers that fulfil a condition on one variable; of several, one side and 0."""
    if isinstance(value, And) and all(isinstance(each, sympy.Equality) for each in value.args):
        return _write_members(value.args)
    if len(value.free_symbols) == 1:
        return _write(value.as_set())
    if not isinstance(value, Relational):
        raise _Unreadable
    if isinstance(value, sympy.Ne):
        return rf"{_write_side(value.lhs - value.rhs)} \ne 0"
    strict = isinstance(value, (sympy.StrictGreaterThan, sympy.StrictLessThan))
    sign = ">" if strict else r"\ge"
    return f"{_write_side(value.gts - value.lts, signed=False)} {sign} 0"


def _evaluate(value: Any) -> Any:  # noqa: ANN401
    """Return an expression worked out: exact decimals, i as the imaginary unit, sums done."""
    exact = {each: sympy.Rational(str(each)) for each in value.atoms(sympy.Float)}
    named = {"i": sympy.I, "e": sympy.Symbol("E", real=True)}  # it takes E for a small letter
    meant = {each: named[each.name] for each in value.free_symbols if each.name in named}
    return value.xreplace(exact | meant).doit()


def _write_expression(value: Any) -> str:  # noqa: ANN401
    value = _evaluate(value)
    if isinstance(value, sympy.MatrixBase):  # the half of a matrix is one
        return _write(value)
    if isinstance(value, sympy.MatrixExpr):
        raise _Unreadable
    if value.is_Rational:
        return _write_rational(value)
    if value.has(sympy.nan, sympy.zoo, sympy.AccumBounds, sympy.Mod):
        raise _Unreadable
    if value.is_infinite:
        return _print(value)
    value = _settle_constant(value) if not value.free_symbols else _settle_formula(value)
    return _write_rational(value) if value.is_Rational else _print(value)


def _print(value: Any) -> str:  # noqa: ANN401
    """Return LaTeX that math-verify reads as the same value."""
    return str(_Printer({"ln_notation": True, "inv_trig_style": "full"}).doprint(value))


class _Printer(LatexPrinter):  # type: ignore[misc]
    """Prints powers of logarithms with brackets; math-verify reads them otherwise without."""

    def _print_log(self, value: Any, exp: str | None = None) -> str:  # noqa: ANN401
        printed = super()._print_log(value)
        return str(printed) if exp is None else rf"\left({printed}\right)^{{{exp}}}"


def _write_rational(value: Any) -> str:  # noqa: ANN401
    return write_value(Fraction(int(value.p), int(value.q)))


def _settle_constant(value: Any) -> Any:  # noqa: ANN401
    """Return a number with roots, logarithms and the like in one form."""
    if value.has(sympy.I):
        real, imaginary = value.as_real_imag()
        if real.has(sympy.re, sympy.im):
            return sympy.expand(value)
        return _settle_real(real) + sympy.I * _settle_real(imaginary)
    return _settle_real(value)


def _settle_real(value: Any) -> Any:  # noqa: ANN401
    value = sympy.expand_log(sympy.expand(value), force=True)
    if value.has(sympy.Pow):
        value = sympy.expand(sympy.radsimp(sympy.sqrtdenest(value)))
    if not value.is_Rational and value.is_number:
        near = sympy.N(value, _CHECKED + 10)
        if near.is_Float and abs(near) < 10**15 and abs(near - round(near)) < 10**-_CHECKED:
            return sympy.Integer(round(near))
    return value


def _settle_formula(value: Any) -> Any:  # noqa: ANN401
    """Return a formula with variables in one form: a quotient of two expanded sums."""
    if value.has(TrigonometricFunction):
        for each in (sympy.tan, sympy.cot, sympy.sec, sympy.csc):
            value = value.rewrite(each, sympy.cos) if each is sympy.sec else _by_sine(value, each)
        value = sympy.expand_trig(value)
    value = sympy.cancel(sympy.together(value))
    over, under = sympy.fraction(value)
    value = sympy.expand(over) / sympy.expand(under)
    if value.has(sympy.cos):
        value = _drop_even_cosines(value)
    return value


def _by_sine(value: Any, function: Any) -> Any:  # noqa: ANN401
    sin, cos = sympy.sin, sympy.cos
    as_sines = {
        sympy.tan: lambda x: sin(x) / cos(x),
        sympy.cot: lambda x: cos(x) / sin(x),
        sympy.csc: lambda x: 1 / sin(x),
    }
    return value.replace(function, as_sines[function])


def _drop_even_cosines(value: Any) -> Any:  # noqa: ANN401
    r"""Return a formula with :math:`1-\sin^2` in the place of squares of cosines."""
    over, under = sympy.fraction(value)

    def lower(side: Any) -> Any:  # noqa: ANN401
        for each in side.atoms(sympy.cos):
            sine = 1 - sympy.sin(*each.args) ** 2
            side = side.replace(
                lambda part, each=each: (
                    part.is_Pow and part.base == each and part.exp.is_Integer and part.exp > 1
                ),
                lambda part, each=each, sine=sine: sine ** (part.exp // 2) * each ** (part.exp % 2),
            )
        return sympy.expand(side)

    return sympy.cancel(lower(over) / lower(under))
