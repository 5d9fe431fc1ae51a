"""Claims made from a parsed document by rule, each with the passage it is judged against and its label.

Everything here is a function of a spaCy sentence, the other sentences and a seeded `random.Random`;
no file is read. Labels are those of the training files: 0 entailment, 1 neutral, 2 contradiction,
3 not entailed (one of the two, the rule cannot say which).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from .rewording import Cut, reworded, reworded_sentence

ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILED = 0, 1, 2, 3

_PRONOUNS = "i he she it they we you this that these those who which what there his her its"
PRONOUNS = frozenset(_PRONOUNS.split())
OBJECT_DEPS = frozenset(("dobj", "attr", "acomp", "oprd", "dative"))
MODALS = frozenset(("may", "might", "could", "would", "should", "can", "will", "must", "shall"))
BE = frozenset(("is", "are", "was", "were", "been", "be"))

ANTONYMS = (
    "north south;northern southern;east west;eastern western;first last;largest smallest;oldest youngest;"
    "increase decrease;increased decreased;increases decreases;won lost;before after;more less;male female;"
    "high low;higher lower;highest lowest;best worst;men women;man woman;father mother;brother sister;"
    "son daughter;husband wife;king queen;large small;larger smaller;long short;early late;earlier later;"
    "public private;begin end;began ended;born died;upper lower;right left;major minor;rich poor;"
    "hot cold;hard soft;light dark;old young;new old;open closed;always never;all none;most few;"
    "inside outside;above below;over under;strong weak;fast slow;wet dry;domestic foreign;modern ancient;"
    "success failure;successful unsuccessful;positive negative;common rare;buy sell;bought sold;"
    "black white;red blue;green yellow;summer winter;spring autumn;morning evening;day night;"
    "doubled halved;top bottom;maximum minimum;rural urban;single married;present absent;accept reject;"
    "accepted rejected;arrived departed;join leave;joined left;founded dissolved;opened closed;win lose;"
    "television radio;football basketball;actor musician;singer painter;novel film;song book;city village;"
    "river mountain;lawyer doctor;teacher farmer;album novel;island desert;professor student"
)
OPPOSITE = {a: b for pair in ANTONYMS.split(";") for a, b in (pair.split(), pair.split()[::-1])}

_PARTICIPLES = (
    "was:been were:been is:been are:been be:been did:done do:done went:gone gave:given took:taken "
    "wrote:written became:become began:begun came:come chose:chosen drew:drawn drove:driven "
    "ate:eaten fell:fallen flew:flown grew:grown knew:known rode:ridden rose:risen ran:run saw:seen "
    "sang:sung spoke:spoken stole:stolen swam:swum threw:thrown wore:worn broke:broken "
    "forgot:forgotten hid:hidden showed:shown woke:woken bore:born beat:beaten overcame:overcome "
    "has:had have:had"
)
PARTICIPLES = dict(pair.split(":") for pair in _PARTICIPLES.split())


class Example(NamedTuple):
    """One training row. `kind` names the rule or the data set that made it."""

    premise: str
    hypothesis: str
    label: int
    kind: str


# -- triplets ------------------------------------------------------------------------------------


def phrase(token: Any, *, max_words: int = 14) -> str:
    """The words under a token without relative clauses and asides; "" when that is too long."""
    drop: set[int] = set()
    for child in token.subtree:
        if child.dep_ in ("relcl", "appos", "advcl", "parataxis") and child.i != token.i:
            drop.update(t.i for t in child.subtree)
    kept = [t for t in token.subtree if t.i not in drop]
    if not kept or len(kept) > max_words:
        return ""
    text = "".join(t.text_with_ws for t in kept).strip(" ,;:()-")
    return re.sub(r"\s+", " ", text)


def verb_group(verb: Any) -> tuple[str, bool]:
    """The verb with its auxiliaries, negation and particle, and whether a modal stands among them."""
    parts = [c for c in verb.children if c.dep_ in ("aux", "auxpass", "neg", "prt")] + [verb]
    parts.sort(key=lambda t: t.i)
    modal = any(t.lower_ in MODALS for t in parts)
    modal = modal or (verb.dep_ == "advcl" and any(c.lower_ in ("if", "unless") for c in verb.children))
    return " ".join(t.text for t in parts), modal


def objects_of(verb: Any, base: str) -> list[tuple[str, str]]:
    """(predicate, object) for each thing the verb says of its subject."""
    found: list[tuple[str, str]] = []
    direct = ""
    for child in verb.children:
        if child.dep_ in OBJECT_DEPS:
            text = phrase(child)
            if text:
                found.append((base, text))
                direct = direct or text
        elif child.dep_ == "xcomp" and child.pos_ == "VERB":
            group, _ = verb_group(child)
            found += objects_of(child, f"{base} {group}")
    for child in verb.children:
        if child.dep_ in ("prep", "agent") and child.i > verb.i:
            for noun in child.children:
                text = phrase(noun) if noun.dep_ == "pobj" else ""
                middle = f"{base} {direct}" if direct and len(direct.split()) <= 4 else base
                if text:
                    found.append((f"{middle} {child.text}", text))
    return found


def triplets(sentence: Any, antecedent: str = "") -> list[Cut]:
    """The subject-verb-object cuts of a sentence. A pronoun subject becomes `antecedent`, or is left out."""
    cuts: list[Cut] = []
    for verb in sentence:
        if verb.pos_ not in ("VERB", "AUX"):
            continue
        subject = next((c for c in verb.children if c.dep_ in ("nsubj", "nsubjpass")), None)
        if subject is None:
            continue
        name = phrase(subject)
        if subject.lower_ in ("he", "she", "it", "they"):
            name = antecedent
        elif subject.lower_ in PRONOUNS:
            continue
        base, modal = verb_group(verb)
        if name and name.lower() not in PRONOUNS:
            cuts += [Cut(name, p, o, modal) for p, o in objects_of(verb, base) if o.lower() not in PRONOUNS]
    for token in sentence:
        if token.dep_ == "appos" and token.head.pos_ == "PROPN":
            name, text = phrase(token.head), phrase(token)
            if name and text and len(text.split()) > 1:
                cuts.append(Cut(name, "is", text))
    return cuts


def shorten(cut: Cut, rng: Random) -> Cut:
    """The same fact as annotators write it: auxiliaries and articles often dropped."""
    words = cut.predicate.split()
    if len(words) > 1 and words[0].lower() in BE and "not" not in words and rng.random() < 0.5:
        words = words[1:]
    obj = cut.object
    if rng.random() < 0.4:
        obj = re.sub(r"^(?:the|a|an) ", "", obj, flags=re.I)
    return cut._replace(predicate=" ".join(words), object=obj)


# -- changing a statement ------------------------------------------------------------------------


def replace_word(text: str, old: str, new: str) -> str:
    """`text` with the first whole-word `old` replaced; unchanged when it does not occur."""
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text, count=1)


def other_number(number: str, rng: Random) -> str:
    """Another number written the same way: years move by 1 to 40, the rest by a fifth to threefold."""
    digits = number.replace(",", "")
    if not digits.isdigit():
        value = float(digits)
        return f"{value * rng.choice((0.4, 0.7, 1.3, 2.0)) + 0.1:.{len(digits.split('.')[-1])}f}"
    value = int(digits)
    if len(digits) == 4 and 1000 <= value <= 2100 and "," not in number:
        return str(value + rng.choice((-1, 1)) * rng.randint(1, 40))
    changed = max(0, round(value * rng.choice((0.2, 0.5, 0.8, 1.25, 1.5, 2, 3))) + rng.choice((-1, 0, 1)))
    changed = changed if changed != value else value + rng.randint(1, 3)
    return f"{changed:,}" if "," in number else str(changed)


def swap_number(text: str, rng: Random) -> str:
    """`text` with one of its numbers changed, or "" when it has none."""
    found = list(re.finditer(r"(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w-]|[.,]\d)", text))
    if not found:
        return ""
    hit = rng.choice(found)
    return text[: hit.start()] + other_number(hit.group(), rng) + text[hit.end() :]


def swap_antonym(text: str, rng: Random) -> str:
    """`text` with one word turned into its opposite (or a sister term), or ""."""
    hits = [h for h in re.finditer(r"[A-Za-z]+", text) if h.group().lower() in OPPOSITE]
    if not hits:
        return ""
    hit = rng.choice(hits)
    new = OPPOSITE[hit.group().lower()]
    new = new.capitalize() if hit.group()[0].isupper() else new
    return text[: hit.start()] + new + text[hit.end() :]


def swap_entity(
    text: str,
    entities: Sequence[tuple[str, str]],
    near: Mapping[str, Sequence[str]],
    far: Mapping[str, Sequence[str]],
    rng: Random,
    *,
    keep_out: str = "",
) -> str:
    """`text` with one entity replaced by another of its type, or "".

    `near` holds the same document's entities (three swaps in four), `far` those of all; nothing that
    occurs in `keep_out` is put in, so the statement cannot stay true by a list it was cut from.
    """
    present = [(e, kind) for e, kind in entities if re.search(rf"(?<!\w){re.escape(e)}(?!\w)", text)]
    if not present:
        return ""
    old, kind = rng.choice(present)
    pools = (near, far) if rng.random() < 0.75 else (far, near)
    for pool in pools:
        offered = pool.get(kind, ())
        for new in rng.sample(offered, min(12, len(offered))):
            if different(new, old) and new not in keep_out and new not in text:
                return replace_word(text, old, new)
    return ""


def different(one: str, other: str) -> bool:
    """No content word in common: "Bach" is not offered for "Johann Sebastian Bach"."""
    words = set(re.findall(r"\w+", one.lower())) & set(re.findall(r"\w+", other.lower()))
    return not {w for w in words if len(w) > 2 or w.isdigit()}


def main_verb(sentence: Any) -> tuple[Any, Any] | None:
    """(subject, root verb) of a plain declarative sentence; None for anything else."""
    root = sentence.root
    subject = next((c for c in root.children if c.dep_ in ("nsubj", "nsubjpass") and c.i < root.i), None)
    if subject is None or root.pos_ not in ("VERB", "AUX") or root.tag_ in ("VB", "VBG"):
        return None
    if any(c.dep_ == "neg" or c.lower_ in MODALS or c.lower_ in ("do", "does", "did") for c in root.children):
        return None
    return subject, root


def finite(root: Any) -> Any:
    """The finite verb: the first auxiliary, or the root itself."""
    return next((c for c in root.children if c.dep_ in ("aux", "auxpass") and c.i < root.i), root)


def with_verb(sentence: Any, token: Any, new: str) -> str:
    """The sentence's text with one token's text replaced."""
    start = token.idx - sentence.start_char
    text: str = sentence.text
    return text[:start] + new + text[start + len(token.text) :]


def negate(sentence: Any) -> str:
    """The sentence denied ("was not", "did not go"), or "" when its shape is not plain."""
    found = main_verb(sentence)
    if not found:
        return ""
    verb = finite(found[1])
    if verb.lower_ in BE or (verb is not found[1] and verb.lower_ in ("has", "have", "had")):
        return with_verb(sentence, verb, f"{verb.text} not")
    helper = {"VBD": "did", "VBZ": "does", "VBP": "do"}.get(verb.tag_)
    return with_verb(sentence, verb, f"{helper} not {verb.lemma_}") if helper else ""


def participle(verb: Any) -> str:
    return PARTICIPLES.get(verb.lower_, verb.text if verb.tag_ in ("VBD", "VBN") else "")


def put_modal(sentence: Any, modal: str) -> str:
    """The sentence under a modal: "might have won" for "won", "might be" for "is"; or ""."""
    found = main_verb(sentence)
    if not found:
        return ""
    verb = finite(found[1])
    if verb.tag_ == "VBD":
        form = participle(verb)
        return with_verb(sentence, verb, f"{modal} have {form}") if form else ""
    if verb.tag_ in ("VBZ", "VBP"):
        return with_verb(sentence, verb, f"{modal} {'be' if verb.lower_ in ('is', 'are') else verb.lemma_}")
    return ""


def put_had(sentence: Any) -> str:
    """The sentence as the content of an if clause: "had won" for "won"; or ""."""
    found = main_verb(sentence)
    if not found:
        return ""
    verb = finite(found[1])
    form = participle(verb)
    if verb.tag_ in ("VBZ", "VBP"):
        return with_verb(sentence, verb, "were" if verb.lower_ in ("is", "are") else verb.text)
    return with_verb(sentence, verb, f"had {form}") if form else ""


def low_start(sentence: Any) -> str:
    """The sentence's text to go on after another word: capital kept only for names."""
    first, text = sentence[0], str(sentence.text)
    return (
        text
        if first.pos_ == "PROPN" or first.lower_ == "i" or first.ent_type_
        else text[:1].lower() + text[1:]
    )


