/**
 * `forms.js`: submits the forms of the full-stack variant (src/fullstack/forms/form.ts) with a request and shows the resulting page in
 * place. Loaded when a form is first touched; without it the form works as plain HTML. It adds: the page keeps its state, a form can't
 * be submitted twice at once, uploads show progress, and errors appear in the form.
 */
import { CSRF_FIELD, DOM, HEADERS, KEY_FIELD, PATHS, type ActionReply } from "../../../platform/shared/wire.ts";
import { FORM_TEXTS, sizeText } from "../../../platform/shared/form-texts.ts";
import { retryableImport } from "../runtime/retryable-import.ts";
import { navigate } from "../navigation/navigate.ts";

type PageSwap = typeof import("../navigation/page-swap.ts");

/** Forms with a request in flight. They stay here even if the page changes meanwhile. */
const activeCount = new WeakSet<HTMLFormElement>();
/** Number of navigations since this script loaded. A response that arrives after a navigation must not replace the new page. */
let visits = 0;
addEventListener(DOM.navigated, () => visits++);
/** Number of pages requested after successful submits. */
let asked = 0;

/** The response: an envelope, or the page itself. */
interface FormResponse {
  status: number;
  headers: Headers;
  text: string;
}

const news = (form: HTMLFormElement, text: string): void => {
  const element = form.querySelector(`[${DOM.formNews}]`);
  if (element) element.textContent = text;
};

/** @returns false if a listener called `preventDefault`. */
const report = (form: Element, type: string, detail: unknown): boolean =>
  form.dispatchEvent(new CustomEvent(type, { bubbles: true, cancelable: true, detail }));

