"""Word lists."""

from __future__ import annotations

from ...text import word_set

_STATES = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|"
    "Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|"
    "Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|"
    "New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|"
    "Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|"
    "West Virginia|Wisconsin|Wyoming"
)
# Of the USA: without the comma, a parser reads "Portland, Maine" as one name.
STATES = frozenset(_STATES.split("|"))
BE = word_set("be am is are was were been being 's 're ’s ’re 'm")
CONNECTIVES = word_set(
    "accordingly actually additionally also as basically besides consequently finally further "
    "furthermore hence here how however indeed instead likewise meanwhile moreover overall similarly "
    "so specifically then there therefore thus too well when where why"
)  # join sentences; no part of a claim
CONDITIONS = word_set("assuming if lest provided providing suppose unless whether")
UNREAL = word_set("as than") | {"as if", "as though", "in case", "rather than", "so that"}
SOURCES = word_set(
    "article context description document documents excerpt information paragraph paragraphs passage "
    "passages reference references source sources summary text texts"
)
TELLS = word_set(
    "add adds confirm confirms describe describes explain explained explains indicate indicated "
    "indicates mention mentioned mentions note noted notes report reports reveal reveals said say "
    "says show shows specified specifies specify state stated states suggest suggested suggests tell "
    "tells"
)
KNOWN = word_set("clear evident important known mentioned notable noted stated true worth")
EMPTY_PHRASES = word_set(
    "addition conclusion context contrast example fact general information instance order other "
    "paragraph particular passage passages result short summary text"
)
DATE_PREPOSITIONS = word_set("at by during from in on since until")
LISTING = word_set("include including")
LIGHT_VERBS = word_set("take taken takes taking took")
MALE = word_set(
    "actor andrew baron boy brian brother charles count daniel david duke edward emperor father "
    "gentleman george harry henry husband jack james jerry john joseph kevin king lord man mark "
    "matthew michael mr paul peter prince richard robert sir son stephen steven thomas uncle william"
)
FEMALE = word_set(
    "actress alice anna aunt barbara catherine countess daughter duchess elizabeth emma empress girl "
    "helen jane jennifer jessica judith julia karen kate lady laura linda lisa margaret maria mary "
    "miss mother mrs ms nancy patricia princess queen rachel sarah sister susan wife woman"
)
PEOPLE = word_set(
    "actor actress artist author boy brother chancellor character composer daughter director doctor "
    "emperor father founder general girl husband inventor king leader man minister mother musician "
    "novelist officer painter person philosopher player poet politician president prince princess "
    "producer professor queen rider scientist singer sister son songwriter student teacher wife woman "
    "writer"
)
OPINIONS = word_set(
    "apologize assume believe feel find guess have hope know need recommend see suggest suppose think "
    "understand want"
)
