/**
 * `forms.js`: sends the forms of the full-stack variant (src/fullstack/forms/form.ts) and takes in the page that comes back, in place of the
 * browser. Fetched by the first touch of a form. The form works without it; what it adds: nothing of the page is lost, the form can't be
 * sent twice at once, its files show how far they have got, and what does not arrive is said where it happened.
 */
import { CSRF_FIELD, DOM, HEADERS, KEY_FIELD, PATHS, type ActionReply } from "../../../platform/shared/wire.ts";
import { retryableImport } from "../runtime/retryable-import.ts";
import { navigate } from "../navigation/navigate.ts";

type PageSwap = typeof import("../navigation/page-swap.ts");

/** Forms that are on their way, however the page changes around them meanwhile. */
const activeCount = new WeakSet<HTMLFormElement>();
/** Pages to which links have led since this script is there: an answer that comes on another page is not that page's. */
let visits = 0;
addEventListener(DOM.navigated, () => visits++);
/** Pages that were asked for since a form was taken. */
let asked = 0;

/** What came back: an envelope, or the page again. */
interface Came {
  status: number;
  headers: Headers;
  text: string;
}

const news = (form: HTMLFormElement, text: string): void => {
  const element = form.querySelector(`[${DOM.formNews}]`);
  if (element) element.textContent = text;
};

/** @returns whether nobody has said no. */
const report = (form: Element, type: string, detail: unknown): boolean =>
  form.dispatchEvent(new CustomEvent(type, { bubbles: true, cancelable: true, detail }));

/** Sends a form that is not on its way already. @param submitter the button by which it was sent */
export const send = async (form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> => {
  if (activeCount.has(form) || !report(form, DOM.formSend, null)) return;
  const large = tooLarge(form);
  if (large) return failed(form, 413, `${large.name} is too large.`);
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
    failed(
      form,
      0,
      navigator.onLine ? "The server can't be reached. Try again." : "You are offline. Try again when you are not.",
    );
  } finally {
    activeCount.delete(form);
    form.removeAttribute("aria-busy");
    submitter?.removeAttribute("aria-disabled");
    progressOf(form)?.setAttribute("hidden", "");
  }
};

/** A file that the server would refuse. What is refused while it is sent, browsers take for a server that is gone. */
const tooLarge = (form: HTMLFormElement): File | undefined =>
  [...form.querySelectorAll<HTMLInputElement>(`input[${DOM.fileBytes}]`)]
    .flatMap((field) => {
      const most = Number(field.getAttribute(DOM.fileBytes));
      return [...(field.files ?? [])].filter(({ size }) => size > most);
    })
    .at(0);

const failed = (form: HTMLFormElement, status: number, message: string): void => {
  news(form, message);
  report(form, DOM.formFailed, { status, message });
};

const progressOf = (form: HTMLFormElement): HTMLProgressElement | null => form.querySelector(`[${DOM.formProgress}]`);

/** A form's own fields may hide its properties: one named "action" is no address. */
const addressOf = (form: HTMLFormElement): string => form.getAttribute("action") ?? "";

/** By the one way that tells how far it has got. */
const post = (form: HTMLFormElement, data: FormData): Promise<Came> => {
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
      // A redirect has led to another site, whose answer is none for this page.
      if (new URL(request.responseURL).origin !== location.origin) return unsent();
      const headers = new Headers();
      for (const line of request.getAllResponseHeaders().trim().split("\r\n")) {
        const at = line.indexOf(":");
        headers.append(line.slice(0, at), line.slice(at + 1));
      }
      resolve({ status: request.status, headers, text: request.responseText });
    };
    request.onerror = request.onabort = request.ontimeout = unsent;
    // Text alone, as a form without files is sent.
    request.send(isMultipart ? data : new URLSearchParams([...data].map(([name, value]) => [name, String(value)])));
  });
};

