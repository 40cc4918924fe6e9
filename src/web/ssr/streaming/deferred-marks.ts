/** The pieces of a page, and the marks that stand for them in HTML until it is known what to write. */
import { randomHex } from "../../../platform/security/random.ts";

/** A piece that is written when what it waits for is settled (deferred-content.ts). */
export interface LateContent {
  readonly id: number;
  readonly isSettled: boolean;
  /** Calls `listener` once it is settled, at the latest when its time is up. */
  wait(listener: () => void): void;
  /** Nobody waits any more. */
  abandon(): void;
  /** HTML to show until it is there. */
  placeholder(): string;
  /** Its HTML: of the value, or of the error, which is told to the render. Call it when it is settled. */
  write(): string;
  /** What it has become can't be sent: from here on it has failed. */
  fail(error: unknown): void;
}

/** Text, and pieces that stand in it. */
export type Parts = (string | LateContent)[];

const END = "-->";

export class DeferredMarks {
  readonly #pieces: LateContent[] = [];
  /** A comment, which may stand anywhere; random, so that no data can hold it. */
  #mark = "";

  get size(): number {
    return this.#pieces.length;
  }

  /** @returns the mark. Ids count from 1. */
  add(make: (id: number) => LateContent): string {
    this.#mark ||= `<!--${randomHex(16)}:`;
    const piece = make(this.#pieces.length + 1);
    this.#pieces.push(piece);
    return `${this.#mark}${piece.id}${END}`;
  }

  /** HTML taken apart at its marks. */
  split(html: string): Parts {
    if (this.#mark === "") return [html];
    const [first = "", ...others] = html.split(this.#mark);
    return [first, ...others.flatMap((text) => this.#piece(text))];
  }

  /** @param text from behind a mark up to the next. */
  #piece(text: string): Parts {
    const end = text.indexOf(END);
    const piece = this.#pieces[Number(text.slice(0, end)) - 1];
    return piece ? [piece, text.slice(end + END.length)] : [];
  }
}
