"""Turns game files into a site of plain files (or one file) that opens by double click, without a network."""

from site_builder.branding import Branding, read_branding
from site_builder.errors import SiteError
from site_builder.site import plan_report, plan_site
from site_builder.writer import write_report, write_site

__all__ = ["Branding", "SiteError", "plan_report", "plan_site", "read_branding", "write_report", "write_site"]
