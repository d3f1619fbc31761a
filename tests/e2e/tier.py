"""How much a test does: less at every change, more before a release (NEAP_RELEASE=1, set by scripts/release-check)."""

import os

RELEASE = os.environ.get("NEAP_RELEASE") == "1"


def often(at_a_change, before_a_release):
    return before_a_release if RELEASE else at_a_change
