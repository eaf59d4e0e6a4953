"""Currencies of ISO 4217 by code, sign and name: `NT$`, `TWD` and `New Taiwan dollars` are the same.

A bare `$` is the US dollar and a bare `¥` the yen, unless the document states another currency
(`quaestor.documents.unit_phrases`). A sign that several currencies share (`kr`) is not recognized.
"""

import re
from functools import lru_cache
from itertools import groupby

_TABLE = """
AED;Dhs,Dh;UAE dirham,Emirati dirham,dirham
AFN;;afghani
ALL;;Albanian lek,lek
AMD;֏;Armenian dram,dram
AOA;Kz;Angolan kwanza,kwanza
ARS;AR$;Argentine peso,Argentinian peso
AUD;A$,AU$;Australian dollar
AWG;;Aruban florin
AZN;₼;Azerbaijani manat
BAM;;convertible mark
BBD;Bds$;Barbados dollar,Barbadian dollar
BDT;Tk.,Tk,৳;Bangladeshi taka,taka
BGN;;Bulgarian lev,lev,leva
BHD;BD;Bahraini dinar
BIF;;Burundian franc
BMD;BD$;Bermudian dollar,Bermuda dollar
BND;B$;Brunei dollar
BOB;;boliviano
BRL;R$;Brazilian real,Brazilian reais,reais
BSD;;Bahamian dollar
BTN;;ngultrum
BWP;;pula
BYN;;Belarusian ruble
BZD;BZ$;Belize dollar
CAD;C$,CA$,Cdn$,CAD$,CDN$;Canadian dollar
CDF;;Congolese franc
CHF;SFr.,SFr,Fr.;Swiss franc
CLP;CLP$,Ch$;Chilean peso
CNY;RMB,CN¥,RMB¥,人民币,人民幣,元;renminbi,yuan,Chinese yuan
COP;COP$,COL$;Colombian peso
CRC;₡;Costa Rican colón,colones
CUP;;Cuban peso
CVE;;Cape Verdean escudo
CZK;Kč;Czech koruna,Czech crown,koruna,koruny,korun
DJF;;Djiboutian franc
DKK;DKr;Danish krone,Danish kroner,Danish crown
DOP;RD$;Dominican peso
DZD;;Algerian dinar
EGP;E£,LE;Egyptian pound
ERN;;nakfa
ETB;;birr
EUR;€;euro
FJD;FJ$;Fiji dollar,Fijian dollar
FKP;;Falkland Islands pound
GBP;£,UK£;pound sterling,pounds sterling,British pound,sterling,pound
GEL;₾;Georgian lari,lari
GHS;GH₵,GH¢,GHȻ,₵;Ghana cedi,Ghanaian cedi,cedi
GIP;;Gibraltar pound
GMD;;dalasi
GNF;;Guinean franc
GTQ;;quetzal
GYD;GY$;Guyana dollar
HKD;HK$,港元,港币,港幣;Hong Kong dollar,HK dollar
HNL;;lempira
HTG;;gourde
HUF;Ft;Hungarian forint,forint
IDR;Rp.,Rp;Indonesian rupiah,rupiah
ILS;₪,NIS;new Israeli shekel,New Israeli Shekel,Israeli shekel,new shekel,shekel
INR;₹,Rs.,Rs,Re.;Indian rupee,rupee
IQD;;Iraqi dinar
IRR;;Iranian rial
ISK;;Icelandic króna,Icelandic krona,Icelandic krónur
JMD;J$;Jamaican dollar,Jamaica dollar
JOD;JD;Jordanian dinar
JPY;¥,JP¥,円,日元,日圓;Japanese yen,yen
KES;KSh,KShs,Kshs,Ksh,KShs.,Kshs.,Ksh.;Kenyan shilling,Kenya shilling
KGS;;Kyrgyzstani som
KHR;៛;riel
KMF;;Comorian franc
KPW;;North Korean won
KRW;₩,원;South Korean won,Korean won,won
KWD;KD;Kuwaiti dinar
KYD;CI$;Cayman Islands dollar
KZT;₸;Kazakhstani tenge,tenge
LAK;₭;kip
LBP;;Lebanese pound
LKR;;Sri Lankan rupee
LRD;;Liberian dollar
LSL;;loti,maloti
LYD;;Libyan dinar
MAD;;Moroccan dirham
MDL;;Moldovan leu,Moldovan lei
MGA;;ariary
MKD;;Macedonian denar
MMK;;kyat
MNT;₮;Mongolian tugrik,tugrik,tögrög
MOP;MOP$;Macanese pataca,pataca
MRU;;ouguiya
MUR;;Mauritian rupee
MVR;;rufiyaa
MWK;;Malawian kwacha
MXN;MX$,Mex$,MXN$;Mexican peso
MYR;RM;Malaysian ringgit,ringgit
MZN;;metical,meticais
NAD;N$;Namibian dollar,Namibia dollar
NGN;₦,=N=,N;Nigerian naira,naira
NIO;;Nicaraguan córdoba
NOK;NKr;Norwegian krone,Norwegian kroner,Norwegian crown
NPR;;Nepalese rupee
NZD;NZ$;New Zealand dollar
OMR;RO;Omani rial
PAB;;balboa
PEN;S/.,S/;Peruvian sol,Peruvian soles,soles
PGK;;kina
PHP;₱,Php,PhP;Philippine peso
PKR;;Pakistani rupee,Pakistan rupee
PLN;zł;Polish zloty,Polish złoty,zloty,zlotys,złoty,złotych
PYG;₲;guaraní,guaranies
QAR;QR.,QR;Qatari riyal,Qatar riyal
RON;;Romanian leu,Romanian lei
RSD;;Serbian dinar
RUB;₽;Russian ruble,Russian rouble,ruble,rouble
RWF;Frw,FRw;Rwandan franc
SAR;SR;Saudi riyal,Saudi Arabian riyal
SBD;;Solomon Islands dollar
SCR;;Seychellois rupee
SDG;;Sudanese pound
SEK;SKr;Swedish krona,Swedish kronor,Swedish crown,kronor
SGD;S$,SG$,SGD$;Singapore dollar
SHP;;Saint Helena pound
SLE;;leone
SOS;;Somali shilling
SRD;;Surinamese dollar
SSP;;South Sudanese pound
STN;;dobra
SYP;;Syrian pound
SZL;;lilangeni,emalangeni
THB;฿,Bt;Thai baht,baht
TJS;;somoni
TMT;;Turkmenistan manat
TND;;Tunisian dinar
TOP;;paanga
TRY;₺,TL;Turkish lira,Turkish lirasi,lira
TTD;TT$;Trinidad and Tobago dollar
TWD;NT$,NTD,新台幣,新臺幣,新台币;New Taiwan dollar,NT dollar,Taiwan dollar
TZS;TSh,TShs,Tshs;Tanzanian shilling
UAH;₴;Ukrainian hryvnia,hryvnia
UGX;USh,UShs,Ushs;Ugandan shilling,Uganda shilling
USD;$,US$,U.S.$,USD$,美元;U.S. dollar,US dollar,United States dollar,dollar
UYU;;Uruguayan peso
UZS;;Uzbekistani sum
VES;;Venezuelan bolívar,bolívares
VND;₫;Vietnamese dong,dong
VUV;;vatu
WST;;tala
XAF;FCFA;Central African CFA franc
XCD;EC$;East Caribbean dollar
XOF;CFA;West African CFA franc
XPF;CFPF;CFP franc
YER;;Yemeni rial
ZAR;R;South African rand,rand
ZMW;;Zambian kwacha
ZWG;ZiG;Zimbabwe gold
"""
_WORDS = frozenset(
    {"ALL", "CUP", "PEN", "SOS", "TOP", "TRY", "MAD", "MOP", "R", "RM", "LE", "SR", "BD", "KD", "JD", "N", "RO"}
)
"""Codes and signs that are also words or letters: they name a currency only beside a scale (`R million`)."""
_SMALL = frozenset({"usd", "eur", "gbp", "chf", "cad", "aud", "jpy", "rmb", "cny", "hkd", "sgd", "inr", "sek", "nok"})
"""Codes that are also recognized in lower case, for texts that have lost their capitals."""
_COMMON = frozenset({"dollar", "pound", "sterling", "won", "real", "rand", "lira", "kip", "lek", "dram", "dong", "lev"})


