/** Creates rows and branches by cloning HTML that the compiler wrote. */

declare global {
  /** Defined if the app requires Trusted Types (src/app/pipeline/trusted-types.ts). */
  var $html: ((html: string) => string) | undefined;
}

/** @returns a function that creates the first element of this HTML. */
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