def lower_like(sentence: Any, text: str) -> str:
    return low_start(sentence)[:1] + text[1:]


DOUBTS = (
    "It is unlikely that {}", "It is improbable that {}", "It is possible that {}", "It is doubtful that {}",
    "It is uncertain whether {}", "Some people claim that {}", "It is rumored that {}", "Perhaps {}",
    "It has been suggested that {}", "Nobody knows whether {}", "It would be surprising if {}",
    "Many hoped that {}", "He wondered whether {}", "Supposedly, {}", "In the novel, {}",
    "She imagined that {}", "There is no evidence that {}", "Maybe {}",
)  # fmt: skip
DENIALS = (
    "It is impossible that {}", "It is not true that {}", "It is false that {}", "It is a myth that {}",
    "Contrary to popular belief, it is wrong that {}", "It is not the case that {}",
)  # fmt: skip
FACTS = (
    "It is true that {}", "It is well known that {}", "In fact, {}", "Historians agree that {}",
    "It is certain that {}", "Records show that {}", "As everybody knows, {}", "Indeed, {}",
    "It is clear that {}",
)  # fmt: skip
AFTER_IF = (
    "things would have been very different", "the outcome would have been remembered for a long time",
    "many people would have been pleased", "history would have taken another course",
    "it would have been a significant event", "the consequences would have been considerable",
    "this would have been a great success", "others would have followed the example",
    "nobody would have been surprised", "it would have become widely known",
    "the reaction would have been enthusiastic", "it would have shaped what came next",
)  # fmt: skip
BEFORE_WOULD = (
    "If circumstances had been different", "If history had taken another turn", "If there had been more time",
    "Had the conditions been right", "If the plans had worked out", "If the choice had been different",
    "If the opportunity had come up", "If nobody had objected", "Under other conditions",
    "If there had been enough interest", "If money had not been short", "If another path had been taken",
)  # fmt: skip


