import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from refchecker.errors import UsageError
from refchecker.extractor.dependency import DependencyExtractor
from refchecker.extractor.dependency.surface import clean
from refchecker.registry import load
from refchecker.text import DECLINES, NOTHING, kind
from refchecker.types import RESPONSE, Extraction, Record


@pytest.fixture(scope="module")
def extract() -> DependencyExtractor:
    return DependencyExtractor()


def read(extractor: DependencyExtractor, response: str, question: str = "") -> list[str]:
    """Each claim as "subject | predicate | object", or as its text in angle brackets."""
    extraction = extractor([Record("r", response, question)])[0]
    return [" | ".join(c.triplet) if c.triplet else f"<{c.text}>" for c in extraction.claims]


def case(name: str, response: str, *expected: str, question: str = "") -> object:
    return pytest.param(response, question, list(expected), id=name)


@pytest.mark.parametrize(
    ("response", "question", "expected"),
    [
        case(
            "subject, verb, object", "The minister opened the bridge.", "The minister | opened | the bridge"
        ),
        case("no object", "The king died.", "<The king died>"),
        case(
            "neither, nor: both verbs stay negated",
            "The film was neither directed nor produced by Spielberg.",
            "The film | was neither directed by | Spielberg",
            "The film | was neither produced by | Spielberg",
        ),
        case(
            "it is the last subject, not the last name",
            "The Mona Lisa hangs in the Louvre in Paris. It was stolen in 1911.",
            "The Mona Lisa | hangs in | the Louvre in Paris",
            "The Mona Lisa | was stolen in | 1911",
        ),
        case(
            "an office after a name",
            "Tim Cook, CEO of Apple, opened the store.",
            "Tim Cook | opened | the store",
            "Tim Cook | is | CEO of Apple",
        ),
        case("a unit of two signs", "Water boils at 100 °C.", "Water | boils at | 100 °C"),
        case("passive", "The song was written by Paul Stookey.", "The song | was written by | Paul Stookey"),
        case(
            "two prepositions",
            "Turing was born in London in 1912.",
            "Turing | was born in | London",
            "Turing | was born in | 1912",
        ),
        case(
            "object and date",
            "Garin won the first Tour de France in 1903.",
            "Garin | won | the first Tour de France",
            "Garin | won the first Tour de France in | 1903",
        ),
        case("copula", "Gilda is a film.", "Gilda | is | a film"),
        case("adjective", "Celery juice is nutritious.", "Celery juice | is | nutritious"),
        case(
            "apposition",
            "Paris, the capital of France, is large.",
            "Paris | is | large",
            "Paris | is | the capital of France",
        ),
        case(
            "possessive and name",
            "Tolkien's son Christopher edited the book.",
            "Tolkien's son Christopher | edited | the book",
            "Christopher | is | Tolkien's son",
        ),
        case(
            "possessive",
            "The company's headquarters are in Oslo.",
            "The company's headquarters | are in | Oslo",
        ),
        case(
            "indirect object",
            "The teacher gave Mary the book.",
            "The teacher gave Mary | the book".replace("gave", "| gave"),
        ),
        case(
            "dative with to",
            "The teacher gave the book to Mary.",
            "The teacher | gave | the book",
            "The teacher | gave the book to | Mary",
        ),
        case("xcomp", "She wants to buy a house in Oslo.", "She | wants to buy | a house in Oslo"),
        case(
            "reported speech is not asserted",
            "The minister said that taxes will rise.",
            "The minister | said | that taxes will rise",
        ),
        case(
            "belief is not asserted",
            "It is believed that he died in 1900.",
            "It | is believed | that he died in 1900",
        ),
        case(
            "the reference says so", "The passage states that Garin won the race.", "Garin | won | the race"
        ),
        case(
            "joined subjects and verbs",
            "Tom and Mary wrote and directed the film.",
            "Tom | wrote | the film",
            "Mary | wrote | the film",
            "Tom | directed | the film",
            "Mary | directed | the film",
        ),
        case(
            "joined passives",
            "The song was written and recorded by Jerry.",
            "The song | was written by | Jerry",
            "The song | was recorded by | Jerry",
        ),
        case(
            "joined objects",
            "The river flows through Germany, Austria and Hungary.",
            "The river | flows through | Germany",
            "The river | flows through | Austria",
            "The river | flows through | Hungary",
        ),
        case("or stays whole", "Bread is made from flour or rye.", "Bread | is made from | flour or rye"),
        case(
            "a source of A and B",
            "Celery juice is a source of fiber and vitamins.",
            "Celery juice | is a source of | fiber",
            "Celery juice | is a source of | vitamins",
        ),
        case(
            "who",
            "Tom Hanks, who won an Oscar, was born in California.",
            "Tom Hanks | was born in | California",
            "Tom Hanks | won | an Oscar",
        ),
        case(
            "whose",
            "The film, whose director is Nolan, was released in 2010.",
            "The film | was released in | 2010",
            "The film's director | is | Nolan",
        ),
        case(
            "reduced relative clause",
            "The book, written by J. R. R. Tolkien in 1954, was sold to Mary.",
            "The book | was sold to | Mary",
            "The book | is written by | J. R. R. Tolkien",
            "The book | is written in | 1954",
        ),
        case("negation", "Turing did not win the race.", "Turing | did not win | the race"),
        case("never", "Turing was never a teacher.", "Turing | was never | a teacher"),
        case(
            "what is denied is not asserted",
            "Polysys is not a term that has a definition.",
            "Polysys | is not | a term that has a definition",
        ),
        case("modal", "Turing might have won the prize.", "Turing | might have won | the prize"),
        case(
            "a condition holds for what is wanted",
            "If it rains, the team wants to win the match.",
            "the team | wants to win | the match if it rains",
        ),
        case("less well", "The link is less well established.", "<The link is less well established>"),
        case(
            "place in a state",
            "The cost in Dallas, Texas is high.",
            "The cost in Dallas, Texas | is | high",
        ),
        case("but after a refusal", "I don't know him, but Oslo is a city.", "Oslo | is | a city"),
        case("particle", "The plane took off at noon.", "The plane | took off at | noon"),
        case("only", "The rider only won two stages.", "The rider | only won | two stages"),
        case("first", "The sun hits Maine first.", "The sun | hits | Maine", "The sun | hits Maine | first"),
        case("quantifier", "Almost all swans are white.", "Almost all swans | are | white"),
        case("units", "The bird weighs 3.5 kg.", "The bird | weighs | 3.5 kg"),
        case(
            "distance",
            "The city is located 10 miles north of Paris.",
            "The city | is located 10 miles north of | Paris",
        ),
        case(
            "years",
            "Weiss was a professor from 1891 to 1902.",
            "Weiss | was | a professor",
            "Weiss | was a professor from | 1891 to 1902",
        ),
        case(
            "condition",
            "If it rains, the match will be cancelled.",
            "the match | will be | cancelled if it rains",
        ),
        case(
            "reason",
            "The match was cancelled because the pitch was wet.",
            "The match | was cancelled | because the pitch was wet",
            "the pitch | was | wet",
        ),
        case(
            "two main clauses",
            "The king was ill, so he left Oslo.",
            "The king | left | Oslo",
            "The king | was | ill",
        ),
        case("there are", "There are 50 states in the US.", "50 states | are in | the US"),
        case("there is", "There was no winner.", "There | was | no winner"),
        case("year in brackets", "Gilda (1946) is a film.", "Gilda | is | a film", "Gilda | is dated | 1946"),
        case(
            "birth in brackets, pronoun",
            "Jane Fonda (born 6 December 1949) is an actress. She lives in Paris.",
            "Jane Fonda | is | an actress",
            "Jane Fonda | was born | 6 December 1949",
            "Jane Fonda | lives in | Paris",
        ),
        case(
            "initialism in brackets",
            "The Salvation Army (TSA) is a church.",
            "The Salvation Army | is | a church",
            "The Salvation Army | is abbreviated as | TSA",
        ),
        case(
            "pronouns",
            "Marie Curie was a physicist. She won the Nobel Prize. Her husband was Pierre Curie.",
            "Marie Curie | was | a physicist",
            "Marie Curie | won | the Nobel Prize",
            "Marie Curie's husband | was | Pierre Curie",
        ),
        case(
            "a thing is not he",
            "The Wire was a TV series. He made it.",
            "The Wire | was | a TV series",
            "He | made | The Wire",
        ),
        case(
            "title in quotes",
            'The song "I Dig Rock and Roll Music" was released in 1967.',
            "The song I Dig Rock and Roll Music | was released in | 1967",
        ),
        case(
            "band",
            "Tom Petty and the Heartbreakers performed the show.",
            "Tom Petty and the Heartbreakers | performed | the show",
        ),
        case("lead-in", "Based on the provided passages, Oslo is a city.", "Oslo | is | a city"),
        case("yes, and", "Yes, Trump lost the election.", "Trump | lost | the election"),
        case("no repetition", "Oslo is a city. Oslo is a city.", "Oslo | is | a city"),
        case(
            "list below a heading",
            "The main islands are:\n- Tortola\n- Anegada",
            "The main islands | are | Tortola",
            "The main islands | are | Anegada",
        ),
        case(
            "list with descriptions",
            "1. **Tortola** - the largest island\n2. **Anegada**: It was settled in 1850.",
            "Tortola | is | the largest island",
            "Anegada | was settled in | 1850",
        ),
        case(
            "list line with items",
            "- Breads: banana bread, cornbread, frybread",
            "Breads | includes | banana bread",
            "Breads | includes | cornbread",
            "Breads | includes | frybread",
        ),
        case("who", "Darrell Scott", "Darrell Scott | sang | the song", question="Who sang the song?"),
        case("when", "1903.", "the race | was held in | 1903", question="When was the race held?"),
        case("where", "Scotland", "the film | was made in | Scotland", question="where was the film made"),
        case(
            "what",
            "Optimus.",
            "the alias of the robot | is | Optimus",
            question="What is the alias of the robot?",
        ),
        case(
            "how many",
            "11 years",
            "<how many years was he there: 11 years>",
            question="how many years was he there?",
        ),
        case("yes", "Yes.", "the system | does | work well", question="Does the system work well?"),
        case("yes, hard to turn", "Yes.", "<Is celery nutritious: Yes>", question="Is celery nutritious?"),
        case("no", "No.", "the system | does not | work well", question="Does the system work well?"),
        case("fragment without a question", "Tom Petty", "<Tom Petty>"),
        case(
            "question, greeting, offer",
            "Sure! Oslo is a city. Is it? I hope this helps!",
            "Oslo | is | a city",
        ),
        case("imperative", "Let me know if it helps. Open the file. Oslo is a city.", "Oslo | is | a city"),
    ],
)
def test_triplets(extract, response, question, expected):
    assert read(extract, response, question) == expected


