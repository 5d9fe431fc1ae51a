"""From a parsed sentence to triplets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .phrases import NOTHING_SAID, Part, Reader, under_negation
from .predicates import (
    BE,
    inherited_auxiliaries,
    is_conditional,
    is_infinitive,
    is_plain_adverb,
    marker,
    predicate,
    reports_the_reference,
)

_SHORT_OBJECT_TOKENS = 9  # a longer object is not repeated in front of "in 1903"
_DEPTH = 12  # clauses within clauses; beyond it text is not language
_EMPTY_PHRASES = frozenset(
    "example instance addition fact summary conclusion contrast general particular short result order context "
    "passage passages text paragraph information other".split(" ")
)
_DATE_PREPOSITIONS = frozenset({"in", "on", "since", "until", "during", "from", "by", "at"})
_LIGHT_VERBS = frozenset({"take", "takes", "took", "taken", "taking"})
_LISTING = frozenset({"including", "include", "like"})


class Edge(NamedTuple):
    """A triplet in the making. `object` is empty when the sentence gives none."""

    subject: Part
    predicate: Part
    object: Part


def edges(reader: Reader, root: Any, subjects: Sequence[Part] = ()) -> list[Edge]:
    """Everything the sentence under `root` states; `subjects` are for a root that has none."""
    found: list[Edge] = []
    if root.pos_ in {"VERB", "AUX"}:
        found += _clause(reader, root, subjects, NOTHING_SAID, (), 0)
    for token in root.subtree:
        if token.pos_ in {"NOUN", "PROPN", "PRON", "NUM"} and not _within_report(token):
            found += _of_noun(reader, token)
    return found


def _clause(
    reader: Reader, verb: Any, subjects: Sequence[Part], prefix: Part, inherited: tuple[Any, ...], depth: int
) -> Iterator[Edge]:
    """What one verb says of its subjects. `prefix` is what stands before it: "wants to"."""
    if depth > _DEPTH:
        return
    children = list(verb.children)
    if reports_the_reference(verb):
        inner = [c for c in verb.children if c.dep_ == "ccomp"]
        if inner:
            for clause in inner:
                yield from _clause(reader, clause, [], NOTHING_SAID, (), depth + 1)
            return
    own = [child for child in children if child.dep_ in {"nsubj", "nsubjpass", "csubj", "csubjpass"}]
    if own and own[0].i not in reader.said and own[0].tag_ in {"WDT", "WP"} and own[0].dep_ == "nsubj" and not subjects:
        own = []
    if own:
        subjects = reader.group(own[0]) if not own[0].dep_.startswith("csubj") else [reader.words(own[0].subtree)]
    said = prefix + predicate(reader, verb, inherited)
    statements = list(_statements(reader, verb, said, depth))
    if any(child.dep_ == "expl" and child.lower_ == "there" for child in children):
        yield from _existence(reader, verb, said)
    else:
        if not statements and verb.lower_ not in BE and not any(_continues(c, verb) for c in children):
            reasons = [c for c in children if c.dep_ == "advcl" and c.i > verb.i and marker(c) and not is_conditional(c)]
            statements = [(said, reader.words(reasons[0].subtree) if reasons else NOTHING_SAID)]
        condition = _conditions(reader, verb)
        for words, thing in statements:
            for subject in subjects:
                yield Edge(subject, words, thing + condition if thing.text else condition)
    base = _base(reader, verb, said)
    for clause, before, keep in _inner_clauses(reader, verb, said, base):
        yield from _clause(reader, clause, subjects if keep else [], before, (), depth + 1)
    for child in children:
        if child.dep_ == "conj" and child.pos_ in {"VERB", "AUX"}:
            yield from _clause(reader, child, subjects, prefix, inherited_auxiliaries(child, verb), depth + 1)
        elif child.dep_ in {"parataxis", "ccomp"} and depth == 0 and child.i < verb.i and not _is_reported(child):
            yield from _clause(reader, child, [], NOTHING_SAID, (), depth + 1)


def _continues(child: Any, verb: Any) -> bool:
    """Whether the predicate goes on in a clause: "wants to buy", "by reducing"."""
    if child.dep_ in {"ccomp", "xcomp"}:
        return True
    if child.dep_ == "acomp":
        return any(c.dep_ == "xcomp" for c in child.children)
    if child.dep_ == "advcl":
        return child.i > verb.i and is_infinitive(child)
    return child.dep_ == "prep" and any(c.dep_ == "pcomp" for c in child.children)


def _statements(reader: Reader, verb: Any, said: Part, depth: int) -> Iterator[tuple[Part, Part]]:
    """(predicate, object) pairs of a verb: its objects, then its prepositions, each for itself."""
    children = list(verb.children)
    indirect = [c for c in children if c.dep_ == "dative" and c.pos_ != "ADP"]
    objects = [c for c in children if c.dep_ in {"dobj", "attr", "oprd", "obj"}] or _shared_objects(verb)
    if any(c.dep_ == "oprd" for c in objects) and len(objects) > 1:
        named = [c for c in objects if c.dep_ == "dobj"]
        said = said + reader.phrase(named[0], whole=True) if named else said
        objects = [c for c in objects if c.dep_ == "oprd"]
    hoisted = [date for thing in objects for date in _dates_of(thing)]
    reader.detached.update(date.i for date in hoisted)
    with_indirect = said + reader.phrase(indirect[0], whole=True) if indirect else said
    for thing in objects:
        if thing.tag_ in {"WDT", "WP"} and thing.i not in reader.said:
            continue
        if thing.pos_ in {"VERB", "AUX"} and thing.dep_ == "dobj":
            continue
        if thing.lower_ in {"place", "part", "effect"} and verb.lower_ in _LIGHT_VERBS and any(c.dep_ == "prep" for c in children):
            continue  # "took place in" is one predicate
        yield from _spread(reader, thing, with_indirect if thing.dep_ == "dobj" else said)
    reported = [c for c in children for c in (c, *c.children) if c.dep_ == "ccomp" and (c.head == verb or c.head.dep_ == "acomp")]
    qualities = [c for c in children if c.dep_ == "acomp"]
    if reported and qualities:
        said = said + reader.words([*qualities[0].lefts, qualities[0]])
        yield said, reader.words(reported[0].subtree)
        return
    for child in children:
        if child.dep_ == "acomp" or (child.dep_ == "xcomp" and child.pos_ in {"ADJ", "NOUN", "PROPN"} and not is_infinitive(child)):
            yield from _quality(reader, child, said)
    base = _base(reader, verb, said)
    for child in [*children, *hoisted, *_shared_prepositions(verb)]:
        if child.dep_ in {"prep", "agent", "dative"} and child.pos_ in {"ADP", "SCONJ", "VERB", "ADV"}:
            yield from _prepositional(reader, child, base)
        elif child.dep_ == "advmod" and any(c.dep_ in {"prep", "npadvmod"} for c in child.children):
            prepositions = [c for c in child.children if c.dep_ == "prep"]
            lead = [t for t in child.subtree if not prepositions or t.i < prepositions[0].i]
            for preposition in prepositions:
                yield from _prepositional(reader, preposition, base + reader.words(lead))
            if not prepositions:
                yield base, reader.words(child.subtree)
        elif child.dep_ in {"npadvmod", "tmod"}:
            yield base, reader.phrase(child, whole=True)
        elif child.dep_ == "ccomp" and child.i > verb.i:
            yield said, reader.words(child.subtree)
    late = [c for c in children if c.dep_ == "advmod" and c.i > verb.i and is_plain_adverb(c)]
    if late and not objects and not any(c.dep_ in {"prep", "agent", "acomp", "xcomp", "ccomp", "npadvmod"} for c in children):
        verb_only = [t for t in verb.subtree if t.i < late[0].i and t.dep_ in {"aux", "auxpass", "neg", "prt"} and t.head == verb]
        if verb.i < late[0].i:
            yield _without(said, reader.words([late[0]])) or reader.words([*verb_only, verb]), reader.words(late[0].subtree)


def _without(said: Part, tail: Part) -> Part | None:
    if tail.text and said.text.endswith(" " + tail.text):
        return said._replace(text=said.text[: -len(tail.text) - 1])
    return None


def _spread(reader: Reader, thing: Any, said: Part) -> Iterator[tuple[Part, Part]]:
    """An object and those joined to it; "a source of A and B" is a source of A, and of B."""
    parts = reader.group(thing)
    tail = [c for c in thing.children if c.dep_ == "prep" and c.i > thing.i]
    if len(parts) == 1 and len(tail) == 1 and tail[0].lower_ in {"of", "for", "in", "by"}:
        pobj = [c for c in tail[0].children if c.dep_ == "pobj"]
        items = reader.group(pobj[0]) if pobj else []
        if len(items) > 1 and not any(c.dep_ == "relcl" for c in thing.children):
            lead = said + reader.words(t for t in thing.subtree if t.i <= tail[0].i and t.i >= thing.left_edge.i)
            for item in items:
                yield lead, item
            return
    for part in parts:
        yield said, part


def _quality(reader: Reader, token: Any, said: Part) -> Iterator[tuple[Part, Part]]:
    """What an adjective says: "is nutritious", "is high in | Vitamin A"."""
    prepositions = [c for c in token.children if c.dep_ == "prep" and any(g.dep_ == "pobj" for g in c.children)]
    infinitive = [c for c in token.children if c.dep_ == "xcomp"]
    joined = [c for c in token.children if c.dep_ == "conj"]
    skipped = {"prep", "conj", "cc", "xcomp", "punct", "ccomp", "advcl"} if prepositions or infinitive else {"conj", "cc", "punct"}
    alone = reader.words([token, *(t for c in token.children if c.dep_ not in skipped for t in c.subtree)])
    for preposition in prepositions:
        yield from _prepositional(reader, preposition, said + alone)
    if not prepositions and not infinitive:
        yield said, alone
    for other in joined:
        if other.pos_ in {"ADJ", "VERB", "NOUN", "ADV"}:
            yield from _quality(reader, other, said)


def _prepositional(reader: Reader, preposition: Any, base: Part, depth: int = 0) -> Iterator[tuple[Part, Part]]:
    """base + preposition | each of its objects. "between A and B" stays whole."""
    inner = [c for c in preposition.children if c.dep_ == "prep"]
    targets = [c for c in preposition.children if c.dep_ in {"pobj", "obj"}]
    compound = [c for c in preposition.children if c.pos_ in {"ADP", "PART"} and c.i == preposition.i + 1 and c.dep_ in {"pcomp", "prep", "fixed"}]
    if compound and not targets:
        targets = [c for node in compound for c in node.children if c.dep_ in {"pobj", "obj"}]
        inner = []
    lead = [preposition, *compound, *(c for c in preposition.children if c.i < preposition.i and c.dep_ in {"advmod", "npadvmod", "neg", "quantmod"})]
    words = reader.words(lead)
    front = base + words._replace(text=words.text[:1].lower() + words.text[1:])
    for target in targets:
        if target.lower_ in _EMPTY_PHRASES and (preposition.i < preposition.head.i or preposition.lower_ == "in") and not any(True for _ in target.children):
            continue
        if preposition.lower_ in {"between", "among", "amongst"}:
            yield front, reader.phrase(target, whole=True)
        elif preposition.lower_ == "from" and (end := _range_end(preposition)) is not None:
            yield front, reader.phrase(target) + reader.words(end.subtree)
        elif preposition.lower_ in {"to", "until"} and any(
            s.lower_ == "from" and _range_end(s) is preposition or _range_end(s) == preposition for s in preposition.head.children if s.dep_ == "prep"
        ):
            continue
        else:
            for part in reader.group(target):
                yield front, part
        for date in _dates_of(target):
            if depth == 0 and preposition.dep_ != "agent":
                yield from _prepositional(reader, date, base, 1)
            elif depth == 0:
                yield from _prepositional(reader, date, front + reader.phrase(target), 1)
    if inner and not targets and depth < 4:
        for nested in inner:
            yield from _prepositional(reader, nested, front, depth + 2)
    for other in preposition.children:
        if other.dep_ == "conj" and other.pos_ == "ADP":
            yield from _prepositional(reader, other, base, depth + 2)


def _range_end(start: Any) -> Any:
    """The "to 1902" that belongs to "from 1891"."""
    for sibling in [*start.head.children, *start.children]:
        if sibling.dep_ == "prep" and sibling.lower_ in {"to", "until", "through"} and sibling.i > start.i:
            between = sibling.left_edge.i - start.right_edge.i if sibling.head != start else 1
            numeric = any(t.like_num or t.ent_type_ in {"DATE", "TIME", "CARDINAL"} for t in sibling.subtree)
            if between <= 1 and numeric:
                return sibling
    return None


def _dates_of(thing: Any) -> list[Any]:
    """Dates that the parser hung on a noun though they tell when the verb happened."""
    found = []
    for child in thing.children:
        if child.dep_ == "prep" and child.lower_ in _DATE_PREPOSITIONS and child.i > thing.i:
            for target in child.children:
                year = target.text.isdigit() and len(target.text) == 4
                if target.dep_ == "pobj" and (target.ent_type_ == "DATE" or year):
                    found.append(child)
    return found


def _base(reader: Reader, verb: Any, said: Part) -> Part:
    """What a preposition after the object is read with: "won the first Tour" + "in"."""
    things = [c for c in verb.children if c.dep_ in {"dobj", "attr", "oprd", "acomp"}] or _shared_objects(verb)
    if not things:
        return said
    thing = things[-1]
    if thing.dep_ == "acomp":
        return said if any(c.dep_ == "prep" for c in thing.children) else said + reader.words([*thing.lefts, thing])
    dates = {t.i for date in _dates_of(thing) for t in date.subtree}
    whole = reader.phrase(thing, whole=True)
    if dates:
        whole = reader.words(t for t in thing.subtree if t.i not in dates and not _cut(reader, t, thing))
    return said + whole if len(whole.text.split()) <= _SHORT_OBJECT_TOKENS else said


def _cut(reader: Reader, token: Any, top: Any) -> bool:
    node = token
    while node.i != top.i:
        if node.i in reader.detached:
            return True
        node = node.head
    return False


def _shared_objects(verb: Any) -> list[Any]:
    """ "wrote and directed the film": the film is what was written too."""
    for child in verb.children:
        if child.dep_ == "conj" and child.pos_ == "VERB" and not any(t.dep_ in {"prep", "agent", "acomp", "attr", "xcomp", "ccomp", "dobj"} for t in verb.children):
            between = [t for t in verb.subtree if verb.i < t.i < child.i and (t.dep_ not in {"cc", "aux", "auxpass", "advmod"} or t.head == verb and t.dep_ == "advmod")]
            has_subject = any(c.dep_ in {"nsubj", "nsubjpass"} for c in child.children)
            if not between and not has_subject and verb.tag_ == child.tag_:
                return [c for c in child.children if c.dep_ == "dobj"]
    return []


def _shared_prepositions(verb: Any) -> list[Any]:
    """ "was written and recorded by X": X wrote it too."""
    if any(c.dep_ in {"prep", "agent", "dobj", "attr", "acomp"} for c in verb.children):
        return []
    for child in verb.children:
        if child.dep_ == "conj" and child.tag_ in {"VBN", "VBD"} and any(c.dep_ == "auxpass" for c in verb.children):
            if not any(c.dep_ in {"nsubj", "nsubjpass", "auxpass"} for c in child.children):
                return [c for c in child.children if c.dep_ in {"agent", "prep"} and c.i > child.i]
    return []


def _existence(reader: Reader, verb: Any, said: Part) -> Iterator[Edge]:
    """ "There are 3 schools in Oslo": 3 schools | are in | Oslo."""
    there = next(c for c in verb.children if c.dep_ == "expl")
    for thing in (c for c in verb.children if c.dep_ in {"attr", "dobj", "nsubj"}):
        places = [p for node in (thing, verb) for p in node.children if p.dep_ == "prep" and p.lower_ in {"in", "on", "at", "within", "near", "inside"} and p.i > thing.i]
        if not places:
            for part in reader.group(thing):
                yield Edge(reader.words([there]), said, part)
            continue
        skip = {t.i for p in places for t in p.subtree}
        subject = reader.words(t for t in thing.subtree if t.i not in skip and not _cut(reader, t, thing))
        for place in places:
            for words, target in _prepositional(reader, place, said):
                yield Edge(subject, words, target)


def _conditions(reader: Reader, verb: Any) -> Part:
    """The if-clauses that what the verb says hangs on."""
    condition = NOTHING_SAID
    node = verb
    while True:
        for child in node.children:
            if child.dep_ == "advcl" and is_conditional(child):
                words = reader.words(child.subtree)
                condition = condition + words._replace(text=words.text[:1].lower() + words.text[1:])
        if node.dep_ != "conj" or node.head.i == node.i:
            return condition
        node = node.head


def _inner_clauses(reader: Reader, verb: Any, said: Part, base: Part) -> Iterator[tuple[Any, Part, bool]]:
    """(clause, what is said before it, whether the subject goes on) for the clauses below a verb."""
    for child in verb.children:
        if child.dep_ == "xcomp" and child.pos_ in {"VERB", "AUX"}:
            mine = any(c.dep_ in {"nsubj", "nsubjpass"} for c in child.children)
            between = reader.words(t for c in child.children if c.dep_ in {"nsubj", "nsubjpass"} for t in c.subtree)
            yield _bare(child) if mine else child, (base if not mine else said + between), True
        elif child.dep_ == "acomp":
            for inner in child.children:
                if inner.dep_ == "xcomp":
                    yield inner, said + reader.words([*child.lefts, child, *(c for c in child.rights if c.dep_ == "advmod")]), True
        elif child.dep_ == "advcl" and child.pos_ in {"VERB", "AUX"}:
            own = any(c.dep_ in {"nsubj", "nsubjpass", "expl"} for c in child.children)
            if is_conditional(child):
                continue
            if is_infinitive(child):
                if not own:
                    yield child, base if child.i > verb.i else NOTHING_SAID, child.i > verb.i
            else:
                participle = child.tag_ == "VBN" and not own and not any(c.dep_ in {"aux", "auxpass"} for c in child.children)
                yield child, Part("is", child.i, child.i) if participle else NOTHING_SAID, not own
        elif child.dep_ in {"prep", "agent"}:
            for inner in child.children:
                if inner.dep_ != "pcomp" or inner.pos_ not in {"VERB", "AUX"}:
                    continue
                if any(c.dep_ in {"nsubj", "nsubjpass"} for c in inner.children):
                    yield inner, NOTHING_SAID, False
                elif child.i > verb.i:
                    yield inner, base + reader.words([child]), True
        elif child.dep_ in {"dobj", "attr"} and child.pos_ == "VERB":
            yield child, said, True


def _bare(clause: Any) -> Any:
    return clause


def _is_reported(clause: Any) -> bool:
    """Whether the verb above attributes the clause to someone."""
    return any(c.dep_ in {"nsubj", "nsubjpass"} for c in clause.head.children)


def _within_report(token: Any) -> bool:
    """Whether a noun stands in a clause that is only reported or supposed."""
    node = token
    while node.head.i != node.i:
        if node.dep_ == "ccomp" and not reports_the_reference(node.head):
            return True
        if node.dep_ == "advcl" and is_conditional(node):
            return True
        node = node.head
    return False


def _referents(reader: Reader, noun: Any, clause: Any) -> list[Part]:
    """What a description is said of: of "Gilda is a film that ...", Gilda."""
    if noun.dep_ == "appos" and noun.i in reader.detached:
        return _referents(reader, noun.head, clause)
    if noun.dep_ == "attr" and noun.head.lower_ in BE and noun.tag_ in {"NN", "NNS"}:
        subjects = [c for c in noun.head.children if c.dep_ == "nsubj"]
        definite = any(c.dep_ == "neg" for c in noun.head.children)
        definite = definite or (any(c.lower_ == "the" for c in noun.lefts) and bool(subjects) and subjects[0].pos_ != "PROPN")
        if subjects and not definite and subjects[0].lower_ not in {"this", "that", "it", "one"} | {"there"}:
            return reader.group(subjects[0])
        if subjects and subjects[0].i in reader.said:
            return [reader.said[subjects[0].i]]
    part = reader.phrase(noun, without=clause)
    return [part] if part.text else []


def _of_noun(reader: Reader, noun: Any) -> Iterator[Edge]:
    """What a noun phrase states by itself: its clauses, appositions and lists."""
    negated = under_negation(noun)
    for child in noun.children:
        if negated and child.dep_ in {"relcl", "acl", "appos"} and child.i not in reader.detached:
            continue
        if child.dep_ == "appos" and child.i in reader.detached:
            yield from _apposition(reader, noun, child)
        elif child.dep_ == "relcl" and child.pos_ in {"VERB", "AUX"}:
            yield from _relative(reader, noun, child)
        elif child.dep_ == "acl" and child.tag_ in {"VBN", "VBG", "VBD"} and not is_infinitive(child):
            subjects = _referents(reader, noun, child)
            front = NOTHING_SAID
            if child.tag_ != "VBG":
                if child.lower_ in BE or any(c.dep_ in {"nsubj", "nsubjpass", "aux", "auxpass"} for c in child.children):
                    continue
                form = "are" if noun.tag_ in {"NNS", "NNPS"} else "is"
                if noun.dep_ == "attr" and noun.head.lower_ in {"is", "are", "was", "were"}:
                    there = any(c.dep_ == "expl" for c in noun.head.children)
                    form = form if there else noun.head.lower_
                front = Part(form, child.i, child.i)
            yield from (e for e in _clause(reader, child, subjects, front, (), 1) if e.object.text)
        elif child.dep_ == "prep" and child.lower_ in _LISTING | {"as"} and noun.tag_ in {"NNS", "NNPS"}:
            if child.lower_ in {"as", "like"} and not (child.lower_ == "as" and any(c.lower_ == "such" for c in child.children)):
                continue
            for _, item in _prepositional(reader, child, NOTHING_SAID):
                yield Edge(reader.words(t for t in noun.subtree if t.i < child.i and t.lower_ != "such"), Part("include", child.i, child.i), item)
        elif child.dep_ == "appos" and child.pos_ == "PROPN" and noun.tag_ == "NN" and any(c.dep_ == "poss" for c in noun.lefts):
            role = reader.words(t for t in noun.subtree if t.i <= noun.i)
            yield Edge(reader.phrase(child), Part("is", child.i, child.i), role)
    kin = [c for c in noun.lefts if c.dep_ in {"compound", "nmod"} and c.tag_ == "NN"]
    owner = [c for node in (noun, *kin) for c in node.lefts if c.dep_ == "poss"]
    if noun.pos_ == "PROPN" and owner and kin and owner[0].i < kin[0].i:
        name = reader.words([t for t in noun.subtree if t.i > kin[-1].i and t.i <= noun.i])
        role = reader.words([t for t in noun.subtree if t.i <= kin[-1].i])
        yield Edge(name, Part("is", noun.i, noun.i), role)


def _apposition(reader: Reader, noun: Any, apposed: Any) -> Iterator[Edge]:
    subject, many = reader.phrase(noun), noun.tag_ in {"NNS", "NNPS"}
    if noun.dep_ == "appos" and noun.head.tag_ in {"NNS", "NNPS"}:
        return  # the next of a list
    if many and apposed.tag_ not in {"NNS", "NNPS"}:
        queue = [apposed]
        for member in queue:
            queue += [c for c in member.children if c.dep_ == "appos"]
            for item in reader.group(member):
                yield Edge(subject, Part("include", apposed.i, apposed.i), item)
        return
    for item in reader.group(apposed):
        yield Edge(subject, Part("are" if many else "is", apposed.i, apposed.i), item)


def _relative(reader: Reader, noun: Any, clause: Any) -> Iterator[Edge]:
    """A relative clause, read with its antecedent in place of the pronoun."""
    referents = _referents(reader, noun, clause)
    if not referents or is_infinitive(clause):
        return
    antecedent = referents[0] if len(referents) == 1 else reader.phrase(noun, without=clause)
    placed, relative = False, None
    for token in clause.subtree:
        if token.i in reader.said:
            continue
        if token.tag_ in {"WP", "WDT"} or (token.lower_ == "that" and token.dep_ in {"nsubj", "dobj", "nsubjpass", "pobj"}):
            reader.said[token.i] = antecedent
            placed, relative = True, token
        elif token.tag_ == "WP$":
            reader.said[token.i] = antecedent._replace(text=antecedent.text + "'s")
            placed = True
        elif token.tag_ == "WRB" and token.lower_ in {"where", "when"} and token.head == clause:
            found = [e for e in _clause(reader, clause, [], NOTHING_SAID, (), 1)]
            yield from (e for e in found if e.object.text)
            if found and not found[0].object.text:
                yield found[0]._replace(predicate=found[0].predicate + Part("in", token.i, token.i), object=antecedent)
            return
        if placed:
            break
    own = any(c.dep_ in {"nsubj", "nsubjpass"} and c is not relative and c.i not in reader.said for c in clause.children)
    statements = _clause(reader, clause, [] if own or placed else referents, NOTHING_SAID, (), 1)
    if placed and relative is not None and relative.dep_ in {"nsubj", "nsubjpass"} and len(referents) > 1:
        for edge in statements:
            yield from (edge._replace(subject=r) if edge.subject == antecedent else edge for r in referents)
        return
    for edge in statements:
        if not placed and not edge.object.text:
            edge = edge._replace(object=antecedent)  # the book he wrote
        yield edge