def hypothetical(sentence: Any, rng: Random) -> tuple[str, str]:
    """(kind, text): the sentence as something that only might be so; text is "" when the rule fails."""
    bare = low_start(sentence).rstrip(" .!")
    kind = rng.choice(("doubt", "modal", "if", "would"))
    if kind == "doubt":
        return kind, rng.choice(DOUBTS).format(bare) + "."
    if kind == "modal":
        return kind, put_modal(sentence, rng.choice(("might", "could", "may", "might", "could")))
    if kind == "would":
        text = put_modal(sentence, "would")
        return kind, f"{rng.choice(BEFORE_WOULD)}, {lower_like(sentence, text)}" if text else ""
    text = put_had(sentence)
    return kind, f"If {lower_like(sentence, text).rstrip(' .!')}, {rng.choice(AFTER_IF)}." if text else ""


# -- examples of one document --------------------------------------------------------------------


def entities_of(part: Any) -> list[tuple[str, str]]:
    return [
        (e.text.strip(), e.label_) for e in part.ents if 1 < len(e.text.strip()) < 50 and "\n" not in e.text
    ]


def far_of(docs: Iterable[Any]) -> Far:
    """The entities of all documents, by kind."""
    far: dict[str, list[str]] = {}
    for doc in docs:
        for text, kind in entities_of(doc):
            far.setdefault(kind, []).append(text)
    return far


