/**
 * `ops-palette.js`: the command palette of the operator screens, loaded when it first opens. It shows the results of the "Go to" screen,
 * requested from the server while the visitor types, so that both find the same targets. A combobox with a listbox as in the ARIA Authoring
 * Practices: the focus stays in the field, and `aria-activedescendant` names the selected option.
 */

/** Debounce interval: no request is sent while the visitor types faster than this. */
const PAUSE_MS = 80;

type AnswerTo = typeof import("../widgets/fetch-page.ts").fetchPage;

let source = "";
let answerTo: AnswerTo;
let asked = 0;
/** Whether Enter was pressed before the answer arrived. */
let isWanted = false;
let timer: ReturnType<typeof setTimeout> | undefined;

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...children: Node[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const list = make("ul", { role: "listbox", id: "ops-places", "aria-label": "Results" });
const field = make("input", {
  role: "combobox",
  type: "text",
  placeholder: "Screen, worker or run ID",
  "aria-label": "Go to",
  "aria-autocomplete": "list",
  "aria-controls": "ops-places",
  "aria-expanded": "false",
  autocomplete: "off",
  spellcheck: "false",
  maxlength: "200",
});
const word = make("p", { role: "status", class: "quiet" });
const dialog = make("dialog", { class: "palette", "aria-label": "Go to" }, field, list, word);

/** @param href of the "Go to" screen @param answer fetches a screen */
export function open(href: string, answer: AnswerTo): void {
  [source, answerTo] = [href, answer];
  if (!dialog.isConnected) document.body.append(dialog);
  if (dialog.open) return dialog.close();
  field.value = "";
  dialog.showModal();
  field.focus();
  forget();
  void ask();
}

/** Invalidates the listed options, which belong to an older input: Enter then opens the first option of the next answer. */
function forget(): void {
  asked++;
  clearTimeout(timer);
  isWanted = false;
  choose(null);
}

async function ask(): Promise<void> {
  const number = ++asked;
  const { status, responseXML } = await answerTo(`${source}?${new URLSearchParams({ q: field.value }).toString()}`);
  if (number !== asked) return;
  if (status === 200 && responseXML) return show(responseXML);
  if (status === 0) word.textContent = "Offline";
  else word.textContent = status === 401 ? "Signed out: reload to sign in" : "The server rejected the request";
}

function show(fresh: Document): void {
  const links = [...fresh.querySelectorAll<HTMLAnchorElement>("a[data-place]")];
  const options = links.map((link, at) => {
    const option = make("li", { role: "option", id: `ops-place-${at}`, "data-href": link.getAttribute("href") ?? "" });
    option.textContent = link.textContent;
    return option;
  });
  list.replaceChildren(...options);
  field.ariaExpanded = String(options.length > 0);
  word.textContent =
    options.length === 0 ? "No matches" : `${options.length} ${options.length === 1 ? "result" : "results"}`;
  choose(options[0]);
  if (isWanted) go(chosen());
}

function chosen(): Element | null {
  return list.querySelector("[aria-selected=true]");
}

function choose(option: Element | null | undefined): void {
  for (const other of list.children) other.ariaSelected = String(other === option);
  if (option) field.setAttribute("aria-activedescendant", option.id);
  else field.removeAttribute("aria-activedescendant");
  option?.scrollIntoView({ block: "nearest" });
}

function go(option: Element | null): void {
  const href = option?.getAttribute("data-href");
  if (!href) return;
  dialog.close();
  location.assign(href);
}

/** Opens the first option of the next answer: the options on screen belong to an older input. */
function want(): void {
  clearTimeout(timer);
  isWanted = true;
  void ask();
}

field.addEventListener("input", () => {
  forget();
  timer = setTimeout(() => void ask(), PAUSE_MS);
});

field.addEventListener("keydown", (event) => {
  const now = chosen();
  if (event.key === "ArrowDown") choose(now?.nextElementSibling ?? list.firstElementChild);
  else if (event.key === "ArrowUp") choose(now?.previousElementSibling ?? list.lastElementChild);
  else if (event.key === "Enter" && !event.isComposing) {
    if (now) go(now);
    else want();
  } else return;
  event.preventDefault();
});

list.addEventListener("click", ({ target }) => {
  if (target instanceof Element) go(target.closest("[role=option]"));
});
dialog.addEventListener("close", forget);
dialog.addEventListener("click", ({ target }) => {
  // Only the backdrop is hit as the dialog itself: its content fills it.
  if (target === dialog) dialog.close();
});
