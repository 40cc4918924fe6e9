/** Addresses of forms with the method GET, such as a search: they navigate like links (HTML standard, "form submission algorithm"). */
import { DOM } from "../../../platform/shared/wire.ts";
import { isInside } from "./link-click.ts";

/** @returns the address to follow; undefined if the browser handles the submit. */
export const addressOf = ({ target, submitter, defaultPrevented }: SubmitEvent): string | undefined => {
  const form = target as HTMLFormElement;
  // Attributes, not properties: a field named "action" or "method" shadows the form's property.
  const setting = (name: string): string => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
  if (defaultPrevented || !/^(get)?$/i.test(setting("method"))) return undefined;
  const url = new URL(setting("action") || location.href, document.baseURI);
  const isLeft = !!form.closest(`[${DOM.navigation}=off]`);
  url.hash = "";
  if (!isInside({ href: url.href, origin: url.origin, target: setting("target") }, isLeft, location)) return undefined;
  const fields = [...new FormData(form, submitter)];
  url.search = String(new URLSearchParams(fields.map(([name, value]) => [name, nameOf(value)])));
  return url.href;
};

/** A file is sent by its name. */
const nameOf = (value: FormDataEntryValue): string => (typeof value === "string" ? value : value.name);