def _read_table() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    rows = (line.split(";") for line in _TABLE.split("\n") if line)
    return {code: (tuple(filter(None, signs.split(","))), tuple(names.split(","))) for code, signs, names in rows}


_CURRENCIES = _read_table()
_CODES = {**{code: code for code in _CURRENCIES}, **{code: code.upper() for code in _SMALL}, "rmb": "CNY"}
_SIGNS = {sign: code for code, (signs, _) in _CURRENCIES.items() for sign in signs} | {"US $": "USD", "U.S. $": "USD"}
_NAMES = {name.casefold(): code for code, (_, names) in _CURRENCIES.items() for name in names}
_LETTERS = frozenset(sign for sign in _SIGNS if sign.isascii() and sign[-1] != "$")


def is_currency(unit: str | None) -> bool:
    """Return whether a unit is the code of a currency."""
    return unit in _CURRENCIES


def sign_of(code: str) -> str | None:
    """Return the sign printed before amounts of a currency; None if only its code is used.

    >>> [sign_of(code) for code in ("USD", "TWD", "CHF", "SEK")]
    ['$', 'NT$', None, None]
    """
    signs = _CURRENCIES[code][0] if code in _CURRENCIES else ()
    return signs[0] if signs and (signs[0] not in _LETTERS or code == "INR") else None


