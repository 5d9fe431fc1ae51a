// The page: summary, filters, the list of records, keys, the address, paper.

const PAGE = 50; // records in the list at a time
const BLOCKS_PER_TURN = 4; // of a text search, between two looks at the keyboard
const byId = (name) => document.getElementById(name);
const state = { any: new Set(), order: "worst", words: "", group: "", value: "", found: [], at: -1, claim: 0 };
let overview;
let shown; // the record on the screen
let open = false; // whether long references are shown whole
let search = 0; // counts searches, so that a newer one ends an older one

const counted = (entry, label) => [...(entry.labels ?? "")].filter((each) => each === label).length;

// -- what is shown ---------------------------------------------------------------------------

const TESTS = {
  conflict: (entry) => entry.conflict,
  unsure: (entry) => entry.unsure,
  failed: (entry) => entry.status === "failed",
  no_reference: (entry) => entry.status === "no_reference",
  no_claims: (entry) => entry.status === "no_claims",
};

const passes = (entry, kind) => (TESTS[kind] ? TESTS[kind](entry) : (entry.labels ?? "").includes(kind));

// Whether the filters ask for this claim; n and p go from one such claim to the next.
function wanted(claim) {
  const kinds = [...state.any].filter((kind) => WORD[kind] || kind === "conflict" || kind === "unsure");
  return !kinds.length || kinds.some((kind) => (WORD[kind] ? claim.label === kind : claim[kind]));
}

async function filter() {
  const turn = ++search;
  const order = state.order === "worst" ? overview.worst : overview.index.map((_, position) => position);
  const column = overview.groups.findIndex((group) => group.name === state.group);
  let found = order.filter((position) => {
    const entry = overview.index[position];
    const grouped = column < 0 || !state.value || entry.groups[column] === state.value;
    return grouped && (!state.any.size || [...state.any].some((kind) => passes(entry, kind)));
  });
  if (state.words) found = await withWords(found, state.words.toLowerCase(), turn);
  if (turn !== search) return;
  const before = state.found[state.at];
  state.found = found;
  await go(Math.max(0, found.indexOf(before)));
  say(`${many(found.length, "record")} shown`);
}

// The records that have the words, block by block in the order of the file.
async function withWords(positions, words, turn) {
  const hits = new Set();
  const perBlock = new Map();
  for (const position of positions) {
    const [at, place] = overview.index[position].at;
    if (!perBlock.has(at)) perBlock.set(at, []);
    perBlock.get(at).push([position, place]);
  }
  let done = 0;
  for (const [at, places] of [...perBlock].sort((a, b) => a[0] - b[0])) {
    if (turn !== search) return [];
    const records = await block(at);
    for (const [position, place] of places) if (has(records[place], words)) hits.add(position);
    if (++done % BLOCKS_PER_TURN) continue;
    byId("count").textContent = `searching, ${percent(done / perBlock.size)} …`;
    await new Promise((resume) => setTimeout(resume));
  }
  return positions.filter((position) => hits.has(position));
}

function has(record, words) {
  const texts = [record.id, record.question, record.response, record.note, ...Object.values(record.fields ?? {})];
  for (const passage of record.references ?? []) texts.push(passage.source, passage.text);
  for (const claim of record.claims ?? []) {
    texts.push(claim.parts.join(" "), claim.note, ...(claim.answers ?? []).map((answer) => answer.reason));
  }
  return texts.some((text) => text?.toLowerCase().includes(words));
}

async function go(at, claim) {
  state.at = Math.min(at, state.found.length - 1);
  const position = state.found[state.at];
  drawList();
  if (position === undefined) {
    shown = undefined;
    byId("record").replaceChildren(make("p", { class: "notice" }, "No record passes the filters."));
    return;
  }
  const record = await recordAt(overview.index[position].at);
  if (state.found[state.at] !== position) return; // gone on meanwhile
  shown = record;
  const claims = record.claims ?? [];
  if (claim === "first") state.claim = claims.findIndex(wanted);
  else if (claim === "last") state.claim = claims.findLastIndex(wanted);
  else state.claim = claim ?? worstOf(claims);
  if (state.claim < 0 || state.claim >= claims.length) state.claim = 0;
  byId("record").scrollTop = 0;
  drawRecord();
}

// The first of the worst claims that the filters ask for.
function worstOf(claims) {
  const rank = ({ label, conflict }) => WORST.indexOf(label) - (conflict ? 0.5 : 0);
  const asked = claims.filter(wanted).sort((a, b) => rank(a) - rank(b));
  return claims.indexOf(asked[0]);
}

function choose(index, focus = true) {
  state.claim = index;
  drawRecord();
  const item = byId(`claim-${index}`);
  item?.scrollIntoView({ block: "nearest" });
  if (focus) item?.querySelector("button").focus({ preventScroll: true });
}

async function stepRecord(by) {
  if (state.at + by < 0 || state.at + by >= state.found.length) return;
  await go(state.at + by);
  byId("record").scrollIntoView({ block: "nearest" });
}

