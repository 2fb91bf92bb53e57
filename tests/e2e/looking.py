"""What a person would notice at a glance, asked of the page itself."""

from playwright.sync_api import Page

PHONE, DESK = (390, 844), (1440, 900)
SCHEMES = ("light", "dark")

# Text and what is behind it: WCAG 2.2, 1.4.3 (4.5 to 1; large text 3 to 1).
_CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3]));
  const behind = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement)
      layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => {
      c /= 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const poor = [];
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || seen.has(node)) continue;
    seen.add(node);
    const style = getComputedStyle(node);
    // What is out of use need not stand out.
    if (!node.checkVisibility() || node.closest("[aria-disabled=true], [disabled], svg")) continue;
    const ground = behind(node);
    const ink = over(rgba(style.color), ground);
    const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (large ? 3 : 4.5))
      poor.push(`${ratio.toFixed(2)}: ${walker.currentNode.data.trim().slice(0, 40)}`);
  }
  return poor;
}"""

_STRUCTURE = """() => {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  if (document.documentElement.lang !== "en") wrong.push("no language");
  if (all("h1").length !== 1) wrong.push(`${all("h1").length} headings of the first rank`);
  if (all("main").length !== 1) wrong.push("no main part");
  for (const image of all("img:not([alt])")) wrong.push(`no alt: ${image.src}`);
  for (const field of all("input:not([type=hidden], [hidden]), select, textarea"))
    if (!field.labels.length && !field.ariaLabel) wrong.push(`no label: ${field.name}`);
  for (const link of all("a[href], button"))
    if (!(link.innerText + (link.ariaLabel || "")).trim()) wrong.push(`no text: ${link.outerHTML}`);
  const ids = all("[id]").map((node) => node.id);
  for (const id of new Set(ids.filter((each, at) => ids.indexOf(each) !== at)))
    wrong.push(`id twice: ${id}`);
  return wrong;
}"""

_FOCUS = """() => {
  const hidden = [];
  for (const node of document.querySelectorAll("a[href], button, input, select, summary")) {
    if (node.type === "hidden" || node.disabled || !node.checkVisibility()) continue;
    node.focus({preventScroll: true});
    const style = getComputedStyle(node);
    if (document.activeElement !== node) hidden.push(`takes no focus: ${node.outerHTML}`);
    else if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2)
      hidden.push(`shows no focus: ${node.outerHTML}`);
  }
  return hidden;
}"""

_SIDEWAYS = """() => {
  const room = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= room) return [];
  return [...document.body.querySelectorAll("*")]
    .filter((node) => node.getBoundingClientRect().right > room + 1 && !node.closest(".wide, pre"))
    .map((node) => node.outerHTML.slice(0, 120));
}"""


def wrong_looks(page: Page) -> list[str]:
    """What sticks out sideways, is built wrongly, or cannot be read in light or in dark."""
    found = [f"sticks out: {each}" for each in page.evaluate(_SIDEWAYS)]
    found += page.evaluate(_STRUCTURE)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        found += [f"contrast ({scheme}) {each}" for each in page.evaluate(_CONTRAST)]
    return found


def wrong_for_the_keyboard(page: Page) -> list[str]:
    """Whoever goes by the keyboard comes to the content at once, and always sees where he is."""
    page.keyboard.press("Tab")
    if not page.locator("[autofocus]").count():  # else one begins in the form
        first = page.locator(":focus")
        if first.inner_text() != "To the content" or first.bounding_box()["x"] < 0:
            return [f"first comes {first.inner_text()}"]
    return page.evaluate(_FOCUS)
