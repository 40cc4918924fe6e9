/**
 * Streams a page with deferred content (docs/resume-protocol.md section 7). Settled content is written in place. A page with
 * browser code is sent with placeholders; deferred content follows when it is ready, with its part of the state, and a script
 * moves it into place. A page without browser code is sent in order.
 */
import { DOM, PATHS } from "../../../platform/shared/wire.ts";
import {
  DOCUMENT_END,
  conditionScript,
  documentStart,
  featureScripts,
  jsonScript,
  linksScript,
  loaderScripts,
  stateScript,
  stylesheetLinks,
  withoutIntents,
  type DocumentOptions,
} from "../document.ts";
import { moduleScript, nonceAttribute, script } from "../inline-scripts.ts";
import type { LateContent, Parts } from "./deferred-marks.ts";
import { renderPlaced } from "../current-page.ts";
import type { MoreState } from "../resume/page-state.ts";
import type { Render } from "../render.ts";
import { Html } from "../html.ts";

export interface StreamOptions extends DocumentOptions {
  /** Inline script that moves deferred content into place. */
  readonly swap?: string;
  /** Ends the stream when it aborts, for example because the client disconnected. */
  signal?: AbortSignal;
  /** Waits for all deferred content and sends the page as one part. */
  isWhole?: boolean;
  /** Called with errors that occur after the response has started. */
  onError?: (error: unknown) => void;
}

/** Placeholders that must not be wrapped: the parser would move a wrapper out of the table or option list. */
const BARE = /^\s*<(?:tr|td|th|thead|tbody|tfoot|caption|colgroup|col|option|optgroup)(?=[\s>])/;

/** Without JavaScript, deferred content stays at the end of the page, so this style hides its placeholders. */
const NO_SCRIPT = `[${DOM.wait}]{display:none!important}[${DOM.piece}]{display:contents!important}`;

/**
 * WebKit paints a page that is still loading once it has 200 characters of visible text or 1,024 pixels of pictures, and defers asynchronous
 * scripts until then (checkAndDispatchDidReachVisuallyNonEmptyState in WebKit's LocalFrameView.cpp). A canvas counts with its default size of
 * 300 by 150 pixels, also if it is invisible.
 */
const PAINT = '<canvas style="position:fixed;visibility:hidden"></canvas>';

/** @param body HTML of the view, with marks for its deferred content. */
export function streamPage(render: Render, head: string, body: string, options: StreamOptions): PageStream {
  return new PageStream(render, head, body, options);
}

/** A page in parts. It can be read once. */
export class PageStream implements AsyncIterableIterator<string, undefined> {
  readonly #render: Render;
  readonly #options: StreamOptions;
  readonly #parts: AsyncGenerator<string, undefined>;
  /** Deferred content that has not been sent. */
  readonly #waiting = new Set<LateContent>();
  #wake: () => void = () => undefined;
  #isOver = false;
  /** Whether a script of a page without code at its start has created the queue of events. */
  #hasQueue = false;
  #whole: string | undefined;
  #first: IteratorResult<string, undefined> | undefined;

