/**
 * A page of which pieces come later (docs/resume-protocol.md section 7). What is settled when the page is rendered is
 * written in place. With browser code, the rest goes out with placeholders, ready for events, and each piece follows when
 * it is there, with its own part of the state; a script moves it. Without browser code the page is sent in order.
 */
import { DOM, PATHS } from "../../../platform/shared/wire.ts";
import {
  DOCUMENT_END,
  documentStart,
  featureScripts,
  jsonScript,
  linksScript,
  loaderScripts,
  stateScript,
  stylesheetLinks,
  type DocumentOptions,
} from "../document.ts";
import { moduleScript, nonceAttribute, script } from "../inline-scripts.ts";
import type { LateContent, Parts } from "./deferred-marks.ts";
import { renderPlaced } from "../current-page.ts";
import type { MoreState } from "../resume/page-state.ts";
import type { Render } from "../render.ts";
import { Html } from "../html.ts";

export interface StreamOptions extends DocumentOptions {
  /** Text of the inline script that moves late pieces to their places. */
  readonly swap?: string;
  /** Ends the stream: the client has left. */
  signal?: AbortSignal;
  /** Waits for all pieces and sends the page as one part. */
  isWhole?: boolean;
  /** Told of what goes wrong once the page is on its way. */
  onError?: (error: unknown) => void;
}

/** Placeholders that no other element may stand around: the parser would move it out of their table or list of options. */
const BARE = /^\s*<(?:tr|td|th|thead|tbody|tfoot|caption|colgroup|col|option|optgroup)(?=[\s>])/;

/** Without script, pieces stand at the end of the page, so their placeholders are taken away. */
const NO_SCRIPT = `[${DOM.wait}]{display:none!important}[${DOM.piece}]{display:contents!important}`;

/** @param body HTML of the view, with marks of its pieces. */
export function streamPage(render: Render, head: string, body: string, options: StreamOptions): PageStream {
  return new PageStream(render, head, body, options);
}

/** Can be read once. */
export class PageStream implements AsyncIterableIterator<string, undefined> {
  readonly #render: Render;
  readonly #options: StreamOptions;
  readonly #parts: AsyncGenerator<string, undefined>;
  /** Pieces that are waited for. */
  readonly #waiting = new Set<LateContent>();
  #wake: () => void = () => undefined;
  #isOver = false;
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
   * Makes the first part, so that what can't be sent is found while the status can still tell.
   * @returns the page, if that is all of it. @throws SvcError `SVC201`
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

  /** Nobody reads on. */
  async return(): Promise<IteratorResult<string, undefined>> {
    this.#first = undefined;
    this.#leave();
    return { done: true, value: undefined };
  }