def scaled_currency(text: str) -> tuple[str, str | None]:
    """Return the scale letter ("" if there is none) and the currency code of a text such as `MSEK`, `k€` or `€`."""
    plain = "".join(text.split())
    if (code := currency_called(text)) is not None or plain[:1] not in "TKkM":
        return "", code
    return plain[0], currency_called(plain[1:])


@lru_cache(maxsize=4_096)
def currency_called(text: str) -> str | None:
    """Return the code of the currency with a sign, code or name, or None.

    >>> [currency_called(text) for text in ("US$", "usd", "New Taiwan dollars", "kronor", "kr")]
    ['USD', 'USD', 'TWD', 'SEK', None]
    """
    plain = " ".join(text.split())
    if code := _CODES.get(plain) or _SIGNS.get(plain):
        return code
    if plain[:1] == "$" and plain[1:].isalpha():
        plain = f"{plain[1:]}$"  # "$A", as in Australia
    if plain.endswith("$") and (code := _CODES.get(plain.rstrip("$ "))):
        return code if "dollar" in _CURRENCIES[code][1][0].casefold() else "USD"
    if "$" in plain and (code := _ANY_CASE.get(plain.replace(" ", "").replace(".", "").casefold())):
        return code
    words = plain.casefold().replace("u. s.", "u.s.").replace("u.s .", "u.s.")
    return _NAMES.get(words) or _NAMES.get(words.removesuffix("s"))


_ANY_CASE = {sign.replace(".", "").casefold(): code for sign, code in _SIGNS.items() if "$" in sign}


def _alternatives(words: list[str]) -> str:
    """Return a pattern of words, grouped by first letter, longer words before shorter ones."""
    return _group_by_start([re.escape(word) for word in words])


