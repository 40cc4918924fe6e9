/** What is open above the page, the latest last: popovers and modal dialogs close by Escape in the reverse order. */

interface Layer {
  element: HTMLElement;
  /** By Escape. */
  cancel: () => void;
}

const layers: Layer[] = [];
let isListening = false;

export function raise(element: HTMLElement, cancel: () => void): void {
  layers.push({ element, cancel });
  if (isListening) return;
  isListening = true;
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    layers.at(-1)?.cancel();
  });
}

export function lower(element: HTMLElement): void {
  const at = layers.findIndex((layer) => layer.element === element);
  if (at >= 0) layers.splice(at, 1);
}

/** Moves the focus where what opens wants it. @returns gives it back. */
export function takeFocus(element: HTMLElement, fallback: string): () => void {
  const before = document.activeElement;
  (element.querySelector<HTMLElement>("[autofocus]") ?? element.querySelector<HTMLElement>(fallback))?.focus();
  return () => {
    // Who has gone elsewhere meanwhile stays there.
    if (
      before instanceof HTMLElement &&
      (element.contains(document.activeElement) || document.activeElement === document.body)
    )
      before.focus();
  };
}
