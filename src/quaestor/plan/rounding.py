"""Whether a number that somebody writes is a number that is known, to the digits that it was written with."""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext

from quaestor.plan.operations import LARGEST_EXPONENT, PRECISION

FEWEST_DIGITS = 2
"""A number rounded to fewer digits could be anything."""


def rounds_to(known: Decimal, claimed: Decimal, digits: int = FEWEST_DIGITS) -> bool:
    """Return whether `claimed` is `known`, as it is, as a float holds it, or rounded to the places that it has.

    >>> rounds_to(Decimal("14.136"), Decimal("14.1")), rounds_to(Decimal("14.136"), Decimal("14.2"))
    (True, False)

    Args:
        claimed: As somebody wrote it.
        digits: The fewest that a rounded number has to be written with.
    """
    with localcontext(prec=PRECISION + 2 * LARGEST_EXPONENT):
        if known == claimed or abs(known - claimed) <= abs(known).scaleb(-12):
            return True
        places = claimed.as_tuple().exponent
        if known.adjusted() > LARGEST_EXPONENT:  # larger than anything that is computed, and by too much to be rounded
            return False
        if not isinstance(places, int) or len(claimed.normalize().as_tuple().digits) < digits:
            return False
        unit = Decimal(1).scaleb(max(min(places, 0), -LARGEST_EXPONENT))
        return claimed in (known.quantize(unit, ROUND_HALF_EVEN), known.quantize(unit, ROUND_HALF_UP))
