"""Turn worth tables into numbers, an order, and words: the attribution rules.

Every rule is a pure function with a twin of the same name in ``static/js/rules``. Both give the same bits;
the vectors under ``tests/vectors`` hold them to it.
"""

from analyzer.rules.banzhaf import banzhaf
from analyzer.rules.best_fix_sets import BestFixSet, best_fix_sets
from analyzer.rules.betting import betting_interval, capital
from analyzer.rules.fix_alone import fix_alone
from analyzer.rules.harsanyi_dividends import harsanyi_dividends
from analyzer.rules.isolated import isolated
from analyzer.rules.last_touch import last_touch
from analyzer.rules.leave_one_out import leave_one_out
from analyzer.rules.mean_and_deviation import mean_and_deviation
from analyzer.rules.minimal_repairs import minimal_repairs
from analyzer.rules.necessity import necessity
from analyzer.rules.number_text import number_text
from analyzer.rules.rank import rank
from analyzer.rules.repair_level import repair_level
from analyzer.rules.separation import Separation, separation
from analyzer.rules.set_outcome import set_outcome
from analyzer.rules.shapley import shapley
from analyzer.rules.shapley_interaction import shapley_interaction
from analyzer.rules.share_of_repair import share_of_repair
from analyzer.rules.sufficiency import sufficiency
from analyzer.rules.verdict import Verdict, verdict
from analyzer.rules.worth import BadTable, MissingWorth, NotFinite, TableTooLarge

__all__ = [
    "BadTable",
    "BestFixSet",
    "MissingWorth",
    "NotFinite",
    "Separation",
    "TableTooLarge",
    "Verdict",
    "banzhaf",
    "best_fix_sets",
    "betting_interval",
    "capital",
    "fix_alone",
    "harsanyi_dividends",
    "isolated",
    "last_touch",
    "leave_one_out",
    "mean_and_deviation",
    "minimal_repairs",
    "necessity",
    "number_text",
    "rank",
    "repair_level",
    "separation",
    "set_outcome",
    "shapley",
    "shapley_interaction",
    "share_of_repair",
    "sufficiency",
    "verdict",
]
