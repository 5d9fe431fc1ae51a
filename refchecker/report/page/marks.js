// Marked text. Marks are {start, end, kind, ...} in UTF-16 units; they may nest and overlap in any
// way, so the text is cut at all their edges, and each piece knows the marks that cover it.

function pieces(text, marks, from = 0, to = text.length) {
  const inside = marks.filter((mark) => mark.start < to && mark.end > from && mark.start < mark.end);
  const edges = new Set([from, to]);
  for (const { start, end } of inside) edges.add(Math.max(start, from)).add(Math.min(end, to));
  const sorted = [...edges].sort((a, b) => a - b);
  const open = new Set();
  const starts = [...inside].sort((a, b) => a.start - b.start);
  const found = [];
  for (let place = 0, next = 0; place + 1 < sorted.length; place++) {
    const [start, end] = [sorted[place], sorted[place + 1]];
    for (const mark of open) if (mark.end <= start) open.delete(mark);
    for (; next < starts.length && starts[next].start <= start; next++) open.add(starts[next]);
    found.push({ start, end, marks: [...open] });
  }
  return found;
}

// The nodes of a stretch of text. `dress` gives a piece's marks their attributes.
function marked(text, marks, dress, from = 0, to = text.length) {
  return pieces(text, marks, from, to).map(({ start, end, marks: here }) => {
    const words = text.slice(start, end);
    return here.length ? make("mark", dress(here, start, end), words) : words;
  });
}

const MARGIN = 260; // characters left around what is marked in a long text
const OPENING = 700; // characters shown of a long text with nothing marked
const WORTH_HIDING = 200;

// What of a long text to show: stretches around the marks, or its beginning.
function stretches(text, marks) {
  if (!marks.length) return [[0, wordEnd(text, OPENING)]];
  const shown = [];
  for (const { start, end } of [...marks].sort((a, b) => a.start - b.start)) {
    const from = wordStart(text, start - MARGIN);
    const to = wordEnd(text, end + MARGIN);
    const last = shown.at(-1);
    if (last && from - last[1] < WORTH_HIDING) last[1] = Math.max(last[1], to);
    else shown.push([from, to]);
  }
  if (shown[0][0] < WORTH_HIDING) shown[0][0] = 0;
  if (text.length - shown.at(-1)[1] < WORTH_HIDING) shown.at(-1)[1] = text.length;
  return shown;
}

function wordStart(text, place) {
  if (place <= 0) return 0;
  const space = text.slice(place, place + 40).search(/\s/);
  return whole(text, space < 0 ? place : place + space + 1);
}

function wordEnd(text, place) {
  if (place >= text.length) return text.length;
  const space = text.slice(Math.max(0, place - 40), place).search(/\s\S*$/);
  return whole(text, space < 0 ? place : Math.max(0, place - 40) + space);
}

// Never between the two halves of a character.
const whole = (text, place) => (/[\uDC00-\uDFFF]/.test(text[place] ?? "") ? place + 1 : place);

// A long text around its marks, the rest behind buttons that show it.
function folded(text, marks, dress, open) {
  if (open || text.length < OPENING + WORTH_HIDING) return marked(text, marks, dress);
  const nodes = [];
  let place = 0;
  const gap = (from, to) => {
    if (from >= to) return;
    const show = () => button.replaceWith(...marked(text, marks, dress, from, to));
    const label = `… ${number(to - from)} more characters …`;
    const button = make("button", { type: "button", class: "gap", click: show }, label);
    nodes.push(button);
  };
  for (const [from, to] of stretches(text, marks)) {
    gap(place, from);
    nodes.push(...marked(text, marks, dress, from, to));
    place = to;
  }
  gap(place, text.length);
  return nodes;
}
