/**
 * Updates that are not in the page yet, and how many of them one frame applies. Only the last state of each part is kept, and only as many
 * rows as the page shows, so a frame's work is bounded however much arrives. Pure; live.ts applies the steps to the page.
 */

/** One change to a widget: the current state of a part, or rows to append. */
export interface Step<Widget> {
  _widget: Widget;
  _part?: [name: string, html: string];
  _rows?: string[];
  /** Number of events left out before those rows. */
  _skipped: number;
  /** Number of events since the connection broke, if these rows are the first after a gap; else 0. */
  _behindGap: number;
}

interface News {
  _parts: Map<string, string>;
  _rows: string[];
  _skipped: number;
  _hasGap: boolean;
}

/** Maximum number of rows in the page. */
const MOST_ROWS = 300;
/** Rows per step: a few milliseconds on a slow phone. */
const STEP_ROWS = 20;
/** Time budget within a 16 ms frame; and a maximum number of steps, whatever the clock says. */
const SLICE_MS = 6;
const SLICE_STEPS = 40;

export class UpdateQueue<Widget> {
  readonly #news = new Map<Widget, News>();

  get _isEmpty(): boolean {
    return this.#news.size === 0;
  }

  _add(widget: Widget, parts: Record<string, string>, rows: readonly string[], skipped: number, hasGap: boolean): void {
    const news: News = this.#news.get(widget) ?? { _parts: new Map(), _rows: [], _skipped: 0, _hasGap: false };
    this.#news.set(widget, news);
    for (const [name, html] of Object.entries(parts)) news._parts.set(name, html);
    news._rows.push(...rows);
    const tooMany = Math.max(0, news._rows.length - MOST_ROWS);
    news._rows.splice(0, tooMany);
    news._skipped += skipped + tooMany;
    news._hasGap ||= hasGap && rows.length + skipped > 0;
  }

  /** Applies everything for one widget at once, because it leaves the page and may come back with its content. */
  _rest(widget: Widget, take: (step: Step<Widget>) => void): void {
    for (let step = this.#next(widget); step; step = this.#next(widget)) take(step);
  }

  #next(only?: Widget): Step<Widget> | undefined {
    for (const [_widget, news] of this.#news) {
      if (only !== undefined && _widget !== only) continue;
      const { _parts, _rows, _skipped, _hasGap } = news;
      for (const _part of _parts) {
        _parts.delete(_part[0]);
        return { _widget, _part, _skipped: 0, _behindGap: 0 };
      }
      if (_rows.length + _skipped > 0) {
        const _behindGap = _hasGap ? _rows.length + _skipped : 0;
        news._skipped = 0;
        news._hasGap = false;
        return { _widget, _rows: _rows.splice(0, STEP_ROWS), _skipped, _behindGap };
      }
      this.#news.delete(_widget);
    }
    return undefined;
  }

  /**
   * Applies as much as fits into one frame. @param now milliseconds from any epoch @returns the widgets that changed; `_isEmpty` says
   * whether everything was applied
   */
  _slice(take: (step: Step<Widget>) => void, now: () => number): Set<Widget> {
    const until = now() + SLICE_MS;
    const touched = new Set<Widget>();
    for (let steps = 0; steps < SLICE_STEPS && (steps === 0 || now() < until); steps++) {
      const step = this.#next();
      if (!step) break;
      take(step);
      touched.add(step._widget);
    }
    // The last steps may have emptied some entries.
    for (const [widget, { _parts, _rows, _skipped }] of this.#news)
      if (_parts.size + _rows.length + _skipped === 0) this.#news.delete(widget);
    return touched;
  }
}
