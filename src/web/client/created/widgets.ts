/**
 * `widgets.js`: `<Modal>` and `<Popup>` that the browser creates, with the elements and attributes of those from the server. Loads the
 * stylesheet and the scripts of widgets where the page lacks them.
 */
import { invalidId, isElementId } from "../../../platform/shared/html/element-id.ts";
import { DOM, PATHS } from "../../../platform/shared/wire.ts";
import { C } from "../bindings/attr.ts";
import { I, V, type View } from "../bindings/create.ts";
import { A } from "../runtime/core.ts";

type Props = Readonly<Record<string, unknown>>;
/** A value, or a function that reads one that may change. */
type Attributes = Readonly<Record<string, string | (() => unknown)>>;

const create = (tag: string, attributes: Attributes, ...children: (Node | (() => unknown))[]): HTMLElement => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") C(element, typeof value === "string" ? () => value : value);
    else if (typeof value === "string") element.setAttribute(name, value);
    else A(element, name, value);
  }
  for (const child of children) {
    if (child instanceof Node) element.append(child);
    else {
      const text = new Text();
      element.append(text);
      I(text, child);
    }
  }
  return element;
};

const idOf = (tag: string, { id }: Props): string => {
  if (isElementId(id)) return id;
  throw new Error(invalidId(tag, id));
};

/** Once per path: the browser keeps modules. */
const load = (path: string): void => void import(path).catch(reportError);

const loadStyles = (): void => {
  if (document.querySelector(`link[href="${PATHS.uiCss}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = PATHS.uiCss;
  document.head.append(link);
};

/** A button, unless the page has its own. */
const button = (props: Props, attributes: Attributes): HTMLElement[] =>
  props["label"] == null
    ? []
    : [
        create(
          "button",
          { type: "button", class: () => ["svc-button", props["buttonClass"]], ...attributes },
          () => props["label"],
        ),
      ];

export const Modal = (props: Props): View =>
  V(() => {
    const id = idOf("Modal", props);
    const name = (): unknown => props["closeLabel"] ?? "Close";
    loadStyles();
    if (!("command" in HTMLButtonElement.prototype && "closedBy" in HTMLDialogElement.prototype)) load(PATHS.ui);
    return [
      ...button(props, { command: "show-modal", commandfor: id, "aria-haspopup": "dialog" }),
      create(
        "dialog",
        {
          id,
          class: () => ["svc-modal", props["class"]],
          closedby: () => props["closedby"] ?? "any",
          "aria-labelledby": `${id}-title`,
        },
        create("h2", { id: `${id}-title`, class: "svc-modal-title" }, () => props["title"]),
        create("div", { class: "svc-modal-body" }, () => props["children"]),
        create(
          "form",
          { method: "dialog", class: "svc-modal-close" },
          create("button", { class: "svc-icon-button svc-close", "aria-label": name }),
        ),
        create("a", { class: "svc-modal-close svc-icon-button svc-close", href: "#", "aria-label": name }),
      ),
    ];
  });

export const Popup = (props: Props): View =>
  V(() => {
    const id = idOf("Popup", props);
    const { role } = props;
    const hasButton = props["label"] != null;
    const kind = role ?? (hasButton ? "dialog" : undefined);
    loadStyles();
    if (!CSS.supports("position-area", "top")) load(PATHS.ui);
    if (role === "menu") load(PATHS.uiMenu);
    return [
      ...button(props, {
        id: `${id}-button`,
        popovertarget: id,
        "aria-haspopup": role === "menu" ? "menu" : "dialog",
        style: `anchor-name:--${id}`,
        "aria-label": () => props["aria-label"],
      }),
      create(
        "div",
        {
          id,
          popover: "",
          class: () => ["svc-popup", props["class"]],
          [DOM.place]: () => props["placement"] ?? "bottom-start",
          ...(kind === undefined ? {} : { role: () => kind }),
          ...(hasButton ? { "aria-labelledby": `${id}-button`, style: `position-anchor:--${id}` } : {}),
        },
        () => props["children"],
      ),
    ];
  });
