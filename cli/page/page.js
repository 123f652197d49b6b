"use strict";
// The page holds the graphs as data and draws the rows that are in sight: both graphs in program order, side by
// side, each node with the lanes of the values that live there.
const data = JSON.parse(document.getElementById("data").textContent);
const times = JSON.parse(document.getElementById("times").textContent);
const ROW = 22, LANE = 9, MOST_LANES = 7, CONTEXT = 3, LONGEST_LANE = 400;
const by = id => document.getElementById(id);

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "click") made.addEventListener("click", value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}
const milliseconds = s => s >= 1 ? s.toFixed(2) + " s" : s >= 1e-3 ? (s * 1e3).toFixed(1) + " ms" : (s * 1e6).toFixed(0) + " µs";

// ---- a graph as it was printed: nodes are [name, op, arguments, type, state, operands, application]
class Side {
  constructor(nodes) {
    this.nodes = nodes.map(([name, op, args, type, state, operands, application]) =>
      ({name, op, args, type, state, operands, application, users: []}));
    this.index = new Map(this.nodes.map((node, i) => [node.name, i]));
    this.nodes.forEach((node, i) => { for (const o of new Set(node.operands)) this.nodes[o].users.push(i); });
  }
}

class View {
  constructor(graph, time) {
    this.graph = graph;
    this.time = time;
    this.sides = [new Side(graph.before), new Side(graph.after)];
    this.madeBy = new Map(), this.takenBy = new Map();  // by name: the last application that made, the first that took
    graph.applications.forEach(([rule, root, matched, created, result], i) => {
      for (const name of created) this.madeBy.set(name, i);
      if (created.length === 0 && result === root) this.madeBy.set(root, i);
      for (const name of matched) if (!this.takenBy.has(name)) this.takenBy.set(name, i);
    });
    this.picked = null, this.rule = null, this.query = "", this.hits = new Set(), this.open = new Set();
    this.layOut();
  }

  changed(row) { return row.some((i, side) => i >= 0 && this.sides[side].nodes[i].state !== ""); }

  // Which rows stand where; runs of rows without a change fold when only changes are wanted.
  layOut() {
    this.map = null;
    const rows = this.graph.rows, only = by("only").checked;
    const wanted = rows.map(row => this.changed(row));
    const shown = new Uint8Array(rows.length).fill(only ? 0 : 1);
    if (only) wanted.forEach((w, i) => { if (w) for (let k = Math.max(0, i - CONTEXT); k <= Math.min(rows.length - 1, i + CONTEXT); ++k) shown[k] = 1; });
    this.lines = [];
    for (let i = 0; i < rows.length;) {
      let end = i;
      while (end < rows.length && !shown[end]) ++end;
      if (end > i && !this.open.has(i) && end - i > 1) this.lines.push({fold: end - i, at: i});
      else for (let k = i; k < end; ++k) this.lines.push({row: rows[k]});
      if (end < rows.length) this.lines.push({row: rows[end]});
      i = end + 1;
    }
    this.changes = [];
    this.lines.forEach((line, i) => { if (line.row && this.changed(line.row) && !(i > 0 && this.lines[i - 1].row && this.changed(this.lines[i - 1].row))) this.changes.push(i); });
    this.places = [0, 1].map(side => {
      const places = new Int32Array(this.sides[side].nodes.length).fill(-1);
      this.lines.forEach((line, i) => { if (line.row && line.row[side] >= 0) places[line.row[side]] = i; });
      return places;
    });
    this.lanes = [0, 1].map(side => this.laneOf(side));
  }

