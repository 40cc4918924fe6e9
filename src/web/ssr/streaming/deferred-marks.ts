/** The deferred content of a page, and the marks that reserve its place in the HTML until it is written. */
import { randomHex } from "../../../platform/security/random.ts";

/** Deferred content, written after its promise settles (deferred-content.ts). */
export interface LateContent {
  readonly id: number;
  readonly isSettled: boolean;
  /** Calls `listener` once the content is settled, at the latest at its deadline. */
  wait(listener: () => void): void;
  /** Stops waiting: clears the timer and the listener. */
  abandon(): void;
  /** HTML shown until the content arrives. */
  placeholder(): string;
  /** HTML of the value, or of the fallback; an error is added to the render's errors. Call this after the content is settled. */
  write(): string;
  /** Marks the content as failed, because its result can't be sent. */
  fail(error: unknown): void;
}

/** HTML text, and the deferred content inside it. */
export type Parts = (string | LateContent)[];

const END = "-->";

export class DeferredMarks {
  readonly #contents: LateContent[] = [];
  /** The start of a comment, because HTML allows comments between any elements. Random, so that data can't contain it. */
  #mark = "";

  get size(): number {
    return this.#contents.length;
  }

  /** @returns the mark. Ids start at 1. */
  add(make: (id: number) => LateContent): string {
    this.#mark ||= `<!--${randomHex(16)}:`;
    const deferred = make(this.#contents.length + 1);
    this.#contents.push(deferred);
    return `${this.#mark}${deferred.id}${END}`;
  }

  /** Splits HTML at its marks. */
  split(html: string): Parts {
    if (this.#mark === "") return [html];
    const [first = "", ...others] = html.split(this.#mark);
    return [first, ...others.flatMap((text) => this.#contentAfterMark(text))];
  }

  /** @param text the text between the start of one mark and the next. */
  #contentAfterMark(text: string): Parts {
    const end = text.indexOf(END);
    const deferred = this.#contents[Number(text.slice(0, end)) - 1];
    return deferred ? [deferred, text.slice(end + END.length)] : [];
  }
}