def usable(sentence: Any) -> bool:
    words = [t for t in sentence if t.is_alpha]
    return 5 <= len(words) <= 45 and "?" not in sentence.text and "\n" not in sentence.text.strip()


class Page(NamedTuple):
    """A parsed document's usable sentences and its entities by type."""

    sentences: list[Any]
    near: dict[str, list[str]]
    antecedent: str


def page_of(doc: Any) -> Page:
    """The page of a parsed document. Its first sentence's subject, if a name, is what "he" refers to."""
    sentences = [s for s in doc.sents if usable(s)]
    near: dict[str, list[str]] = {}
    for text, kind in entities_of(doc):
        if text not in near.setdefault(kind, []):
            near[kind].append(text)
    antecedent = ""
    if sentences and (found := main_verb(sentences[0])) and found[0].pos_ == "PROPN":
        antecedent = phrase(found[0], max_words=6)
    return Page(sentences, near, antecedent)


def passage(page: Page, index: int, rng: Random, *, replaced: str | None = None, lead: bool = False) -> str:
    """A run of 1 to 6 sentences around `index`; `replaced` stands for its own sentence ("" leaves it out).

    With `lead` the document's first sentence, which names what "he" or "she" is, stands in front.

    In two runs of five one of the *other* sentences is put in doubt or denied, so that a "might" or a "not"
    somewhere in the passage says nothing about the label.
    """
    size = rng.choice((1, 1, 2, 3, 3, 4, 5, 6)) if replaced != "" else rng.choice((2, 3, 4, 5, 6))
    first = max(0, index - rng.randrange(size))
    chosen = range(first, min(len(page.sentences), first + size))
    others = [i for i in chosen if i != index]
    decoy = rng.choice(others) if others and rng.random() < 0.4 else -1
    texts = []
    for i in [0, *chosen] if lead and chosen[0] > 0 else chosen:
        text = page.sentences[i].text.strip()
        if i == index and replaced is not None:
            text = replaced
        elif i == decoy:
            text = unsettled(page.sentences[i], rng) or text
        texts.append(text)
    return " ".join(text for text in texts if text)