  // A value lives in a lane from its node to its last user, as branches do in a history of commits.
  laneOf(side) {
    const nodes = this.sides[side].nodes, places = this.places[side];
    const lane = new Int8Array(nodes.length).fill(-1), free = new Array(MOST_LANES).fill(-1);
    nodes.forEach((node, i) => {
      if (places[i] < 0) return;
      let last = -1;
      for (const user of node.users) last = Math.max(last, places[user]);
      if (last < 0 || last - places[i] > LONGEST_LANE) return;
      const found = free.findIndex(until => until <= places[i]);
      if (found < 0) return;
      free[found] = last;
      lane[i] = found;
    });
    const passing = new Map();  // by line: values that live there
    nodes.forEach((node, i) => {
      if (lane[i] < 0) return;
      const uses = node.users.map(user => places[user]).filter(place => place >= 0);
      for (let at = places[i]; at <= Math.max(...uses); ++at) {
        if (!passing.has(at)) passing.set(at, []);
        passing.get(at).push({node: i, lane: lane[i], starts: at === places[i], ends: at === Math.max(...uses), used: uses.includes(at)});
      }
    });
    return passing;
  }

  gutter(side, at) {
    const width = MOST_LANES * LANE + 12, dot = width - 6, middle = ROW / 2;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("width", width), svg.setAttribute("height", ROW), svg.setAttribute("class", "lanes");
    const draw = (name, attributes) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      svg.append(made);
    };
    for (const v of this.lanes[side].get(at) || []) {
      const x = dot - 10 - v.lane * LANE, lit = this.picked && this.picked.side === side && this.picked.node === v.node ? "lit" : "";
      if (!v.starts) draw("path", {class: lit, d: `M${x} 0V${v.ends ? middle - 5 : ROW}`});
      if (v.starts) draw("path", {class: lit, d: `M${dot} ${middle}H${x + 5}Q${x} ${middle} ${x} ${middle + 5}V${ROW}`});
      if (v.used && !v.starts) draw("path", {class: lit, d: `M${x} ${middle - 5}Q${x} ${middle} ${x + 5} ${middle}H${dot}`});
    }
    if (this.lines[at].row[side] >= 0) draw("circle", {cx: dot, cy: middle, r: 3.2, class: this.picked && this.picked.side === side && this.places[side][this.picked.node] === at ? "lit" : ""});
    return svg;
  }

  cell(side, i, at) {
    if (i < 0) return element("div", {class: "cell empty"}, this.gutter(side, at));
    const node = this.sides[side].nodes[i];
    const classes = ["cell", node.state];
    if (this.picked) {
      const other = this.sides[this.picked.side].nodes[this.picked.node];
      if (side === this.picked.side && i === this.picked.node) classes.push("picked");
      else if (this.related && this.related[side].has(i)) classes.push("near");
      else if (side !== this.picked.side && node.name === other.name) classes.push("near");
    }
    if (this.hits.has(side + ":" + i)) classes.push("hit");
    const rule = this.ruleOf(side, node);
    return element("div", {class: classes.join(" ").trim(), click: () => this.pick(side, i), "data-name": node.name},
      this.gutter(side, at), element("span", {class: "number"}, String(i + 1)),
      element("span", {class: "node-name"}, node.name),
      element("span", {class: "call"}, element("b", {}, node.op), node.args),
      node.state !== "" && rule ? element("span", {class: "by"}, rule[0]) : null,
      element("span", {class: "type"}, node.type));
  }

  ruleOf(side, node) {
    const made = side === 1 || node.state === "changed" ? this.madeBy.get(node.name) : this.takenBy.get(node.name);
    return made === undefined ? null : this.graph.rules[this.graph.applications[made][0]];
  }

  draw() {
    const scroll = by("scroll"), first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - 12);
    const last = Math.min(this.lines.length, first + Math.ceil(scroll.clientHeight / ROW) + 24);
    by("space").style.height = this.lines.length * ROW + "px";
    const rows = [];
    for (let at = first; at < last; ++at) {
      const line = this.lines[at];
      rows.push(line.row ? element("div", {class: "row"}, this.cell(0, line.row[0], at), this.cell(1, line.row[1], at))
        : element("div", {class: "row"}, element("div", {class: "fold", click: () => { this.open.add(line.at); this.layOut(); this.refresh(); }},
          `${line.fold} unchanged nodes`)));
    }
    by("window").style.top = first * ROW + "px";
    by("window").replaceChildren(...rows);
    this.drawMap();
  }

  // Where changes and what was found stand in the whole; drawn once for each layout, search and size.
  drawMap() {
    const canvas = by("map"), height = canvas.clientHeight, width = canvas.clientWidth, scroll = by("scroll");
    if (!height) return;
    const pen = canvas.getContext("2d"), scale = height / Math.max(this.lines.length, height / ROW);
    if (!this.map || this.map.height !== height) {
      const style = getComputedStyle(document.body);
      canvas.width = width, canvas.height = height;
      this.lines.forEach((line, at) => {
        if (!line.row) return;
        line.row.forEach((i, side) => {
          const state = i < 0 ? "" : this.sides[side].nodes[i].state, hit = this.hits.has(side + ":" + i);
          if (state === "" && !hit) return;
          pen.fillStyle = hit ? "#e8b800" : style.getPropertyValue(`--${state}-edge`);
          pen.fillRect(side * width / 2, at * scale, width / 2 - 1, Math.max(2, scale));
        });
      });
      this.map = pen.getImageData(0, 0, width, height);
    }
    pen.putImageData(this.map, 0, 0);
    pen.fillStyle = "rgba(110,130,150,.25)";
    pen.fillRect(0, scroll.scrollTop / ROW * scale, width, Math.max(6, scroll.clientHeight / ROW * scale));
  }

  show(at) {
    const scroll = by("scroll");
    if (at * ROW < scroll.scrollTop + ROW || (at + 2) * ROW > scroll.scrollTop + scroll.clientHeight)
      scroll.scrollTop = Math.max(0, at * ROW - scroll.clientHeight / 3);
    this.draw();
  }

  pick(side, i) {
    this.picked = {side, node: i};
    const node = this.sides[side].nodes[i];
    this.related = [new Set(), new Set()];
    for (const k of [...node.operands, ...node.users]) this.related[side].add(k);
    const made = this.madeBy.get(node.name), taken = this.takenBy.get(node.name);
    if (side === 1 && made !== undefined) for (const name of this.graph.applications[made][2]) this.relate(0, name);
    if (side === 0 && taken !== undefined) for (const name of [...this.graph.applications[taken][3], this.graph.applications[taken][4]]) this.relate(1, name);
    this.drawDetails();
    if (this.places[side][i] < 0) { by("only").checked = false; this.layOut(); }
    this.show(this.places[side][i]);
  }

  relate(side, name) {
    const i = this.sides[side].index.get(name);
    if (i !== undefined) this.related[side].add(i);
  }

  link(side, name) {
    for (const s of [side, 1 - side]) {
      const i = this.sides[s].index.get(name);
      if (i !== undefined) return element("span", {class: "link", click: () => this.pick(s, i)}, name);
    }
    return element("span", {class: "link passing", title: "made and replaced within the run"}, name);
  }

  links(side, nodes) {
    const most = 60, out = nodes.slice(0, most).map(i => this.link(side, this.sides[side].nodes[i].name));
    if (nodes.length > most) out.push(`and ${nodes.length - most} more`);
    return out.length ? out : ["–"];
  }

  step(application, earlier) {
    const [rule, root, matched, created, result] = this.graph.applications[application], [name, place, phase, text] = this.graph.rules[rule];
    return element("div", {class: earlier ? "step earlier" : "step"},
      element("div", {}, element("code", {class: "rule-name"}, name), " ", element("span", {class: "rule-place"}, place), phase ? ` · phase ${phase}` : ""),
      element("pre", {}, text),
      element("dl", {}, element("dt", {}, "replaced"), element("dd", {class: "replaced"}, ...matched.map(n => this.link(0, n))),
        element("dt", {}, "made"), element("dd", {}, ...(created.length ? created : [result || root]).map(n => this.link(1, n)))));
  }

  drawDetails() {
    const details = by("details");
    if (!this.picked) return details.replaceChildren();
    const {side, node: i} = this.picked, node = this.sides[side].nodes[i];
    const story = [], seen = new Set();
    const tell = (application, earlier) => {
      if (application === undefined || seen.has(application) || seen.size > 12) return;
      seen.add(application);
      story.push(this.step(application, earlier));
      for (const name of this.graph.applications[application][2])
        if (!this.sides[0].index.has(name)) tell(this.madeBy.get(name), true);
    };
    tell(side === 1 || node.state === "changed" ? this.madeBy.get(node.name) : this.takenBy.get(node.name), false);
    details.replaceChildren(
      element("div", {class: "main"}, element("h2", {}, side ? "after" : "before"),
        element("pre", {}, `${node.name} = ${node.op}${node.args}`),
        element("dl", {}, element("dt", {}, "type"), element("dd", {}, element("code", {}, node.type || "not known")),
          element("dt", {}, "operands"), element("dd", {}, ...this.links(side, [...new Set(node.operands)])),
          element("dt", {}, "users"), element("dd", {}, ...this.links(side, node.users)))),
      element("div", {class: "story"}, element("h2", {}, story.length === 0 ? "no rule changed it" : side === 1 || node.state === "changed" ? "made by" : "replaced by"), ...story));
    details.scrollTop = 0;
  }

  search(query) {
    this.query = query.trim().toLowerCase();
    this.hits = new Set();
    this.map = null;
    this.found = [];
    if (this.query || this.rule !== null) {
      this.sides.forEach((side, s) => side.nodes.forEach((node, i) => {
        const application = s === 1 || node.state === "changed" ? this.madeBy.get(node.name) : this.takenBy.get(node.name);
        const rule = application === undefined ? "" : this.graph.rules[this.graph.applications[application][0]][0];
        if (this.rule !== null && (node.state === "" || application === undefined || this.graph.applications[application][0] !== this.rule)) return;
        if (this.query && ![node.name, node.op, node.args, node.type, node.state === "" ? "" : rule].some(text => text.toLowerCase().includes(this.query))) return;
        this.hits.add(s + ":" + i);
        this.found.push([s, i]);
      }));
      this.found.sort((a, b) => this.places[a[0]][a[1]] - this.places[b[0]][b[1]]);
    }
    this.current = -1;
    by("found").textContent = this.query || this.rule !== null ? `${this.found.length} found` : "";
    this.draw();
  }

  step_(by_) {  // through what was found, else through the changes
    if (this.found && this.found.length) {
      this.current = (this.current + by_ + this.found.length) % this.found.length;
      by("found").textContent = `${this.current + 1} of ${this.found.length}`;
      return this.pick(...this.found[this.current]);
    }
    if (!this.changes.length) return;
    const here = this.picked ? this.places[this.picked.side][this.picked.node] : -1;
    const next = by_ > 0 ? this.changes.find(at => at > here) ?? this.changes[0]
      : [...this.changes].reverse().find(at => at < here) ?? this.changes[this.changes.length - 1];
    const row = this.lines[next].row, side = row[1] >= 0 ? 1 : 0;
    this.pick(side, row[side]);
  }

  drawRules() {
    const rows = [element("tr", {}, element("th", {}, "rule"), element("th", {style: "width:54px"}, "rewrites"), element("th", {style: "width:44px", title: "matched or almost, and not applied"}, "near"), element("th", {style: "width:58px"}, "time"))];
    this.graph.rules.map((rule, i) => [rule, i]).filter(([rule]) => rule[4] || rule[5]).sort((a, b) => b[0][4] - a[0][4] || a[1] - b[1])
      .forEach(([[name, place, phase, , rewrites, near], i]) => {
        const choose = () => {
          this.rule = this.rule === i ? null : i;
          this.drawRules();
          this.search(by("search").value);
          if (this.rule !== null) this.step_(1);
        };
        const classes = `rule${rewrites ? "" : " idle"}${this.rule === i ? " picked" : ""}`;
        rows.push(element("tr", {class: classes, click: choose, title: `${name}  ${place}`}, element("td", {}, element("span", {class: "name"}, name)),
          element("td", {}, String(rewrites)), element("td", {}, near ? String(near) : ""), element("td", {class: "time"}, milliseconds(this.time.rules[i]))));
        const where = [place === name ? "" : place, phase].filter(text => text).join(" · ");
        if (where) rows.push(element("tr", {class: "place " + classes, click: choose}, element("td", {colspan: 4}, where)));
      });
    if (rows.length === 1) rows.push(element("tr", {}, element("td", {colspan: 4}, "No rule matched anything.")));
    by("rules").replaceChildren(...rows);
    const quiet = this.graph.rules.filter(rule => !rule[4] && !rule[5]).length;
    const messages = [];
    if (quiet) messages.push(element("p", {class: "from"}, `${quiet} more rules matched nothing.`));
    messages.push(element("p", {class: "from time"}, `${milliseconds(this.time.total)} in all, ${milliseconds(this.time.match)} of it matching`));
    const list = (title, entries) => { if (entries.length) messages.push(element("h2", {style: "margin-top:14px"}, title), ...entries); };
    list("Notes", this.graph.notes.slice(0, 200).map(([rule, node, text]) => element("p", {}, node ? this.link(1, node) : "", text, " ", element("span", {class: "from"}, this.graph.rules[rule][0]))));
    list("Inputs that are written", this.graph.inputs.map(([input, value, where]) => element("p", {}, this.link(1, input), "→ ", this.link(1, value), element("span", {class: "from"}, where))));
    list("Diagnostics", this.graph.diagnostics.map(text => element("pre", {style: "white-space:pre-wrap;font-size:11px"}, text)));
    by("messages").replaceChildren(...messages);
  }

  refresh() {
    by("title").textContent = data.title;
    by("outcome").textContent = this.graph.outcome;
    by("outcome").classList.toggle("failed", !this.graph.ok);
    by("count-before").textContent = this.sides[0].nodes.length;
    by("count-after").textContent = this.sides[1].nodes.length;
    this.drawRules();
    this.drawDetails();
    this.search(by("search").value);
  }
}

