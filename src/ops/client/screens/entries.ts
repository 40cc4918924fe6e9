/**
 * `ops-entries.js`: loaded when the pointer or the focus first enters a payload. Adds copy buttons for the path and the value of the entry
 * that is hovered or focused; the arrow keys move between entries. Paths are JSONPath (RFC 9535); values come from the server, which has
 * them in full.
 */
import { copy } from "./copy.ts";

const LINES = ".payload :is(p, summary:not(.bytes > *))";

interface Key {
  _name: string;
  _isPlace: boolean;
}

/** The keys from the root to the entry of a line. */
function keysOf(line: Element): Key[] {
  const keys: Key[] = [];
  for (let at = line.closest(".payload li"); at; at = at.parentElement?.closest(".payload li") ?? null) {
    const key = at.querySelector(".payload-key");
    keys.unshift({ _name: key?.textContent?.slice(0, -2) ?? "", _isPlace: key?.hasAttribute("data-place") === true });
  }
  return keys;
}

function pathOf(line: Element): string {
  const steps = keysOf(line).map(({ _name, _isPlace }) => {
    if (_isPlace) return `[${_name}]`;
    return /^[a-z_]\w*$/i.test(_name) ? `.${_name}` : `[${JSON.stringify(_name)}]`;
  });
  return `$${steps.join("")}`;
}

async function valueOf(line: Element): Promise<string> {
  const pointer = keysOf(line).map(({ _name }) => `/${_name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  const src = line.closest<HTMLElement>(".payload")?.dataset["entries"] ?? "";
  const answer = await fetch(`${src}&at=${encodeURIComponent(pointer.join(""))}`);
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.text();
}

/** The buttons' words are attributes, not text: the line's text identifies a fold and is searched. */
const bar = document.createElement("span");
bar.className = "entry-steps";
const says = (["path", "value"] as const).map((what) => {
  const button = document.createElement("button");
  const say = (word: string): string => {
    button.dataset["word"] = word === "Copy" ? what : word;
    return (button.title = button.ariaLabel = `${word} ${what}`);
  };
  button.type = "button";
  button.className = "copy-id";
  button.addEventListener("click", () => void copy(what === "path" ? pathOf(bar) : valueOf(bar), say));
  bar.append(button);
  return say;
});

function show(line: Element): void {
  if (bar.parentElement === line) return;
  for (const say of says) say("Copy");
  line.append(bar);
}

function lineOf(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest(LINES) : null;
}

if ("clipboard" in navigator) {
  // The pointer or focus that loaded this module is already on an entry.
  const first = lineOf([...document.querySelectorAll(":hover")].at(-1) ?? null) ?? lineOf(document.activeElement);
  if (first) show(first);
  for (const near of ["pointerover", "focusin"])
    addEventListener(near, ({ target }) => {
      const line = lineOf(target);
      // An idle mouse must not take the buttons away from a keyboard user.
      if (line && (target === line || !bar.contains(document.activeElement))) show(line);
    });
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    const payload = target instanceof Element ? target.closest(".payload") : null;
    const by = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
    if (!payload || by === 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const lines = [...payload.querySelectorAll<HTMLElement>(LINES)].filter((line) => line.getClientRects().length > 0);
    const next = lines[lines.indexOf(lineOf(target) as HTMLElement) + by];
    if (!next) return;
    if (next.localName === "p") next.tabIndex = -1;
    next.focus();
    event.preventDefault();
  });
}
