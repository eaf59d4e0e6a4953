"""The report as one page: no script, no file beside it, nothing from another host.

Every text goes through `elements`, which makes markup of none.
"""

from collections.abc import Iterable
from importlib.metadata import version

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
from quaestor.application.report.data import MOST_WRONG_TURNS, EvaluationReport, ReportedRun, ReportRow
from quaestor.application.report.tables import (
    RUN_HEADS,
    audit_rows,
    cause_rows,
    comparison_rows,
    cost_rows,
    figure,
    in_percent,
    right_of,
    run_rows,
    score_rows,
    scorer_title,
)
from quaestor.scoring.bootstrap import ENOUGH_GROUPS
from quaestor.scoring.paired import letter, paired_cells
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
    main = element(
        "main",
        *(element("section", element("h2", words, id=name), *parts) for name, words, parts in shown),
    )
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
    return element("span", letter(place), class_=f"run {colour_class(place)}")


def _heads(report: EvaluationReport, first: str) -> list[str]:
    return [first, *(letter(place) for place in range(len(report.runs)))]


def _runs(report: EvaluationReport) -> list[Element]:
    rows: list[list[Child]] = [[_name(place), *row[1:]] for place, row in enumerate(run_rows(report))]
    return [table(RUN_HEADS, rows, look="words short")]


def _score(report: EvaluationReport) -> list[Element]:
    official = scorer_title(report.scorer)
    drawn = [
        ChartInterval(letter(place), found.right.value, found.right.low, found.right.high, place)
        for place, found in enumerate(report.runs)
    ]
    caption = f"{official} with 95 % intervals, resampled by page, in percent"
    chart = interval_chart(f"{official} of each run", drawn)
    return [
        element("div", element("figure", chart, element("figcaption", caption)), class_="charts"),
        table(_heads(report, "% correct (95 % interval, by page)"), score_rows(report)),
    ]


def _audit(report: EvaluationReport) -> list[Element]:
    audited = report.runs[0].audited
    if audited is None:
        return []
    explained = (
        f"{audited.audit}: {audited.entries} references reviewed by two readers (Cohen's kappa {audited.kappa:.2f}). "
        "The table shows how many turns of each kind are correct by the original references, then by the audited "
        "ones. Compare the official figure with papers."
    )
    heads = ["verdict on the reference", "turns", *_heads(report, "")[1:]]
    return [element("p", explained, class_="dim"), table(heads, audit_rows(report))]


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
    explained = element(
        "p",
        "Turns that only one run answered correctly, the difference in points, and the exact McNemar test. same: "
        "turns with the same answer.",
        class_="dim",
    )
    found = [explained, table(heads, comparison_rows(report), look="short")]
    if len(report.compared.pairs) == 1:
        found += _pair(report.compared.pairs[0])
    return found


def _pair(pair: PairReport) -> list[Element]:
    one, other, agreement = letter(0), letter(1), pair.agreement
    groups = [(part.by, group) for part in pair.breakdowns for group in part.groups]
    drawn = [
        ChartInterval(group.name, group.figures.by_page.value, group.figures.by_page.low, group.figures.by_page.high)
        for _, group in groups
        if group.figures.by_page.groups >= ENOUGH_GROUPS
    ]
    paragraphs = [
        f"If both answers agree ({agreement.same} turns), {_of(agreement.first_right, agreement.same)} are correct "
        f"in {one} and {_of(agreement.second_right, agreement.same)} in {other}; if they differ "
        f"({agreement.different}), {_of(agreement.first_right_apart, agreement.different)} and "
        f"{_of(agreement.second_right_apart, agreement.different)}."
    ]
    chart = difference_chart(f"Difference between {one} and {other} by kind of turn", drawn) if drawn else None
    caption = f"{one} - {other} in points, 95 % intervals by page: {one} is better on the right"
    rows: list[list[Child]] = []
    for part in pair.breakdowns:
        rows.append([breakdown_title(part.by)])
        rows += [[group.name, str(group.figures.turns), *paired_cells(group.figures)] for group in part.groups]
    heads = ("", "turns", f"only {one}", f"only {other}", f"{one} - {other}", "95 % by page", "95 % by company", "p")
    drawing = element("figure", chart, element("figcaption", caption)) if chart is not None else None
    return [
        *(element("p", words) for words in paragraphs),
        element("div", drawing, class_="charts"),
        element("details", element("summary", "Figures for each kind of turn"), table(heads, rows)),
    ]


def _of(part: int, whole: int) -> str:
    return in_percent(part / whole) if whole else "none"


def _breakdowns(report: EvaluationReport) -> list[Element]:
    properties = list(dict.fromkeys(by for found in report.runs for by in found.groups))
    rows: list[list[Child]] = []
    for by in properties:
        rows.append([breakdown_title(by)])
        names = list(dict.fromkeys(name for found in report.runs for name in found.groups.get(by, {})))
        for name in names:
            shares = [found.groups.get(by, {}).get(name) for found in report.runs]
            total = next((share.total for share in shares if share), 0)
            rows.append([name, str(total), *(figure(share) for share in shares)])
    return [table(["", "turns", *_heads(report, "")[1:]], rows)] if rows else []


