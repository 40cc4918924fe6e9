/** Buttons that name the element they control: `popovertarget`, `commandfor`. */
import { closestElement } from "./closest-element.ts";

export interface Aim {
  _button: HTMLButtonElement | null | undefined;
  _target: HTMLElement | null | undefined;
}

/** The button around an event target, and the element that its attribute names. */
export const aim = (at: EventTarget | null, attribute: string): Aim => {
  const button = closestElement<HTMLButtonElement>(at, `[${attribute}]:enabled`);
  return { _button: button, _target: button && document.getElementById(button.getAttribute(attribute)!) };
};
