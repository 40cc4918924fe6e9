/** What is to be copied gets a button for it. */

/** @param root of what has just come */
export function addCopyButtons(root: ParentNode): void {
  for (const text of root.querySelectorAll("[data-copy], [data-copy-id]")) {
    const button = document.createElement("button");
    const isId = text.hasAttribute("data-copy-id");
    button.type = "button";
    button.className = isId ? "copy-id" : "button";
    button.textContent = "Copy";
    if (isId) button.ariaLabel = "Copy the id";
    button.addEventListener("click", () => {
      void navigator.clipboard.writeText(text.textContent?.trim() ?? "").then(() => (button.textContent = "Copied"));
    });
    text.after(button);
  }
}
