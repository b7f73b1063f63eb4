"""Django's tags for translations, whose sentences isolate the names in them."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context
from django.template.base import FilterExpression, Parser, Token, TokenType
from django.templatetags import i18n
from django.utils.functional import Promise
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

from campaigns.core.phrases import isolate, isolate_runs

# Templates load it instead of Django's library of the same name.
register = template.Library()
register.tags.update(i18n.register.tags)
register.filters.update(i18n.register.filters)


class _IsolatedValue:
    def __init__(self, expression: FilterExpression) -> None:
        self._expression = expression

    def resolve(self, context: Context) -> Any:
        value = self._expression.resolve(context)
        return isolate(value) if isinstance(value, str | Promise) else value


class _Sentence(i18n.BlockTranslateNode):
    """A `blocktranslate` as it was read, with each of its values in that value's own direction."""

    def __init__(self, read: i18n.BlockTranslateNode, parser: Parser) -> None:
        vars(self).update(vars(read))
        tokens = [*read.singular, *(read.plural or ())]
        names = {token.contents for token in tokens if token.token_type == TokenType.VAR}
        named = {name: parser.compile_filter(name) for name in names - {read.countervar}}
        values: Any = {name: _IsolatedValue(one) for name, one in (named | read.extra_context).items()}
        read.extra_context = values
        self._read = read

    def render(self, context: Context, nested: bool = False) -> Any:
        return self._read.render(context, nested)


@register.tag("blocktranslate")
@register.tag("blocktrans")
def blocktranslate(parser: Parser, token: Token) -> _Sentence:
    return _Sentence(i18n.do_block_translate(parser, token), parser)


@register.filter(is_safe=True)
def isolated(sentence: str) -> SafeString:
    """A sentence that was made elsewhere, with each part from right to left in its own direction."""
    return SafeString(isolate_runs(conditional_escape(sentence)))
