// The log of a check, live: asks again until the check is over.
const box = document.getElementById("check");
async function again() {
  try {
    const answer = await fetch(location.href, { headers: { "X-Part": "check" } });
    if (answer.ok) box.innerHTML = await answer.text();
  } catch {
    // The site may be away for a moment.
  }
  if (box.querySelector("[data-pending=yes]")) setTimeout(again, 1500);
}
setTimeout(again, 1500);
