/** `ui-gesture.js`: dispatches gesture events on `<svc-gesture>` elements (Pointer Events 3). One set of passive listeners serves all of them. */
import { DOM } from "../../../platform/shared/wire.ts";
import { createGestureRecognizer, type Take } from "./gesture-recognizer.ts";
import { closestElement } from "./closest-element.ts";

/** Elements that have had a pointer on them -> their recognizer. */
const takers = new WeakMap<Element, Take>();
/** Pointer -> the element it was pressed on. */
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
            // With capture the gesture continues outside of the element, and does not click anything inside.
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

// Prevent browser defaults that interfere: the context menu of a long touch, and image dragging by mouse.
const IN_THE_WAY = { contextmenu: "longpress", dragstart: "pan" };
for (const [type, gesture] of Object.entries(IN_THE_WAY))
  addEventListener(type, (event) => {
    const element = closestElement(event.target, DOM.gestureTag);
    if (held.size && element && hears(element, gesture)) event.preventDefault();
  });
