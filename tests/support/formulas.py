"""Random valid formulas, and attacks on evaluators that would execute formulas as code."""

from decimal import Decimal

from hypothesis import strategies as st

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity
from quaestor.plan.expressions import Variable
from quaestor.plan.steps import Constant, Extract

NAMES: dict[str, Variable] = {
    "a": Extract(0, CellRef("page", 0, 1, 1), "a", Quantity(Decimal("206588"))),
    "b": Extract(0, CellRef("page", 0, 1, 2), "b", Quantity(Decimal("-3.5"))),
    "c": Constant(Decimal(100), "const_100"),
}


def formulas() -> st.SearchStrategy[str]:
    """Return a strategy for valid formulas over `NAMES`."""
    leaves = st.sampled_from(["a", "b", "c", "2", "0.5", "1000"])

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        infix = st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
        called = st.tuples(st.sampled_from(["min", "max", "sum", "avg"]), inner, inner)
        return st.one_of(
            infix,
            called.map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
            inner.map(lambda t: f"abs({t})"),
            inner.map(lambda t: f"(-{t})"),
        )

    return st.recursive(leaves, extend, max_leaves=8)


_CODE = """__import__('os').system('id')|eval('1')|exec('x=1')|open('/etc/passwd').read()|().__class__.__bases__[0]
a.__class__|a.real|Decimal('1').__reduce__()|lambda: 1|[x for x in (1,)]|{1: 2}|{**a}|f'{a}'|f"{a!r}"
a if b else c|not a|a and b|a or b|a in b|a is b|a := 1|a; b|a\nb|import os|print(a)|globals()|locals()
vars()|dir()|getattr(a, 'real')|setattr(a, 'x', 1)|type(a)|int('9' * 999999)|str(a)|chr(97)|range(10 ** 9)
list(a)|sorted(a)|map(abs, a)|breakpoint()|input()|compile('1', '', 'eval')|help()|exit()|quit()
__builtins__|__name__|__debug__|a.__init__.__globals__|yield a|await a|a[0]|a[::-1]|a(b)|(a)(b)
abs.__call__(a)|sum(x for x in a)|*a|**a|min(*a)|max(**a)|a @ b|a & b|a | b|a ^ b|~a|a << 9999999|a >> 1
a // b|a % b|a == b|a != b|a >= b|a <= b|a <> b|a < b > c|a > b > c|1 < 2 < 3|'a' * 9|"a"|b'a'|`id`|$(id)
${a}|$a|%(a)s|{a}|{{a}}|{% a %}|<%= a %>|../../etc/passwd|; DROP TABLE turns; --|' OR 1=1 --
SELECT * FROM turns|a -- b|/* a */ b|# a|a # b|// a|\\x61|\\u0061|\\|nan|inf|-inf|Infinity|1e999|1e-999
1_000|0x10|0b1|0o7|1j|1L|1f|00012|1..2|..|...|.|,|()|)(|((|abs|min|sum()|avg()|abs(a b)|min(a;b)|max a, b
sqrt(a)|log(a)|round(a, 2)|pow(a, b)|float(a)|math.pi|os.system|a->b|a=>b|a:b|a?b:c|@a|!a|a!|&a|a&&b|a|b
undefined|null|None|True|False|self|this|a\x00b|\x00|a\x1b[31mb|a\r\nb|\ufeffa|a\u200bb|\uff41 + b
\u0430 + b|a \u2212 b|a \u2013 b|a \u00d7 b|a \u00f7 b|\uff11 + 1|\u0661 + 1|\u00b2|a\u00b2|a \uff0b b
\uff08a\uff09|a\u00a0+\u00a0b|a\u2028b|\u202ea|\U0001d44e|\U0001f600|\u221aa|\u03c0|\u221e|a\u2044b|\u00bd
1\u066b5|a \u2217 b|\u01c3|__import__|__import__()|__a__.__b__|_|__|a_|_a(b)|abs_(a)|_import_("os")
a__class__|exec (a)|EVAL(a)|Abs(a)|SUM(a, b)"""

ATTACKS: tuple[str, ...] = (
    *(attack.strip(" ") for line in _CODE.split("\n") for attack in line.split("|") if attack.strip(" ")),
    # Formulas that are too large, too deep or too long.
    *("**".join(["9"] * count) for count in (2, 3, 9, 30, 40, 400)),
    *("(" * depth + "a" + ")" * depth for depth in (31, 32, 500, 5_000, 100_000)),
    *(sign * count + "a" for sign in ("-", "+", "-+") for count in (31, 33, 900, 50_000)),
    *("abs(" * depth + "a" + ")" * depth for depth in (31, 33, 240, 10_000)),
    *(sign.join(["a"] * count) for sign in "+*-/" for count in (60, 70, 400, 100_000)),
    "9" * 60, "9" * 999, "9" * 10**6, "0." + "1" * 900, "1e60*1e60", "1e60**1e60", "(1+1e-49)**1e50", "2**0.5**1e-60",
    "1.0000001**999999999", "(-8)**(1/3)", "0**0", "0**-1", "a/0", "a/(b-b)", "1e-60/1e60", "(a>b)+1", "abs(a<b)",
    "a" * 80, "a" * 900, "a" * 10**6, "min(" + "a," * 70 + "a)", "sum(" + ",".join("123456789") + ")", " " * 10**6,
    "\n" * 999, "a || b", "a | b",
)  # fmt: skip
"""Texts that a careless evaluator would execute, or never finish."""
