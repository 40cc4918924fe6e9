/** `ui-gesture.js`: what pointers do on `<svc-gesture>` elements, told by events (Pointer Events 3). One set of listeners for all of them, none that the browser waits for. */
import { DOM } from "../../../platform/shared/wire.ts";
import { createGestureRecognizer, type Take } from "./gesture-recognizer.ts";
import { closestElement } from "./closest-element.ts";

/** Elements with fingers on them, or that have had some, and what takes their pointers. */
const takers = new WeakMap<Element, Take>();
/** Pointer -> the element that it came down on. */
const held = new Map<number, Element>();

const hears = (element: Element, type: string): boolean => element.hasAttribute(DOM.on + type);
const number = (element: Element, name: string, usual: number): number => Number(element.getAttribute(name) ?? usual);

for (const type of ["down", "move", "up", "cancel"] as const)
  addEventListener(
    `pointer${type}`,
    ({ pointerId, clientX, clientY, timeStamp, target, button }) => {
      const isDown = type === "down";
      const element = isDown ? !button && closestElement(target, DOM.gestureTag) : held.get(pointerId);
      if (!element) return;
      const hold = number(element, "hold", 500);
      const take =
        takers.get(element) ??
        createGestureRecognizer(
          (name) => hears(element, name),
          element.getAttribute("axis"),
          number(element, "distance", 8),
          hold,
          number(element, "interval", 300),
          (name, detail) => {
            element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
            // Pointers that move something go on doing so outside of it, and don't click what is inside.
            if (detail["phase"] === "start")
              held.forEach((each, id) => each === element && element.setPointerCapture(id));
          },
        );
      takers.set(element, take);
      if (isDown) {
        held.set(pointerId, element);
        setTimeout(() => take("time", timeStamp + hold), hold);
      }
      take(type, timeStamp, pointerId, clientX, clientY);
      if (/u|c/.test(type)) held.delete(pointerId);
    },
    { passive: true },
  );

// The menu of a long press by touch is in the way of it, and so is the picture that a mouse would drag along.
const IN_THE_WAY = { contextmenu: "longpress", dragstart: "pan" };
for (const [type, gesture] of Object.entries(IN_THE_WAY))
  addEventListener(type, (event) => {
    const element = closestElement(event.target, DOM.gestureTag);
    if (held.size && element && hears(element, gesture)) event.preventDefault();
  });
