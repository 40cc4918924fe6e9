/**
 * `flow-graph.js`: looking around in a graph's picture. It scrolls by itself; here are zoom (keys, wheel, pinch), dragging, keys that walk along
 * edges, and following what runs.
 */

const LEAST = 0.25;
const MOST = 2;
const STEP = 1.2;
/** Pointers that move less have clicked. */
const CLICK_PX = 4;

interface View {
  box: HTMLElement;
  svg: SVGSVGElement;
  zoom: number;
  isFollowing: boolean;
}

const views = new WeakMap<Element, View>();

/** Once for each widget. */
export function equip(widget: Element): void {
  const box = widget.querySelector<HTMLElement>(".svc-view");
  const svg = box?.querySelector<SVGSVGElement>(".svc-picture");
  if (!box || !svg || views.has(widget)) return;
  const view: View = { box, svg, zoom: 1, isFollowing: false };
  views.set(widget, view);
  addTools(view);
  addKeys(view);
  addWheel(view);
  addDrag(view);
  if (svg.width.baseVal.value > box.clientWidth && svg.width.baseVal.value < box.clientWidth * 1.6) fit(view);
}

/** The server has told something new. */
export function patched(widget: Element): void {
  const view = views.get(widget);
  if (view?.isFollowing) showRunning(view);
}

/** @param x,y what stays where it is, from the corner of the box */
function zoomTo(view: View, zoom: number, x = view.box.clientWidth / 2, y = view.box.clientHeight / 2): void {
  const { box, svg } = view;
  const next = Math.min(MOST, Math.max(LEAST, zoom));
  const by = next / view.zoom;
  const { width, height } = svg.viewBox.baseVal;
  const [left, top] = [box.scrollLeft, box.scrollTop];
  svg.setAttribute("width", String(width * next));
  svg.setAttribute("height", String(height * next));
  view.zoom = next;
  box.scrollLeft = (left + x) * by - x;
  box.scrollTop = (top + y) * by - y;
}

function fit(view: View): void {
  const { width, height } = view.svg.viewBox.baseVal;
  zoomTo(view, Math.min(1, view.box.clientWidth / width, Math.max(view.box.clientHeight, 240) / height));
}

function showRunning({ svg }: View): void {
  const running = svg.querySelector('[data-status="running"]') ?? svg.querySelector('[data-status="failed"]');
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  running?.scrollIntoView({ block: "nearest", inline: "center", behavior: isStill ? "instant" : "smooth" });
}

function addTools(view: View): void {
  const bar = document.createElement("div");
  bar.className = "svc-tools";
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Picture");
  const add = (label: string, sign: string, act: (button: HTMLButtonElement) => void): void => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sign;
    button.title = label;
    if (sign.length === 1) button.setAttribute("aria-label", label);
    button.addEventListener("click", () => act(button));
    bar.append(button);
  };
  add("Smaller", "−", () => zoomTo(view, view.zoom / STEP));
  add("Larger", "+", () => zoomTo(view, view.zoom * STEP));
  add("Show all", "Fit", () => fit(view));
  add("Follow what runs", "Follow", (button) => {
    view.isFollowing = !view.isFollowing;
    button.setAttribute("aria-pressed", String(view.isFollowing));
    if (view.isFollowing) showRunning(view);
  });
  bar.lastElementChild?.setAttribute("aria-pressed", "false");
  view.box.before(bar);
}

function addKeys(view: View): void {
  view.box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const link = (event.target as Element).closest("[data-node]");
    const isTaken =
      zoomKey(view, event.key) || failedKey(view, link, event.key) || (link && walk(view, link, event.key));
    if (isTaken) event.preventDefault();
  });
}

function zoomKey(view: View, key: string): boolean {
  if (key === "+" || key === "=") zoomTo(view, view.zoom * STEP);
  else if (key === "-") zoomTo(view, view.zoom / STEP);
  else if (key === "0") fit(view);
  else return false;
  return true;
}

/** `]` and `[`: the next node that has failed, and the one before. */
function failedKey({ svg }: View, link: Element | null, key: string): boolean {
  if (key !== "[" && key !== "]") return false;
  const failed = [...svg.querySelectorAll('[data-status="failed"] [data-node]')];
  const at = link ? failed.indexOf(link) : -1;
  const next = key === "]" ? at + 1 : at < 0 ? failed.length - 1 : at - 1;
  focus(failed[(next + failed.length) % failed.length]);
  return true;
}

/** Right and left along edges, up and down among those that stand in one column. */
function walk({ svg }: View, link: Element, key: string): boolean {
  const name = link.getAttribute("data-node") ?? "";
  const find = (node: string | null | undefined): Element | null =>
    svg.querySelector(`[data-node="${CSS.escape(node ?? "")}"]`);
  if (key === "ArrowRight" || key === "ArrowLeft") {
    const [here, there] = key === "ArrowRight" ? ["data-from", "data-to"] : ["data-to", "data-from"];
    focus(find(svg.querySelector(`[${here}="${CSS.escape(name)}"]`)?.getAttribute(there!)));
    return true;
  }
  if (key !== "ArrowUp" && key !== "ArrowDown") return false;
  const place = (element: Element): DOMRect => element.getBoundingClientRect();
  const own = place(link);
  const column = [...svg.querySelectorAll("[data-node]")].filter((other) => Math.abs(place(other).left - own.left) < 2);
  column.sort((a, b) => place(a).top - place(b).top);
  focus(column[column.indexOf(link) + (key === "ArrowDown" ? 1 : -1)]);
  return true;
}

function focus(element: Element | null | undefined): void {
  if (!(element instanceof SVGElement)) return;
  element.focus();
  element.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Pinches come as a wheel with the control key. */
function addWheel(view: View): void {
  view.box.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = view.box.getBoundingClientRect();
      zoomTo(view, view.zoom * Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
    },
    { passive: false },
  );
}

function addDrag({ box }: View): void {
  let start: { x: number; y: number; left: number; top: number; hasMoved: boolean } | undefined;
  box.addEventListener("pointerdown", ({ pointerType, button, clientX, clientY }) => {
    // Fingers scroll by themselves.
    if (pointerType !== "mouse" || button !== 0) return;
    start = { x: clientX, y: clientY, left: box.scrollLeft, top: box.scrollTop, hasMoved: false };
  });
  box.addEventListener("pointermove", ({ clientX, clientY, pointerId }) => {
    if (!start) return;
    if (!start.hasMoved && Math.hypot(clientX - start.x, clientY - start.y) < CLICK_PX) return;
    if (!start.hasMoved) box.setPointerCapture(pointerId);
    start.hasMoved = true;
    box.scrollLeft = start.left + start.x - clientX;
    box.scrollTop = start.top + start.y - clientY;
  });
  const end = (): void => void setTimeout(() => (start = undefined));
  box.addEventListener("pointerup", end);
  box.addEventListener("pointercancel", end);
  box.addEventListener("dragstart", (event) => event.preventDefault());
  box.addEventListener("click", (event) => start?.hasMoved && event.preventDefault(), { capture: true });
}
