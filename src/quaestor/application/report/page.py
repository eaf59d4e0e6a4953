"""The report as one HTML page: without scripts, other files, or content from other hosts.

All text goes through `element`, which escapes it.
"""

from importlib.metadata import version
from itertools import groupby

from quaestor.application.comparison import PairReport
from quaestor.application.report.charts import (
    ChartInterval,
    ChartLine,
    Child,
    Element,
    colour_class,
    difference_chart,
    element,
    interval_chart,
    line_chart,
    style_sheet,
    table,
    to_markup,
)
from quaestor.application.report.data import (
    MOST_WRONG_TURNS,
    RUN_HEADS,
    EvaluationReport,
    ReportRow,
    audit_rows,
    cause_rows,
    comparison_rows,
    cost_rows,
    figure,
    right_of,
    run_rows,
    score_rows,
    scorer_title,
)
from quaestor.scoring.statistics import ENOUGH_GROUPS, in_percent, label_run, paired_cells
from quaestor.scoring.turn_frame import breakdown_title
from quaestor.store.records import now

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def report_page(report: EvaluationReport) -> str:
    """Return the report as HTML."""
    sections = [
        ("runs", "Runs", _runs(report)),
        ("score", "Score", _score(report)),
        ("audit", "Audited references", _audit(report)),
        ("comparison", "Comparison", _comparison(report)),
        ("breakdowns", "Breakdowns", _breakdowns(report)),
        ("conventions", "Scoring rules", _conventions(report)),
        ("confidence", "Confidence", _confidence(report)),
        ("cost", "Time and cost", _cost(report)),
        ("errors", "Wrong turns", _errors(report)),
    ]
    shown = [(name, title, parts) for name, title, parts in sections if parts]
    title = _title(report)
    links = element("ul", *(element("li", element("a", words, href=f"#{name}")) for name, words, _ in shown))
    main = element("main", *(element("section", element("h2", words, id=name), *parts) for name, words, parts in shown))
    body = element(
        "body",
        element("header", element("h1", title), element("p", _origin(report), class_="dim")),
        element("nav", links, aria_label="Sections"),
        main,
    )
    policy = element("meta", content=_POLICY)
    policy.set("http-equiv", "Content-Security-Policy")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        policy,
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", style_sheet()),
    )
    return f"<!doctype html>\n{to_markup(element('html', head, body, lang='en'))}\n"


def _title(report: EvaluationReport) -> str:
    names = [row[2] for row in run_rows(report)]
    return f"{' and '.join(names)}: evaluation" if len(names) <= 2 else f"Evaluation of {len(names)} runs"


def _origin(report: EvaluationReport) -> str:
    by = "references of the labelled file" if report.basis == "references" else "saved scores"
    dataset = report.runs[0].judged.run.dataset.replace("\\", "/").rpartition("/")[2]
    return f"{dataset}; scored with the {by}; quaestor {version('quaestor')}, {now():%Y-%m-%d %H:%M} UTC"


def _name(place: int) -> Element:
    return element("span", label_run(place), class_=f"run {colour_class(place)}")


def _heads(report: EvaluationReport, *first: str) -> list[str]:
    return [*first, *(label_run(place) for place in range(len(report.runs)))]


def _figure(chart: Element, caption: str) -> Element:
    return element("figure", chart, element("figcaption", caption))


def _explained(words: str) -> Element:
    return element("p", words, class_="dim")


def _runs(report: EvaluationReport) -> list[Element]:
    rows: list[list[Child]] = [[_name(place), *row[1:]] for place, row in enumerate(run_rows(report))]
    return [table(RUN_HEADS, rows, look="words short")]


def _score(report: EvaluationReport) -> list[Element]:
    official = scorer_title(report.scorer)
    drawn = [
        ChartInterval(label_run(place), found.right.value, found.right.low, found.right.high, place)
        for place, found in enumerate(report.runs)
    ]
    caption = f"{official} with 95 % intervals, resampled by page, in percent"
    return [
        element("div", _figure(interval_chart(f"{official} of each run", drawn), caption), class_="charts"),
        table(_heads(report, "% correct (95 % interval, by page)"), score_rows(report)),
    ]


