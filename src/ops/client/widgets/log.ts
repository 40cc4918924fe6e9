/**
 * `flow-log.js`: the event log of a graph. Keeps the newest rows, follows the tail until the visitor scrolls away, filters, and marks
 * connection gaps.
 */

/** Maximum number of rows in the page. */
const MOST_ROWS = 300;
/** Minimum time between two announcements to screen readers. */
const SAY_MS = 5000;

interface Log {
  list: HTMLElement;
  form: HTMLFormElement;
  /** Events since the last announcement. */
  _unsaid: number;
  _timer: number | undefined;
}

const logs = new WeakMap<Element, Log>();

/** @param rows oldest first @param skipped events that were left out before them @param behindGap events since the connection broke */
export function append(widget: Element, rows: readonly Element[], skipped: number, behindGap: number): void {
  const log = logs.get(widget);
  if (!log) return;
  const { list } = log;
  if (behindGap > 0) list.append(mark(`reconnected, ${behindGap} events since`));
  else if (skipped > 0) list.append(mark(`${skipped} events left out`));
  for (const row of rows) setShown(row, log);
  list.append(...rows);
  dropFirst(widget, list, skipped);
  sayLater(widget, log, rows.length + skipped);
}

/** Scrolls once all rows of a frame are inserted: reading the height in between would force a layout each time. */
export function settled(widget: Element): void {
  const log = logs.get(widget);
  if (log) scrollToEnd(log);
}

/** Sets up a log that is new in the page, or that navigation replaced. */
export function equip(widget: Element): void {
  const list = widget.querySelector<HTMLElement>("[data-rows]");
  const form = widget.querySelector<HTMLFormElement>("[data-filter]");
  if (!list || !form?.hidden) return;
  const known = logs.get(widget);
  const log = known?.list === list && known.form === form ? known : begin(widget, list, form);
  form.hidden = false;
  setAllShown(log);
}

function begin(widget: Element, list: HTMLElement, form: HTMLFormElement): Log {
  const log: Log = { list, form, _unsaid: 0, _timer: undefined };
  logs.set(widget, log);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    if (target === field(log, "tail")) scrollToEnd(log);
    else setAllShown(log);
  });
  list.addEventListener("scroll", () => {
    field(log, "tail").checked = list.scrollHeight - list.scrollTop - list.clientHeight < 24;
  });
  return log;
}

function field({ form }: Log, name: string): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}

function scrollToEnd(log: Log): void {
  if (field(log, "tail").checked) log.list.scrollTop = log.list.scrollHeight;
}

function setShown(row: Element, log: Log): void {
  const kind = field(log, "kind").value;
  const text = field(log, "text").value.trim().toLowerCase();
  const isOther = kind !== "" && row.getAttribute("data-kind") !== kind;
  const isHidden = isOther || (text !== "" && !row.textContent.toLowerCase().includes(text));
  if (row.hasAttribute("data-kind")) row.toggleAttribute("hidden", isHidden);
}

function setAllShown(log: Log): void {
  for (const row of log.list.children) setShown(row, log);
  scrollToEnd(log);
}

function mark(text: string): Element {
  const row = document.createElement("li");
  row.className = "svc-mark";
  row.textContent = text;
  return row;
}

/** Removes the oldest rows and counts them. */
function dropFirst(widget: Element, list: Element, skipped: number): void {
  const gap = widget.querySelector<HTMLElement>("[data-before]");
  let before = Number(gap?.dataset["before"]) + skipped;
  while (list.childElementCount > MOST_ROWS) {
    if (list.firstElementChild?.hasAttribute("data-seq")) before++;
    list.firstElementChild?.remove();
  }
  if (!gap || before === Number(gap.dataset["before"])) return;
  gap.dataset["before"] = String(before);
  gap.hidden = false;
  gap.textContent = `${before.toLocaleString("en")} earlier events are not shown`;
}

function sayLater(widget: Element, log: Log, count: number): void {
  log._unsaid += count;
  log._timer ??= setTimeout(() => {
    const ear = widget.querySelector("[data-news]");
    if (ear) ear.textContent = `${log._unsaid} new ${log._unsaid === 1 ? "event" : "events"}`;
    log._unsaid = 0;
    log._timer = undefined;
  }, SAY_MS);
}
