"""Turn worth tables into numbers, an order, and words: the attribution rules.

Every rule is a pure function with a twin of the same name in ``static/js/rules``. Both give the same bits;
the vectors under ``tests/vectors`` hold them to it.
"""

from analyzer.rules.fix_alone import fix_alone
from analyzer.rules.last_touch import last_touch
from analyzer.rules.leave_one_out import leave_one_out
from analyzer.rules.number_text import number_text
from analyzer.rules.rank import rank
from analyzer.rules.repair_level import repair_level
from analyzer.rules.set_outcome import set_outcome
from analyzer.rules.shapley import shapley
from analyzer.rules.verdict import Verdict, verdict
from analyzer.rules.worth import BadTable, MissingWorth, NotFinite, TableTooLarge

__all__ = [
    "BadTable",
    "MissingWorth",
    "NotFinite",
    "TableTooLarge",
    "Verdict",
    "fix_alone",
    "last_touch",
    "leave_one_out",
    "number_text",
    "rank",
    "repair_level",
    "set_outcome",
    "shapley",
    "verdict",
]
