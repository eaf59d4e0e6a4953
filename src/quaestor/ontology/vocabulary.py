"""Namespaces, and the terms that documents and ontologies are written with.

A name learned from a label never takes one that stands here: `property_name` sees to it.
"""

from quaestor.core.words import identifier_parts

KG = "urn:quaestor:kg#"
"""Ours: classes and properties, learned and hand-written, and the instances of a document's graph."""

PREFIXES = {
    "dcterms": "http://purl.org/dc/terms/",
    "kg": KG,
    "owl": "http://www.w3.org/2002/07/owl#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""Every prefix but `doc:`, which is the document's own: see `document_namespace`."""

ROOT_CLASS = "kg:FinancialTable"
"""What a table is where nothing says more."""

AMOUNT = "kg:amount"
"""The property of a value whose row or column prints no label, or only a period."""

_RESERVED = frozenset(
    "value scale unit period year table row column index text section sentence start end amount property instance "
    "document digest ontology class variant rule score level label caption axis order page minted gap seen "
    "lines mentions known reason place origin into empty".split()
)
_LONGEST_NAME = 80


def document_namespace(document: str) -> str:
    """Return the namespace of a document's own nodes, for any id.

    >>> document_namespace("MRO/2007/page_134.pdf")
    'urn:quaestor:document:MRO/2007/page_134.pdf#'
    """
    from urllib.parse import quote

    return f"urn:quaestor:document:{quote(document, safe='/._-')}#"


def slug(text: str) -> str:
    """Return the letters and digits of a text, joined by underscores.

    >>> slug("net income (loss), pre-tax")
    'net_income_loss_pre_tax'
    """
    found = identifier_parts(text.casefold().replace("'", ""))
    return "_".join(found)[:_LONGEST_NAME].strip("_")


def property_name(label: str) -> str:
    """Return the local name of a property with that label; it begins with a letter and is not one of our terms.

    >>> property_name("2.5% notes"), property_name("value")
    ('p_2_5_notes', 'value_reported')
    """
    name = slug(label) or "unnamed"
    if name[0].isdigit():
        name = f"p_{name}"
    return f"{name}_reported" if name in _RESERVED else name


def class_name(label: str) -> str:
    """Return the local name of a class with that label.

    >>> class_name("unrecognized tax benefits")
    'UnrecognizedTaxBenefits'
    """
    name = "".join(word.capitalize() for word in identifier_parts(label.casefold()))[:_LONGEST_NAME]
    return name if name and name[0].isalpha() else f"C{name}"
