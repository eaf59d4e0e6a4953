"""Inputs that do not ask for a number: greetings, arithmetic, and questions for reasons, meanings and persons.

A form has to match the whole text, which excludes follow-ups ("and in 2010?", "in percent?").
"""

import re

from quaestor.questions.question import Question

_GREETING = re.compile(
    r"(?:(?:hello|hi|hey|hiya|good (?:morning|afternoon|evening|day)|thanks?|thank you|thx|cheers|bye|goodbye|please"
    r"|ok|okay|great|cool|nice|perfect|help|test)(?: (?:there|you|all|so much|very much|a lot|again|everyone))*"
    r"[\s,.!?]*)+"
)
_SUM = re.compile(
    r"(?:what(?: is|'s|s) |calculate |compute )?\(?\s*\d{1,2}(?:\s*[-+*/x\u00d7\u00f7^]\s*\d{1,2})+\s*\)?\s*=?\s*\??"
)
_WHY = re.compile(r"(?:and |but |so |then |ok |well ){0,5}(?:why\b.*|how (?:so|come)\b.*)")
_MEANING = re.compile(
    r"(?:and |so )?(?:what (?:does|do|did) .+ (?:mean|stand for)|define .+"
    r"|what(?: is|'s) (?:the |a )?(?:meaning|definition) of .+)\s*[?.!]*"
)
_WHO = re.compile(r"(?:and )?(?:who|who's|whom) .+")
_FORMS = (
    (_GREETING, "it is a greeting or a remark"),
    (_SUM, "this is arithmetic"),
    (_WHY, "a reason is not a number"),
    (_MEANING, "a meaning is not a number"),
    (_WHO, "a person is not a number"),
)


def why_no_number(question: Question) -> str | None:
    """Return the reason why a question does not ask for a number on a page; None if it may.

    >>> why_no_number(Question("why?"))
    'a reason is not a number'
    >>> why_no_number(Question("and in 2010?"))
    """
    lowered = " ".join(question.lowered.split())
    if question.periods and _SUM.fullmatch(lowered):
        return None
    return next((reason for form, reason in _FORMS if form.fullmatch(lowered)), None)
