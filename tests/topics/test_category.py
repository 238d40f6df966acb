from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.topics.category import KEYS, Category, CategoryError, parse_category


def parse(toml: str, name: str = "ocean") -> Category:
    return parse_category(name, toml, "ocean.toml")


def test_five_lines_make_a_topic() -> None:
    category = parse(
        """
        title = "The oceans"
        words = ["Oceans", "coral reef", "fishing"]
        seeds = ["https://news.example.org/oceans", "http://127.0.0.1:8801/"]
        domains = ["Example.org"]
        threshold = 0.08
        """
    )
    assert category == Category(
        name="ocean",
        title="The oceans",
        terms={"ocean": 1.0, "coral": 1.0, "reef": 1.0, "fish": 1.0},
        seeds=("https://news.example.org/oceans", "http://127.0.0.1:8801/"),
        domains=("example.org",),
        threshold=0.08,
        origin="ocean.toml",
    )


def test_a_category_is_a_frozen_record() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        parse('terms = ["x"]').name = "other"  # type: ignore[misc]


def test_terms_are_stems_and_stay_as_written() -> None:
    assert dict(parse('terms = ["diseas", "basebal"]').terms) == {"diseas": 1, "basebal": 1}


def test_tables_carry_weights_and_terms_win_over_words() -> None:
    category = parse("words = {oceans = 2, tide = 0.5}\nterms = {ocean = 3}")
    assert dict(category.terms) == {"ocean": 3.0, "tide": 0.5}


def test_words_in_two_grades() -> None:
    category = parse(
        """
        strong = [
            "oceans coral", # several to a string
            "reef",
        ]
        usual = ["boat corals"]
        contrast = true
        """
    )
    assert dict(category.vocabulary) == {"ocean": 1.0, "coral": 1.0, "reef": 1.0, "boat": 0.5}
    assert category.terms == category.vocabulary
    assert category.contrast
    beside = parse('terms = ["sea"]\nusual = ["boat"]')
    assert (dict(beside.terms), dict(beside.vocabulary)) == ({"sea": 1.0}, {"boat": 0.5})
    assert not beside.contrast


def test_defaults() -> None:
    category = parse(
        'terms=["x"]\nseeds=["https://a.org/1","https://a.org/2","http://b.org:81/"]', "deep-sea"
    )
    assert category.title == "Deep sea"
    assert category.domains == ("a.org", "b.org:81")
    assert category.threshold is None
    assert parse('terms = ["x"]').seeds == ()


@pytest.mark.parametrize(
    ("toml", "key", "remedy"),
    [
        ('terms = ["x"]\nseed = []', "seed", "did you mean 'seeds'?"),
        ('terms = ["x"]\nqqq = 1', "qqq", "use one of title, terms"),
        ('"q\\nq" = 1', "'q\\nq'", "use one of title, terms"),
        ("", "terms", "the vector is empty"),
        ("terms = []\nwords = []", "terms", "the vector is empty"),
        ('terms = "x"', "terms", "neither a list nor a table"),
        ("terms = [1]", "terms", "put it in quotes"),
        ('terms = ["coral reef"]', "terms", "under 'words'"),
        ('terms = [""]', "terms", "under 'words'"),
        ('words = ["the"]', "words", "stop word"),
        ("words = {x = true}", "words", "no number above 0"),
        ("words = {ocean = 0}", "words", "no number above 0"),
        ("terms = {ocean = nan}", "terms", "no number above 0"),
        ('terms = ["x"]\nseeds = ["ftp://a.org/"]', "seeds", "https://www.example.org"),
        ('terms = ["x"]\nseeds = ["www.bbc.com"]', "seeds", "no URL"),
        ('terms = ["x"]\nseeds = ["http://"]', "seeds", "no URL"),
        ('terms = ["x"]\nseeds = ["http://a.org:port/"]', "seeds", "no URL"),
        ('terms = ["x"]\nseeds = ["http://[::1/"]', "seeds", "no URL"),
        ('terms = ["x"]\nseeds = "http://a.org/"', "seeds", "square brackets"),
        ('terms = ["x"]\ndomains = ["https://a.org"]', "domains", "no host name"),
        ('terms = ["x"]\ndomains = ["a.org/news"]', "domains", "no host name"),
        ('terms = ["x"]\ndomains = ["*.a.org"]', "domains", "subdomains are included"),
        ('terms = ["x"]\ndomains = [""]', "domains", "no host name"),
        ('terms = ["x"]\ntitle = 3', "title", "no text"),
        ('terms = ["x"]\ntitle = " "', "title", "no text"),
        ('terms = ["x"]\nthreshold = "high"', "threshold", "up to 1"),
        ('terms = ["x"]\nthreshold = 0', "threshold", "up to 1"),
        ('terms = ["x"]\nthreshold = 5', "threshold", "up to 1"),
        ('terms = ["x"]\nthreshold = true', "threshold", "up to 1"),
        ('strong = "ocean coral"', "strong", "square brackets"),
        ("usual = {ocean = 1}", "usual", "no list"),
        ('usual = ["boat", 3]', "usual", "put it in quotes"),
        ('strong = ["coral the reef"]', "strong", "'the' is a stop word"),
        ('usual = ["coral & reef"]', "usual", "has no letters; take it out"),
        ('words = ["tide"]\nusual = ["boat"]', "words", "stands beside strong or usual"),
        ('terms = ["x"]\ncontrast = 1', "contrast", "write contrast = true"),
        ('terms = ["x"', "not valid TOML", "mend that line"),
    ],
)
def test_mistakes_name_file_key_and_remedy(toml: str, key: str, remedy: str) -> None:
    with pytest.raises(CategoryError) as caught:
        parse(toml)
    message = str(caught.value)
    assert message.startswith(f"ocean.toml: {key}: ")
    assert remedy in message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["", "Ocean", "a b", "../x", "océan", "a\n"])
def test_names_are_plain(name: str) -> None:
    with pytest.raises(CategoryError, match=r"name: .* is no category name"):
        parse('terms = ["x"]', name)


values = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", min_size=1), inner),
    max_leaves=5,
)


def as_toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(char):08x}" for char in value) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {as_toml(one)}" for key, one in value.items()) + "}"
    return repr(value)


@given(st.dictionaries(st.sampled_from([*KEYS, "tilte"]), values) | st.text())
def test_anything_is_a_category_or_one_clear_line(content: dict[str, object] | str) -> None:
    if isinstance(content, dict):
        content = "\n".join(f"{key} = {as_toml(value)}" for key, value in content.items())
    message = ""
    try:
        assert all(weight > 0 for weight in parse(content).terms.values())
    except CategoryError as error:
        message = str(error)
    assert message == "" or message.startswith("ocean.toml: ")
    assert "\n" not in message
