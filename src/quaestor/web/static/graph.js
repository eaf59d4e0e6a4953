// The picture of a page's graph: a selected node is fetched with its neighbours and added to the picture.
"use strict";

(() => {
  const canvas = document.getElementById("graph");
  const panel = document.getElementById("node");
  if (!canvas || !panel || typeof cytoscape !== "function") return;
  canvas.parentElement.hidden = false;

  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const groups = { Table: "table", Document: "table", Section: "table", Observation: "number", Mention: "number", HeaderNumber: "number", Sentence: "text", Span: "text", Cell: "text", Line: "text", TextCell: "text" };
  const picture = cytoscape({ container: canvas, minZoom: 0.15, maxZoom: 3, boxSelectionEnabled: false });

  function paint() {
    const look = getComputedStyle(document.documentElement);
    const colour = (name) => look.getPropertyValue(name).trim();
    picture.style([
      { selector: "node", style: { label: "data(label)", "font-size": 11, "font-family": "system-ui, sans-serif", color: colour("--ink"), "text-wrap": "wrap", "text-max-width": 130, "text-valign": "bottom", "text-margin-y": 4, width: 18, height: 18, "background-color": colour("--strong-line"), "text-background-color": colour("--card"), "text-background-opacity": 0.75, "text-background-padding": 1 } },
      { selector: "node.table", style: { "background-color": colour("--accent"), width: 28, height: 28, "font-weight": "bold" } },
      { selector: "node.number", style: { "background-color": colour("--mark-line") } },
      { selector: "node.text", style: { "background-color": colour("--line"), "border-width": 1, "border-color": colour("--strong-line") } },
      { selector: "node.focus", style: { "border-width": 4, "border-color": colour("--accent"), width: 32, height: 32, "font-weight": "bold" } },
      { selector: "edge", style: { width: 1.2, "line-color": colour("--line"), "target-arrow-color": colour("--strong-line"), "target-arrow-shape": "triangle", "arrow-scale": 0.8, "curve-style": "bezier" } },
      { selector: "edge.near", style: { "line-color": colour("--strong-line"), label: "data(label)", "font-size": 9, color: colour("--faint"), "text-rotation": "autorotate", "text-background-color": colour("--card"), "text-background-opacity": 0.85 } },
    ]);
  }

  function add(network) {
    const focus = network.focus;
    const middle = focus && picture.getElementById(focus).nonempty() ? picture.getElementById(focus).position() : { x: 0, y: 0 };
    const fresh = [];
    network.nodes.forEach((node, place) => {
      if (picture.getElementById(node.id).nonempty()) return;
      const turn = (2 * Math.PI * place) / network.nodes.length;
      fresh.push({ group: "nodes", data: { id: node.id, label: node.label }, classes: groups[node.kind] ?? "thing", position: { x: middle.x + 120 * Math.cos(turn), y: middle.y + 120 * Math.sin(turn) } });
    });
    network.edges.forEach((edge) => {
      const id = [edge.source, edge.label, edge.target].join(" ");
      if (picture.getElementById(id).empty()) fresh.push({ group: "edges", data: { id, ...edge } });
    });
    picture.add(fresh);
    picture.elements().removeClass("focus near");
    if (focus) {
      picture.getElementById(focus).addClass("focus").connectedEdges().addClass("near");
    }
    const few = picture.nodes().length <= 120;
    picture.layout({ name: "cose", animate: false, randomize: false, nodeRepulsion: () => 60000, idealEdgeLength: () => 95, nodeDimensionsIncludeLabels: few, padding: 30 }).run();
    if (focus) {
      const near = picture.getElementById(focus).closedNeighborhood();
      if (still.matches) picture.fit(near, 40);
      else picture.animate({ fit: { eles: near, padding: 40 }, duration: 250 });
    }
  }

  async function show(node, { updatePanel = true } = {}) {
    const query = node ? `?node=${encodeURIComponent(node)}` : "";
    const answered = await fetch(canvas.dataset.network + query, { headers: { Accept: "application/json" } });
    if (!answered.ok) return;
    if (!node) picture.elements().remove();
    add(await answered.json());
    canvas.dataset.node = node;
    if (updatePanel) {
      history.replaceState(null, "", canvas.dataset.page + query);
      await htmx.ajax("GET", canvas.dataset.page + query, { target: "#node", swap: "innerHTML" });
    }
  }

  panel.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-node]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(link.dataset.node).then(() => {
      // For keyboard users, move the focus to the top of the list.
      const head = panel.querySelector("h2");
      if (head) { head.tabIndex = -1; head.focus({ preventScroll: false }); }
    });
  });
  picture.on("tap", "node", (event) => show(event.target.id()));
  canvas.parentElement.addEventListener("click", (event) => {
    const wanted = event.target.closest("button[data-zoom]")?.dataset.zoom;
    const middle = { x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 };
    if (wanted === "in") picture.zoom({ level: picture.zoom() * 1.3, renderedPosition: middle });
    if (wanted === "out") picture.zoom({ level: picture.zoom() / 1.3, renderedPosition: middle });
    if (wanted === "fit") picture.fit(undefined, 30);
    if (wanted === "clear") { picture.elements().remove(); show(canvas.dataset.node, { updatePanel: false }); }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  paint();
  show(canvas.dataset.node, { updatePanel: false });
})();
