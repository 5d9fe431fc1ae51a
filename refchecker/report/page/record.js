// One record: the response and its claims on the left, the references on the right.

const WORD = { C: "Contradiction", N: "Neutral", A: "Abstain", E: "Entailment", U: "Unchecked" };
const WORST = "CNAUE";
const SHORT = { subject: "S", predicate: "P", object: "O", claim: "" };
const STATUS = { ok: "ok", no_claims: "no claims", no_reference: "no reference", failed: "failed" };

const badge = (label) => make("abbr", { class: `badge is-${label}`, title: WORD[label] }, label);
const prose = (name, kind, ...children) => make(name, { class: `prose ${kind}`, dir: "auto" }, ...children);

// A bar of shares by label. Every part says in words what it is.
function bar(counts, { height = 8, kind = "bar" } = {}) {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  const said = parts.map(([label, count]) => `${WORD[label]} ${percent(count / total)}`).join(", ");
  const drawing = { class: kind, viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none" };
  const svg = make("svg", { ...drawing, role: "img", "aria-label": said }, make("title", {}, said));
  let x = 0;
  for (const [label, count] of parts) {
    const width = (100 * count) / total;
    svg.append(make("rect", { x, y: 0, width, height, class: `fill-${label}` }));
    x += width;
  }
  return svg;
}

const inOrder = (scores) => Object.fromEntries([...WORST].filter((l) => l in scores).map((l) => [l, scores[l]]));

// The response, each claim's words underlined in the manner of its label; where claims overlap, the
// chosen one decides, then the worst.
function responseView(record, chosen, choose) {
  const marks = [];
  (record.claims ?? []).forEach((claim, index) => {
    for (const [start, end] of claim.spans ?? []) marks.push({ start, end, claim: index, label: claim.label });
  });
  for (const element of record.claims?.[chosen]?.elements ?? []) {
    if (element.in === "response") marks.push({ ...element });
  }
  const dress = (here, from) => {
    const claims = here.filter((mark) => mark.claim !== undefined);
    claims.sort((a, b) => WORST.indexOf(a.label) - WORST.indexOf(b.label) || a.end - a.start - (b.end - b.start));
    const current = claims.find((mark) => mark.claim === chosen);
    const parts = elementDress(here.filter((mark) => mark.element), from);
    const label = (current ?? claims[0])?.label;
    const said = claims.map(({ claim, label: each }) => `claim ${claim + 1}: ${WORD[each]}`).join(", ");
    const next = claims[(claims.indexOf(current) + 1) % claims.length]?.claim;
    return {
      class: ["claimed", label && `is-${label}`, current && "chosen", parts.class].filter(Boolean).join(" "),
      "data-tag": parts["data-tag"],
      title: [said, parts.title].filter(Boolean).join("; "),
      click: () => next !== undefined && choose(next),
    };
  };
  return prose("p", "response", marked(record.response ?? "", marks, dress));
}

function elementDress(marks, from) {
  const starting = marks.filter((mark) => mark.start === from && mark.role !== "missing");
  return {
    class: [...new Set(marks.map((mark) => `role-${mark.role}`))].join(" "),
    "data-tag": [...new Set(starting.map((mark) => SHORT[mark.element] ?? ""))].join("") || undefined,
    title: [...new Set(marks.map((mark) => `${mark.element}: ${ROLE[mark.role] ?? mark.role}`))].join(", "),
  };
}

const ROLE = { said: "said here", found: "found here", contradicted: "contradicted by this", missing: "not supported" };

// The words of a claim, its parts apart; what no reference supports is marked in them.
function claimText(claim) {
  const missing = (claim.elements ?? []).filter((each) => each.in === "claim");
  const shown = claim.parts.filter((part) => part);
  let at = 0;
  const nodes = shown.flatMap((part, index) => {
    const [from, to] = [at, at + part.length];
    at = to + 1;
    const here = missing
      .filter((mark) => mark.start < to && mark.end > from)
      .map((mark) => ({ ...mark, start: Math.max(mark.start, from) - from, end: Math.min(mark.end, to) - from }));
    const inside = marked(part, here, (marks) => ({ class: "role-missing", title: elementDress(marks, -1).title }));
    const divider = make("span", { class: "divider", "aria-hidden": "true" }, "·");
    return [index > 0 && divider, index > 0 && " ", make("bdi", { class: `part part-${index}` }, inside), " "];
  });
  return make("span", { class: `claim-text parts-${claim.parts.length}` }, nodes);
}

function claimView(claim, index, chosen, choose) {
  const score = claim.scores?.[claim.label];
  const head = make(
    "button",
    { type: "button", class: "claim-head", "aria-expanded": String(chosen), click: () => choose(index) },
    badge(claim.label),
    claimText(claim),
    claim.conflict && make("span", { class: "tag conflict" }, "conflict"),
    claim.unsure && make("span", { class: "tag" }, "unsure"),
    claim.note && make("span", { class: "tag failed" }, "failed"),
    score !== undefined && make("span", { class: "score" }, percent(score)),
  );
  const item = make("li", { class: `claim is-${claim.label}${chosen ? " chosen" : ""}`, id: `claim-${index}` }, head);
  if (chosen) item.append(claimDetails(claim));
  return item;
}

function claimDetails(claim) {
  const lines = [make("p", {}, make("b", {}, WORD[claim.label]), `: ${overview.meaning[claim.label]}.`)];
  if (claim.conflict) lines.push(make("p", {}, "The references disagree: one supports it, another contradicts it."));
  if (claim.scores) {
    const scores = inOrder(claim.scores);
    const said = Object.entries(scores).map(([label, score]) => `${WORD[label]} ${percent(score)}`);
    lines.push(make("div", { class: "scores" }, bar(scores), make("span", {}, said.join(" · "))));
  }
  if (claim.note) lines.push(make("p", { class: "failed" }, "Not judged: ", make("bdi", {}, claim.note)));
  if (claim.unsure) lines.push(make("p", {}, "Not sure enough: ", make("bdi", {}, claim.unsure)));
  if (!claim.spans?.length) lines.push(make("p", { class: "muted" }, "The response has no marked words for this claim."));
  return make("div", { class: "claim-details" }, lines);
}

function sourceName(passage) {
  const source = passage.source;
  const web = /^https?:\/\//i.test(source);
  const link = { href: source, target: "_blank", rel: "noopener noreferrer" };
  const name = web ? make("a", link, source) : make("bdi", {}, source);
  const from = passage.start && `from character ${number(passage.start)}`;
  const more = [passage.title, passage.document, from, passage.time].filter(Boolean);
  return make("span", { class: "source" }, name, more.length > 0 && " ", make("small", {}, make("bdi", {}, more.join(" · "))));
}

// A reference with what it says about the chosen claim. References that decide nothing stay closed.
function referenceView(passage, number_, claim, open, alone) {
  const answer = (claim?.answers ?? []).find((each) => each.passage === number_);
  const here = (marks) => (marks ?? []).filter((mark) => mark.passage === number_);
  const evidence = here(claim?.evidence).map((mark) => ({ ...mark, role: "evidence" }));
  const marks = [...evidence, ...here(claim?.elements)];
  const dress = (covering, from) => {
    const elements = covering.filter((mark) => mark.element);
    const parts = elementDress(elements, from);
    const inEvidence = elements.length < covering.length;
    return { ...parts, class: `${inEvidence ? "evidence" : ""} ${parts.class}`, title: parts.title || "evidence" };
  };
  const score = answer?.scores?.[answer.label];
  const summary = make(
    "summary",
    {},
    answer && badge(answer.label),
    sourceName(passage),
    answer?.by && make("span", { class: "tag" }, `by ${answer.by}`),
    answer && score !== undefined && make("span", { class: "score" }, percent(score)),
  );
  const whole_ = Math.max(0, ...evidence.map((mark) => mark.end - mark.start)) >= passage.text.length - 1;
  return make(
    "details",
    { class: "reference", open: alone || marks.length > 0 || open },
    summary,
    answer?.reason && make("p", { class: "reason" }, make("bdi", {}, answer.reason)),
    answer?.note && make("p", { class: "failed" }, "Not judged: ", make("bdi", {}, answer.note)),
    answer?.unsure && make("p", { class: "muted" }, "Not sure enough: ", make("bdi", {}, answer.unsure)),
    prose("p", `reference-text ${whole_ ? "all-evidence" : ""}`, folded(passage.text, marks, dress, open)),
  );
}

function referencesView(record, claim, open) {
  const passages = record.references ?? [];
  const nodes = passages.map((passage, index) => referenceView(passage, index, claim, open, passages.length === 1));
  const elsewhere = (claim?.answers ?? []).filter((answer) => answer.passage < 0);
  for (const answer of elsewhere) {
    const text = `${answer.source}: ${WORD[answer.label]}${answer.reason ? `. ${answer.reason}` : ""}`;
    nodes.push(make("p", { class: "reference" }, badge(answer.label), " ", make("bdi", {}, text)));
  }
  const quotes = [...(claim?.evidence ?? []), ...(claim?.elements ?? [])].filter((each) => "text" in each);
  for (const { source, text } of quotes) {
    const where = make("cite", {}, `${source} (these words are not in the reference as the file has it)`);
    nodes.push(make("blockquote", { dir: "auto" }, text, where));
  }
  if (!passages.length) nodes.unshift(make("p", { class: "muted" }, "There is no reference for this record."));
  return nodes;
}

function legend(claim) {
  const roles = new Set((claim?.elements ?? []).map((each) => each.role));
  const entries = [];
  for (const role of ["found", "contradicted", "missing"]) {
    const said = { found: "says the claim's words", contradicted: "stands against them", missing: "not supported" };
    if (roles.has(role)) entries.push([`role-${role}`, said[role]]);
  }
  if (!entries.length) return "";
  const tags = roles.has("found") || roles.has("said") ? " S, P, O: subject, predicate, object" : "";
  const keys = entries.map(([kind, said]) => [make("mark", { class: kind }, said), " "]);
  return make("p", { class: "legend" }, keys, tags);
}

function recordHead(record, position) {
  const facts = Object.entries(record.fields ?? {}).map(([name, value]) =>
    make("span", { class: "fact" }, make("span", {}, name), " ", make("bdi", {}, value)),
  );
  return make(
    "header",
    {},
    make("h2", {}, make("bdi", {}, record.id), make("small", {}, ` line ${record.line}`)),
    record.status && make("p", { class: `status ${record.status}` }, STATUS[record.status], record.note ? ": " : "", make("bdi", {}, record.note ?? "")),
    facts.length > 0 && make("p", { class: "facts" }, facts),
    record.question && [make("h3", {}, "Question"), prose("p", "question", record.question)],
  );
}

function recordView(record, chosen, choose, open) {
  const claims = record.claims ?? [];
  const claim = claims[chosen];
  const list = claims.map((each, index) => claimView(each, index, index === chosen, choose));
  return [
    recordHead(record),
    make(
      "div",
      { class: "sides" },
      make(
        "section",
        { class: "left", "aria-label": "Response and claims" },
        make("h3", {}, "Response"),
        responseView(record, chosen, choose),
        make("h3", {}, claims.length ? many(claims.length, "claim") : "No claims"),
        make("ol", { class: "claims" }, list),
      ),
      make(
        "section",
        { class: "right", "aria-label": "References" },
        make("h3", {}, (record.references ?? []).length > 1 ? many(record.references.length, "reference") : "Reference"),
        legend(claim),
        referencesView(record, claim, open),
      ),
    ),
  ];
}