async function stepClaim(by) {
  const claims = shown?.claims ?? [];
  for (let index = state.claim + by; index >= 0 && index < claims.length; index += by) {
    if (wanted(claims[index])) return choose(index);
  }
  if (state.at + by >= 0 && state.at + by < state.found.length) await go(state.at + by, by < 0 ? "last" : "first");
}

// -- drawing ---------------------------------------------------------------------------------

function drawSummary() {
  const { records, index } = overview;
  const counts = Object.fromEntries(overview.labels.map(([label, count]) => [label, count]));
  const part = index.length < records ? `, the ${number(index.length)} worst of them shown` : "";
  byId("summary").replaceChildren(
    make("p", { class: "kicker" }, make("bdi", {}, overview.title), ` · ${many(records, "record")}${part}`),
    make("h1", {}, overview.headline),
    overview.claims > 0 && bar(counts, { height: 14, kind: "bar wide" }),
  );
}

function chip(kind, name, count, share) {
  const toggle = () => {
    if (!state.any.delete(kind)) state.any.add(kind);
    drawFilters();
    filter();
  };
  return make(
    "button",
    { type: "button", class: "chip", id: `chip-${kind}`, "aria-pressed": String(state.any.has(kind)), click: toggle },
    WORD[kind] && badge(kind),
    make("span", {}, name),
    make("b", {}, number(count)),
    share !== undefined && make("small", {}, percent(share)),
  );
}

function drawFilters() {
  const focused = document.activeElement?.id;
  const { labels, claims, conflicts, unsure, statuses } = overview;
  const chips = labels.map(([label, count]) => chip(label, overview.meaning[label], count, claims && count / claims));
  const more = [["conflict", "references disagree", conflicts], ["unsure", "unsure", unsure]];
  for (const status of ["failed", "no_reference", "no_claims"]) more.push([status, STATUS[status], statuses[status]]);
  const find = { id: "words", type: "search", placeholder: "Search the texts  ( / )", "aria-label": "Search the texts" };
  const order = make(
    "select",
    { id: "order", "aria-label": "Order", change: ({ target }) => ((state.order = target.value), filter()) },
    make("option", { value: "worst", selected: state.order === "worst" }, "worst first"),
    make("option", { value: "file", selected: state.order === "file" }, "as in the file"),
  );
  byId("filters").replaceChildren(
    make("div", { class: "chips", role: "group", "aria-label": "Claims" }, chips),
    make(
      "div",
      { class: "chips", role: "group", "aria-label": "More" },
      more.filter(([, , count]) => count).map(([kind, name, count]) => chip(kind, name, count)),
      make("input", { ...find, value: state.words, input: later(({ target }) => ((state.words = target.value.trim()), filter())) }),
      order,
      make("button", { type: "button", id: "keys", click: () => byId("help").showModal() }, "Keys ( ? )"),
    ),
    overview.groups.length > 0 && drawGroups(),
  );
  if (focused) byId(focused)?.focus();
}

// Claims by label for each value of a field: models side by side, settings side by side.
function drawGroups() {
  const group = overview.groups.find(({ name }) => name === state.group) ?? overview.groups[0];
  const pick = (name) => ((state.group = name), (state.value = ""), drawFilters(), filter());
  const field = make(
    "select",
    { id: "group", "aria-label": "Compare by", change: ({ target }) => pick(target.value) },
    overview.groups.map(({ name }) => make("option", { value: name, selected: name === group.name }, name)),
  );
  const rows = group.values.map(([value, counts], index) => {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const toggle = () => {
      state.value = state.group === group.name && state.value === value ? "" : value;
      state.group = group.name;
      drawFilters();
      filter();
    };
    const pressed = String(state.group === group.name && state.value === value);
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", class: "group", id: `group-${index}`, "aria-pressed": pressed, click: toggle },
        make("bdi", {}, value),
        total > 0 ? bar(inOrder(counts)) : make("span", { class: "bar" }),
        make("small", {}, many(total, "claim")),
      ),
    );
  });
  const kept = byId("groups")?.open ?? group.values.length <= 8;
  return make("details", { id: "groups", open: kept }, make("summary", {}, "Compare by ", field), make("ul", {}, rows));
}

