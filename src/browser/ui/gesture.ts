/** `ui-gesture.js`: what pointers do on `<svc-gesture>` elements, told by events (Pointer Events 3). One set of listeners for all of them, none that the browser waits for. */
import { DOM } from "../../shared/wire.ts";
import { Recogniser, type GestureInput } from "./gestures.ts";

/** Elements with fingers on them, or that have had some. */
const recognisers = new WeakMap<Element, Recogniser>();
/** Pointer -> the element that it came down on. */
const held = new Map<number, Element>();

const gestureAt = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest(DOM.gestureTag) : null;

const hears = (element: Element, type: string): boolean => element.hasAttribute(DOM.on + type);

const make = (element: Element): Recogniser => {
  const number = (name: string, usual: number): number => Number(element.getAttribute(name) ?? usual);
  return new Recogniser({
    _wanted: (type) => hears(element, type),
    _axis: element.getAttribute("axis"),
    _distance: number("distance", 8),
    _hold: number("hold", 500),
    _interval: number("interval", 300),
  });
};

const take = (element: Element, recogniser: Recogniser, input: GestureInput): void => {
  const wasMoving = recogniser._isMoving;
  for (const { type, detail } of recogniser._take(input))
    element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  // Pointers that move something go on doing so outside of it, and don't click what is inside.
  if (!wasMoving && recogniser._isMoving) held.forEach((each, id) => each === element && element.setPointerCapture(id));
};

for (const type of ["down", "move", "up", "cancel"] as const) {
  const isDown = type === "down";
  addEventListener(
    `pointer${type}`,
    ({ pointerId: _id, clientX: _x, clientY: _y, timeStamp: _at, target, button }) => {
      const element = isDown ? gestureAt(target) : held.get(_id);
      if (!element || (isDown && button)) return;
      let recogniser = recognisers.get(element);
      if (!recogniser) recognisers.set(element, (recogniser = make(element)));
      if (isDown) held.set(_id, element);
      take(element, recogniser, { _type: type, _id, _x, _y, _at });
      if (/u|c/.test(type)) held.delete(_id);
      const due = isDown && recogniser._dueAt;
      if (due) setTimeout(() => take(element, recogniser, { _type: "time", _at: due }), due - performance.now());
    },
    { passive: true },
  );
}

// The menu of a long press by touch is in the way of it, and so is the picture that a mouse would drag along.
for (const [type, gesture] of Object.entries({ contextmenu: "longpress", dragstart: "pan" }))
  addEventListener(type, (event) => {
    const element = gestureAt(event.target);
    if (held.size && element && hears(element, gesture)) event.preventDefault();
  });
