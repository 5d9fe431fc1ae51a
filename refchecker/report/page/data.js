// The data of the page: an overview, and blocks of records that are read when one is shown.

const KEPT_BLOCKS = 12;
const blocks = new Map(); // number of the block -> its records, the latest used last

async function unpack(name) {
  const holder = document.getElementById(name);
  if (holder.type === "application/json") return JSON.parse(holder.textContent);
  const packed = Uint8Array.from(atob(holder.textContent), (char) => char.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

async function block(number) {
  const records = blocks.get(number) ?? (await unpack(`block-${number}`));
  blocks.delete(number);
  blocks.set(number, records);
  if (blocks.size > KEPT_BLOCKS) blocks.delete(blocks.keys().next().value);
  return records;
}

async function recordAt([number, place]) {
  return (await block(number))[place];
}

// An element with attributes and children. Strings become text nodes: nothing here is ever parsed
// as HTML, and the page's policy would refuse it.
function make(name, attributes = {}, ...children) {
  const svg = ["svg", "rect", "title"].includes(name);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value !== false && value !== undefined) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== false && child !== ""));
  return node;
}

const percent = (share) => (share > 0 && share < 0.01 ? "<1%" : `${Math.round(100 * share)}%`);
const number = (count) => count.toLocaleString("en");
const many = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
