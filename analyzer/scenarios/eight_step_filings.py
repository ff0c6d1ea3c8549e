"""Turns addresses into the filings of invented companies: income statements whose lines add up.

Every number is a hash of where it stands, so the filings are the same in every process. Beside a company's consolidated
statement of a year there are statements of its parts (the parent company, a segment, one quarter) that look alike.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType

from analyzer.noise import unit

#: What each company is, by name. Two share each first word.
COMPANIES: Mapping[str, str] = MappingProxyType(
    {
        "Northwind Instruments": "sensor maker",
        "Northwind Ferries": "ferry operator",
        "Halden Foods": "food producer",
        "Halden Freight": "haulage company",
        "Brightmoor Software": "software house",
        "Brightmoor Paper": "paper mill",
        "Castellan Pharma": "drug developer",
        "Castellan Glass": "glassworks",
        "Orrin Steel": "steelworks",
        "Orrin Hotels": "hotel chain",
        "Tidewell Boats": "boatyard",
        "Tidewell Water": "water utility",
        "Kestrelby Optics": "lens maker",
        "Kestrelby Toys": "toy maker",
        "Lumenfield Lighting": "lamp maker",
        "Lumenfield Solar": "solar developer",
        "Pellworth Seeds": "seed grower",
        "Pellworth Tractors": "tractor maker",
        "Quarrylake Cement": "cement works",
        "Quarrylake Games": "game studio",
        "Sandmere Textiles": "weaving mill",
        "Sandmere Batteries": "battery maker",
        "Veldhart Robotics": "robot maker",
        "Veldhart Dairy": "dairy",
    }
)
YEARS = tuple(range(2018, 2024))
#: An annual report shows its year and the year before.
REPORTS = YEARS[1:]
#: What a statement covers, and about which share of the company's revenue that is.
COVERAGE: Mapping[str, float] = MappingProxyType(
    {"consolidated": 1.0, "parent company": 0.7, "largest segment": 0.5, "fourth quarter": 0.3}
)


def reports_in(company: str) -> str:
    """Return the unit of a company's statements: million or thousand (dollars)."""
    return "million" if unit("filings", company, "reports in") < 0.55 else "thousand"


@functools.cache
def statement(company: str, covers: str, year: int) -> Mapping[str, int]:
    """Return the lines of a company's income statement of a year, in thousand dollars.

    Parameters
    ----------
    company : str
        One of `COMPANIES`.
    covers : str
        One of `COVERAGE`.
    year : int
        One of `YEARS`.
    """
    # Who reports in millions prints one decimal: multiples of 100 thousand add up in print, too.
    grain = 100 if reports_in(company) == "million" else 1

    def amount(thousands: float) -> int:
        return round(thousands / grain) * grain

    def share(line: str, low: float, high: float) -> float:
        usual = unit("filings", company, line)
        that_year = unit("filings", company, line, year)
        of_the_part = unit("filings", company, line, covers)
        return low + (high - low) * (0.5 * usual + 0.3 * that_year + 0.2 * of_the_part)

    size = 400_000 * (1 + 19 * unit("filings", company, "size") ** 2) * COVERAGE[covers]
    for grown in YEARS[1 : YEARS.index(year) + 1]:
        size *= 0.92 + 0.26 * unit("filings", company, "growth", grown)
    revenue = amount(size * (0.97 + 0.06 * unit("filings", company, "revenue", covers, year)))
    cost = amount(revenue * share("cost", 0.35, 0.7))
    research = amount(revenue * share("research", 0.02, 0.12))
    selling = amount(revenue * share("selling", 0.04, 0.14))
    interest = amount(revenue * share("interest", 0.005, 0.025))
    operating = revenue - cost - research - selling
    tax = amount((operating - interest) * share("tax", 0.15, 0.3))
    return MappingProxyType(
        {
            "Revenue": revenue,
            "Cost of revenue": cost,
            "Gross profit": revenue - cost,
            "Research and development": research,
            "Selling and administration": selling,
            "Operating income": operating,
            "Interest expense": interest,
            "Income before tax": operating - interest,
            "Income tax": tax,
            "Net income": operating - interest - tax,
        }
    )


def amount_text(thousands: int, reported_in: str) -> str:
    """Return an amount as a statement in that unit prints it."""
    return f"{thousands / 1000:,.1f}" if reported_in == "million" else f"{thousands:,}"


def table_text(company: str, covers: str, year: int) -> str:
    """Return a statement as an annual report prints it: a head, then a row a line for its year and the year before."""
    reported_in = reports_in(company)
    this, before = statement(company, covers, year), statement(company, covers, year - 1)
    head = f"{company}, annual report {year}, income statement ({covers}), USD {reported_in}"
    rows = [
        f"{line} | {amount_text(this[line], reported_in)} | {amount_text(before[line], reported_in)}" for line in this
    ]
    return "\n".join((head, f"Line | {year} | {year - 1}", *rows))
