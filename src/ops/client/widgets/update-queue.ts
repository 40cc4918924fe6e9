/**
 * News that have not come into the page yet, and how many of them one frame takes. Of each part only the last state is kept, of rows only as
 * many as the page would show: however much comes, a frame has the same little to do. Pure; what a step does to the page is live.ts.
 */

/** Of one widget: a part as it is now, or rows that come behind those that are there. */
export interface Step<Widget> {
  _widget: Widget;
  _part?: [name: string, html: string];
  _rows?: string[];
  /** Events before those rows that are left out. */
  _skipped: number;
  /** How many events have come since the connection broke, where these are the first behind a gap; else 0. */
  _behindGap: number;
}

interface News {
  _parts: Map<string, string>;
  _rows: string[];
  _skipped: number;
  _hasGap: boolean;
}

/** As many as the page keeps. */
const MOST_ROWS = 300;
/** Of one step: some milliseconds of a slow telephone. */
const STEP_ROWS = 20;
/** What of a frame's 16 ms is taken, on a machine that is fast enough to be asked for the time; and on no machine more than so many steps. */
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

  /** All at once: of a widget that leaves the page, and may come back with what it has. */
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
   * Takes what one frame has room for.
   * @param now milliseconds, from wherever
   * @returns widgets of which something has come into the page; whether it was all is told by `_isEmpty`.
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
    // The last ones may have emptied it.
    for (const [widget, { _parts, _rows, _skipped }] of this.#news)
      if (_parts.size + _rows.length + _skipped === 0) this.#news.delete(widget);
    return touched;
  }
}
