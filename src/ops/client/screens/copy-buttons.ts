/**
 * What is to be copied gets a button for it: `data-copy`, whose label says what it is, and `data-copy-id`, whose value does, for what is short
 * and stands in a line. Where the browser lets a page copy nothing, as at an address without https, there are none.
 */

import { copy } from "./copy.ts";

/** @param root of what has just come */
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
