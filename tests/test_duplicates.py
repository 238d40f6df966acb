from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.duplicates import FEWEST_WORDS, prose, text_digest

STORY = "The council voted on Monday to close the old bridge"


def test_spacing_and_case_do_not_matter() -> None:
    assert text_digest(STORY) == text_digest(f"\n {STORY.upper().replace(' ', '  ')}\t")
    assert len(text_digest(STORY)) == 32


def test_one_other_word_or_another_order_makes_another_text() -> None:
    digests = {
        text_digest(STORY),
        text_digest(STORY.replace("Monday", "Tuesday")),
        text_digest(" ".join(reversed(STORY.split()))),
    }
    assert len(digests) == 3


def test_pages_with_hardly_any_text_are_no_duplicates() -> None:
    assert text_digest("") == ""
    assert text_digest("word " * (FEWEST_WORDS - 1)) == ""
    assert text_digest("word " * FEWEST_WORDS) != ""


def test_text_that_cannot_be_encoded_has_a_digest() -> None:
    assert text_digest(f"{STORY} \ud800")


@given(st.lists(st.sampled_from("abcd"), min_size=FEWEST_WORDS), st.data())
def test_equal_words_equal_digest(words: list[str], data: st.DataObject) -> None:
    gaps = data.draw(st.lists(st.sampled_from(" \n\t"), min_size=len(words), max_size=len(words)))
    spaced = "".join(word + gap for word, gap in zip(words, gaps, strict=True))
    assert text_digest(spaced) == text_digest(" ".join(words))


PARAGRAPHS = [
    "The council voted on Monday evening to close the old bridge over the river for repairs.",
    "Drivers will have to take the long way round by the mill until the end of next spring.",
    'The mayor called it "a bitter pill, and one that the whole town will have to swallow."',
]


def test_a_story_is_the_same_under_another_byline_and_footer() -> None:
    here = ["Harbour Herald", "Monday 5 January", *PARAGRAPHS, "Print this page"]
    there = [
        "By Ann Other | Society | 5 January | Share this | Print | Save for later",
        *PARAGRAPHS,
    ]
    assert prose("\n".join(here)) == prose("\n".join(there)) == "\n".join(PARAGRAPHS)


def test_a_list_of_headlines_is_compared_whole() -> None:
    headlines = [f"Headline number {number} of the day" for number in range(30)]
    page = "\n".join([*headlines, *PARAGRAPHS])
    assert prose(page) == page


def test_a_few_words_of_prose_are_not_enough() -> None:
    page = f"Gallery\n{PARAGRAPHS[0]}\nPicture 1 of 9"
    assert prose(page) == page