function drawList() {
  const { found, at } = state;
  const column = Math.max(0, overview.groups.findIndex((group) => group.name === state.group));
  const first = Math.max(0, Math.floor(at / PAGE) * PAGE);
  const turnTo = (to) => () => go(to);
  const turn = (text, name, to, off) =>
    make("button", { type: "button", "aria-label": name, disabled: off, click: turnTo(to) }, text);
  const items = found.slice(first, first + PAGE).map((position, index) => {
    const entry = overview.index[position];
    const chosen = first + index === at;
    const tally = [...WORST].map((label) => [label, counted(entry, label)]).filter(([, count]) => count);
    return make(
      "li",
      { role: "option", id: `item-${position}`, "aria-selected": String(chosen), click: turnTo(first + index) },
      make("span", { class: "name" }, make("bdi", {}, entry.id), " ", make("small", {}, make("bdi", {}, entry.groups[column] ?? ""))),
      make(
        "span",
        { class: "tally" },
        entry.conflict && make("span", { class: "tag conflict" }, "conflict"),
        entry.status && make("span", { class: `tag ${entry.status}` }, STATUS[entry.status]),
        tally.map(([label, count]) => make("span", { class: `count is-${label}`, title: `${count} ${WORD[label]}` }, `${count}${label}`)),
      ),
      make("span", { class: "snippet", dir: "auto" }, entry.text ?? ""),
    );
  });
  const last = Math.min(first + PAGE, found.length);
  const range = found.length > PAGE ? `${number(first + 1)}–${number(last)} of ${many(found.length, "record")}` : many(found.length, "record");
  const list = { role: "listbox", id: "list", tabindex: "0", "aria-label": "Records", "aria-activedescendant": `item-${found[at]}` };
  const focused = document.activeElement?.id === "list";
  const kept = byId("list")?.scrollTop ?? 0;
  byId("records").replaceChildren(
    make(
      "div",
      { class: "pager" },
      make("span", { id: "count" }, range),
      found.length > PAGE && turn("‹", "Previous page", first - PAGE, first === 0),
      found.length > PAGE && turn("›", "Next page", first + PAGE, last === found.length),
    ),
    make("ol", list, items),
  );
  byId("list").scrollTop = kept;
  if (focused) byId("list").focus({ preventScroll: true });
  const item = byId(`item-${found[at]}`);
  if (!item) return;
  const { offsetTop: top, offsetHeight: height } = item;
  const box = byId("list");
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
}

function drawRecord() {
  byId("record").replaceChildren(...recordView(shown, state.claim, choose, open));
  reveal(".right", "mark.role-contradicted, mark.evidence, mark.role-found");
  reveal(".left .response", "mark.chosen");
  const position = state.found[state.at];
  const address = `#record=${position + 1}&claim=${state.claim + 1}`;
  if (location.hash !== address) history.replaceState(null, "", address);
}

// Scroll a box, and nothing around it, to the first such mark.
function reveal(box, marks) {
  const [node, mark] = [box, `${box} :is(${marks})`].map((selector) => byId("record").querySelector(selector));
  if (mark && node.scrollHeight > node.clientHeight) node.scrollTop = mark.offsetTop - node.clientHeight / 3;
}

const say = (text) => (byId("spoken").textContent = text);

function later(act) {
  let timer;
  return (event) => {
    clearTimeout(timer);
    timer = setTimeout(act, 150, event);
  };
}

// -- keys, address, paper --------------------------------------------------------------------

const KEYS = {
  j: ["next record", () => stepRecord(1)],
  k: ["previous record", () => stepRecord(-1)],
  n: ["next claim that the filters ask for", () => stepClaim(1)],
  p: ["previous such claim", () => stepClaim(-1)],
  c: ["only records with a contradiction", () => byId("chip-C").click()],
  x: ["references whole, or around the evidence", () => ((open = !open), drawRecord())],
  "/": ["search", () => byId("words").select()],
  Escape: ["leave the search; again: clear all filters", () => {}],
  "?": ["these keys", () => byId("help").showModal()],
};
const ALIKE = { ArrowDown: "j", ArrowUp: "k" };

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const typing = ["INPUT", "SELECT"].includes(event.target.tagName);
  if (event.key === "Escape") return typing ? event.target.blur() : clear();
  if (typing) return;
  const inList = event.target.id === "list";
  const key = inList ? (ALIKE[event.key] ?? event.key) : event.key;
  if (!Object.hasOwn(KEYS, key) || (key in ALIKE && !inList) || (key !== "Escape" && shown === undefined && "npx".includes(key))) return;
  event.preventDefault();
  KEYS[key][1]();
}

function clear() {
  Object.assign(state, { words: "", group: "", value: "" });
  state.any.clear();
  drawFilters();
  filter();
}

function drawHelp() {
  const rows = Object.entries(KEYS).map(([key, [does]]) => [make("dt", {}, make("kbd", {}, key === "Escape" ? "Esc" : key)), make("dd", {}, does)]);
  const close = make("button", { type: "button", click: () => byId("help").close() }, "Close");
  byId("help").append(make("h2", { id: "help-title" }, "Keys"), make("dl", {}, rows), close);
}

// On paper: every record of the page of the list that has been read, with its claims open.
function printed() {
  const first = Math.floor(state.at / PAGE) * PAGE;
  const records = state.found.slice(first, first + PAGE).map((position) => {
    const [at, place] = overview.index[position].at;
    return blocks.get(at)?.[place];
  });
  byId("paper").replaceChildren(...records.filter(Boolean).map(paperView));
}

async function fromAddress() {
  const { record, claim } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const at = state.found.indexOf(Number(record) - 1);
  if (at >= 0) await go(at, Number(claim) - 1 || 0);
}

async function begin() {
  overview = await unpack("overview");
  document.addEventListener("keydown", onKey);
  window.addEventListener("beforeprint", printed);
  window.addEventListener("hashchange", fromAddress);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  const address = location.hash;
  drawSummary();
  drawHelp();
  drawFilters();
  byId("filters").hidden = byId("main").hidden = false;
  await filter();
  history.replaceState(null, "", address || location.hash);
  await fromAddress();
  document.documentElement.dataset.ready = "yes";
}

begin();
