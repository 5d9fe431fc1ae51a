"""The stages that ask a language model: three tasks by eight methods, in up to four wordings.

The prompts are files, prompts/conflicts_TASK_METHOD.txt. Where a wording asks whether context and knowledge
agree, yes and no change places in the examples too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...errors import UsageError
from ...llms.prompt import Prompt, prompt
from ..ask import prompt_stage
from ..types import Answer, Answers, Ask, Item, Stage, Task
from .units import ANSWERS, CONTEXT, SPAN, TASKS, Unit, all_units

KNOWLEDGE, OWN = "knowledge", "own_answers"
WORDINGS = "conflicts_wordings"
SAMPLES, WARMTH = 5, 0.7  # of self-consistency, after Wang et al. (2023)
SHORT, PAIR, LONG = 8, 64, 320  # tokens of a reply


class Method(NamedTuple):
    """How a model is asked."""

    form: str  # of the prompt's name
    title: str
    tasks: Sequence[str] = TASKS
    reasoned: bool = False  # whether the reply thinks aloud before it ends in its answer
    samples: int = 1  # in the first two tasks
    knows: bool = False  # whether the model is first asked what it knows


BINARY = (CONTEXT, SPAN)
METHODS = {
    "zero_shot": Method("zero_shot", "zero-shot"),
    "few_shot": Method("few_shot", "few-shot"),
    "cot": Method("cot", "chain of thought", reasoned=True),
    "cot_sc": Method("cot", "chain of thought + self-consistency", BINARY, reasoned=True, samples=SAMPLES),
    "gkp_sc": Method("gkp", "generated knowledge + self-consistency", samples=SAMPLES, knows=True),
    "self_ask": Method("self_ask", "self-ask", reasoned=True),
    "break_down": Method("break_down", "break-down", BINARY, reasoned=True),
    "proposed": Method("proposed", "the paper's own", reasoned=True),
}


class Wording(NamedTuple):
    """A way to ask, and the word that says that there is a conflict."""

    text: str
    conflict: str  # "Yes" or "No"; "-" where the reply is no yes or no


def wordings(task: str) -> list[Wording]:
    lines = (line.split(" ", 2) for line in prompt(WORDINGS).user.template.splitlines())
    return [Wording(text, conflict) for name, conflict, text in lines if name == task]


def stages(
    items: Sequence[Item], ask: Ask, tasks: Sequence[str], methods: Sequence[str], ways: int
) -> list[Stage]:
    """What the model knows, where it is asked first; its own answers, for task 3; then a stage per method."""
    if not 1 <= ways <= len(wordings(CONTEXT)):
        raise UsageError(f"--wordings {ways}: there are 1 to {len(wordings(CONTEXT))}.")
    made = []
    if any(METHODS[name].knows for name in methods):
        made.append(_knowledge_stage(items, ask, tasks))
    if ANSWERS in tasks:
        made.append(_own_stage(items, ask))
    return [*made, *(_stage(name, items, ask, tasks, ways) for name in METHODS if name in methods)]


def samples(method: Method, task: str) -> int:
    """Task 3 is asked once: two answers cannot be voted on."""
    return 1 if task == ANSWERS else method.samples


def key(unit: Unit, way: int, sample: int) -> str:
    return f"{unit.id} [{way + 1}.{sample + 1}]"


def _stage(name: str, items: Sequence[Item], ask: Ask, tasks: Sequence[str], ways: int) -> Stage:
    method = METHODS[name]
    forms = {task: prompt(f"conflicts_{task}_{method.form}") for task in method.tasks if task in tasks}

    def prompts(answers: Answers) -> Iterator[Task]:
        known = answers.get(KNOWLEDGE, {})
        for unit in all_units(items, *forms):
            task, knowledge = unit.task, _known(known.get(knowledge_key(unit)))
            if method.knows and not knowledge:
                continue
            for way, wording in enumerate(wordings(task)[:ways]):
                filled = _filled(forms[task], unit, wording, knowledge)
                for sample in range(samples(method, task)):
                    yield Task(key(unit, way, sample), filled | _drawn(method, task, sample))

    versions = [*(form.version for form in forms.values()), prompt(WORDINGS).version]
    return prompt_stage(name, ask, prompts, prompts=versions)


def _filled(form: Prompt, unit: Unit, wording: Wording, knowledge: str) -> dict[str, Any]:
    agree = {"Yes": "No", "No": "Yes"}.get(wording.conflict, "")
    user = form.user.substitute(
        wording=wording.text,
        context=unit.context,
        question=unit.question,
        knowledge=knowledge,
        conflict=wording.conflict,
        agree=agree,
    )
    return {"system": form.system, "user": user}


def _drawn(method: Method, task: str, sample: int) -> dict[str, Any]:
    most = LONG if method.reasoned else PAIR if task == ANSWERS else SHORT
    warmth = WARMTH if samples(method, task) > 1 else 0.0
    return {"max_tokens": most, "temperature": warmth, "sample": sample}


# -- what the model knows ------------------------------------------------------------------------


def knowledge_key(unit: Unit) -> str:
    """Task 1 asks about the subject of the context, the others about the question."""
    return f"question: {unit.question}" if unit.question else f"subject: {unit.context}"


def _known(answer: Answer | None) -> str:
    return "" if answer is None else " ".join(str(answer.value.get("reply", "")).split())


def _knowledge_stage(items: Sequence[Item], ask: Ask, tasks: Sequence[str]) -> Stage:
    subject, question = prompt("conflicts_knowledge_context"), prompt("conflicts_knowledge_question")

    def prompts(answers: Answers) -> Iterator[Task]:
        subjects: dict[str, Unit] = {}
        for unit in all_units(items, *tasks):
            subjects.setdefault(knowledge_key(unit), unit)
        for name, unit in subjects.items():
            form = question if unit.question else subject
            user = form.user.substitute(context=unit.context, question=unit.question)
            yield Task(name, {"system": form.system, "user": user, "max_tokens": 128})

    return prompt_stage(KNOWLEDGE, ask, prompts, prompts=[subject.version, question.version])


def _own_stage(items: Sequence[Item], ask: Ask) -> Stage:
    """The questions of task 3 alone: what the model says then is its own answer."""
    form = prompt("conflicts_own_answer")

    def prompts(answers: Answers) -> Iterator[Task]:
        for question in dict.fromkeys(unit.question for unit in all_units(items, ANSWERS)):
            user = form.user.substitute(question=question)
            yield Task(question, {"system": form.system, "user": user, "max_tokens": 32})

    return prompt_stage(OWN, ask, prompts, prompts=[form.version])
