"""Small self-written filings in inline XBRL."""

from lxml.etree import _Element

from quaestor.readers.html.reader import parse

HEAD = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"
 xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:xbrldi="http://xbrl.org/2006/xbrldi"
 xmlns:ixt="http://www.xbrl.org/inlineXBRL/transformation/2020-02-12"
 xmlns:ixt-sec="http://www.sec.gov/inlineXBRL/transformation/2015-08-31"
 xmlns:iso4217="http://www.xbrl.org/2003/iso4217" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xmlns:us-gaap="http://fasb.org/us-gaap/2024" xmlns:dei="http://xbrl.sec.gov/dei/2024"
 xmlns:nord="http://www.nord.example/2024">"""
"""The start of a file, with the usual namespace prefixes."""

CONTEXTS = """
<xbrli:context id="y24"><xbrli:entity><xbrli:identifier scheme="none">1</xbrli:identifier></xbrli:entity>
 <xbrli:period><xbrli:startDate>2023-10-01</xbrli:startDate><xbrli:endDate>2024-09-28</xbrli:endDate></xbrli:period>
</xbrli:context>
<xbrli:context id="y23"><xbrli:entity><xbrli:identifier scheme="none">1</xbrli:identifier></xbrli:entity>
 <xbrli:period><xbrli:startDate>2022-09-25</xbrli:startDate><xbrli:endDate>2023-09-30</xbrli:endDate></xbrli:period>
</xbrli:context>
<xbrli:context id="d24"><xbrli:entity><xbrli:identifier scheme="none">1</xbrli:identifier></xbrli:entity>
 <xbrli:period><xbrli:instant>2024-09-28</xbrli:instant></xbrli:period>
</xbrli:context>
<xbrli:context id="east"><xbrli:entity><xbrli:identifier scheme="none">1</xbrli:identifier>
 <xbrli:segment><xbrldi:typedMember dimension="nord:LotAxis"><nord:lot> 7 </nord:lot></xbrldi:typedMember>
 <xbrldi:explicitMember dimension="us-gaap:StatementBusinessSegmentsAxis">nord:EastMember</xbrldi:explicitMember>
 </xbrli:segment></xbrli:entity>
 <xbrli:period><xbrli:startDate>2023-10-01</xbrli:startDate><xbrli:endDate>2024-09-28</xbrli:endDate></xbrli:period>
</xbrli:context>"""
"""Two years, the last day of the later one, and a segment of the company in it."""

UNITS = """
<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>
<xbrli:unit id="shares"><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unit>
<xbrli:unit id="pure"><xbrli:measure>xbrli:pure</xbrli:measure></xbrli:unit>
<xbrli:unit id="eps"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure>
 </xbrli:unitNumerator><xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator>
 </xbrli:divide></xbrli:unit>"""


def filing(body: str, hidden: str = "", contexts: str = CONTEXTS, units: str = UNITS, head: str = HEAD) -> str:
    """Return a filing whose tags refer to some contexts and units."""
    resources = f"<ix:header><ix:hidden>{hidden}</ix:hidden><ix:resources>{contexts}{units}</ix:resources></ix:header>"
    return f'{head}<body><div style="display:none">{resources}</div>{body}</body></html>'


def number(
    text: str, concept: str = "us-gaap:Revenues", context: str = "y24", unit: str = "usd", **more_attributes: str
) -> str:
    """Return a tagged number, by default with commas for thousands and in ones."""
    attributes = {"format": "ixt:num-dot-decimal", "decimals": "INF", **more_attributes}
    more = " ".join(f'{name.replace("__", ":")}="{value}"' for name, value in attributes.items() if value)
    return f'<ix:nonFraction name="{concept}" contextRef="{context}" unitRef="{unit}" {more}>{text}</ix:nonFraction>'


def tree_of(text: str) -> _Element:
    """Return the root element of a file."""
    return parse(text.encode(), "filing.html")[0]