def unsettled(sentence: Any, rng: Random) -> str:
    """The sentence as hypothetical, denied or vouched for; or ""."""
    draw = rng.random()
    if draw < 0.65:
        return hypothetical(sentence, rng)[1].strip()
    if draw < 0.85:
        return negate(sentence).strip()
    return rng.choice(FACTS).format(low_start(sentence))


Far = Mapping[str, Sequence[str]]


def swaps(text: str, sentence: Any, page: Page, far: Far, rng: Random) -> str:
    """A claim made false by one swapped name, date, number or opposite; or ""."""
    ways: list[Callable[[], str]] = [
        lambda: swap_entity(text, entities_of(sentence), page.near, far, rng, keep_out=sentence.text),
        lambda: swap_number(text, rng),
        lambda: swap_antonym(text, rng),
    ]
    first = rng.choices((0, 1, 2), weights=(6, 2, 1))[0]
    for way in (ways[first], *ways):
        changed = way()
        if changed and changed != text:
            return changed
    return ""


class Said(NamedTuple):
    """A text that a sentence entails; `plain` is the same in the sentence's own words.

    `lead` when it names somebody whom the sentence calls "he" or "she".
    """

    text: str
    plain: str
    lead: bool = False


def of_another(sentence: Any, claim: str, page: Page, far: Far, rng: Random) -> str:
    """The sentence with a swap that takes an entity from it which the claim has; "" where none does."""
    edited = swaps(sentence.text.strip(), sentence, page, far, rng)
    return edited if any(e in claim and e not in edited for e, _ in entities_of(sentence)) else ""


def denied(sentence: Any, claim: str, rng: Random, *, in_words: float) -> str:
    """The sentence denied: in that share in words around it, else by its verb, if the claim is of that."""
    if rng.random() < in_words:
        return rng.choice(DENIALS).format(low_start(sentence))
    return negate(sentence).strip() if about_root(sentence, claim) else ""


