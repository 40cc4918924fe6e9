/** Searches a payload while the visitor types, as far as it is in the page. Enter asks the server, which searches all of it. */

addEventListener("input", ({ target }) => {
  const form = target instanceof HTMLInputElement && target.form?.matches("[data-find]") ? target.form : null;
  const output = form?.querySelector("output");
  if (!form || !output) return;
  const wanted = (target as HTMLInputElement).value.toLowerCase();
  let found = 0;
  for (const line of form.parentElement?.querySelectorAll(".payload p, .payload summary") ?? []) {
    const holds = wanted !== "" && [...line.children].some((part) => searched(part).toLowerCase().includes(wanted));
    line.toggleAttribute("data-found", holds);
    if (!holds) continue;
    found++;
    const own = line.matches("summary") ? line.parentElement : line;
    for (let at = own?.parentElement?.closest("details"); at; at = at.parentElement?.closest("details")) at.open = true;
  }
  output.textContent =
    wanted === "" ? "" : `${found === 0 ? "Nothing" : found} found here; press Enter to search everything`;
});

/** The text that the server searches as well: keys except list indexes, and values except hidden ones. */
function searched(part: Element): string {
  const text = part.textContent ?? "";
  if (part.className === "payload-key") return part.hasAttribute("data-place") ? "" : text.slice(0, -2);
  const kind = part.getAttribute("data-kind");
  if (kind === "string") return JSON.parse(text) as string;
  return kind === null || kind === "redacted" ? "" : text;
}
