"""Templates, in a sandbox: a question or a reply in a slot is data and never acts as code."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from moot.core.errors import InputError

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment


_METHODS = frozenset(dir(dict))


@cache
def environment() -> "ImmutableSandboxedEnvironment":
    """Return the environment of all templates: without globals, strict about unfilled slots."""
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class SlotEnvironment(ImmutableSandboxedEnvironment):
        """Looks ``other.text`` up in a slot's table first: jinja's way makes an error and drops it.

        Names of methods of tables are looked up as jinja does.
        """

        def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401 -- as jinja's
            if type(obj) is dict and attribute in obj and attribute not in _METHODS:
                return obj[attribute]
            return super().getattr(obj, attribute)

    made = SlotEnvironment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    made.globals.clear()  # a template sees its slots: jinja's range, dict and lipsum are none
    return made


def check_template(source: str, *, where: str) -> None:
    """Compile a template. Raises ``InputError`` with the place of a mistake."""
    from jinja2 import TemplateSyntaxError

    try:
        compile_template(str(source))  # a user's file may have anything in its place
    except TemplateSyntaxError as error:
        raise InputError(f"{where}, line {error.lineno}: {error.message}") from None


@lru_cache(maxsize=1024)
def compile_template(source: str) -> "Template":
    """Return a template; packs share the prompts of styles, and a user's files most of ours."""
    template = environment().from_string(source)
    template.globals = {}  # slots are all it sees; jinja's own names cost more than the rendering
    return template


@cache
def template_errors() -> tuple[type[Exception], ...]:
    """Return the errors that a mistake in a template raises; mistakes of moot raise others."""
    from jinja2 import TemplateError

    return TemplateError, TypeError, ValueError, ArithmeticError, LookupError


def spoken_slots(source: str) -> frozenset[str]:
    """Return the slots by which a template shows what others said, one or several of them."""
    from jinja2.nodes import For, Getattr, Name

    tree = environment().parse(source)
    loops = list(tree.find_all(For))
    said = {each.iter.name for each in loops if isinstance(each.iter, Name)}
    words = (each for each in tree.find_all(Getattr) if each.attr in {"text", "reason"})
    said |= {each.node.name for each in words if isinstance(each.node, Name)}
    targets = {each.target.name for each in loops if isinstance(each.target, Name)}
    return frozenset(said - targets - {"choices"})  # the options of a question are nobody's words


def slots_of(source: str, *, where: str) -> frozenset[str]:
    """Return the names of a template's slots. Raises ``InputError``."""
    from jinja2 import TemplateSyntaxError

    try:
        return _find_slots(str(source))
    except TemplateSyntaxError as error:
        raise InputError(f"{where}, line {error.lineno}: {error.message}") from None


@lru_cache(maxsize=1024)
def _find_slots(source: str) -> frozenset[str]:
    from jinja2 import meta

    return frozenset(meta.find_undeclared_variables(environment().parse(source)))
