/**
 * `flow-graph.js`: navigation in a graph's picture: zoom (keys, wheel, pinch), dragging, keys that follow edges, panning by the map of
 * large pictures, and following running nodes. Scrolling is native.
 */

import { DOM } from "../../../platform/shared/wire.ts";

const LEAST = 0.25;
const MOST = 2;
const STEP = 1.2;
/** A pointer that moves less is a click. */
const CLICK_PX = 4;

interface View {
  box: HTMLElement;
  svg: SVGSVGElement;
  bar: HTMLElement;
  zoom: number;
  _isFollowing: boolean;
  /** The map of a large picture. */
  map: SVGSVGElement | undefined;
}

const views = new WeakMap<Element, View>();

/** Adds tools to each picture of a widget that lacks them: a navigation that morphs the page may remove them. */
export function equip(widget: Element): void {
  for (const box of widget.querySelectorAll<HTMLElement>(".svc-view")) {
    const svg = box.querySelector<SVGSVGElement>(".svc-picture");
    if (!svg) continue;
    const view = views.get(box) ?? begin(box, svg);
    view.svg = svg;
    if (view.bar.nextElementSibling !== box) box.before(view.bar);
    view.bar.dataset["form"] = box.dataset["form"];
    takeMap(view);
    zoomTo(view, view.zoom);
  }
  for (const bar of widget.querySelectorAll(".svc-tools"))
    if (!bar.nextElementSibling?.matches(".svc-view")) bar.remove();
}

/** Sets up a box once, whatever picture it contains. */
function begin(box: HTMLElement, svg: SVGSVGElement): View {
  const view: View = { box, svg, bar: document.createElement("div"), zoom: 1, _isFollowing: false, map: undefined };
  views.set(box, view);
  addTools(view);
  addKeys(view);
  addWheel(view);
  addDrag(view);
  const draw = (): void => drawSight(view);
  box.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(box);
  const { width } = svg.viewBox.baseVal;
  // Only a little too wide: a smaller picture is better than a clipped one.
  if (width > box.clientWidth && width < box.clientWidth * 1.6) fit(view);
  return view;
}

/** Called after the server's update of a widget. */
export function patched(widget: Element): void {
  for (const box of widget.querySelectorAll(".svc-view")) {
    const view = views.get(box);
    if (view?.map) drawMap(view, view.map);
    if (view?._isFollowing) showRunning(view);
  }
}

/** @param x,y the point that stays in place, from the corner of the box */
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
  drawSight(view);
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
  const { bar } = view;
  bar.className = "svc-tools";
  bar.setAttribute(DOM.own, "");
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
  add("Zoom out", "−", () => zoomTo(view, view.zoom / STEP));
  add("Zoom in", "+", () => zoomTo(view, view.zoom * STEP));
  add("Fit to view", "Fit", () => fit(view));
  add("Follow running nodes", "Follow", (button) => {
    view._isFollowing = !view._isFollowing;
    button.setAttribute("aria-pressed", String(view._isFollowing));
    if (view._isFollowing) showRunning(view);
  });
  bar.lastElementChild?.setAttribute("aria-pressed", "false");
  bar.lastElementChild?.setAttribute("data-key", "f");
}

/** Takes over the map that the server drew: marks the visible part of the picture, and pans on clicks and drags. */
function takeMap(view: View): void {
  const { box, svg, bar } = view;
  const map = box.parentElement?.querySelector<SVGSVGElement>(":scope>.svc-map");
  // The map of a graph that was shown here before.
  if (map || view.map?.querySelectorAll("rect").length !== svg.querySelectorAll(".svc-node").length) view.map?.remove();
  if (!map) return;
  view.map = map;
  bar.prepend(map);
  const sight = document.createElementNS("http://www.w3.org/2000/svg", "path");
  sight.setAttribute("class", "svc-sight");
  map.append(sight);
  const pan = ({ clientX, clientY }: PointerEvent): void => {
    const { left, top, width } = map.getBoundingClientRect();
    const by = (map.viewBox.baseVal.width / width) * view.zoom;
    box.scrollLeft = (clientX - left) * by - box.clientWidth / 2;
    box.scrollTop = (clientY - top) * by - box.clientHeight / 2;
  };
  map.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    map.setPointerCapture(event.pointerId);
    pan(event);
  });
  map.addEventListener("pointermove", (event) => map.hasPointerCapture(event.pointerId) && pan(event));
}