def _audit(report: EvaluationReport) -> list[Element]:
    audited = report.runs[0].audited
    if audited is None:
        return []
    words = (
        f"{audited.audit}: {audited.entries} references reviewed by two readers (Cohen's kappa {audited.kappa:.2f}). "
        "The table shows how many turns of each kind are correct by the original references, then by the audited "
        "ones. Compare the official figure with papers."
    )
    return [_explained(words), table(_heads(report, "verdict on the reference", "turns"), audit_rows(report))]


def _comparison(report: EvaluationReport) -> list[Element]:
    if report.compared is None:
        return []
    heads = (
        "",
        "only 1st",
        "only 2nd",
        "difference, points",
        "95 % by page",
        "95 % by company",
        "p",
        "p, Holm",
        "same",
    )
    words = (
        "Turns that only one run answered correctly, the difference in points, and the exact McNemar test. same: "
        "turns with the same answer."
    )
    found = [_explained(words), table(heads, comparison_rows(report), look="short")]
    return found + (_pair(report.compared.pairs[0]) if len(report.compared.pairs) == 1 else [])


def _pair(pair: PairReport) -> list[Element]:
    one, other, agreement = label_run(0), label_run(1), pair.agreement
    agreed = (
        f"If both answers agree ({agreement.same} turns), {_of(agreement.first_right, agreement.same)} are correct "
        f"in {one} and {_of(agreement.second_right, agreement.same)} in {other}; if they differ "
        f"({agreement.different}), {_of(agreement.first_right_apart, agreement.different)} and "
        f"{_of(agreement.second_right_apart, agreement.different)}."
    )
    drawn, rows = list[ChartInterval](), list[list[Child]]()
    for by, groups in pair.breakdowns.items():
        rows.append([breakdown_title(by)])
        for name, figures in groups.items():
            rows.append([name, str(figures.turns), *paired_cells(figures)])
            if (page := figures.by_page).groups >= ENOUGH_GROUPS:
                drawn.append(ChartInterval(name, page.value, page.low, page.high))
    chart = difference_chart(f"Difference between {one} and {other} by kind of turn", drawn)
    caption = f"{one} - {other} in points, 95 % intervals by page: {one} is better on the right"
    heads = ("", "turns", f"only {one}", f"only {other}", f"{one} - {other}", "95 % by page", "95 % by company", "p")
    return [
        element("p", agreed),
        element("div", _figure(chart, caption) if drawn else None, class_="charts"),
        element("details", element("summary", "Figures for each kind of turn"), table(heads, rows)),
    ]


def _of(part: int, whole: int) -> str:
    return in_percent(part / whole) if whole else "none"


def _breakdowns(report: EvaluationReport) -> list[Element]:
    rows: list[list[Child]] = []
    for by in dict.fromkeys(by for found in report.runs for by in found.groups):
        rows.append([breakdown_title(by)])
        groups = [found.groups.get(by, {}) for found in report.runs]
        for name in dict.fromkeys(name for one in groups for name in one):
            shares = [one.get(name) for one in groups]
            total = next((share.total for share in shares if share), 0)
            rows.append([name, str(total), *map(figure, shares)])
    return [table(_heads(report, "", "turns"), rows)] if rows else []


def _conventions(report: EvaluationReport) -> list[Element]:
    rules = zip(*(found.judged.conventions for found in report.runs), strict=True)
    rows = [
        [
            rule[0].rule,
            *(f"{in_percent(one.right.value)}{_change(one.gained, '+')}{_change(one.lost, '-')}" for one in rule),
        ]
        for rule in rules
    ]
    words = (
        "Papers differ in when they count an answer as correct. Next to each share is the number of turns that the "
        "rule counts as correct, or as wrong, unlike the benchmark's own rule."
    )
    return [_explained(words), table(_heads(report, "an answer is correct if it"), rows)] if rows else []


