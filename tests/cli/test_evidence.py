"""Documents as evidence, on the command line: what was found is told and shown again."""


def test_what_was_looked_up_is_told_and_stays(moot, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "fees.md").write_text("Museums live on fees.\n")
    asked = ("ask", "Museums should be free.", "--protocol", "essay-plan")
    given = (*asked, "--model", "simulated", "--set", f"evidence={docs}")
    code, out, err = moot(*given)
    assert code == 0, err
    assert "looked up in the documents: Museums should be free.  [1 found]" in err
    run = out.rpartition("moot show ")[2].split()[0]
    code, out, _ = moot("show", run)
    assert code == 0
    assert "looked up in the documents: Museums should be free." in out
    assert "[1] fees.md:1" in out
    code, _, err = moot(*asked, "--model", "simulated", "--set", f"evidence={docs}-gone")
    assert code != 0
    assert f"evidence = '{docs}-gone': there is no such folder" in err.replace("\n", " ")
