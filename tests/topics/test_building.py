from __future__ import annotations

import tomllib
from math import log
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.relevance.thresholds import Threshold
from focuscrawl.semantics.expansion import Expansion
from focuscrawl.text import stems
from focuscrawl.topics.building import (
    BuildingError,
    SeedPage,
    Term,
    build_terms,
    phrases,
    seed_page,
    seed_threshold,
)
from focuscrawl.topics.catalog import load_category
from focuscrawl.topics.writing import Draft, as_category, as_toml, write_whole

SHORE = "bank: sloping land beside a river"
MONEY = "bank: an institution that accepts deposits"
KNOWN = {
    "bank": [
        Expansion("riverside", "synonym", 1.0, SHORE),
        Expansion("waterside", "hyponym", 0.9, SHORE),
        Expansion("lender", "synonym", 1.0, MONEY),
        Expansion("acquirer", "hyponym", 0.8, MONEY),
        Expansion("Rothschild", "hyponym", 0.8, MONEY),
        Expansion("credit union", "hyponym", 0.8, MONEY),
        Expansion("institution", "hypernym", 0.9, MONEY),
        Expansion("accepts", "definition", 0.9, MONEY),
    ],
    "coral reef": [Expansion("atoll", "hyponym", 0.9, "coral reef: a reef of coral")],
    "coral": [Expansion("madrepore", "hyponym", 0.9, "coral: a polyp")],
}


def expand(word: str) -> list[Expansion]:
    return KNOWN.get(word, [])


def page(text: str, name: str = "p") -> SeedPage:
    return seed_page(name, f"<p>{text}</p>")


def words_of(terms: list[Term]) -> dict[str, float]:
    return {term.word: term.weight for term in terms}


def why(terms: list[Term], word: str) -> str:
    return next(term.why for term in terms if term.word == word)


def test_words_come_apart_at_commas_and_keep_their_phrases() -> None:
    assert phrases("Coral reef, OCEAN,, the, ocean") == ["coral reef", "ocean"]


@pytest.mark.parametrize("text", ["", " , ", "the of", "42"])
def test_words_that_say_nothing_are_refused(text: str) -> None:
    with pytest.raises(BuildingError, match="holds no word that tells a topic; write --words"):
        phrases(text)


def test_a_phrase_that_wordnet_knows_is_looked_up_whole() -> None:
    terms = build_terms(["coral reef"], expand, [], 60)
    assert words_of(terms) == {"coral": 1.0, "reef": 1.0, "atoll": 0.45}
    assert why(terms, "coral") == "one of the words"
    assert why(terms, "atoll") == "kind of coral reef (WordNet)"


def test_a_phrase_that_wordnet_does_not_know_is_looked_up_by_words() -> None:
    terms = build_terms(["coral divers"], expand, [], 60)
    assert words_of(terms) == {"coral": 1.0, "divers": 1.0, "madrepore": 0.45}


def test_without_pages_all_meanings_stay_but_no_names_phrases_or_wider_terms() -> None:
    terms = build_terms(["bank"], expand, [], 60)
    assert words_of(terms) == {
        "bank": 1.0, "lender": 0.5, "riverside": 0.5, "waterside": 0.45, "acquirer": 0.4,
    }  # fmt: skip


def test_without_pages_the_other_words_choose_the_meaning() -> None:
    assert set(words_of(build_terms(["bank", "river"], expand, [], 60))) == {
        "bank", "river", "riverside", "waterside",
    }  # fmt: skip


def test_pages_choose_the_meaning_and_halve_what_they_do_not_use() -> None:
    pages = [page("The bank, a lender, takes deposits. The lender pays.")]
    terms = build_terms(["bank"], expand, pages, 60)
    assert "riverside" not in words_of(terms)
    assert words_of(terms)["acquirer"] == 0.2
    assert why(terms, "acquirer") == "kind of bank (WordNet); on no seed page"
    assert words_of(terms)["lender"] == 0.8
    assert why(terms, "lender") == "synonym of bank (WordNet); in 1 of 1 seed page, 2 times"


def test_pages_that_bear_out_no_meaning_leave_all_of_them_out() -> None:
    assert words_of(build_terms(["bank"], expand, [page("Zebras graze")], 60)) == {"bank": 1.0}


def test_page_terms_weigh_by_frequency_and_rarity() -> None:
    pages = [
        page("polyps polyps polyps water water water lagoon"),
        page("polyps polyps polyps water water water lagoons lagoons"),
        page("polyp polyps polyps water water water sponge sponge"),
    ]
    terms = build_terms(["fish"], expand, pages, 60)
    lagoon = 0.8 * (log(2) + log(3)) / 3 / log(4)
    assert words_of(terms) == {
        "fish": 1.0, "polyps": 0.8, "lagoons": round(lagoon, 2), "water": 0.2,
    }  # fmt: skip
    assert why(terms, "fish") == "one of the words; on no seed page"
    assert why(terms, "polyps") == "in 3 of 3 seed pages, 9 times; rare in common English"
    assert why(terms, "water") == "in 3 of 3 seed pages, 9 times; common English"