  #leave = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.signal?.removeEventListener("abort", this.#leave);
    for (const piece of this.#waiting) piece.abandon();
    this.#waiting.clear();
    this.#render.end();
    for (const error of this.#render.errors.splice(0)) this.#options.onError?.(error);
    this.#wake();
  };

  async *#write(head: string, body: string): AsyncGenerator<string, undefined> {
    // What had been there before the page was asked for needs one turn to be seen.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.#isOver) return undefined;
    const first = this.#settled(this.#render.pieces.split(body));
    const parts = this.#options.isWhole ? await this.#allOf(first) : first;
    if (this.#isOver) return undefined;
    const isWhole = parts.every((part) => typeof part === "string");
    if (this.#render.scopes.size === 0 && !isWhole) yield* this.#inOrder(head, parts);
    else yield* this.#outOfOrder(head, parts);
  }

  /** Waits for all pieces, and for those that stand in them. */
  async #allOf(parts: Parts): Promise<Parts> {
    const pieces = parts.filter((part) => typeof part !== "string");
    if (pieces.length === 0 || this.#isOver) return parts;
    for (const piece of pieces) this.#wait(piece);
    while ((await this.#ready()).length > 0);
    return this.#isOver ? parts : this.#allOf(this.#settled(parts));
  }

  /** Writes what is settled where it stands, and what stands in that. */
  #settled(parts: Parts): Parts {
    return parts.flatMap((part) =>
      typeof part !== "string" && part.isSettled ? this.#settled(this.#render.pieces.split(this.#html(part))) : [part],
    );
  }

  #html(piece: LateContent): string {
    try {
      return renderPlaced(this.#render, () => new Html(() => piece.write()));
    } catch (error) {
      // Found by the checks of development, which look at what has been written.
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
    events.news();
    const swap = isWhole ? "" : script(options, options.swap ?? "");
    const widgets = featureScripts(options, features);
    const code = isInteractive ? stateScript(options, this.#render.state()) + loaderScripts(options, events) : "";
    const state = linksScript(options, isInteractive) + widgets + code;
    if (isWhole) return void (yield (this.#whole = start + body + state + DOCUMENT_END));
    yield start + body + swap + state;
    for (let ready = await this.#ready(); ready.length > 0; ready = await this.#ready()) {
      yield ready.map((piece) => this.#late(piece)).join("");
    }
    if (!this.#isOver) yield DOCUMENT_END;
  }

  /** Pieces that are settled by now, at least one; none when there are no more. */
  async #ready(): Promise<LateContent[]> {
    const find = (): LateContent[] => [...this.#waiting].filter((piece) => piece.isSettled);
    while (this.#waiting.size > 0 && find().length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    const found = find();
    for (const piece of found) this.#waiting.delete(piece);
    return found;
  }

  #wait(piece: LateContent): void {
    this.#waiting.add(piece);
    piece.wait(() => this.#wake());
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

  #placeholder(piece: LateContent): string {
    const own = renderPlaced(this.#render, () => new Html(() => piece.placeholder()));
    const html = this.#withPlaceholders(this.#settled(this.#render.pieces.split(own)));
    const name = ` ${DOM.wait}="${piece.id}"`;
    if (html === "") return `<template${name}></template>`;
    const bare = BARE.exec(html)?.[0];
    if (bare !== undefined) return bare + name + html.slice(bare.length);
    return `<${DOM.waitTag}${name} style="display:contents">${html}</${DOM.waitTag}>`;
  }

  /**
   * A piece at the end of the page: in a shadow root, where rows of a table may stand alone, nothing is found by the loader
   * before it has its place, and everything can be seen where no script runs.
   */
  #late(piece: LateContent): string {
    const options = this.#options;
    const { events } = this.#render;
    const hadMoments = events.hasMoments || options.prefetch === "idle";
    const { html, more } = this.#sendable(piece);
    const { features } = this.#render;
    // What says that a resource is on its way must not go on saying so until somebody touches the page.
    const isShown = Object.values(more?.u ?? {}).some(([, , shown]) => shown);
    return [
      this.#moreEvents(),
      stylesheetLinks(features.newStyles()),
      `<div hidden ${DOM.piece}="${piece.id}"><template shadowrootmode="open">${html}`,
      `<noscript>${stylesheetLinks(options.stylesheets)}</noscript></template></div>`,
      more === undefined ? "" : jsonScript(options, DOM.more, JSON.stringify(more)),
      script(options, `$piece(${piece.id})`),
      featureScripts(options, features),
      events.hasMoments && !hadMoments ? moduleScript(options, PATHS.moments) : "",
      isShown ? moduleScript(options, PATHS.stream) : "",
    ].join("");
  }

  /** A piece with its part of the state; with that of its error, when what browser code captures of it can't travel. */
  #sendable(piece: LateContent): { html: string; more: MoreState | undefined } {
    const mark = this.#render.mark();
    const write = (): string => this.#withPlaceholders(this.#settled(this.#render.pieces.split(this.#html(piece))));
    const html = write();
    try {
      return { html, more: this.#render.moreState() };
    } catch (error) {
      this.#render.rollBack(mark);
      piece.fail(error);
      return { html: write(), more: this.#render.moreState() };
    }
  }

  /** Has the browser listen for what it does not listen for yet. */
  #moreEvents(): string {
    const { types, windowTypes } = this.#render.events.news();
    if (types.length === 0) return "";
    const stub = this.#render.events.stub(this.#options.stub, types).replace("$svc=[]", "self.$svc??=[]");
    const names = windowTypes.map(
      (type) => `document.documentElement.setAttribute(${JSON.stringify(DOM.window + type)},"");`,
    );
    return script(this.#options, names.join("").replaceAll("<", "\\u003c") + stub);
  }

  /** Pages that have no browser code as far as can be seen: if a late piece has some, it brings along what it needs. */
  async *#inOrder(head: string, parts: Parts): AsyncGenerator<string, undefined> {
    const { features } = this.#render;
    yield documentStart(this.#options, undefined, features, head);
    yield* this.#each(parts);
    if (this.#isOver) return undefined;
    const scripts = linksScript(this.#options, false) + featureScripts(this.#options, features);
    yield scripts + this.#stateAtEnd() + DOCUMENT_END;
    return undefined;
  }

  /** Of a page that has gone out; where its state can't, it stays without browser code. */
  #stateAtEnd(): string {
    if (this.#render.scopes.size === 0) return "";
    try {
      return stateScript(this.#options, this.#render.state()) + loaderScripts(this.#options, this.#render.events);
    } catch (error) {
      this.#render.errors.push(error);
      return "";
    }
  }

  async *#each(parts: Parts): AsyncGenerator<string, undefined> {
    // All of them from the start, for each has its own time.
    for (const part of parts) if (typeof part !== "string") this.#wait(part);
    for (const part of parts) {
      if (typeof part === "string") {
        if (part !== "") yield part;
        continue;
      }
      while (!part.isSettled && !this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve));
      if (this.#isOver) return undefined;
      this.#waiting.delete(part);
      const inner = this.#settled(this.#render.pieces.split(this.#html(part)));
      const ahead = this.#moreEvents() + stylesheetLinks(this.#render.features.newStyles());
      if (ahead !== "") yield ahead;
      yield* this.#each(inner);
    }
    return undefined;
  }
}
