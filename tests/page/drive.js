// Uses the page as a person would, and leaves what it saw in an element that the test reads.
window.addEventListener("load", () => setTimeout(() => {
  const seen = {};
  const cells = state => [...document.querySelectorAll(`.cell.${state}`)].map(cell => cell.dataset.name);
  const type = (id, text) => { const box = document.getElementById(id); box.value = text; box.dispatchEvent(new Event("input")); };
  const text = selector => [...document.querySelectorAll(selector)].map(element => element.textContent);
  try {
    seen.title = document.getElementById("title").textContent;
    seen.outcome = document.getElementById("outcome").textContent;
    seen.lines = view.lines.length;
    seen.drawn = document.querySelectorAll(".row").length;
    const named = (side, state) => view.sides[side].nodes.filter(node => node.state === state).map(node => node.name);
    seen.gone = named(0, "gone"), seen.new = named(1, "new"), seen.changed = named(1, "changed");
    if (seen.new.length) view.show(view.places[1][view.sides[1].index.get(seen.new[0])]);
    seen.shown = cells("new");
    seen.lanes = document.querySelectorAll(".lanes path").length;
    seen.rules = text("#rules .name");
    const made = document.querySelector(".cell.new");
    if (made) {
      made.click();
      seen.picked = document.querySelector(".cell.picked").dataset.name;
      seen.rule = text(".step .rule-name")[0], seen.place = text(".step .rule-place")[0], seen.source = text(".step pre")[0];
      seen.replaced = text(".step:first-of-type .replaced .link");
      seen.near = [...document.querySelectorAll(".cell.near")].map(cell => cell.dataset.name);
    }
    type("search", "placeholder");
    seen.found = document.getElementById("found").textContent;
    document.getElementById("next").click();
    seen.step = document.getElementById("found").textContent;
    type("search", "no such text anywhere");
    seen.nothing = document.getElementById("found").textContent;
    type("search", "");
    document.getElementById("only").click();
    seen.folded = view.lines.length, seen.folds = document.querySelectorAll(".fold").length;
    const fold = document.querySelector(".fold");
    if (fold) { fold.click(); seen.unfolded = view.lines.length; }
    document.getElementById("only").click();
    const rule = document.querySelector("#rules tr.rule:not(.idle)");
    if (rule) { rule.click(); seen.ruleFound = document.getElementById("found").textContent; document.querySelector("#rules tr.picked").click(); }
    document.getElementById("scroll").scrollTop = view.lines.length * 22 / 2;
    view.draw();
    seen.middle = document.querySelector(".row .number").textContent;
  } catch (error) {
    seen.error = String(error.stack || error);
  }
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
}, 50));