def test_names_weigh_as_little_as_common_english() -> None:
    terms = build_terms(["fish"], expand, [page("Orrin polyps HIV Polyps Orrin HIV")], 60)
    assert words_of(terms) == {"fish": 1.0, "hiv": 0.8, "polyps": 0.8, "orrin": 0.2}
    assert why(terms, "orrin") == "in 1 of 1 seed page, 2 times; written as a name"


def test_menus_give_no_terms() -> None:
    text = "The reef is home to polyps, and polyps feed on what the warm water brings them."
    menu = "<nav><a href=/a>Subscribe</a> <a href=/b>Subscribe</a></nav>"
    found = seed_page(
        "p", f"<html><head><title>Reef</title></head><body>{menu}<p>{text}</p></body></html>"
    )
    assert "subscrib" in found.counts
    assert set(words_of(build_terms(["reef"], expand, [found], 60))) == {"reef", "polyps"}


def test_the_limit_cuts_the_lightest_but_never_a_given_word() -> None:
    assert list(words_of(build_terms(["bank"], expand, [], 2))) == ["bank", "lender"]
    assert list(words_of(build_terms(["bank", "loan"], expand, [], 1))) == ["bank", "loan"]


def draft(*terms: Term, **others: object) -> Draft:
    words = terms or (Term("coral", "coral", 1.0, "one of the words"),)
    return Draft("coral", words, **{"seeds": ["http://a.example/x"], **others})  # type: ignore[arg-type]


def test_the_threshold_is_that_of_the_first_phase() -> None:
    category = as_category(draft(), "coral.toml")
    near, far = page("coral " * 3 + "and sponge"), page("zebra")
    found = seed_threshold(category, {}, [near])
    assert found == Threshold(0.14, "mean − deviation, within 0.042..0.14, of 1 seed pages", 0.14)
    assert seed_threshold(category, {}, [far]) is None
    assert seed_threshold(category, {}, []) is None
    mean = seed_threshold(category, {}, [near], "weighted", "mean")
    assert mean is not None
    assert mean.value == pytest.approx((3 / 4) ** 0.5)


def test_the_file() -> None:
    whole = draft(
        Term("coral", "coral", 1.0, "one of the words"),
        Term("récif", "récif", 0.25, "in 2 of 2 seed pages, 3 times"),
        seeds=["http://a.example/x", "http://b.example:81/"],
        threshold=Threshold(0.0712, "mean of 1 seed pages", 0.0712),
        unread={"http://b.example:81/"},
    )
    assert as_toml(whole) == (
        'title = "Coral"\n\n'
        'seeds = [\n    "http://a.example/x",\n'
        '    "http://b.example:81/",  # gave no page when this file was made\n]\n'
        'domains = ["a.example", "b.example:81"]\n\n'
        "# mean of 1 seed pages\nthreshold = 0.0712\n\n"
        "# Each word's weight, and why it is here.\n[words]\n"
        "coral = 1.0  # one of the words\n"
        '"récif" = 0.25  # in 2 of 2 seed pages, 3 times\n'
    )
    category = as_category(whole, "coral.toml")
    assert category.terms == {"coral": 1.0, "récif": 0.25}
    assert category.threshold == 0.0712


def test_a_file_without_pages_says_where_the_threshold_comes_from() -> None:
    text = as_toml(draft(seeds=[]))
    assert "# threshold: left out, the first crawl finds it from the seed pages\n" in text
    assert tomllib.loads(text)["seeds"] == []


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=3))
def test_whatever_stands_on_the_pages_the_file_loads_as_meant(words: str, texts: list[str]) -> None:
    try:
        given_words = phrases(words)
    except BuildingError:
        return
    pages = [page(text.replace("<", " ")) for text in texts]
    terms = build_terms(given_words, expand, pages, 20)
    category = as_category(draft(*terms), "coral.toml")
    assert category.terms == {term.stem: term.weight for term in terms}
    assert all(stems(term.word) == [term.stem] for term in terms)


def test_a_file_is_written_whole_and_not_over_another(tmp_path: Path) -> None:
    path = tmp_path / "coral.toml"
    write_whole(path, as_toml(draft()), overwrite=False)
    assert load_category(path).seeds == ("http://a.example/x",)
    with pytest.raises(BuildingError, match="is there already"):
        write_whole(path, "", overwrite=False)
    assert load_category(path).name == "coral"
    write_whole(path, "words = ['a1b']", overwrite=True)
    assert list(tmp_path.iterdir()) == [path]
