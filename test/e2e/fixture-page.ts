/**
 * The part of the tests that runs inside a page: it fires events, describes the page, and records its changes. Injected before
 * the page's own scripts and serialized, so `install` may not refer to anything else in this module.
 */

/** A step of a fixture, as serialized (test/fixtures/compiler/fixture.ts). */
export interface WireStep {
  on: string;
  at?: string;
  with?: string | string[] | boolean;
  event?: Record<string, unknown>;
  to?: Record<string, unknown>;
  typed?: Record<string, string>;
}

/** The object that `install` adds to a page. */
export interface PageProof {
  /** Records changes of the document from now on. */
  watch(): void;
  /** Fires the event of a step. */
  fire(step: WireStep): void;
  /**
   * Waits until the page equals the server's page for `url`.
   * @returns both pages, which are equal unless the wait timed out
   */
  settle(url: string, typed: Record<string, string>): Promise<{ shown: string[]; expected: string[] }>;
  /** The changes since `watch`, one per line. */
  changes(): string[];
}

declare global {
  var proof: PageProof;
}

export function install(pendingAttribute: string, timeoutMs: number): void {
  const FIELDS = ["INPUT", "OPTION", "SELECT", "TEXTAREA"];
  const MEDIA = ["AUDIO", "VIDEO"];
  const PROTOCOL = ["s", "b", "pt", "m"];
  /** Concurrent pages wait like this, so that none takes the processor from the others. */
  const POLL_MS = 10;
  const SILENT = ["SCRIPT", "NOSCRIPT"];

  /** Elements, attributes, field state and text, without the attributes that only resuming needs. */
  const outline = (root: Document): string[] => {
    const lines: string[] = [];
    let text = "";
    const flush = (): void => {
      if (text !== "") lines.push(JSON.stringify(text));
      text = "";
    };
    const isShown = (element: Element, name: string): boolean => {
      if (PROTOCOL.includes(name) || name.startsWith("on:")) return false;
      if (MEDIA.includes(element.tagName) && name === "muted") return false;
      return !(FIELDS.includes(element.tagName) && ["value", "checked", "selected"].includes(name));
    };
    const stateOf = (element: Element): string[] =>
      FIELDS.includes(element.tagName)
        ? ["value", "checked", "selected"].map((name) => `.${name}=${String(Reflect.get(element, name))}`)
        : MEDIA.includes(element.tagName)
          ? [`.muted=${String(Reflect.get(element, "muted"))}`]
          : [];
    /** The scope of content in no element of its component. Content that the browser created has none. */
    const isHost = (element: Element): boolean =>
      element.localName === "template" && element.hasAttribute("s") && element.attributes.length === 1;
    const visit = (element: Element): void => {
      if (SILENT.includes(element.tagName) || isHost(element)) return;
      const attributes = [...element.attributes]
        .filter(({ name }) => isShown(element, name))
        .map(({ name, value }) => `${name}=${JSON.stringify(value)}`)
        .sort();
      flush();
      const space = element.namespaceURI?.endsWith("xhtml") ? [] : [`(${element.namespaceURI?.slice(-4)})`];
      lines.push(`<${[element.tagName, ...space, ...attributes, ...stateOf(element)].join(" ")}>`);
      // The value of a text area is its content. Its children are the initial value.
      for (const child of element.tagName === "TEXTAREA" ? [] : element.childNodes) {
        if (child instanceof Element) visit(child);
        else if (child instanceof Text) text += child.data;
      }
      flush();
      lines.push(`</${element.tagName}>`);
    };
    visit(root.body);
    return lines;
  };

  /** A document of the server with no script run. `DOMParser` is not used, because Trusted Types refuse it. */
  const fetchDocument = (url: string): Promise<Document> =>
    new Promise((done, fail) => {
      const request = new XMLHttpRequest();
      request.open("GET", url);
      request.responseType = "document";
      request.onload = () =>
        request.status === 200 && request.responseXML
          ? done(request.responseXML)
          : fail(new Error(`${url} answered ${request.status}`));
      request.onerror = () => fail(new Error(`${url} can't be reached`));
      request.send();
    });

  const eventOf = ({ on, event = {}, at }: WireStep): Event => {
    const init = { bubbles: true, cancelable: true, composed: true, ...event };
    if (at === "window") return new CustomEvent(on, { ...init, bubbles: false });
    if (on.startsWith("key")) return new KeyboardEvent(on, init);
    if (/^(?:mouse|click|dblclick|contextmenu)/.test(on)) return new MouseEvent(on, init);
    if (on.startsWith("pointer")) return new PointerEvent(on, init);
    if (on === "wheel") return new WheelEvent(on, init);
    if (on.includes("focus") || on === "blur") return new FocusEvent(on, init);
    return new CustomEvent(on, init);
  };

  const fill = (target: Element, value: string | string[] | boolean): void => {
    if (target instanceof HTMLInputElement && typeof value === "boolean") target.checked = value;
    else if (target instanceof HTMLSelectElement) {
      for (const option of target.options) option.selected = [value].flat().includes(option.value);
    } else Reflect.set(target, "value", value);
  };

  let observer: MutationObserver | undefined;
  let records: MutationRecord[] = [];

  const place = (node: Node): string => {
    const steps: string[] = [];
    for (let at: Node | null = node; at && at !== document.body; at = at.parentNode) {
      const { parentNode } = at;
      if (!(at instanceof Element)) continue;
      const twins = parentNode
        ? [...parentNode.children].filter(({ tagName }) => tagName === (at as Element).tagName)
        : [];
      const nth = twins.length > 1 ? `[${twins.indexOf(at) + 1}]` : "";
      steps.unshift(at.tagName.toLowerCase() + nth);
    }
    return steps.join(" ") || "body";
  };
  const show = (node: Node): string => {
    if (node instanceof Comment) return `<!--${node.data}-->`;
    if (node instanceof Text) return JSON.stringify(node.data);
    return node instanceof Element ? node.outerHTML : node.nodeName;
  };

  const describe = (all: MutationRecord[]): string[] => {
    const removed = new Set(all.flatMap((record) => [...record.removedNodes]));
    const added = new Set(all.flatMap((record) => [...record.addedNodes]));
    /** A record has the old value only. The new value is the old value of the next change in the same place. */
    const laterOf = ({ target, type, attributeName: name }: MutationRecord, at: number): string | null => {
      const next = all
        .slice(at + 1)
        .find((other) => other.target === target && other.type === type && other.attributeName === name);
      if (next) return next.oldValue;
      return name === null ? (target as Text).data : (target as Element).getAttribute(name);
    };
    const lines = all.flatMap((record, at) => {
      const where = place(record.target);
      if (record.type === "characterData") {
        return [`text in ${where}: ${JSON.stringify(record.oldValue)} -> ${JSON.stringify(laterOf(record, at))}`];
      }
      if (record.type === "attributes") {
        return [
          `${record.attributeName} of ${where}: ${JSON.stringify(record.oldValue)} -> ${JSON.stringify(laterOf(record, at))}`,
        ];
      }
      return [
        ...[...record.removedNodes].filter((node) => !added.has(node)).map((node) => `out of ${where}: ${show(node)}`),
        ...[...record.addedNodes].map((node) => `${removed.has(node) ? "moved" : "new"} in ${where}: ${show(node)}`),
      ];
    });
    // A node that moved or changed several times has several lines, on purpose.
    return lines;
  };

  const note = (list: MutationRecord[]): void => {
    records.push(...list.filter(({ attributeName }) => attributeName !== pendingAttribute));
  };

  globalThis.proof = {
    watch() {
      observer?.disconnect();
      records = [];
      observer = new MutationObserver(note);
      observer.observe(document.body, {
        subtree: true,
        childList: true,
        attributes: true,
        attributeOldValue: true,
        characterData: true,
        characterDataOldValue: true,
      });
    },
    fire(step) {
      const selector = step.at ?? "button";
      if (selector === "window") return void window.dispatchEvent(eventOf(step));
      if (selector === "document") return void document.dispatchEvent(eventOf(step));
      const target = document.querySelector(selector);
      if (!target) throw new Error(`The page has no ${selector}`);
      if (step.with !== undefined) fill(target, step.with);
      if (step.on === "click" && !step.event && target instanceof HTMLElement) target.click();
      else if (step.on === "submit" && target instanceof HTMLFormElement) target.requestSubmit();
      else if (step.on === "reset" && target instanceof HTMLFormElement) target.reset();
      else if (step.on === "focus" && target instanceof HTMLElement) target.focus();
      else target.dispatchEvent(eventOf(step));
    },
    async settle(url, typed) {
      const fresh = await fetchDocument(url);
      for (const [selector, text] of Object.entries(typed)) {
        const field = fresh.querySelector(selector);
        if (!field) throw new Error(`The page of the server's has no ${selector}`);
        Reflect.set(field, "value", text);
      }
      const expected = outline(fresh);
      const wanted = JSON.stringify(expected);
      const isThere = (): boolean =>
        !document.querySelector(`[${pendingAttribute}]`) && JSON.stringify(outline(document)) === wanted;
      for (const end = performance.now() + timeoutMs; !isThere() && performance.now() < end;) {
        await new Promise((done) => setTimeout(done, POLL_MS));
      }
      return { shown: outline(document), expected };
    },
    changes() {
      note(observer?.takeRecords() ?? []);
      return describe(records);
    },
  };
}
