"""The last look-up with another name in its row, if the question is unambiguous."""

from pathlib import Path

import pytest

import quaestor

NESTED = "Product,Region,2023,2022\nPumps,Europe,120,110\n,Asia,80,95\nValves,Europe,45,40\n,Asia,30,35\nTotal,,275,280"
LONG = (
    "company,fiscal_year,metric,value\nAlder,2023,Revenue,1250\nAlder,2022,Revenue,1180\nAlder,2023,Net income,95\n"
    "Alder,2022,Net income,80\nBirch,2023,Revenue,640\nBirch,2022,Revenue,655\nBirch,2023,Net income,-12\n"
    "Birch,2022,Net income,10"
)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (NESTED, {"what were pumps in Asia in 2023?": 80, "and valves?": 30, "what about Europe?": 45}),
        (NESTED, {"what were valves in Asia in 2022?": 35, "and in Europe?": 40, "and of pumps?": 110}),
        (LONG, {"what was the revenue of Birch in 2023?": 640, "and its net income?": -12, "and in 2022?": 10}),
        (LONG, {"what was the net income of Alder in 2022?": 80, "and of Birch?": 10, "and the revenue?": 655}),
    ],
)
def test_a_name_alone_replaces_one_of_the_row(tmp_path: Path, text: str, answers: dict[str, int]) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    conversation = quaestor.open(path).conversation()
    assert [conversation.ask(question).answer.number for question in answers] == list(answers.values())


def test_a_name_alone_replaces_the_part_of_a_share(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Revenue,2023,2022\nPumps,120,110\nValves,45,40\nHoses,35,50\nTotal revenue,200,200")
    conversation = quaestor.open(path).conversation()
    questions = ["what share of total revenue was pumps in 2023?", "and valves?", "and in 2022?", "and hoses?"]
    assert [str(conversation.ask(each)) for each in questions] == ["60.0 %", "22.5 %", "20.0 %", "25.0 %"]
