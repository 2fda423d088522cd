"""What models write, as HTML: Markdown, code, tables and LaTeX; nothing hostile becomes active."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.reports.reply_html import LONGEST, render_line, render_reply
from support.server import NASTY, Seen, harmless

OPEN_ENDED = [
    "[", "![", "*a ", "> ", "- ", "`", "`a``b", r"\(", "$a ", "$$", "_*", "a**b", "[a](b", "<",
    "\\[\n", "$$\n", "~~", "[a](<b", "\n", "x\n", "* a\n", "&", "$x$", "](", "[[a](", "**a*",
    "\\begin{align}\n", "|a|b|\n|-|-|\n", "\\[\n\\]x\n", r"\(\frac12\)", "  - a\n",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("So **it is**.", "<strong>it is</strong>"),
        ("- one\n- two", "<li>two</li>"),
        ("# Result", '<p class="heading">Result</p>'),
        ("one\ntwo", "one<br />\ntwo"),
        ("`a < b`", "<code>a &lt; b</code>"),
        ("```python\nx < 1\n```", 'data-language="python"><code>x &lt; 1\n</code></pre>'),
        ("|a|b|\n|-|-|\n|1|2|", "<td>2</td>"),
        ("|a|b|\n|:-:|-:|\n|1|2|", '<td class="center">1</td>\n<td class="right">2</td>'),
        (r"so \(x^2\) is", "<msup><mi>x</mi><mn>2</mn></msup>"),
        ("so $x^2$ is", "<msup><mi>x</mi><mn>2</mn></msup>"),
        ("We get\n\\[\nx\n- 3 = 1\n\\]\nand", '<math display="block">'),
        ("$$\\frac{1}{2}$$", "<mfrac>"),
        ("\\begin{align*}\na &= b\n\\end{align*}", "<mtable"),
        (r"Final answer: $\boxed{8}$", '<mrow class="boxed"><mrow><mn>8</mn>'),
        ("$50% of x$", "<mi>%</mi><mi>o</mi>"),
        ("see [it](https://example.org/a)", "</a> <small>(example.org)</small>"),
    ],
)
def test_what_is_formatted_is_shown_so(text, html):
    assert html in render_reply(text)


@pytest.mark.parametrize(
    "text",
    [
        "2*3*4 = 24 and 2**3 = 8", "it costs $5 and $10, or $5-$10", "a_b_c and snake_case",
        "[note]: http://example.org", r"\(\newcommand{\a}{\b\b}\a\)", r"\(\frac\)",
        r"\(\text{unclosed\)", "[click](javascript:alert(1))", "[click](data:text/html,x)",
        "the sum of $1 and 2$3",
    ],
)  # fmt: skip
def test_what_is_no_formatting_stays_as_it_was_written(text):
    assert text in "".join(Seen(str(render_reply(text))).text)


@pytest.mark.parametrize(
    "text",
    [
        NASTY, f"```{NASTY}\n{NASTY}\n```", f"| {NASTY} |\n|-|\n| {NASTY} |",
        f"[{NASTY}](https://example.org/{NASTY})", f"![{NASTY}](https://example.org/x.png)",
        r"$\text{<script>alert(1)</script>}$",
        r"$\href{javascript:alert(1)}{x} \style{color:red}{x} \class{a}{x} \color{red}{x}$",
        r"$\text{<img src=x onerror=alert(1)>}$ $&lt;script&gt;$",
        r"$\begin{array}{c}<svg onload=alert(1)>\end{array}$",
        "<https://example.org/'onmouseover='alert(1)>", '[a](https://example.org/"onclick="x)',
        '```js" onclick="x\n1\n```',
    ],
)  # fmt: skip
def test_nothing_hostile_becomes_active(text):
    harmless(render_reply(text))


@given(st.text(alphabet=st.sampled_from(list("<>&\"'`$\\[]()!*_|-{}\n ax/:%^~#1")), max_size=60))
def test_no_text_becomes_an_element_that_is_not_formatting(text):
    html = str(render_reply(text))
    harmless(html)
    formatting = {
        "a", "blockquote", "br", "code", "del", "div", "em", "hr", "li", "ol", "p", "pre", "small",
        "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul", "math",
    }  # fmt: skip
    elements = {each for each in Seen(html).elements if not each.startswith("m")}
    assert elements <= formatting
    if not {"\\", "`", "~"} & {*text}:  # names of languages and of commands are no text
        assert [e for e in "".join(Seen(html).text) if e in "ax1"] == [
            e for e in text if e in "ax1"
        ]


def test_too_deep_or_too_long_is_shown_as_it_was_written():
    for text in (">" * 100 + " deep", "x " * LONGEST, "[" * 5_000, "{" * 900):
        html = str(render_reply(text))
        assert text.strip() in "".join(Seen(html).text)
    deep = f"${'{' * 300}x{'}' * 300}$"
    assert deep in "".join(Seen(str(render_reply(deep))).text)


@pytest.mark.parametrize("part", OPEN_ENDED)
def test_no_text_takes_long(part):
    text = (part * LONGEST)[:LONGEST]
    began = process_time()
    render_reply(text)
    assert process_time() - began < 1


def test_of_a_question_only_the_formulas_are_formatted():
    line = str(render_line("Is *this* $x^2 < 4$, [or](https://a.example) <b>?\n\n- so"))
    assert line.startswith("Is *this* <math")
    assert line.endswith("</math>, [or](https://a.example) &lt;b&gt;?\n\n- so")
    for text in (NASTY, rf"{NASTY} $\text{{<script>}}$"):
        harmless(str(render_line(text)))
