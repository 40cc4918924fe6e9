/** Rows and branches that the browser makes: cloned from HTML that the compiler wrote. */

declare global {
  /** There where the app asks for Trusted Types (src/app/pipeline/trusted-types.ts). */
  var $html: ((html: string) => string) | undefined;
}

/** @returns makes the first element of this HTML. */
export function tpl(html: string): () => Element {
  let template: HTMLTemplateElement | undefined;
  return () => {
    if (!template) {
      template = document.createElement("template");
      template.innerHTML = self.$html?.(html) ?? html;
    }
    return template.content.firstElementChild!.cloneNode(true) as Element;
  };
}