@pytest.mark.parametrize(
    ("response", "note"),
    [
        pytest.param("I'm sorry, I can't help with that.", DECLINES, id="sorry"),
        pytest.param("I do not have enough information to answer.", DECLINES, id="no information"),
        pytest.param("As an AI language model, I cannot know that.", DECLINES, id="AI"),
        pytest.param("The passages do not mention the weather.", DECLINES, id="passages"),
        pytest.param("Based on the passages, it is not clear who won.", DECLINES, id="not clear"),
        pytest.param("Could you provide more context?", NOTHING, id="question"),
        pytest.param("Hello! I hope this helps. Let me know!", NOTHING, id="talk"),
        pytest.param("", NOTHING, id="empty"),
        pytest.param(" \n\n ", NOTHING, id="white"),
        pytest.param("...", NOTHING, id="marks"),
        pytest.param("👍👍", NOTHING, id="emoji"),
        pytest.param("of of of of of of of of", NOTHING, id="the same over and over"),
    ],
)
def test_nothing_to_check_says_why(extract, response, note):
    assert extract([Record("r", response)]) == [Extraction((), note)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Oslo is the capital of Norway.", "statement"),
        ("The article is about Oslo.", "statement"),
        ("There is no king of France.", "statement"),
        ("He did not provide the money.", "statement"),
        ("I was born in Oslo.", "statement"),
        ("Unfortunately, the text does not specify the length.", "refusal"),
        ("None of the passages says so.", "refusal"),
        ("I apologize, but that is unknown to me.", "refusal"),
        ("It is not possible to determine the winner.", "refusal"),
        ("There is no single definitive answer.", "refusal"),
        ("Who won?", "question"),
        ('What is "the wave"?"', "question"),
        ("Feel free to ask.", "talk"),
        ("The passages provide information about cards.", "talk"),
        ("I don't think so.", "talk"),
        ("Here are the names:", "talk"),
        ("Thank you!", "talk"),
        ("---", "talk"),
    ],
)
def test_kind(sentence, expected):
    assert kind(sentence) == expected


