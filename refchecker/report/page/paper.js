// A record on paper: nothing can be chosen there, so every claim shows its evidence as a quote.

function paperView(record) {
  const claims = (record.claims ?? []).map((claim) => {
    const score = claim.scores?.[claim.label];
    const reasons = (claim.answers ?? []).map((answer) => answer.reason || answer.note).filter(Boolean);
    return make(
      "li",
      { class: `claim is-${claim.label}` },
      make("p", {}, badge(claim.label), " ", claimText(claim), score !== undefined && ` ${percent(score)}`),
      claim.conflict && make("p", {}, "The references disagree."),
      [claim.note, claim.unsure, ...reasons].filter(Boolean).map((text) => make("p", { dir: "auto" }, text)),
      (claim.evidence ?? []).map((words) => quote(words, record, claim)),
    );
  });
  return make(
    "article",
    {},
    recordHead(record),
    make("h3", {}, "Response"),
    responseView(record, -1, () => {}),
    make("h3", {}, claims.length ? many(claims.length, "claim") : "No claims"),
    make("ol", { class: "claims" }, claims),
  );
}

function quote(words, record, claim) {
  const passage = record.references?.[words.passage];
  if (!passage) return make("blockquote", { dir: "auto" }, words.text, make("cite", {}, words.source));
  const marks = (claim.elements ?? []).filter((each) => each.passage === words.passage);
  const text = marked(passage.text, marks, elementDress, words.start, words.end);
  return make("blockquote", { dir: "auto" }, text, make("cite", {}, passage.source));
}
