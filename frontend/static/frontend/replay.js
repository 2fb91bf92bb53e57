// Stepping through a play without loading the whole page; every step stays an address of its own.
const box = document.getElementById("replay");
let wanted = 0;
let awaited = null; // the address whose step is still on its way

async function show(address, push) {
  const mine = ++wanted;
  awaited = address;
  const answer = await fetch(address, { headers: { "X-Part": "replay" } }).catch(() => null);
  if (mine !== wanted) return;
  if (!answer?.ok) return (awaited = null);
  const scrolled = box.querySelector(".moves").scrollTop;
  const focused = box.contains(document.activeElement) ? document.activeElement : null;
  const text = await answer.text();
  if (mine !== wanted) return;
  awaited = null;
  const opened = [...box.querySelectorAll("details")].map((each) => each.open);
  box.innerHTML = text;
  keepOpen(opened);
  keepFocus(focused);
  const moves = box.querySelector(".moves");
  moves.scrollTop = scrolled;
  keepInSight(moves);
  if (push) history.pushState(null, "", address);
}

// Whoever looks into a deck goes on looking into it: a table has the same folds at every step.
function keepOpen(opened) {
  box.querySelectorAll("details").forEach((each, number) => (each.open = opened[number] ?? each.open));
}

// The button that was pressed is there again, so that it can be pressed again.
function keepFocus(before) {
  if (!before) return;
  const same = before.rel
    ? `.stepper a[rel=${before.rel}]`
    : `a[href="${CSS.escape(before.getAttribute("href") ?? "")}"]`;
  box.querySelector(same)?.focus({ preventScroll: true });
}

function keepInSight(moves) {
  const now = moves.querySelector("[aria-current]");
  if (!now) return;
  const top = now.offsetTop - moves.offsetTop;
  if (top < moves.scrollTop || top + now.offsetHeight > moves.scrollTop + moves.clientHeight)
    moves.scrollTop = top - moves.clientHeight / 2;
}

box.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='?']");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  if (link.getAttribute("aria-disabled") !== "true") show(link.getAttribute("href"), true);
});

const keys = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const link = keys[event.key] && box.querySelector(`.stepper a[rel=${keys[event.key]}]`);
  if (!link || link.getAttribute("aria-disabled") === "true") return;
  event.preventDefault();
  show(beyond(event.key, link.getAttribute("href")), true);
});

// A key that is pressed faster than steps arrive counts from the step that is on its way.
function beyond(key, address) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (!awaited || !by) return address;
  const next = new URL(awaited, location.href).searchParams;
  const last = new URLSearchParams(box.querySelector(".stepper a[rel=last]").search).get("step");
  next.set("step", Math.max(0, Math.min(Number(next.get("step")) + by, Number(last))));
  return `?${next}`;
}

window.addEventListener("popstate", () => show(location.href, false));
keepInSight(box.querySelector(".moves"));