@pytest.mark.parametrize(
    ("response", "spans"),
    [
        (
            "Oslo is big. Bergen, a port, is old.",
            ["Oslo is big", "Bergen, a port, is old", "Bergen, a port"],
        ),
        ("- **Oslo** (Norway) is *big*.", ["Oslo** (Norway) is *big", "Oslo** (Norway"]),
        ("Yes", ["Yes"]),
    ],
)
def test_spans_cut_out_the_clause(extract, response, spans):
    claims = extract([Record("r", response, "Is Oslo big?")])[0].claims
    assert [response[c.spans[0].start : c.spans[0].end] for c in claims] == spans


def test_records_keep_their_order_and_their_pronouns(extract):
    records = [Record("1", "Oslo is old."), Record("2", ""), Record("3", "It is big. Bergen is old.")]
    found = [[c.text for c in e.claims] for e in extract(records)]
    assert found == [["Oslo is old"], [], ["It is big", "Bergen is old"]]
    assert extract([]) == []


def test_a_long_text(extract):
    word, sentence = "a" * 5_000, "Oslo is a city in Norway. "
    assert len(extract([Record("r", word + "\n\n" + sentence * 200 + "x, " * 3_000)])[0].claims) >= 1


def test_signature_and_name(extract):
    assert extract.signature.startswith("spacy(en_core_web_sm")
    assert extract.signature.endswith(",v1)")
    assert isinstance(load("extractor", "spacy"), DependencyExtractor)