def _conventions(report: EvaluationReport) -> list[Element]:
    if not any(found.conventions for found in report.runs):
        return []
    first = report.runs[0].conventions
    rows: list[list[Child]] = [
        [
            convention.rule,
            *(
                f"{in_percent(one.right.value)}{_change(one.gained, '+')}{_change(one.lost, '-')}"
                for found in report.runs
                for one in found.conventions
                if one.name == convention.name
            ),
        ]
        for convention in first
    ]
    explained = (
        "Papers differ in when they count an answer as correct. Next to each share is the number of turns that the "
        "rule counts as correct, or as wrong, unlike the benchmark's own rule."
    )
    return [element("p", explained, class_="dim"), table(_heads(report, "an answer is correct if it"), rows)]


def _change(turns: int, sign: str) -> str:
    return f" {sign}{turns}" if turns else ""


def _confidence(report: EvaluationReport) -> list[Element]:
    sure = [
        (place, found.score.certainty) for place, found in enumerate(report.runs) if found.score.certainty is not None
    ]
    if not sure:
        return []
    calibration, coverage = list[ChartLine](), list[ChartLine]()
    for place, found in sure:
        bins = [one for one in found.bins if one.count]
        most = max(one.count for one in bins)
        points_of = tuple((one.confidence, one.accuracy) for one in bins)
        calibration.append(ChartLine(letter(place), place, points_of, tuple(one.count / most for one in bins)))
        coverage.append(ChartLine(letter(place), place, tuple((one.share, 1 - one.accuracy) for one in found.coverage)))
    charts = (
        (
            line_chart("Accuracy by confidence", "mean confidence", "right", calibration, even=True),
            "Reliability: above the dashed line, answers are better than their confidence; larger marks cover more "
            "answers.",
        ),
        (
            line_chart("Risk by share of answers given", "answers given, most confident first", "wrong", coverage),
            "Risk and coverage: the error rate of the most confident answers, by how many are given.",
        ),
    )
    rows = [
        [
            letter(place),
            right_of(found.given),
            figure(found.given),
            figure(found.surest_half),
            f"{found.error:.3f}",
        ]
        for place, found in sure
    ]
    heads = ("", "answers", "right", "correct in the most confident half", "calibration error")
    return [
        element(
            "div",
            *(element("figure", chart, element("figcaption", caption)) for chart, caption in charts),
            class_="charts",
        ),
        table(heads, rows),
    ]


def _cost(report: EvaluationReport) -> list[Element]:
    rows = cost_rows(report)
    return [table(_heads(report, ""), rows)] if rows else []


def _errors(report: EvaluationReport) -> list[Element]:
    rows: list[list[Child]] = []
    causes = [{turn.cause for turn in found.wrong} for found in report.runs]
    for number, (cause, counts) in enumerate(cause_rows(report)):
        cells: list[Child] = []
        for place, count in enumerate(counts):
            known = cause in causes[place]
            cells.append(element("a", str(count), href=f"#{_cause_id(place, number)}") if known else str(count or ""))
        rows.append([cause, *cells])
    if not rows:
        return []
    numbers = {cause: number for number, (cause, _) in enumerate(cause_rows(report))}
    return [
        table(_heads(report, "cause"), rows),
        *(part for place, found in enumerate(report.runs) for part in _wrong_turns(place, found, numbers)),
    ]


def _wrong_turns(place: int, found: ReportedRun, numbers: dict[str, int]) -> Iterable[Element]:
    if not found.wrong:
        return
    yield element("h3", "Wrong turns of ", _name(place))
    missing = sum(found.causes.values()) - len(found.wrong)
    if missing:
        yield element("p", f"Shows the first {MOST_WRONG_TURNS}, by cause; {missing} more are left out.", class_="dim")
    by_cause: dict[str, list[ReportRow]] = {}
    for turn in found.wrong:
        by_cause.setdefault(turn.cause, []).append(turn)
    for cause, turns in by_cause.items():
        summary = element("summary", f"{cause}: {len(turns)}")
        # The id stands inside: a browser opens what it is led into.
        blocks = element("div", *(_turn(place, turn) for turn in turns), id=_cause_id(place, numbers[cause]))
        yield element("details", summary, blocks)


def _turn(place: int, turn: ReportRow) -> Element:
    side = turn.side
    unverified = "" if side.number is None or side.verified else " (unverified)"
    plan = side.program or side.formula
    reference: Element | None = None
    if turn.reference is not None:
        program: list[Child] = [" by ", element("code", turn.reference_program)] if turn.reference_program else []
        reference = element("p", "reference ", element("span", turn.reference, class_="right"), *program)
    answered = element("p", "answer ", element("span", side.shown, class_="wrong"), unverified)
    where = [element("li", source) for source in side.sources]
    return element(
        "div",
        element("p", f"{turn.conversation}, turn {turn.turn + 1}: ", element("strong", turn.question)),
        answered,
        element("p", "by ", element("code", plan)) if plan else None,
        element("p", side.reason, class_="dim") if side.reason else None,
        element("ul", *where) if where else None,
        reference,
        element("p", "audit: ", turn.audited, class_="dim") if turn.audited else None,
        class_="turn",
        id=f"{letter(place)}-{turn.turn + 1}-{turn.conversation.replace(' ', '_')}",
    )


def _cause_id(place: int, number: int) -> str:
    return f"{letter(place)}-cause-{number}"