/** Positions in a picture never change; only colors do. */
function drawMap({ svg }: View, map: SVGSVGElement): void {
  svg.querySelectorAll(".svc-node").forEach((node, at) => {
    map.children[at]?.setAttribute("data-tone", node.getAttribute("data-tone") ?? "");
  });
}

/** Marks the visible part of the picture on the map. */
function drawSight({ box, zoom, map }: View): void {
  const [x, y] = [box.scrollLeft / zoom, box.scrollTop / zoom];
  const d = `M${x} ${y}h${box.clientWidth / zoom}v${box.clientHeight / zoom}h${-box.clientWidth / zoom}z`;
  map?.querySelector(".svc-sight")?.setAttribute("d", d);
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

/** `]` and `[` move to the next and the previous failed node. */
function failedKey({ svg }: View, link: Element | null, key: string): boolean {
  if (key !== "[" && key !== "]") return false;
  const failed = [...svg.querySelectorAll('[data-status="failed"] [data-node]')];
  const at = link ? failed.indexOf(link) : -1;
  const next = key === "]" ? at + 1 : at < 0 ? failed.length - 1 : at - 1;
  focus(failed[(next + failed.length) % failed.length]);
  return true;
}

/** Arrow keys along the edges and across them: right/left and up/down, or swapped where edges lead down. */
const WAYS: Record<string, Record<string, readonly [isAlong: boolean, by: 1 | -1]>> = {
  wide: { ArrowRight: [true, 1], ArrowLeft: [true, -1], ArrowDown: [false, 1], ArrowUp: [false, -1] },
  tall: { ArrowDown: [true, 1], ArrowUp: [true, -1], ArrowRight: [false, 1], ArrowLeft: [false, -1] },
};

function walk({ box, svg }: View, link: Element, key: string): boolean {
  const isTall = box.dataset["form"] === "tall";
  const way = WAYS[isTall ? "tall" : "wide"]![key];
  if (!way) return false;
  const [isAlong, by] = way;
  const name = CSS.escape(link.getAttribute("data-node") ?? "");
  if (isAlong) {
    const [here, there] = by > 0 ? ["from", "to"] : ["to", "from"];
    const next = svg.querySelector(`[data-${here}="${name}"]`)?.getAttribute(`data-${there}`);
    focus(svg.querySelector(`[data-node="${CSS.escape(next ?? "")}"]`));
    return true;
  }
  const place = (element: Element): readonly [rank: number, slot: number] => {
    const { left, top } = element.getBoundingClientRect();
    return isTall ? [top, left] : [left, top];
  };
  const [rank] = place(link);
  const peers = [...svg.querySelectorAll("[data-node]")].filter((other) => Math.abs(place(other)[0] - rank) < 12);
  peers.sort((a, b) => place(a)[1] - place(b)[1]);
  focus(peers[peers.indexOf(link) + by]);
  return true;
}

function focus(element: Element | null | undefined): void {
  if (!(element instanceof SVGElement)) return;
  element.focus();
  element.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Browsers report a pinch as a wheel event with the control key. */
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
  let start: { x: number; y: number; left: number; top: number; _hasMoved: boolean } | undefined;
  box.addEventListener("pointerdown", ({ pointerType, button, clientX, clientY }) => {
    // Touch scrolls natively.
    if (pointerType !== "mouse" || button !== 0) return;
    start = { x: clientX, y: clientY, left: box.scrollLeft, top: box.scrollTop, _hasMoved: false };
  });
  box.addEventListener("pointermove", ({ clientX, clientY, pointerId }) => {
    if (!start) return;
    if (!start._hasMoved && Math.hypot(clientX - start.x, clientY - start.y) < CLICK_PX) return;
    if (!start._hasMoved) box.setPointerCapture(pointerId);
    start._hasMoved = true;
    box.scrollLeft = start.left + start.x - clientX;
    box.scrollTop = start.top + start.y - clientY;
  });
  const end = (): void => void setTimeout(() => (start = undefined));
  box.addEventListener("pointerup", end);
  box.addEventListener("pointercancel", end);
  box.addEventListener("dragstart", (event) => event.preventDefault());
  box.addEventListener("click", (event) => start?._hasMoved && event.preventDefault(), { capture: true });
}
