"""Upstream's LLMExtractor and LLMChecker: shapes, and what a model is given."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from typing import Any

import pytest
import word_model

from refchecker import LLMChecker, LLMExtractor, UsageError
from refchecker.checker import LLMChecker as SameChecker
from refchecker.compat.llm import RCClaim
from refchecker.extractor import LLMExtractor as SameExtractor

RESPONSE = "Mary Shelley wrote Frankenstein. What a book! Mary Shelley married Percy Shelley."
CLAIMS = [["Mary Shelley", "wrote", "Frankenstein"], ["Mary Shelley", "married", "Byron"]]
REFERENCES = ["Frankenstein: Mary Shelley wrote it.", "Mary Shelley never met Lord Byron."]


class Counting:
    """`word_model.replies`, with the prompts it was given."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def __call__(self, prompts: list[str]) -> list[str]:
        self.prompts += prompts
        return word_model.replies(prompts)


def test_the_names_are_importable_from_where_upstream_has_them() -> None:
    assert SameExtractor is LLMExtractor
    assert SameChecker is LLMChecker


def test_no_model_library_is_imported_for_them() -> None:
    code = "import sys; from refchecker import LLMChecker, LLMExtractor; LLMExtractor(); LLMChecker()\n"
    code += "print([name for name in ('torch', 'openai', 'anthropic', 'boto3') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_extract_gives_claims_with_content_and_sentences() -> None:
    [found, none] = LLMExtractor(batch_size=4).extract(
        batch_responses=[RESPONSE, "I cannot answer that."],
        batch_questions=["Who wrote Frankenstein?", None],
        max_new_tokens=300,
        custom_llm_api_func=word_model.replies,
        another_keyword_of_upstream=1,
    )
    assert [(claim.content, claim.attributed_sent_ids) for claim in found.claims] == [
        (["Mary Shelley", "wrote", "Frankenstein"], ["1"]),
        (["Mary Shelley", "married", "Percy Shelley"], ["3"]),
    ]
    assert (
        found.claims[0].get_content(preserve_triplet_form=True) == '("Mary Shelley", "wrote", "Frankenstein")'
    )
    assert (none.claims, bool(none.error_info)) == ([], True)


def test_subsentence_claims_are_strings() -> None:
    def one_claim(prompts: list[str]) -> list[str]:
        claim = {"sentence": 1, "quote": "wrote Frankenstein", "claim": "Mary Shelley wrote Frankenstein."}
        return [json.dumps({"claims": [claim]}) for _ in prompts]

    [found] = LLMExtractor("subsentence").extract([RESPONSE], custom_llm_api_func=one_claim)
    assert found.claims == [RCClaim("subsentence", "Mary Shelley wrote Frankenstein.", ["1"])]
    assert found.claims[0].to_dict()["content"] == found.claims[0].get_content()


@pytest.mark.parametrize(
    ("options", "expected", "prompts"),
    [
        ({}, [["Entailment", "Neutral"]], 4),
        ({"is_joint": True}, [["Entailment", "Neutral"]], 2),
        ({"is_joint": True, "joint_check_num": 1}, [["Entailment", "Neutral"]], 4),
        ({"merge_psg": False}, [[["Entailment", "Neutral"], ["Neutral", "Neutral"]]], 4),
        ({"merge_psg": False, "is_joint": True}, [[["Entailment", "Neutral"], ["Neutral", "Neutral"]]], 2),
        ({"max_reference_segment_length": 0}, [["Entailment", "Neutral"]], 4),
    ],
)
def test_check_nests_labels_as_upstream(options: dict[str, Any], expected: object, prompts: int) -> None:
    model = Counting()
    labels = LLMChecker().check(
        batch_claims=[CLAIMS], batch_references=[REFERENCES], custom_llm_api_func=model, **options
    )
    assert labels == expected
    assert len(model.prompts) == prompts


def test_a_served_model_is_asked_by_its_address() -> None:
    with word_model.served() as server:
        extractor = LLMExtractor(model="openai/words", api_base=server.openai_base)
        checker = LLMChecker(model="openai/words", api_base=server.openai_base)
        [found] = extractor.extract([RESPONSE])
        labels = checker.check([[claim.content for claim in found.claims]], [REFERENCES[0]])
    assert labels == [["Entailment", "Neutral"]]


def test_each_call_closes_what_it_opened() -> None:
    with word_model.served() as server:
        LLMExtractor(model="openai/words", api_base=server.openai_base).extract([RESPONSE])
        LLMChecker(model="openai/words", api_base=server.openai_base).check([CLAIMS], [REFERENCES[0]])
        assert server.log
        waits = (time.sleep(0.05) for _ in range(200))  # the server sees it a moment later
        assert any(not server.connections for _ in waits)


def test_sagemaker_is_asked_as_upstream_asks_it() -> None:
    class Endpoint:
        def invoke_endpoint(self, *, EndpointName: str, Body: str, ContentType: str) -> dict[str, Any]:  # noqa: N803
            assert (EndpointName, ContentType) == ("my-endpoint", "application/json")
            outputs = [word_model.reply(json.loads(Body)["inputs"])]
            return {"Body": io.BytesIO(json.dumps({"outputs": outputs}).encode())}

    [found] = LLMExtractor(model="my-endpoint").extract([RESPONSE], sagemaker_client=Endpoint())
    assert len(found.claims) == 2


def test_lists_of_different_lengths_are_an_error() -> None:
    with pytest.raises(UsageError, match="1 items and batch_questions 2"):
        LLMExtractor().extract([RESPONSE], ["a", "b"], custom_llm_api_func=word_model.replies)
