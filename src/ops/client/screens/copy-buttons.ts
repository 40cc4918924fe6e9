/**
 * Adds copy buttons: `data-copy` elements get a button with a label, short inline `data-copy-id` elements a button labeled with their
 * value. Adds none where the browser forbids copying, as on a page without HTTPS.
 */

import { copy } from "./copy.ts";

/** @param root freshly inserted markup */
export function addCopyButtons(root: ParentNode): void {
  if (!("clipboard" in navigator)) return;
  for (const text of root.querySelectorAll<HTMLElement>("[data-copy], [data-copy-id]")) {
    const { copyId } = text.dataset;
    const button = document.createElement("button");
    const say = (word: string): string => {
      button.textContent = word;
      return (button.ariaLabel = `${word} ${copyId ?? text.ariaLabel ?? ""}`);
    };
    button.type = "button";
    button.className = copyId === undefined ? "button" : "copy-id";
    say("Copy");
    button.addEventListener("click", () => {
      void copy(text.textContent?.trim() ?? "", say);
    });
    text.after(button);
  }
}
