"""The page of `fxrules apply --html`, in a browser without a window.

    browser_test.py FXRULES SOURCE_FOLDER

Ends with 77, which ctest reads as skipped, where there is no Chromium.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
DRIVER = (Path(__file__).parent / "drive.js").read_text(encoding="utf-8")


def browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return None


def make_page(fxrules, rules, graph, page, *options):
    subprocess.run([fxrules, "apply", *rules, graph, "-o", os.devnull, "--html", page, *options], check=True)
    return Path(page).read_text(encoding="utf-8")


def check_alone(page):
    """Nothing is fetched: no address but the name of SVG's elements, no sources, no imports."""
    addresses = set(re.findall(r"https?://[^\s\"'<>)]+", page)) - {"http://www.w3.org/2000/svg"}
    assert not addresses, addresses
    assert not re.search(r"\b(src|href)=|@import|url\(", page)


def without_times(page):
    return re.sub(r'(<script type="application/json" id="times">).*', r"\1", page)


def see(chromium, page, folder):
    """What the driver saw on the page."""
    driven = Path(folder) / "driven.html"
    driven.write_text(page.replace("</body>", f"<script>\n{DRIVER}</script>\n</body>"), encoding="utf-8")
    ran = subprocess.run(
        [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         f"--user-data-dir={folder}/profile", "--window-size=1600,1000", "--virtual-time-budget=20000", "--dump-dom",
         driven.as_uri()],
        capture_output=True, text=True, timeout=240, check=False)
    found = re.search(r'<pre id="seen">(.*?)</pre>', ran.stdout, re.S)
    assert found, f"the page did not come to its end\n{ran.stderr[-2000:]}\n{ran.stdout[-2000:]}"
    seen = json.loads(html.unescape(found.group(1)))
    assert "error" not in seen, seen["error"]
    return seen


def small_graph(folder):
    rules, graph = Path(folder) / "my.rules", Path(folder) / "graph.txt"
    rules.write_text("# Two of them are one.\ndouble:\n  relu(r @ relu(_)) => r\n\nphase last\nsmooth: neg(tanh(x)) => sigmoid(x)\n",
                     encoding="utf-8")
    lines = ["graph():", "    %x : [num_users=1] = placeholder[target=x]"]
    last = "x"
    for name, op in (("a", "relu"), ("b", "relu"), ("c", "tanh"), ("d", "neg"), ("e", "exp")):
        lines.append(f"    %{name} : [num_users=1] = call_function[target=torch.{op}](args = (%{last},), kwargs = {{}})")
        last = name
    graph.write_text("\n".join(lines) + f"\n    return {last}\n", encoding="utf-8")
    return [str(rules)], str(graph)


def large_graph(folder, nodes=5000):
    graph = Path(folder) / "large.txt"
    lines = ["graph():", "    %x : [num_users=1] = placeholder[target=x]"]
    last = "x"
    for i in range(nodes - 2):
        op = "relu" if i % 50 in (7, 8) else "exp"
        lines.append(f"    %n{i} : [num_users=1] = call_function[target=torch.{op}](args = (%{last},), kwargs = {{}})")
        last = f"n{i}"
    graph.write_text("\n".join(lines) + f"\n    return {last}\n", encoding="utf-8")
    return str(graph)


def test_small(fxrules, chromium, folder):
    rules, graph = small_graph(folder)
    page = make_page(fxrules, rules, graph, f"{folder}/report.html")
    check_alone(page)
    assert page != "" and without_times(page) == without_times(make_page(fxrules, rules, graph, f"{folder}/again.html"))
    seen = see(chromium, page, folder)
    assert seen["title"].endswith("graph.txt"), seen
    assert seen["outcome"] == "converged · 2 rewrites · 7 → 5 nodes", seen
    assert sorted(seen["gone"]) == ["b", "c", "d"] and seen["new"] == seen["shown"] == ["sigmoid"], seen
    assert seen["changed"] == ["e"], seen
    assert seen["rules"] == ["double", "smooth"], seen
    assert (seen["picked"], seen["rule"], seen["place"]) == ("sigmoid", "smooth", f"{rules[0]}:6"), seen
    assert seen["source"] == "smooth: neg(tanh(x)) => sigmoid(x)" and seen["replaced"] == ["d", "c"], seen
    assert {"c", "d"} <= set(seen["near"]) and seen["lanes"] > 5, seen
    assert (seen["found"], seen["step"], seen["nothing"]) == ("2 found", "1 of 2", "0 found"), seen


def test_large(fxrules, chromium, folder):
    rules, _ = small_graph(folder)
    page = make_page(fxrules, rules, large_graph(folder), f"{folder}/large.html")
    seen = see(chromium, page, folder)
    assert seen["lines"] == 5000 and seen["drawn"] < 120, seen  # only rows in sight are drawn
    assert seen["outcome"].startswith("converged · 100 rewrites"), seen
    assert seen["folded"] < 1500 and seen["folds"] > 0 and seen["unfolded"] > seen["folded"], seen
    assert seen["ruleFound"].endswith("of 100"), seen
    assert 2300 < int(seen["middle"]) < 2600, seen


def test_captured(fxrules, chromium, folder, source):
    graph = source / "tests/data/demo/decode_step.txt"
    page = make_page(fxrules, ["device.rules", "inplace.rules", "noop.rules"], str(graph), f"{folder}/demo.html",
                     "--inputs", str(graph.with_suffix(".inputs")))
    check_alone(page)
    seen = see(chromium, page, folder)
    assert seen["new"] and seen["rules"] and seen["place"], seen


def main(fxrules, source):
    chromium = browser()
    if chromium is None:
        print("SKIPPED: there is no Chromium here, and the report page was NOT tested in a browser")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        test_small(fxrules, chromium, folder)
        test_large(fxrules, chromium, folder)
        test_captured(fxrules, chromium, folder, Path(source))
    print("3 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