def test_a_missing_model_says_what_to_install():
    with pytest.raises(
        UsageError, match=r"'en_core_web_xx' is not installed\. Try: pip install en-core-web-sm"
    ):
        DependencyExtractor("en_core_web_xx")


def test_markup_goes_and_places_stay():
    source = '## **Gilda** (1946): see "I Dig Rock and Roll"[1]'
    made = clean(source, 0, len(source))
    assert made.text == "Gilda: see Zembla"
    assert made.original(0, 5) == source[slice(*made.range(0, 5))] == "Gilda"
    assert made.original(11, 17) == "I Dig Rock and Roll"
    assert [aside.text for aside in made.asides] == ["1946"]


WILD = st.lists(
    st.one_of(
        st.text(max_size=15),
        st.sampled_from(
            [
                "Oslo ",
                "is ",
                "a city",
                ". ",
                "who ",
                "was written by ",
                "and ",
                "He ",
                "its ",
                "(1946) ",
                '"',
                "“Big Day”",
                "**",
                "- ",
                "\n",
                "\n\n",
                "# ",
                "if ",
                "there are ",
                ", ",
                ": ",
                "that ",
                "not ",
                "NASA ",
                "👍",
                "。",
                "Yes",
            ]
        ),
    ),
    max_size=25,
).map("".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(response=WILD, question=st.sampled_from(["", "Who won?", "is Oslo big", "when was “It” made"]))
def test_any_text_gives_whole_claims(extract, response, question):
    extraction = extract([Record("r", response, question)])[0]
    assert not extraction.failed
    assert bool(extraction.claims) != bool(extraction.note)
    assert len({c.text.casefold() for c in extraction.claims}) == len(extraction.claims)
    for claim in extraction.claims:
        assert claim.text.strip()
        assert claim.triplet is None or all(part.strip() for part in claim.triplet)
        (span,) = claim.spans
        assert span.source == RESPONSE
        assert response[span.start : span.end].strip()
        assert span.end <= len(response)


def test_importing_is_light():
    code = "import sys, refchecker.extractor.dependency as d; print('spacy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