def _group_by_start(patterns: list[str]) -> str:
    """Return the alternation of patterns that each begin with a literal character, grouped by that character."""
    groups = groupby(sorted(patterns, key=lambda one: (one[0], -len(one))), key=lambda one: one[0])
    found = ((first, [one[1:] for one in group]) for first, group in groups)
    return "|".join(f"{first}{rest[0]}" if len(rest) == 1 else f"{first}(?:{'|'.join(rest)})" for first, rest in found)


def _sign_pattern(*, words: bool) -> str:
    """Return the pattern of signs and codes, with or without those that are also words or letters."""
    before = [re.escape(sign[:-1]) for sign in _SIGNS if "$" in sign and sign[0].isalpha()]
    dollars = rf"(?=[^$]{{1,6}}\$)(?i:(?:{'|'.join(sorted(before, key=len, reverse=True))}|u\.?\s?s\.?\s?)\$)"
    letters = _alternatives([code for code in (*_CODES, *_LETTERS) if words or code not in _WORDS])
    rest = [sign for sign in _SIGNS if "$" not in sign and sign not in _LETTERS]
    others = rf"(?=[{''.join(sorted({sign[0] for sign in rest}))}])(?:{_alternatives(rest)})"
    lettered = rf"(?<![A-Za-z])(?:{dollars}|(?-i:{letters})(?![A-Za-z])(?:\s?\$)?)"
    turned = r"\$(?-i:(?:A|US|NZ|HK|C[Dd][Nn])(?![A-Za-z]))"
    return rf"(?:{lettered}|{turned}|\$(?-i:(?<!\b[A-Z]\$)(?<!\b[A-Z][A-Z]\$))|(?-i:{others}))"


CODE = rf"(?-i:{_alternatives(list(_CODES))})"
"""A code of three letters, for use in patterns such as those of `MSEK` and `EURm`."""
SMALL_CODE = rf"(?:{'|'.join(sorted(_SMALL))})"
"""A code that is also recognized in lower case."""
SIGN = _sign_pattern(words=False)
"""A sign or code that names a currency in any context: `€`, `HK$`, `SEK`."""
SIGN_NEAR_SCALE = _sign_pattern(words=True)
"""Like `SIGN`, with those that are also words or letters: `R` of `R million`, `TRY`, `RM`."""
_CLEAR = _alternatives(["TRY", "PEN", "MAD", "MOP", "SOS", "RM"])
BEFORE_NUMBER = (
    rf"(?:{SIGN}|(?-i:[TKkM](?:{CODE}|[€£])(?![A-Za-z]))|(?-i:(?:{_CLEAR})(?=\s?[0-9])"
    r"|(?:HK|US|AU|NZ|SG|SA)(?=[0-9.]{1,9}\s?(?:cents?\b|¢))"
    r"|R(?=\s?\(?[0-9]{1,3}[, ][0-9]{3}|\s?\(?[0-9.]{1,9}\)?\s?(?:m|bn|million|billion)\b|[0-9]{1,5}\.[0-9]{2}\b)))"
)
"""The currency before a number, with or without a scale: `HK$`, `MSEK`, `R` of `R1,204`."""


def _name_pattern(names: list[str]) -> str:
    forms = [re.escape(name).replace(r"\ ", r"\s").replace(r"u\.s\.", r"u\s?\.\s?s\s?\.?") for name in names]
    return rf"\b(?:{_group_by_start(forms)})s?\b"


NAME = rf"(?i:{_name_pattern(list(_NAMES))})"
"""The name of a currency in a phrase about units (`thousands of euros`)."""
_BEHIND = _name_pattern([name for name in _NAMES if name not in _COMMON - {"dollar"}])
AFTER_NUMBER = rf"(?:(?P<letter>[TKkM])?(?:{CODE}(?![A-Za-z])|€)|[元円원£₽]|zł\b|Kč\b|(?i:{_BEHIND}))(?!\s?[0-9])"
"""The currency after a number: `5 million euros`, `12.4 MEUR`, `310 TEUR`, `3.5万元`."""
