"""Viewpoints: people with a stake in almost any proposition, for writers that are simulated."""

from typing import NamedTuple


class Viewpoint(NamedTuple):
    """Somebody who argues, and about what.

    Attributes:
        who: the person, as a persona is described.
        stake: what is at stake for them: it stands after "touches" and before "suffers".
        because: why it matters, as a sentence.
        example: where it shows, as a sentence.
    """

    who: str
    stake: str
    because: str
    example: str


VIEWPOINTS = (
    Viewpoint(
        "a nurse who works nights on a hospital ward",
        "the health of people who have nobody to speak for them",
        "Whoever falls ill first has the least strength to object.",
        "On a ward at three in the morning, a rule is worth what one tired person can make of it.",
    ),
    Viewpoint(
        "the owner of a corner shop with two employees",
        "the income of small businesses",
        "Large firms hire somebody to deal with a new rule, and small ones lose a day to it.",
        "A bakery that closes for lack of an afternoon's trade does not open again.",
    ),
    Viewpoint(
        "a teacher at a village school",
        "what children learn outside their books",
        "Children copy what adults do and hardly ever what adults decree.",
        "A class that runs its own library argues about fairness every week.",
    ),
    Viewpoint(
        "a retired judge",
        "the equal treatment of everybody before the law",
        "An exception that is made for a good reason is soon claimed for a bad one.",
        "Courts spend years on the meaning of a clause that was written in an hour.",
    ),
    Viewpoint(
        "a marine biologist",
        "rivers, coasts and everything that lives in them",
        "Damage to a habitat is done in a season and mended in a century.",
        "Where eelgrass was cleared for a marina, the young fish never came back.",
    ),
    Viewpoint(
        "a daughter who looks after her father at home",
        "families that care for somebody without being paid",
        "Unpaid work appears in no budget, so that nobody notices when more of it is asked.",
        "She has already given up a job, and each new form takes another evening.",
    ),
    Viewpoint(
        "a developer of free software",
        "privacy and the control that people have over their own data",
        "Records that exist are used in the end, whatever they were collected for.",
        "A leaked list of addresses cannot be called back by any apology.",
    ),
    Viewpoint(
        "an economist at a trade union",
        "the wages of people who cannot easily change their employer",
        "Burdens travel along a chain of contracts until they reach somebody who cannot refuse.",
        "In warehouses a cost at the top becomes a faster shift at the bottom.",
    ),
    Viewpoint(
        "the mayor of a town that young people leave",
        "places far away from the capital",
        "What is reasonable where buses run every ten minutes may be absurd where none runs.",
        "The last clinic in the valley closed after a reform that worked well in the city.",
    ),
    Viewpoint(
        "a historian of public morals",
        "the lessons of earlier attempts at the same thing",
        "Societies forget why a measure was given up and then meet the reason again.",
        "Prohibitions of the last century left behind a trade that outlived them.",
    ),
    Viewpoint(
        "a student in the first year at a university",
        "the chances of a generation that pays for what it did not decide",
        "Those who will live longest with a decision have the smallest share in it.",
        "A debt that looks modest in a budget is a third of a young tenant's income.",
    ),
    Viewpoint(
        "an imam who visits a prison",
        "freedom of conscience",
        "A belief that is tolerated only in private is not free.",
        "Men who may pray together on Fridays quarrel less on Saturdays.",
    ),
    Viewpoint(
        "an engineer for accessible buildings",
        "people with disabilities",
        "Whatever is designed for an average user leaves out somebody from the first day.",
        "One step at an entrance cancels every good intention behind the door.",
    ),
    Viewpoint(
        "a farmer in the third generation",
        "the supply of food and those who grow it",
        "Seasons do not wait for a regulation to be clarified.",
        "In a wet spring, a week of waiting for a permit is the whole harvest.",
    ),
    Viewpoint(
        "a journalist in a country where that is dangerous",
        "open criticism of those who have power",
        "A tool that is given to a decent government is inherited by the next one.",
        "Laws against rumours have always found their first culprit at a newspaper.",
    ),
    Viewpoint(
        "a social worker in a housing estate",
        "people who live from one month to the next",
        "A fee that most do not notice decides for some whether they come at all.",
        "Families walk past a free door for years if the first visit was humiliating.",
    ),
    Viewpoint(
        "a police officer close to retirement",
        "public safety and whether rules can be enforced",
        "A rule that is broken openly every day teaches contempt for all others.",
        "Two officers for a district of forty thousand choose what they overlook.",
    ),
    Viewpoint(
        "an artist who lives on commissions",
        "culture that does not pay for itself",
        "What is new has no audience yet, and so no market.",
        "The play that a town is proud of today lost money for eleven years.",
    ),
    Viewpoint(
        "a refugee who has become a citizen",
        "trust between those who have been here long and those who have just come",
        "Suspicion that is written into a procedure is felt by everybody who has to go through.",
        "An interview with a stranger behind glass is remembered longer than any welcome.",
    ),
    Viewpoint(
        "an actuary",
        "the costs that only appear after ten years",
        "Promises are counted when they are made and paid when others are in office.",
        "Funds that were sound on paper have failed over one wrong guess about lifespans.",
    ),
    Viewpoint(
        "a coach of a youth team",
        "effort, and the sense that it leads somewhere",
        "People try hardest where the result depends on them and can be seen.",
        "A team that was given its medals stopped coming to practice.",
    ),
    Viewpoint(
        "a climate researcher",
        "the use of energy in the decades to come",
        "Habits that are built in concrete outlast every change of mind.",
        "A road that was planned for relief carried more traffic than ever within five years.",
    ),
    Viewpoint(
        "a philosopher who teaches ethics to doctors",
        "the difference between what may be asked and what may be forced",
        "A duty that nobody could refuse is no longer a sign of goodwill.",
        "Volunteers at a bedside do what no shift plan could prescribe.",
    ),
    Viewpoint(
        "a grandmother who runs a neighbourhood kitchen",
        "the ties between neighbours",
        "Help that goes through an office arrives without the conversation.",
        "Thirty people eat there on Thursdays, and ten of them come to talk.",
    ),
)
"""In an order that means nothing."""
