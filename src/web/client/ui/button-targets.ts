/** Buttons that name what they are for: `popovertarget`, `commandfor`. */
import { closestElement } from "./closest-element.ts";

export interface Aim {
  _button: HTMLButtonElement | null | undefined;
  _target: HTMLElement | null | undefined;
}

/** The button at a place, and what the attribute says that it is for. */
export const aim = (at: EventTarget | null, attribute: string): Aim => {
  const button = closestElement<HTMLButtonElement>(at, `[${attribute}]:enabled`);
  return { _button: button, _target: button && document.getElementById(button.getAttribute(attribute)!) };
};
