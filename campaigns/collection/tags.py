"""HTML's elements by what they may do here."""

from __future__ import annotations


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


KEPT = _names("""
    a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup dd del
    dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main
    mark nav ol p pre q rp rt ruby s samp section small span strike strong sub sup table tbody td tfoot
    th thead time tr tt u ul var wbr
""")
# What these hold is no text of the document, or a stand-in for something that is not shown.
DROPPED = _names("""
    script style template noscript iframe frame frameset noframes object embed applet audio video canvas
    svg math title select datalist
""")
# A second one closes the first, or there is nothing inside.
FLAT = _names("""
    p li dt dd option optgroup tr td th thead tbody tfoot colgroup col br hr img input meta link base
    area embed source track wbr param html head body
""")
INLINE = _names("""
    a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark nobr q s samp small span strike
    strong sub sup tt u var
""")