let view;
function open_(number) {
  view = new View(data.graphs[number], times.graphs[number]);
  by("scroll").scrollTop = 0;
  view.refresh();
  if (view.changes.length) view.step_(1);
}
data.graphs.forEach((graph, i) => by("graphs").append(element("option", {value: i}, graph.name)));
by("graphs").style.display = data.graphs.length > 1 ? "" : "none";
by("graphs").addEventListener("change", event => open_(Number(event.target.value)));
by("search").addEventListener("input", event => view.search(event.target.value));
by("search").addEventListener("keydown", event => { if (event.key === "Enter") view.step_(event.shiftKey ? -1 : 1); });
by("next").addEventListener("click", () => view.step_(1));
by("previous").addEventListener("click", () => view.step_(-1));
by("only").addEventListener("change", () => { view.open.clear(); view.layOut(); view.search(by("search").value); by("scroll").scrollTop = 0; });
by("map").addEventListener("click", event => { by("scroll").scrollTop = event.offsetY / by("map").clientHeight * view.lines.length * ROW - by("scroll").clientHeight / 2; });
let waiting = false;
by("scroll").addEventListener("scroll", () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; view.draw(); });
});
window.addEventListener("resize", () => view.draw());
document.addEventListener("keydown", event => {
  if (event.target.tagName === "INPUT" || event.target.tagName === "SELECT" || event.ctrlKey || event.metaKey) return;
  if (event.key === "/") { event.preventDefault(); by("search").focus(); }
  if (event.key === "n") view.step_(1);
  if (event.key === "p") view.step_(-1);
});
if (data.graphs.length) open_(0);