def _change(turns: int, sign: str) -> str:
    return f" {sign}{turns}" if turns else ""


def _confidence(report: EvaluationReport) -> list[Element]:
    calibration, coverage, rows = list[ChartLine](), list[ChartLine](), list[list[Child]]()
    for place, run in enumerate(report.runs):
        if (found := run.score.certainty) is None:
            continue
        name, bins = label_run(place), [one for one in found.bins if one.count]
        weights = tuple(one.count / max(other.count for other in bins) for one in bins)
        calibration.append(ChartLine(name, place, tuple((one.confidence, one.accuracy) for one in bins), weights))
        coverage.append(ChartLine(name, place, tuple((one.share, 1 - one.accuracy) for one in found.coverage)))
        given, half = found.given, found.surest_half
        rows.append([name, right_of(given), figure(given), figure(half), f"{found.error:.3f}"])
    if not rows:
        return []
    heads = ("", "answers", "right", "correct in the most confident half", "calibration error")
    figures = (
        _figure(
            line_chart("Accuracy by confidence", "mean confidence", "right", calibration, even=True),
            "Reliability: above the dashed line, answers are better than their confidence; larger marks cover more "
            "answers.",
        ),
        _figure(
            line_chart("Risk by share of answers given", "answers given, most confident first", "wrong", coverage),
            "Risk and coverage: the error rate of the most confident answers, by how many are given.",
        ),
    )
    return [element("div", *figures, class_="charts"), table(heads, rows)]


def _cost(report: EvaluationReport) -> list[Element]:
    rows = cost_rows(report)
    return [table(_heads(report, ""), rows)] if rows else []


def _errors(report: EvaluationReport) -> list[Element]:
    rows, shown = list[list[Child]](), list[Element]()
    known = [{row.cause for row in found.wrong} for found in report.runs]
    counted = cause_rows(report)
    for number, (cause, counts) in enumerate(counted):
        links = (
            element("a", str(count), href=f"#{label_run(place)}-cause-{number}")
            if cause in known[place]
            else str(count or "")
            for place, count in enumerate(counts)
        )
        rows.append([cause, *links])
    for place, found in enumerate(report.runs):
        if not found.wrong:
            continue
        shown.append(element("h3", "Wrong turns of ", _name(place)))
        if missing := sum(found.causes.values()) - len(found.wrong):
            shown.append(_explained(f"Shows the first {MOST_WRONG_TURNS}, by cause; {missing} more are left out."))
        numbers = {cause: number for number, (cause, _) in enumerate(counted)}
        for cause, turns in groupby(found.wrong, key=lambda row: row.cause):
            blocks = [_turn(place, row) for row in turns]
            summary = element("summary", f"{cause}: {len(blocks)}")
            # The id is inside `details`, because browsers open an element that contains the target of a link.
            shown.append(
                element("details", summary, element("div", *blocks, id=f"{label_run(place)}-cause-{numbers[cause]}"))
            )
    return [table(_heads(report, "cause"), rows), *shown] if rows else []


def _turn(place: int, row: ReportRow) -> Element:
    turn, (side,) = row.shown, row.shown.sides
    unverified = "" if side.number is None or side.verified else " (unverified)"
    plan = side.program or side.formula
    reference: Element | None = None
    if turn.reference is not None:
        program: list[Child] = [" by ", element("code", turn.reference_program)] if turn.reference_program else []
        reference = element("p", "reference ", element("span", turn.reference, class_="right"), *program)
    return element(
        "div",
        element("p", f"{turn.conversation}, turn {turn.turn + 1}: ", element("strong", turn.question)),
        element("p", "answer ", element("span", side.shown, class_="wrong"), unverified),
        element("p", "by ", element("code", plan)) if plan else None,
        _explained(side.reason) if side.reason else None,
        element("ul", *(element("li", source) for source in side.sources)) if side.sources else None,
        reference,
        _explained(f"audit: {row.audited}") if row.audited else None,
        class_="turn",
        id=f"{label_run(place)}-{turn.turn + 1}-{turn.conversation.replace(' ', '_')}",
    )
