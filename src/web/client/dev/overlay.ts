/** Shows a fault in an overlay, isolated from the styles of the page. */
import { FAULT_STYLE, faultView, type DevFault, type View } from "../../../platform/shared/dev-fault.ts";
import { OWN } from "../navigation/morph.ts";

const BACKDROP = `
:host{all:initial}
dialog{position:fixed;inset:0;width:min(52rem,calc(100vw - 2rem));max-height:calc(100dvh - 2rem);margin:auto;padding:0;border:0;overflow:auto}
dialog.fault{padding:1.75rem 2rem 1.5rem}
dialog::backdrop{background:#0009}
`;

let shown: { host: Element; fault: DevFault } | undefined;
/** The element that had the focus before the overlay opened. */
let focused: Element | null = null;

/** Shows a fault in place of any other. */
export function show(fault: DevFault): void {
  if (shown) shown.host.remove();
  else focused = document.activeElement;
  const host = document.createElement("svc-fault");
  host.setAttribute(OWN, "");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(FAULT_STYLE + BACKDROP);
  root.adoptedStyleSheets = [sheet];
  const dialog = elementOf([
    "dialog",
    { class: "fault", role: "alertdialog", "aria-labelledby": "fault-message", tabindex: "-1" },
    ["button", { type: "button", "aria-label": "Close (Escape)" }, "Close"],
    ...faultView(fault),
  ]) as HTMLDialogElement;
  root.append(dialog);
  document.documentElement.append(host);
  shown = { host, fault };
  dialog.addEventListener("click", onClick);
  // Both Escape and the button close the dialog.
  dialog.addEventListener("close", hide);
  dialog.showModal();
  dialog.focus();
}

/** @param kinds hides only a fault of these kinds; default: any. */
export function hide(kinds?: Event | readonly DevFault["kind"][]): void {
  if (!shown || (Array.isArray(kinds) && !kinds.includes(shown.fault.kind))) return;
  const { host } = shown;
  shown = undefined;
  host.remove();
  (focused as HTMLElement | null)?.focus?.({ preventScroll: true });
}

/** Links open the editor without leaving the page. */
function onClick(event: Event): void {
  const target = event.target as Element;
  if (target.tagName === "BUTTON") return hide();
  const href = target.closest("a")?.href;
  if (href === undefined) return;
  event.preventDefault();
  void fetch(href);
}

function elementOf(view: View): Node {
  if (typeof view === "string") return new Text(view);
  const [tag, attributes, ...content] = view;
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content.map(elementOf));
  return element;
}