/** Submits a form that has no request in flight. @param submitter the button that submitted it */
export const send = async (form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> => {
  if (activeCount.has(form) || !report(form, DOM.formSend, null)) return;
  const large = tooLarge(form);
  if (large) return report413(form, large);
  const data = new FormData(form, submitter);
  const visit = visits;
  activeCount.add(form);
  form.setAttribute("aria-busy", "true");
  submitter?.setAttribute("aria-disabled", "true");
  news(form, "");
  try {
    await receive(form, await post(form, data), () => visit === visits);
  } catch (error) {
    console.warn(error);
    failed(form, 0, navigator.onLine ? FORM_TEXTS.unreachable : FORM_TEXTS.offline);
  } finally {
    activeCount.delete(form);
    form.removeAttribute("aria-busy");
    submitter?.removeAttribute("aria-disabled");
    progressOf(form)?.setAttribute("hidden", "");
  }
};

/** A file above the server's limit. Checked here because browsers report a rejected upload as a lost connection. */
const tooLarge = (form: HTMLFormElement): HTMLInputElement | undefined =>
  [...form.querySelectorAll<HTMLInputElement>(`input[${DOM.fileBytes}]`)].find((field) =>
    [...(field.files ?? [])].some(({ size }) => size > limitOf(field)),
  );

const limitOf = (field: HTMLInputElement): number => Number(field.getAttribute(DOM.fileBytes));

/** Shows the limit next to the field, as the browser shows invalid values. The page contains no element for it. */
const report413 = (form: HTMLFormElement, field: HTMLInputElement): void => {
  const message = inLanguage(form, FORM_TEXTS.tooLarge).replace("{limit}", sizeText(limitOf(field)));
  field.setCustomValidity(message);
  field.reportValidity();
  field.addEventListener("change", () => field.setCustomValidity(""), { once: true });
  failed(form, 413, message);
};

/** The text in the language of the form's page. */
const inLanguage = (form: HTMLFormElement, text: string): string =>
  (JSON.parse(form.getAttribute(DOM.formTexts) ?? "{}") as Record<string, string>)[text] ?? text;

const failed = (form: HTMLFormElement, status: number, text: string): void => {
  const message = inLanguage(form, text);
  news(form, message);
  report(form, DOM.formFailed, { status, message });
};

const progressOf = (form: HTMLFormElement): HTMLProgressElement | null => form.querySelector(`[${DOM.formProgress}]`);

/** The attribute, not the property: a field named "action" shadows the form's property. */
const addressOf = (form: HTMLFormElement): string => form.getAttribute("action") ?? "";

/** Uses XMLHttpRequest because fetch does not report upload progress. */
const post = (form: HTMLFormElement, data: FormData): Promise<FormResponse> => {
  const request = new XMLHttpRequest();
  request.open("POST", addressOf(form));
  request.setRequestHeader("accept", "text/html");
  request.setRequestHeader(HEADERS.swap, "1");
  const bar = progressOf(form);
  if ([...data.values()].some((value) => value instanceof File && value.size > 0)) {
    bar?.removeAttribute("hidden");
    request.upload.onprogress = ({ loaded, total }) => {
      if (bar) bar.value = total ? loaded / total : 0;
      report(form, DOM.formProgressed, { loaded, total });
    };
  }
  const isMultipart = form.getAttribute("enctype") === "multipart/form-data";
  return new Promise((resolve, reject) => {
    const unsent = (): void => reject(new TypeError("The form could not be sent"));
    request.onload = () => {
      // A redirect to another site: its response is not a page of this app.
      if (new URL(request.responseURL).origin !== location.origin) return unsent();
      const headers = new Headers();
      for (const line of request.getAllResponseHeaders().trim().split("\r\n")) {
        const at = line.indexOf(":");
        headers.append(line.slice(0, at), line.slice(at + 1));
      }
      resolve({ status: request.status, headers, text: request.responseText });
    };
    request.onerror = request.onabort = request.ontimeout = unsent;
    // Without files, send the form URL-encoded, as a browser does.
    request.send(isMultipart ? data : new URLSearchParams([...data].map(([name, value]) => [name, String(value)])));
  });
};

/** @param isHere whether the visitor is still on the page where the form was submitted */
const receive = async (form: HTMLFormElement, response: FormResponse, isHere: () => boolean): Promise<void> => {
  if (/^text\/html *(?:;|$)/i.test(response.headers.get("content-type") ?? "")) {
    report(form, DOM.formFailed, { status: response.status, message: "" });
    return showPage(form, response, isHere);
  }
  const reply = JSON.parse(response.text) as ActionReply;
  if (!reply.ok) {
    renew(form);
    return failed(form, response.status, reply.error);
  }
  const token = response.headers.get(HEADERS.csrf);
  if (token) for (const field of document.getElementsByName(CSRF_FIELD)) (field as HTMLInputElement).value = token;
  const href = new URL(reply.redirect ?? location.href, location.href);
  const isSame = href.origin + href.pathname === location.origin + location.pathname;
  report(form, DOM.formDone, { value: reply.value, redirect: href.href });
  if (!isHere()) return over(form);
  if (!isSame) return navigate(href.href);
  const number = ++asked;
  // A later successful submit requests a newer page, so its page wins.
  const isWanted = (): boolean => number === asked && isHere();
  // Checked before requesting the page, which shows its flash only once: without the script the browser has to request it.
  const canShowPage = await retryableImport(PATHS.pageSwap).then(
    () => true,
    () => false,
  );
  const settle = (): void => {
    if (href.href !== location.href) history.replaceState(history.state, "", href);
  };
  if (!canShowPage && isWanted()) {
    settle();
    return location.reload();
  }
  // The browser's cached copy is older than the submit, so revalidate it.
  const fresh = await fetched(href);
  const text = await fresh?.text();
  if (!isWanted()) return over(form);
  settle();
  if (fresh) await showPage(form, { status: fresh.status, headers: fresh.headers, text: text! }, isWanted);
  else location.reload();
};

/** @returns undefined if a redirect leads to another site; the caller then lets the browser load the page. */
const fetched = async (href: URL): Promise<Response | undefined> => {
  const headers = { accept: "text/html", [HEADERS.navigation]: "1" };
  try {
    return await fetch(href, { cache: "no-cache", headers, mode: "same-origin" });
  } catch (error) {
    if (navigator.onLine) return undefined;
    throw error;
  }
};

/** Swaps in the page of a response: the form's page, re-rendered. @param isWanted whether that page should still be shown */
const showPage = async (
  form: HTMLFormElement,
  { status, headers, text }: FormResponse,
  isWanted: () => boolean,
): Promise<void> => {
  const { canSwap, parsePage, ready, swap } = (await retryableImport(PATHS.pageSwap)) as PageSwap;
  const next = await parsePage(new Response(text, { headers }));
  const isRefused = status >= 400;
  const canBeHere = canSwap(next, headers);
  if (canBeHere) await ready(next);
  // This document can't become that page. A submit that succeeded is not repeated, so reload; errors are shown in the form instead.
  if (!canBeHere || !isWanted()) {
    if (isRefused) return failed(form, status, messagesOf(next) || FORM_TEXTS.invalid);
    return isWanted() ? location.reload() : over(form);
  }
  const id = form.getAttribute("id");
  // From here the new page decides. The swap preserves these attributes only for forms that still have a request in flight.
  form.removeAttribute("aria-busy");
  await swap(next);
  const now = (id && document.getElementById(id)) || form;
  if (!isRefused && now instanceof HTMLFormElement) empty(now);
  const wanted = next.querySelector("[autofocus]")?.id;
  const target = isRefused && wanted ? document.getElementById(wanted) : null;
  target?.focus();
};

/**
 * The server stores a response for each idempotency key, so a deliberate resubmit needs a new key. Not randomUUID: it is missing on
 * plain http.
 */
const renew = (form: HTMLFormElement): void => {
  const key = form.querySelector<HTMLInputElement>(`[name=${KEY_FIELD}]`);
  if (key) key.value = crypto.getRandomValues(new Uint32Array(4)).join("-");
};

/** Finishes a submit that succeeded but whose page is not shown. */
const over = (form: HTMLFormElement): void => {
  renew(form);
  empty(form);
};

/** Resets a form after a successful submit, if the form asks for that. */
const empty = (form: HTMLFormElement): void => {
  if (form.getAttribute(DOM.form) === "reset") HTMLFormElement.prototype.reset.call(form);
};

const messagesOf = (page: Document): string =>
  [...page.querySelectorAll(".svc-form-errors li")].map(({ textContent }) => textContent).join(" ");
