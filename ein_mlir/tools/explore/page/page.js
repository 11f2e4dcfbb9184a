"use strict";

const byId = (id) => document.getElementById(id);
const state = { programs: [], pipelines: {}, run: null, selected: 0 };

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

async function ask(path, request) {
  const options = request && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  };
  const response = await fetch(path, options);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${response.statusText}`);
  return response.json();
}

// The program and the pipeline

function showProgram() {
  const program = state.programs[byId("programs").value];
  byId("text").value = program.text;
  byId("python").replaceChildren(
    ...program.python.split("\n").map((line) => element("li", {}, line || " ")));
  tab("given", "python").hidden = program.python === "";
  choose("given", program.python ? "python" : "ir");
  drawGutter();
}

function showPipeline() {
  byId("passes").value = state.pipelines[byId("pipelines").value].join("\n");
}

function drawGutter() {
  const noted = new Map();
  for (const note of state.run?.notes ?? []) {
    const inPython = note.file !== "" && note.file !== "program";
    if (!inPython && note.line) noted.set(note.line, [...(noted.get(note.line) ?? []), note.text]);
  }
  const count = byId("text").value.split("\n").length;
  const lines = Array.from({ length: count }, (_, k) => {
    const texts = noted.get(k + 1);
    const line = element("span", { className: texts ? "noted" : "" }, `${k + 1}\n`);
    if (texts) line.title = texts.join("\n");
    return line;
  });
  byId("gutter").replaceChildren(...lines);
  byId("gutter").scrollTop = byId("text").scrollTop;
}

function markPython() {
  const lines = byId("python").children;
  for (const line of lines) {
    line.className = "";
    line.title = "";
  }
  for (const note of state.run.notes) {
    const line = lines[note.line - 1];
    if (note.file === "program" || note.file === "" || !line) continue;
    line.className = "noted";
    line.title = line.title ? `${line.title}\n${note.text}` : note.text;
  }
}

// A run

async function run() {
  const status = byId("status");
  status.className = "";
  status.value = "running ..";
  const request = {
    text: byId("text").value,
    passes: byId("passes").value,
    program: Number(byId("programs").value),
  };
  try {
    state.run = await ask("/run", request);
  } catch (error) {
    status.className = "mistake";
    status.value = String(error.message);
    return;
  }
  const { stages, mistake } = state.run;
  const total = stages.reduce((sum, stage) => sum + stage.milliseconds, 0);
  status.className = mistake ? "mistake" : "";
  status.value = mistake || `${Math.max(0, stages.length - 1)} passes, ${total.toFixed(1)} ms`;
  byId("output").textContent =
    state.run.output || "There is source after a lowering to a library or to LLVM.";
  state.selected = stages.length - 1;
  showStages();
  showNotes();
  drawGutter();
  markPython();
}

const changes = (stage) => stage.lines.filter((line) => line.kind !== "same").length;

function showStages() {
  const onlyChanging = byId("changing").checked;
  const longest = Math.max(...state.run.stages.map((stage) => stage.milliseconds), 1e-9);
  const items = state.run.stages.flatMap((stage, k) => {
    if (onlyChanging && k > 0 && changes(stage) === 0) return [];
    const item = element("li", { id: `stage-${k}` },
      element("span", {}, stage.name),
      element("span", { className: "count" }, k ? `±${changes(stage)}` : ""),
      element("span", { className: "time" }, k ? `${stage.milliseconds.toFixed(1)} ms` : ""));
    item.setAttribute("role", "option");
    item.dataset.stage = k;
    const share = Math.round((100 * stage.milliseconds) / longest);
    item.title = k ? `${share} % of the slowest pass` : "the program as given";
    item.addEventListener("click", () => select(k));
    return [item];
  });
  byId("stages").replaceChildren(...items);
  const shown = items.map((item) => Number(item.dataset.stage));
  if (shown.length) select(shown.includes(state.selected) ? state.selected : shown.at(-1));
}

function select(k) {
  state.selected = k;
  for (const item of byId("stages").children) {
    const chosen = Number(item.dataset.stage) === k;
    item.setAttribute("aria-selected", chosen);
    if (chosen) {
      byId("stages").setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({ block: "nearest" });
    }
  }
  showStage();
}

function showStage() {
  const withOld = byId("removed").checked;
  const lines = state.run.stages[state.selected].lines.filter(
    (line) => withOld || line.kind !== "old");
  byId("stage").replaceChildren(
    ...lines.map((line) => element("span", { className: `line ${line.kind}` }, `${line.text}\n`)));
  byId("stage").querySelector(".new")?.scrollIntoView({ block: "center" });
  if (!pane("shown", "graph").hidden) showGraph();
}

async function showGraph() {
  const place = byId("graph");
  const lines = state.run?.stages[state.selected]?.lines ?? [];
  const text = lines.filter((line) => line.kind !== "old").map((line) => line.text).join("\n");
  place.replaceChildren("drawing ..");
  try {
    const { svg, dot, needed } = await ask("/draw", { text });
    place.replaceChildren(svg
      ? element("img", { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: "term graph" })
      : element("pre", { className: "code" }, `${needed}\n\n${dot}`));
  } catch (error) {
    place.replaceChildren(String(error.message));
  }
}

function showNotes() {
  byId("notes").replaceChildren(...state.run.notes.map((note) => {
    const item = element("li", {}, note.text, " ");
    if (note.line) {
      const button = element("button", {}, `line ${note.line}`);
      button.addEventListener("click", () => goTo(note));
      item.append(button);
    }
    return item;
  }));
  tab("shown", "notes").textContent = `Notes (${state.run.notes.length})`;
}

function goTo(note) {
  if (note.file === "program" || note.file === "") {
    choose("given", "ir");
    const text = byId("text");
    const lines = text.value.split("\n");
    const start = lines.slice(0, note.line - 1).join("\n").length + (note.line > 1 ? 1 : 0);
    text.focus();
    text.setSelectionRange(start, start + lines[note.line - 1].length);
    text.scrollTop = (text.scrollHeight / lines.length) * (note.line - 4);
    return;
  }
  choose("given", "python");
  for (const line of byId("python").children) line.classList.remove("here");
  const line = byId("python").children[note.line - 1];
  line?.classList.add("here");
  line?.scrollIntoView({ block: "center" });
}

// Tabs

const tab = (group, name) =>
  document.querySelector(`[data-for=${group}] [data-pane=${name}]`);
const pane = (group, name) =>
  document.querySelector(`section.${group} .pane[data-pane=${name}]`);

function choose(group, name) {
  for (const button of document.querySelectorAll(`[data-for=${group}] button`)) {
    const chosen = button.dataset.pane === name;
    button.setAttribute("aria-selected", chosen);
    button.tabIndex = chosen ? 0 : -1;
    pane(group, button.dataset.pane).hidden = !chosen;
  }
  if (group === "shown" && name === "graph" && state.run) showGraph();
}

function moveTab(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  const buttons = [...event.currentTarget.children].filter((button) => !button.hidden);
  const next = buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length];
  choose(event.currentTarget.dataset.for, next.dataset.pane);
  next.focus();
}

function moveStage(event) {
  const items = [...byId("stages").children].map((item) => Number(item.dataset.stage));
  const at = items.indexOf(state.selected);
  const next = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: items.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  if (items[next] !== undefined) select(items[next]);
}

// Start

async function start() {
  const { programs, pipelines } = await ask("/programs");
  Object.assign(state, { programs, pipelines });
  byId("programs").append(...programs.map((p, k) => element("option", { value: k }, p.name)));
  byId("pipelines").append(
    ...Object.keys(pipelines).map((name) => element("option", { value: name }, name)));
  byId("pipelines").value = "numpy";
  byId("programs").addEventListener("change", () => { showProgram(); run(); });
  byId("pipelines").addEventListener("change", () => { showPipeline(); run(); });
  byId("run").addEventListener("click", run);
  byId("text").addEventListener("input", drawGutter);
  byId("text").addEventListener("scroll", drawGutter);
  byId("changing").addEventListener("change", showStages);
  byId("removed").addEventListener("change", showStage);
  byId("stages").addEventListener("keydown", moveStage);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  });
  for (const tabs of document.querySelectorAll(".tabs")) {
    tabs.addEventListener("keydown", moveTab);
    for (const button of tabs.children)
      button.addEventListener("click", () => choose(tabs.dataset.for, button.dataset.pane));
  }
  showProgram();
  showPipeline();
  await run();
}

start();