  constructor(render: Render, head: string, body: string, options: StreamOptions) {
    this.#render = render;
    this.#options = options;
    this.#parts = this.#write(head, body);
    options.signal?.addEventListener("abort", this.#leave, { once: true });
    if (options.signal?.aborted) this.#leave();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * Renders the first part, so that a render error can still set the response status.
   * @returns the page, if the first part is the whole page. @throws SvcError `SVC201`
   */
  async begin(): Promise<string | undefined> {
    this.#first = await this.next();
    if (this.#whole !== undefined) await this.return();
    return this.#whole;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    const first = this.#first;
    this.#first = undefined;
    if (first) return first;
    if (this.#isOver) return { done: true, value: undefined };
    try {
      const step = await this.#parts.next();
      for (const error of this.#render.errors.splice(0)) this.#options.onError?.(error);
      if (step.done) this.#leave();
      return step;
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /** Cancels the stream. */
  async return(): Promise<IteratorResult<string, undefined>> {
    this.#first = undefined;
    this.#leave();
    return { done: true, value: undefined };
  }

  #leave = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.signal?.removeEventListener("abort", this.#leave);
    for (const deferred of this.#waiting) deferred.abandon();
    this.#waiting.clear();
    this.#render.end();
    for (const error of this.#render.errors.splice(0)) this.#options.onError?.(error);
    this.#wake();
  };

  async *#write(head: string, body: string): AsyncGenerator<string, undefined> {
    // Promises that settled before the request need one turn of the event loop to be noticed.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#isOver) return undefined;
    const first = this.#settled(this.#render.deferred.split(body));
    const parts = this.#options.isWhole ? await this.#allOf(first) : first;
    if (this.#isOver) return undefined;
    const isWhole = parts.every((part) => typeof part === "string");
    if (this.#render.scopes.size === 0 && !isWhole) yield* this.#inOrder(head, parts);
    else yield* this.#outOfOrder(head, parts);
  }

  /** Waits for all deferred content, including nested content. */
  async #allOf(parts: Parts): Promise<Parts> {
    const waiting = parts.filter((part) => typeof part !== "string");
    if (waiting.length === 0 || this.#isOver) return parts;
    for (const deferred of waiting) this.#wait(deferred);
    while ((await this.#ready()).length > 0);
    return this.#isOver ? parts : this.#allOf(this.#settled(parts));
  }

  /** Replaces settled content by its HTML, including nested settled content. */
  #settled(parts: Parts): Parts {
    return parts.flatMap((part) =>
      typeof part !== "string" && part.isSettled
        ? this.#settled(this.#render.deferred.split(this.#html(part)))
        : [part],
    );
  }

  #html(deferred: LateContent): string {
    try {
      // What hooks of components without a scope have added belongs to this content.
      const write = (): string => deferred.write() + this.#render.scopes.rest();
      return renderPlaced(this.#render, () => new Html(write));
    } catch (error) {
      // A development check rejected the HTML.
      this.#render.errors.push(error);
      return "";
    }
  }

  async *#outOfOrder(head: string, parts: Parts): AsyncGenerator<string, undefined> {
    const options = this.#options;
    const { events, features } = this.#render;
    const isWhole = parts.every((part) => typeof part === "string");
    if (!isWhole) this.#render.scopes.beginStream();
    const whole = this.#withPlaceholders(parts);
    const body = isWhole ? whole : this.#render.scopes.nameStream(whole);
    const noScript = isWhole ? "" : `<noscript><style${nonceAttribute(options.nonce)}>${NO_SCRIPT}</style></noscript>`;
    const isInteractive = this.#render.scopes.size > 0;
    const start = documentStart(options, isInteractive ? events : undefined, features, head + noScript);
    events.newTypes();
    const swap = isWhole ? "" : script(options, options.swap ?? "");
    const widgets = featureScripts(options, features);
    const code = isInteractive ? stateScript(options, this.#render.state()) + loaderScripts(options, events) : "";
    const state = linksScript(options, isInteractive) + widgets + code;
    if (isWhole) return void (yield (this.#whole = start + body + state + DOCUMENT_END));
    yield start + body + PAINT + swap + state;
    for (let ready = await this.#ready(); ready.length > 0; ready = await this.#ready()) {
      yield ready.map((deferred) => this.#late(deferred)).join("");
    }
    if (!this.#isOver) yield DOCUMENT_END;
  }

  /** Waits until some deferred content is settled, and returns it. Empty when nothing is pending. */
  async #ready(): Promise<LateContent[]> {
    const find = (): LateContent[] => [...this.#waiting].filter((deferred) => deferred.isSettled);
    while (this.#waiting.size > 0 && find().length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    const found = find();
    for (const deferred of found) this.#waiting.delete(deferred);
    return found;
  }

  #wait(deferred: LateContent): void {
    this.#waiting.add(deferred);
    deferred.wait(() => this.#wake());
  }

  #withPlaceholders(parts: Parts): string {
    return parts
      .map((part) => {
        if (typeof part === "string") return part;
        this.#wait(part);
        return this.#placeholder(part);
      })
      .join("");
  }

  #placeholder(deferred: LateContent): string {
    const own = renderPlaced(this.#render, () => new Html(() => deferred.placeholder()));
    const html = this.#withPlaceholders(this.#settled(this.#render.deferred.split(own)));
    const name = ` ${DOM.wait}="${deferred.id}"`;
    if (html === "") return `<template${name}></template>`;
    const bare = BARE.exec(html)?.[0];
    if (bare !== undefined) return bare + name + html.slice(bare.length);
    return `<${DOM.waitTag}${name} style="display:contents">${html}</${DOM.waitTag}>`;
  }

  /**
   * Writes deferred content at the end of the page, in a shadow root: it may contain table rows without a table, hides its elements
   * from the loader until they are in place, and is visible without JavaScript.
   */
  #late(deferred: LateContent): string {
    const options = this.#options;
    const { events } = this.#render;
    const hadMoments = events.hasMoments;
    const { html, more } = this.#sendable(deferred);
    const { features } = this.#render;
    // If the page shows that a resource is pending, load the code that updates it now, without waiting for an event.
    const isShown = Object.values(more?.u ?? {}).some(([, , shown]) => shown);
    return [
      this.#moreEvents(),
      stylesheetLinks(features.newStyles()),
      stylesheetLinks(features.imported.added()),
      `<div hidden ${DOM.piece}="${deferred.id}"><template shadowrootmode="open">${html}`,
      `<noscript>${stylesheetLinks(options.stylesheets)}${stylesheetLinks(features.imported.all)}</noscript></template></div>`,
      more === undefined ? "" : jsonScript(options, DOM.more, JSON.stringify(more)),
      script(options, `$piece(${deferred.id})`),
      featureScripts(options, features),
      events.hasMoments && !hadMoments ? moduleScript(options, PATHS.moments) : "",
      isShown ? moduleScript(options, PATHS.stream) : "",
    ].join("");
  }

  /** Content with its part of the state. If browser code captures a value that can't be serialized, renders its error instead. */
  #sendable(deferred: LateContent): { html: string; more: MoreState | undefined } {
    const mark = this.#render.mark();
    const write = (): string =>
      this.#withPlaceholders(this.#settled(this.#render.deferred.split(this.#html(deferred))));
    const html = write();
    try {
      return { html, more: this.#render.moreState() };
    } catch (error) {
      this.#render.rollBack(mark);
      deferred.fail(error);
      return { html: write(), more: this.#render.moreState() };
    }
  }

  /** Script that adds listeners for new event types. */
  #moreEvents(): string {
    const conditions = conditionScript(this.#options, this.#render.events);
    const { types, windowTypes } = this.#render.events.newTypes();
    if (types.length === 0) return conditions;
    this.#hasQueue = true;
    const stub = this.#render.events.stub(this.#options.stub, types).replace("$svc=[]", "self.$svc??=[]");
    const names = windowTypes.map(
      (type) => `document.documentElement.setAttribute(${JSON.stringify(DOM.window + type)},"");`,
    );
    return (
      conditions +
      script(this.#options, names.join("").replaceAll("<", "\\u003c") + stub + withoutIntents(this.#options))
    );
  }

  /** Sends a page that has no browser code so far. If deferred content has some, its scripts and state follow. */
  async *#inOrder(head: string, parts: Parts): AsyncGenerator<string, undefined> {
    const { features } = this.#render;
    // Here no element of the page can be around it, such as a text field, which would show it as text.
    yield documentStart(this.#options, undefined, features, head) + PAINT;
    yield* this.#each(parts);
    if (this.#isOver) return undefined;
    const scripts = linksScript(this.#options, false) + featureScripts(this.#options, features);
    yield scripts + this.#stateAtEnd() + DOCUMENT_END;
    return undefined;
  }

  /** State and loader of a page that is already sent. If the state can't be serialized, the page stays without browser code. */
  #stateAtEnd(): string {
    if (this.#render.scopes.size === 0) return "";
    try {
      // The loader takes over the queue of the stub, which a page without events lacks.
      const queue = this.#hasQueue ? "" : script(this.#options, "self.$svc=[]");
      const state = stateScript(this.#options, this.#render.state());
      return queue + state + loaderScripts(this.#options, this.#render.events);
    } catch (error) {
      this.#render.errors.push(error);
      return "";
    }
  }

  async *#each(parts: Parts): AsyncGenerator<string, undefined> {
    // Start all waits now: each deadline counts from the beginning.
    for (const part of parts) if (typeof part !== "string") this.#wait(part);
    for (const part of parts) {
      if (typeof part === "string") {
        if (part !== "") yield part;
        continue;
      }
      while (!part.isSettled && !this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve));
      if (this.#isOver) return undefined;
      this.#waiting.delete(part);
      const inner = this.#settled(this.#render.deferred.split(this.#html(part)));
      const { features } = this.#render;
      const styles = stylesheetLinks(features.newStyles()) + stylesheetLinks(features.imported.added());
      const ahead = this.#moreEvents() + styles;
      if (ahead !== "") yield ahead;
      yield* this.#each(inner);
    }
    return undefined;
  }
}