/** @param isHere whether the visitor is still where the form was sent */
const receive = async (form: HTMLFormElement, came: Came, isHere: () => boolean): Promise<void> => {
  if (/^text\/html *(?:;|$)/i.test(came.headers.get("content-type") ?? "")) {
    report(form, DOM.formFailed, { status: came.status, message: "" });
    return takeIn(form, came, isHere);
  }
  const reply = JSON.parse(came.text) as ActionReply;
  if (!reply.ok) {
    renew(form);
    return failed(form, came.status, reply.error);
  }
  const token = came.headers.get(HEADERS.csrf);
  if (token) for (const field of document.getElementsByName(CSRF_FIELD)) (field as HTMLInputElement).value = token;
  const href = new URL(reply.redirect ?? location.href, location.href);
  const isSame = href.origin + href.pathname === location.origin + location.pathname;
  report(form, DOM.formDone, { value: reply.value, redirect: href.href });
  if (!isHere()) return over(form);
  if (!isSame) return navigate(href.href);
  const number = ++asked;
  // Of a form that was taken since then there is a newer page, or will be.
  const isWanted = (): boolean => number === asked && isHere();
  // Before the page is asked for, which shows its flash once: without the script the browser has to be the one that asks.
  const canTakeIn = await retryableImport(PATHS.pageSwap).then(
    () => true,
    () => false,
  );
  const settle = (): void => {
    if (href.href !== location.href) history.replaceState(history.state, "", href);
  };
  if (!canTakeIn && isWanted()) {
    settle();
    return location.reload();
  }
  // What the browser has kept of it is from before the form was sent.
  const fresh = await fetched(href);
  const text = await fresh?.text();
  if (!isWanted()) return over(form);
  settle();
  if (fresh) await takeIn(form, { status: fresh.status, headers: fresh.headers, text: text! }, isWanted);
  else location.reload();
};

/** @returns undefined where a redirect leads to another site: then the browser goes there. */
const fetched = async (href: URL): Promise<Response | undefined> => {
  const headers = { accept: "text/html", [HEADERS.navigation]: "1" };
  try {
    return await fetch(href, { cache: "no-cache", headers, mode: "same-origin" });
  } catch (error) {
    if (navigator.onLine) return undefined;
    throw error;
  }
};

/** This page becomes the one that came: the form's page, again or anew. @param isWanted whether it is to, still */
const takeIn = async (
  form: HTMLFormElement,
  { status, headers, text }: Came,
  isWanted: () => boolean,
): Promise<void> => {
  const { canSwap, parsePage, ready, swap } = (await retryableImport(PATHS.pageSwap)) as PageSwap;
  const next = await parsePage(new Response(text, { headers }));
  const isRefused = status >= 400;
  const canBeHere = canSwap(next, headers);
  if (canBeHere) await ready(next);
  // A page that can't be taken in: what was sent is sent, so it is asked for anew; what was refused is told where it was.
  if (!canBeHere || !isWanted()) {
    if (isRefused) return failed(form, status, messagesOf(next) || "Something is to be put right.");
    return isWanted() ? location.reload() : over(form);
  }
  const id = form.getAttribute("id");
  // From here on it is as the page says, which leaves those alone that are on their way.
  form.removeAttribute("aria-busy");
  await swap(next);
  const now = (id && document.getElementById(id)) || form;
  if (!isRefused && now instanceof HTMLFormElement) empty(now);
  const wanted = next.querySelector("[autofocus]")?.id;
  const target = isRefused && wanted ? document.getElementById(wanted) : null;
  target?.focus();
};

/** The server keeps an answer for the key, so what is sent again on purpose needs another. Not randomUUID: http has none. */
const renew = (form: HTMLFormElement): void => {
  const key = form.querySelector<HTMLInputElement>(`[name=${KEY_FIELD}]`);
  if (key) key.value = crypto.getRandomValues(new Uint32Array(4)).join("-");
};

/** A form that was taken, and whose page is not shown. */
const over = (form: HTMLFormElement): void => {
  renew(form);
  empty(form);
};

/** A form that was taken, unless it says that it is to stay as it is. */
const empty = (form: HTMLFormElement): void => {
  if (form.getAttribute(DOM.form) === "reset") HTMLFormElement.prototype.reset.call(form);
};

const messagesOf = (page: Document): string =>
  [...page.querySelectorAll(".svc-form-errors li")].map(({ textContent }) => textContent).join(" ");
