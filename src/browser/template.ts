/** Rows and branches that the browser makes: cloned from HTML that the compiler wrote. */

/** @returns makes the first element of this HTML. */
export function tpl(html: string): () => Element {
  let template: HTMLTemplateElement | undefined;
  return () => {
    if (!template) {
      template = document.createElement("template");
      template.innerHTML = html;
    }
    return template.content.firstElementChild!.cloneNode(true) as Element;
  };
}
