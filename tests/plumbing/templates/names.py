"""Walk compiled templates, and find names that no context class gives and no tag of the template binds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from inspect import getsource
from typing import Any

from django.template import Template
from django.template.backends import django as backends
from django.template.base import FilterExpression, Node, NodeList, TokenType, Variable
from django.template.defaulttags import FirstOfNode, ForNode, IfNode, RegroupNode, WithNode
from django.template.library import InclusionNode, TagHelperNode
from django.template.loader import get_template
from django.template.loader_tags import BlockNode, ExtendsNode, IncludeNode
from django.template.smartif import TokenBase
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

from campaigns.templatetags.components import FieldNode
from campaigns.templatetags.contexts import PageContext, property_names
from tests.plumbing.templates.types_of_names import (
    Missing,
    attribute,
    element,
    hints_of,
    members,
    returned,
    unpacked,
)

# Django's own names, and those of the context processors (config/settings.py).
EVERYWHERE = dict.fromkeys(
    ("request", "user", "perms", "messages", "DEFAULT_MESSAGE_LEVELS", "csrf_token", "True", "False", "None"),
    Any,
)
FORLOOP = "counter", "counter0", "revcounter", "revcounter0", "first", "last", "parentloop"
# Attributes of nodes that hold the name under which a tag stores its result.
TARGETS = "asvar", "target_var", "varname", "var_name", "variable_name", "variable"

# Filters that give what stands for a name without a value.
DEFAULTS = "default", "default_if_none"

Scope = dict[str, Any]


class Absent:
    """A parameter that this include does not pass: it may be tested, and read where it has a value."""


def compiled(name: str) -> Template:
    found = get_template(name)
    assert isinstance(found, backends.Template)
    return found.template


@dataclass(frozen=True)
class ForLoop:
    """Django's `forloop`."""

    counter: int
    counter0: int
    revcounter: int
    revcounter0: int
    first: bool
    last: bool
    parentloop: Any


def names_of(context: type[PageContext]) -> Scope:
    """Names that the class gives its template, with their types."""
    found: Scope = {}
    hints = hints_of(context)
    assert hints, f"{context.__name__}: a type of its fields is not imported"
    for one in fields(context):
        kind = hints[one.name]
        assert not any(map(_is_part, members(kind))) or _is_part(kind), f"{one.name}: give an empty part"
        given = names_of(kind) if _is_part(kind) else {one.name: kind}
        twice = found.keys() & given.keys() - {"campaign"}
        assert not twice, f"{context.__name__}: {twice} twice"
        found |= given
    shown = {name: returned(getattr(context, name)) for name in property_names(context)}
    return found | shown


def scope_of(context: type[PageContext]) -> Scope:
    return {"campaign": None} | names_of(context)


def own_names(context: type[PageContext]) -> set[str]:
    """Names but for those of parts, which other templates may read, too."""
    hints = hints_of(context)
    return {one.name for one in fields(context) if not _is_part(hints[one.name])} - {"campaign"}


def names_in(value: Any) -> set[str]:
    """Names that a condition tests."""
    match value:
        case TokenBase():
            return names_in([value.first, value.second, getattr(value, "value", None)])
        case FilterExpression():
            return names_in(value.var)
        case Variable():
            return set(value.lookups[:1] if value.lookups else ())
        case list():
            return {name for one in value for name in names_in(one)}
    return set()


def absent_in(scope: Scope) -> set[str]:
    return {name for name, kind in scope.items() if kind is Absent}


def _is_part(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, PageContext)


def classes(base: type[PageContext] = PageContext) -> Iterator[type[PageContext]]:
    """Classes that have a template."""
    for one in base.__subclasses__():
        if one.template or one.fragments:
            yield one
        yield from classes(one)


