"""A conversation as a page of its own for a browser: no script, no file beside it, nothing from another host."""

from collections.abc import Sequence

from quaestor.conversation.display import confidence_words, show_entries
from quaestor.conversation.turn import Turn
from quaestor.core.visible import html_text
from quaestor.exports.conversation import ExportedConversation
from quaestor.exports.rows import explanation_words, remark_words, source_words

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; }
ol { padding-left: 1.5rem; }
li { margin-bottom: 1.4rem; }
.answer { font-size: 1.25rem; font-weight: 600; overflow-wrap: anywhere; }
.explained { margin: 0.15rem 0 0.3rem; overflow-wrap: anywhere; }
.none { opacity: 0.7; }
.more { font-size: 0.9rem; opacity: 0.85; margin: 0.15rem 0; overflow-wrap: anywhere; }
.sources { font-size: 0.9rem; margin: 0.3rem 0; padding-left: 1.2rem; list-style: square; }
.sources li { margin: 0; overflow-wrap: anywhere; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def to_html(conversations: Sequence[ExportedConversation]) -> str:
    """Return a page with every question, its answer, the arithmetic and the sources."""
    parts = "\n".join(map(_conversation, conversations))
    title = html_text(conversations[0].id) if len(conversations) == 1 else f"{len(conversations)} conversations"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{parts}\n</main>\n</body>\n</html>\n"
    )


def _conversation(conversation: ExportedConversation) -> str:
    turns = "\n".join(_turn(turn, conversation) for turn in conversation.turns)
    return f"<section>\n<h1>{html_text(conversation.id)}</h1>\n<ol>\n{turns}\n</ol>\n</section>"


def _turn(turn: Turn, conversation: ExportedConversation) -> str:
    answer = turn.answer
    sure = confidence_words(answer.confidence)
    lines = [answer.description, f"= {answer.formula}" if answer.formula and answer.value is not None else "", sure]
    more = "".join(f'<p class="more">{html_text(words)}</p>\n' for words in (*lines, remark_words(turn)) if words)
    sources = "".join(f"<li>{html_text(words)}</li>\n" for words in source_words(turn, conversation))
    listed = f'<ul class="sources">\n{sources}</ul>\n' if sources else ""
    css = "answer" if answer.value is not None else "answer none"
    explained = f'<p class="explained">{html_text(words)}</p>\n' if (words := explanation_words(answer)) else ""
    shown = f'<div class="{css}">{"<br>".join(map(html_text, show_entries(answer)))}</div>\n{explained}'
    if answer.kind == "explanation":
        shown = explained
    return f"<li><div>{html_text(turn.question)}</div>\n{shown.rstrip()}\n{more}{listed}</li>"
