"""Other languages: the words by which a reply says "the answer is" in French, Chinese and so on.

Only this statement is known in them; other sentences are read in English.
"""

import re
from collections.abc import Iterator

from moot.core.questions import Question
from moot.parsing.kinds import read
from moot.parsing.statements import ANSWER, FINAL, Statement

_ASCII_WORDS = "antwort", "antwoord", "respuesta", "resposta", "risposta", "reponse", "odpowied"
_MARKED = re.compile(
    r"(?:(?<!\w)(?:la |ma |sa |die |meine |mi |a |minha |het |mijn )?"
    r"(?:(?P<before>bonne|richtige|korrekte|endgültige|finale|juiste|правильный|окончательный"
    r"|poprawna|doğru)[ ])?"
    r"(?:r[ée]ponse|antwort|antwoord|respuesta|resposta|risposta|ответ|odpowied[źz]|cevap"
    r"|đáp án|الجواب|الإجابة|उत्तर)"
    r"(?P<after> (?:finale?|correct[ae]|corretta|exacte|esatta|correta|là|الصحيحة|النهائية))?"
    r"(?: ?[:=—–-]| est| ist| lautet| es| é| è| is| to| là| هي| هو| है)"
    r"|(?P<final>最终|最後の|最終的な|最終|최종 ?)?(?:正确|正確な)?"
    r"(?:答案|选项|答え|正解|回答|解答|정답|답변?|답안)(?: ?[:：]|是|为|為|は|은|는| ?=))"
    r"[ :\"(（「]*(?:la |le |die |el |o |选项? ?|选择 ?|option )?"
)
_GLUED = re.compile(
    r"(?<=[A-Za-z0-9)%])(?=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])|[。．](?=\D|$)"
)
_VERDICTS = {
    **dict.fromkeys(
        ["vrai", "oui", "wahr", "richtig", "ja", "verdadero", "verdadeira", "sí", "vero", "sim",
         "正确", "对", "是", "真", "はい", "正しい", "참", "예", "да", "верно", "صحيح", "نعم"],
        "true",
    ),
    **dict.fromkeys(
        ["faux", "non", "falsch", "nein", "falso", "falsa", "não", "错误", "错", "否", "假", "不是",
         "いいえ", "偽", "거짓", "아니요", "нет", "неверно", "خطأ", "لا"],
        "false",
    ),
}  # fmt: skip
_WORD = re.compile(r"[^\s\d.,;:!?。、\"')]+")
_REACH = 60


def find_in_other_languages(said: str, low: str, question: Question) -> Iterator[Statement]:
    """Find answers under the words for "the answer is" in other languages than English."""
    if low.isascii() and not any(word in low for word in _ASCII_WORDS):
        return
    for marker in _MARKED.finditer(low):
        phrase = _GLUED.sub(" ", said[marker.end() : marker.end() + _REACH].partition("\n")[0])
        value = read(phrase, question)
        if value is None and question.kind == "boolean" and (word := _WORD.match(phrase)):
            value = _VERDICTS.get(word[0].lower())
        if value is not None:
            rank = FINAL if marker["final"] or "final" in marker[0] else ANSWER
            yield Statement(marker.start(), marker.end() + 1, value, rank)
