"""What a model is asked: each sample under each condition, by each method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...llms.prompt import Prompt, prompt
from ..types import Item, Task

CONDITIONS = ("original", "edited", "none")
METHODS = ("baseline", "prompting", "dola")
ANSWER_TOKENS = {"QA-A": 48, "QA-NA": 48, "TG": 64, "probe": 64}


def key(item: str, condition: str, method: str) -> str:
    """The key of an answer.

    >>> key("events/QA-A/lepanto", "edited", "baseline")
    'events/QA-A/lepanto|edited|baseline'
    """
    return f"{item}|{condition}|{method}"


def prompts_of(task: str, condition: str) -> Prompt:
    name = "tg" if task == "TG" else "qa"
    return prompt(f"recall_{name}_none" if condition == "none" else f"recall_{name}")


def versions() -> list[str]:
    """The versions of every prompt that is asked with."""
    names = ("recall_qa", "recall_qa_none", "recall_tg", "recall_tg_none", "recall_believe")
    return [prompt(name).version for name in names]


def conditions_of(method: str) -> Sequence[str]:
    """The paper's: the baseline under all three, other methods with the edited context alone."""
    return CONDITIONS if method == "baseline" else ("edited",)


def task_of(item: Item, condition: str, method: str) -> Task:
    """One question to a model."""
    fields = item.fields
    form = prompts_of(fields["task"], condition)
    believe = prompt("recall_believe").user.substitute()
    user = form.user.substitute(
        context=fields["edited"] if condition == "edited" else fields["original"],
        question=fields["question"],
        subject=fields["subject"],
        also=f"\n\n{believe}" if method == "prompting" else "",
    )
    ask = {"system": form.system, "user": user, "max_tokens": ANSWER_TOKENS[fields["task"]]}
    return Task(key(item.id, condition, method), ask)


def all_tasks(items: Sequence[Item], methods: Sequence[str]) -> Iterator[Task]:
    """All questions, sample by sample, so that a part of the items is whole."""
    for item in items:
        for method in methods:
            if item.fields["task"] == "probe":
                if method == "baseline":
                    yield task_of(item, "edited", method)
                continue
            for condition in conditions_of(method):
                yield task_of(item, condition, method)