@dataclass
class Walk:
    """One template with one scope. `faults`: what is wrong; `read`: names that were looked up; `templates`:
    the files walked through; `parameters`: by template, the names that some include passes."""

    parameters: Mapping[str, set[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    templates: set[str] = field(default_factory=set)
    here: list[str] = field(default_factory=list)
    blocks: list[dict[str, list[BlockNode]]] = field(default_factory=list)

    def template(self, template: Template, scope: Scope) -> None:
        name = str(template.name)
        if self.here.count(name) > 1:
            return
        self.templates.add(name)
        self.here.append(name)
        scope = dict.fromkeys(self.parameters.get(name, ()), Absent) | scope
        heir = next((node for node in template.nodelist if isinstance(node, ExtendsNode)), None)
        if heir is None:
            self.blocks.append({})
            self.nodes(template.nodelist, scope)
            self.blocks.pop()
        else:
            self.extended(heir, scope)
        self.here.pop()

    def extended(self, node: ExtendsNode, scope: Scope) -> None:
        """The outermost parent, with the blocks of its heirs."""
        chain: dict[str, list[BlockNode]] = {}
        while True:
            for name, block in node.blocks.items():
                chain.setdefault(name, []).append(block)
            parent = self.loaded(node.parent_name)
            if parent is None:
                return
            self.templates.add(str(parent.name))
            further = next((one for one in parent.nodelist if isinstance(one, ExtendsNode)), None)
            if further is None:
                break
            node = further
        for inner in parent.nodelist.get_nodes_by_type(BlockNode):
            assert isinstance(inner, BlockNode)
            chain.setdefault(inner.name, []).append(inner)
        self.blocks.append(chain)
        self.nodes(parent.nodelist, scope)
        self.blocks.pop()

    def loaded(self, name: Any) -> Template | None:
        if not isinstance(getattr(name, "var", None), str):
            self.faults.append(f"{self.here[-1]}: {name} is no fixed name of a template")
            return None
        return compiled(name.var)

    def nodes(self, nodes: Iterable[Node], scope: Scope) -> None:
        for node in nodes:
            self.node(node, scope)

    def node(self, node: Node, scope: Scope) -> None:
        match node:
            case BlockNode():
                self.block(node, scope)
            case IncludeNode():
                self.include(node, scope)
            case ForNode():
                self.loop(node, scope)
            case IfNode():
                for condition, nodes in node.conditions_nodelists:
                    tested = scope | dict.fromkeys(names_in(condition) & absent_in(scope), Any)
                    self.values(condition, tested, node)
                    self.nodes(nodes, tested)
                    scope |= {name: kind for name, kind in tested.items() if name not in scope}
            case FirstOfNode():
                self.values(node.vars, scope | dict.fromkeys(absent_in(scope), Any), node)
                if node.asvar:
                    scope[node.asvar] = Any
            case WithNode():
                self.nodes(node.nodelist, scope | self.extra(node.extra_context, scope, node))
            case BlockTranslateNode():
                self.translated(node, scope)
            case RegroupNode():
                row = element(self.expression(node.target, scope, node))
                inside = scope | {node.var_name: row}
                self.expression(node.expression, inside, node)
                scope[node.var_name] = Any
            case FieldNode():
                self.values([node.target, node.given], scope, node)
                self.nodes(node.body, scope | {"control": str})
            case _:
                self.other(node, scope)

    def other(self, node: Node, scope: Scope) -> None:
        """Any tag: its expressions, its body, and the name that it binds."""
        if isinstance(node, TagHelperNode) and node.takes_context:
            for name in re.findall(r'context\["(\w+)"\]', getsource(node.func)):
                if self.named(name, scope, node, f"the tag {node.func.__name__}") is None:
                    self.faults.append(f"{self._at(node)}: the tag {node.func.__name__} needs a {name}")
        if isinstance(node, InclusionNode):
            self.faults.append(f"{self._at(node)}: let the tag {node.func.__name__} show a PageContext")
        targets = {name: value for name, value in vars(node).items() if name in TARGETS}
        self.values({k: v for k, v in vars(node).items() if k not in targets}, scope, node)
        for value in targets.values():
            if isinstance(value, str):
                scope[value] = returned(node.func) if isinstance(node, TagHelperNode) else Any
            elif value is not None:
                self.values(value, scope, node)
        if isinstance(node, TranslateNode) and node.asvar:
            scope[node.asvar] = str

    def values(self, value: Any, scope: Scope, node: Node) -> None:
        match value:
            case FilterExpression():
                self.expression(value, scope, node)
            case Variable():
                self.variable(value, scope, node)
            case NodeList():
                self.nodes(value, scope)
            case Node():
                self.node(value, scope)
            case TokenBase():
                self.values([value.first, value.second, getattr(value, "value", None)], scope, node)
            case dict():
                self.values(list(value.values()), scope, node)
            case list() | tuple():
                for one in value:
                    self.values(one, scope, node)

    def expression(self, expression: FilterExpression, scope: Scope, node: Node) -> Any:
        """Type of the value."""
        found: Any = type(expression.var)
        if any(function.__name__ in DEFAULTS for function, _ in expression.filters):
            scope = scope | dict.fromkeys(absent_in(scope), Any)
        if isinstance(expression.var, Variable):
            found = self.variable(expression.var, scope, node)
        for function, arguments in expression.filters:
            self.values([value for is_variable, value in arguments if is_variable], scope, node)
            name = getattr(function, "__name__", "")
            found = (
                found
                if name == "slice_filter"
                else returned(getattr(function, "_decorated_function", function))
            )
        return found

    def variable(self, variable: Variable, scope: Scope, node: Node) -> Any:
        if not variable.lookups:
            return type(variable.literal)
        name, *further = variable.lookups
        found = self.named(name, scope, node, str(variable.var))
        for one in further:
            found = attribute(found, one)
            if found is Missing:
                self.faults.append(f"{self._at(node)}: nothing at “{one}” of {variable.var}")
                return Any
        return found

    def named(self, name: str, scope: Scope, node: Node, where: str) -> Any:
        self.read.add(name)
        if name not in scope and name not in EVERYWHERE:
            self.faults.append(f"{self._at(node)}: no name “{name}” for {where}")
            return Any
        if scope.get(name) is Absent:
            self.faults.append(f"{self._at(node)}: no name “{name}” for {where}: an include must pass it")
        return scope.get(name, Any)

    def _at(self, node: Node) -> str:
        return f"{node.origin.template_name!s}:{node.token.lineno if node.token else '?'}"

    def extra(self, given: Mapping[str, FilterExpression], scope: Scope, node: Node) -> Scope:
        return {name: self.expression(value, scope, node) for name, value in given.items()}

    def block(self, node: BlockNode, scope: Scope) -> None:
        """The heir's block; those above it in case it shows them by `{{ block.super }}`."""
        for one in self.blocks[-1].get(node.name) or [node]:
            self.nodes(one.nodelist, scope | {"block": Any})

    def include(self, node: IncludeNode, scope: Scope) -> None:
        template: Template | None = self.loaded(node.template)
        given = self.extra(node.extra_context, scope, node)
        if template is None:
            return
        self.template(template, given if node.isolated_context else scope | given)

    def loop(self, node: Any, scope: Scope) -> None:
        row = element(self.expression(node.sequence, scope, node))
        kinds = [row] if len(node.loopvars) == 1 else unpacked(row, len(node.loopvars))
        if kinds is None:
            self.faults.append(f"{self._at(node)}: {node.sequence} has not {len(node.loopvars)} parts")
            kinds = [Any] * len(node.loopvars)
        bound = dict(zip(node.loopvars, kinds, strict=True))
        self.nodes(node.nodelist_loop, scope | {"forloop": ForLoop} | bound)
        self.nodes(node.nodelist_empty, dict(scope))

    def translated(self, node: Any, scope: Scope) -> None:
        inside = scope | self.extra(node.extra_context, scope, node)
        if node.counter:
            self.expression(node.counter, inside, node)
            inside[node.countervar] = int
        self.values(node.message_context, scope, node)
        for token in [*node.singular, *(node.plural or ())]:
            if token.token_type == TokenType.VAR:
                self.named(token.contents, inside, node, f"the text “{token.contents}”")
        if node.asvar:
            scope[node.asvar] = str
