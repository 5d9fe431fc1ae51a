import pytest

from refchecker.cli.progress import Progress


@pytest.mark.parametrize(
    ("quiet", "shown"),
    [
        (False, ["3 of 10 records", "3 of 10 records, 2 retrying, last for rate_limit", "3 of 10 records"]),
        (True, []),
    ],
)
def test_what_is_retried_is_shown_beside_the_records(quiet, shown, capsys, monkeypatch):
    monkeypatch.setattr("refchecker.cli.progress.PLAIN_PROGRESS_SECONDS", 0.0)
    with Progress(quiet=quiet) as progress:
        progress(3, 10)
        progress.note("2 retrying, last for rate_limit")
        progress.note("")
    assert capsys.readouterr().err.splitlines() == shown