def claims_of(page: Page, index: int, rng: Random) -> list[Said]:
    """Up to three texts that sentence `index` entails: triplets first, then the sentence itself."""
    sentence = page.sentences[index]
    people = [e for e, kind in entities_of(sentence) if kind == "PERSON"]
    starts_with = sentence[0].lower_
    lead = index > 0 and starts_with in ("he", "she") and bool(page.antecedent)
    cuts = [c for c in triplets(sentence, page.antecedent if index == 0 or lead else "") if not c.modal]
    rng.shuffle(cuts)
    said = []
    for cut in cuts[:2]:
        other = reworded(cut, people, rng) if rng.random() < 0.6 else cut
        said.append(Said(shorten(other, rng).text, cut.text, lead and cut.subject == page.antecedent))
    if not said or rng.random() < 0.3:
        text = sentence.text.strip()
        said.append(Said(reworded_sentence(text, people, rng) if rng.random() < 0.5 else text, text))
    return said


def examples_of_claim(page: Page, index: int, claim: Said, far: Far, rng: Random) -> list[Example]:
    """One true, one false and one or two undecided examples for one claim of sentence `index`."""
    sentence = page.sentences[index]
    kind = "said" if claim.text == claim.plain else "reworded"
    made = [Example(passage(page, index, rng, lead=claim.lead), claim.text, ENTAILMENT, kind)]
    if rng.random() < 0.15 and not claim.lead:
        fact = rng.choice(FACTS).format(low_start(sentence))
        made.append(Example(passage(page, index, rng, replaced=fact), claim.text, ENTAILMENT, "fact"))
    made += false_examples(page, index, claim, far, rng) + undecided_examples(page, index, claim, far, rng)
    return made


def false_examples(page: Page, index: int, claim: Said, far: Far, rng: Random) -> list[Example]:
    sentence, made = page.sentences[index], []

    def add(text: str, kind: str, replaced: str | None = None) -> None:
        context = passage(page, index, rng, replaced=replaced, lead=claim.lead)
        made.append(Example(context, text, CONTRADICTION, kind))

    changed = swaps(claim.text, sentence, page, far, rng)
    if changed:
        add(changed, "swap")
    draw = rng.random()
    if draw < 0.35:
        if edited := of_another(sentence, claim.text, page, far, rng):
            add(claim.text, "swap_passage", edited)
    elif draw < 0.6:
        if edited := denied(sentence, claim.plain, rng, in_words=0.15):
            add(claim.text, "negation", edited)
    elif draw < 0.68 and claim.plain == sentence.text.strip() and (changed := negate(sentence).strip()):
        add(changed, "negated_claim")
    return made


def undecided_examples(page: Page, index: int, claim: Said, far: Far, rng: Random) -> list[Example]:
    sentence, made = page.sentences[index], []
    draw = rng.random()
    if draw < 0.45:
        kind, text = hypothetical(sentence, rng)
        if text and (kind == "doubt" or about_root(sentence, claim.plain)):
            context = passage(page, index, rng, replaced=text.strip(), lead=claim.lead)
            made.append(Example(context, claim.text, NEUTRAL, kind))
    elif draw < 0.85:
        gap = passage(page, index, rng, replaced="", lead=claim.lead)
        if gap and overlap(claim.plain, gap) < 0.8:
            text = (
                claim.text
                if rng.random() < 0.75
                else swaps(claim.text, sentence, page, far, rng) or claim.text
            )
            made.append(Example(gap, text, NEUTRAL, "left_out"))
    elif len(page.sentences) > 2:
        other = rng.randrange(len(page.sentences))
        if abs(other - index) > 1:
            made.append(Example(page.sentences[other].text.strip(), claim.text, NEUTRAL, "elsewhere"))
    if rng.random() < 0.3:
        made += [
            e for e in (other_subject(page, index, rng), added_detail(page, index, claim.text, rng)) if e
        ]
    return made


def about_root(sentence: Any, claim: str) -> bool:
    """Whether the claim rests on the sentence's main clause, the one that negation and mood change."""
    root = sentence.root
    return root.text in claim and (
        root.lower_ not in BE or claim in sentence.text or root.i < sentence.start + 12
    )


def overlap(claim: str, text: str) -> float:
    """The share of the claim's longer words that the text has too."""
    words = {w for w in re.findall(r"\w+", claim.lower()) if len(w) > 3}
    return len(words & set(re.findall(r"\w+", text.lower()))) / len(words) if words else 1.0


def other_subject(page: Page, index: int, rng: Random) -> Example | None:
    """What is said of one subject, claimed of another subject of the same document: nobody said so."""
    cuts = [c for c in triplets(page.sentences[index]) if not c.modal]
    others = [c.subject for s in page.sentences for c in triplets(s)[:1]]
    if not cuts or not others:
        return None
    cut, subject = rng.choice(cuts), rng.choice(others)
    if not different(subject, cut.subject) or subject in page.sentences[index].text:
        return None
    return Example(
        passage(page, index, rng), cut._replace(subject=subject).text, NOT_ENTAILED, "other_subject"
    )


def added_detail(page: Page, index: int, claim: str, rng: Random) -> Example | None:
    """The claim with a place, date or companion that its passage does not give."""
    sentence = page.sentences[index]
    kind = rng.choice(("DATE", "GPE", "PERSON", "ORG"))
    pool = [e for e in page.near.get(kind, ()) if e not in sentence.text]
    if not pool or any(label == kind for _, label in entities_of(sentence)):
        return None
    link = {"DATE": "in", "GPE": "in", "PERSON": "with", "ORG": "for"}[kind]
    detail = rng.choice(pool)
    context = passage(page, index, rng)
    if detail in context:
        return None
    return Example(context, f"{claim.rstrip(' .')} {link} {detail}", NEUTRAL, "added_detail")


def modal_examples(page: Page, index: int, rng: Random) -> list[Example]:
    """Sentences that are modal by nature: the claim with its modal holds, without it nobody said so."""
    made = []
    for cut in triplets(page.sentences[index]):
        words = cut.predicate.split()
        if (
            cut.modal
            and words
            and words[0].lower() in ("may", "might", "could", "would")
            and "not" not in words
        ):
            context = passage(page, index, rng)
            plain = [w for w in words[1:] if w != "have"]
            plain = [{"be": "is"}.get(w, w) for w in plain]
            made.append(Example(context, cut.text, ENTAILMENT, "natural_modal"))
            made.append(
                Example(context, cut._replace(predicate=" ".join(plain)).text, NEUTRAL, "natural_modal")
            )
    return made


def examples_of_page(page: Page, far: Far, rng: Random, *, max_sentences: int) -> list[Example]:
    """All examples of a document, from at most `max_sentences` of its sentences."""
    made: list[Example] = []
    order = list(range(len(page.sentences)))
    rng.shuffle(order)
    for index in order[:max_sentences]:
        for claim in claims_of(page, index, rng):
            made += examples_of_claim(page, index, claim, far, rng)
        made += modal_examples(page, index, rng)
    return made


def examples_of_answer(
    page: Page, answer: Any, far: Far, rng: Random, *, max_sentences: int = 4
) -> list[Example]:
    """A person's answer from the document: what it says holds, in other words; its swaps do not.

    An answer that shares few words with the document is kept as true: people wrote it from there. A swap
    of it is not, for what was swapped may not have been there to contradict.
    """
    made: list[Example] = []
    for sentence in [s for s in answer.sents if usable(s)][:max_sentences]:
        cuts = [c for c in triplets(sentence) if not c.modal]
        claim = sentence.text.strip()
        if cuts and rng.random() < 0.7:
            cut = rng.choice(cuts)
            people = [e for e, kind in entities_of(sentence) if kind == "PERSON"]
            claim = shorten(reworded(cut, people, rng) if rng.random() < 0.4 else cut, rng).text
        text = nearest(page, sentence.text, rng.choice((4, 6, 8)))
        if overlap(sentence.text, text) < 0.3:
            continue
        made.append(Example(text, claim, ENTAILMENT, "answer"))
        if overlap(claim, text) >= 0.5:
            changed = swaps(claim, sentence, page, far, rng)
            if changed and changed != claim:
                made.append(Example(text, changed, CONTRADICTION, "answer_swap"))
    return made


def nearest(page: Page, text: str, size: int) -> str:
    """The run of at most `size` sentences that shares most words with `text`."""
    sentences = [s.text.strip() for s in page.sentences]
    runs = [" ".join(sentences[i : i + size]) for i in range(max(1, len(sentences) - size + 1))]
    return max(runs, key=lambda run: overlap(text, run))
