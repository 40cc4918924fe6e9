/**
 * Random views: TSX of elements, attributes, texts, conditions and lists over random data. Every choice is a number of a tape, so that
 * the same tape yields the same view.
 */

/** Returns the numbers of a tape in order. An empty tape yields 0, the simplest choice. */
export class Tape {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** @returns an integer from 0 to `below - 1` */
  next(below: number): number {
    return (this.#numbers[this.#at++] ?? 0) % below;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.next(items.length)] as T;
  }

  chance(percent: number): boolean {
    return this.next(100) < percent;
  }

  /** @returns up to `most` results */
  some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.next(most + 1) }, make);
  }
}

/** One of the states in which a view is rendered. */
export interface ViewData {
  texts: string[];
  numbers: number[];
  flags: boolean[];
  rows: { id: number; text: string; flag: boolean; tags: string[] }[];
}

const TEXTS = [
  "",
  " ",
  "a",
  "two words",
  "<b>&amp;",
  "\nline",
  "quote\"s'",
  "é\u2028😀",
  "</script><!--",
  "{x}`${1}`\\",
  "0",
  "\ttab\r\nend",
];

export function randomData(tape: Tape): ViewData {
  const text = (): string => tape.pick(TEXTS);
  const ids = [...new Set(tape.some(5, () => tape.next(7)))];
  return {
    texts: [text(), text(), text()],
    numbers: [tape.next(3), tape.next(100) - 50, tape.next(10) / 4],
    flags: [tape.chance(50), tape.chance(50), tape.chance(50)],
    rows: ids.map((id) => ({ id, text: text(), flag: tape.chance(50), tags: [...new Set(tape.some(3, text))] })),
  };
}

/** The changes of data by an event. Their source runs in the browser too, so they use only their arguments. */
const CHANGES: ((data: ViewData) => unknown)[] = [
  (data) => data.rows.reverse(),
  (data) => data.rows.shift(),
  (data) =>
    data.rows.push({ id: Math.max(0, ...data.rows.map(({ id }) => id)) + 1, text: "<new>", flag: true, tags: ["x"] }),
  (data) => data.rows.splice(1, 1),
  (data) => data.rows.unshift(...data.rows.splice(2, 1)),
  (data) => data.rows.forEach((row) => (row.flag = !row.flag)),
  (data) => data.rows.slice(0, 1).forEach((row) => (row.text += "+")),
  (data) => data.rows.slice(-1).forEach((row) => (row.tags = ["p", ...row.tags.filter((tag) => tag !== "p")])),
  (data) => data.rows.slice(0, 2).forEach(({ tags }) => tags.reverse()),
  (data) => (data.rows = []),
  (data) => (data.flags = data.flags.map((flag) => !flag)),
  (data) => (data.flags[0] = !data.flags[0]),
  (data) => (data.texts = data.texts.map((text) => (text === "" ? "<&>" : ""))),
  (data) => (data.texts[1] += "!"),
  (data) => (data.numbers = data.numbers.map((number) => 1 - number)),
];

/** The source of the changes, and a number of change names, each with the data after it. */
export function randomChanges(
  tape: Tape,
  data: ViewData,
  count: number,
): { source: string; story: [number, ViewData][] } {
  let state = data;
  const story = Array.from({ length: count }, (): [number, ViewData] => {
    const change = tape.next(CHANGES.length);
    state = structuredClone(state);
    CHANGES[change]?.(state);
    return [change, state];
  });
  return { source: `[${CHANGES.map(String).join(",\n")}]`, story };
}

/** The position of a piece of a view. */
interface Place {
  depth: number;
  /** Whether only phrasing content is allowed there. */
  isPhrasing: boolean;
  isInLink: boolean;
  /** The names of the surrounding rows, with their types. */
  rows: { name: string; index: string; isTag: boolean }[];
}

const FLOW = ["div", "section", "ul", "pre", "table", "dl", "p", "h2", "blockquote"] as const;
const PHRASING = ["span", "b", "em", "a", "button", "label", "code"] as const;

/** @param data expression of the `ViewData` */
export function randomView(tape: Tape, data: string): string {
  return new Writer(tape, data).element({ depth: 0, isPhrasing: false, isInLink: false, rows: [] });
}

class Writer {
  readonly #tape: Tape;
  readonly #data: string;
  #names = 0;

  constructor(tape: Tape, data: string) {
    this.#tape = tape;
    this.#data = data;
  }

  element(place: Place): string {
    const tape = this.#tape;
    if (tape.chance(8)) return `<input${this.#attributes(place)} value={${this.#text(place)}} />`;
    if (tape.chance(6)) return this.#svg(place);
    if (tape.chance(5)) return `<br${this.#attributes(place)} />`;
    const tag = place.isPhrasing || tape.chance(40) ? tape.pick(PHRASING) : tape.pick(FLOW);
    if ((tag === "a" || tag === "button" || tag === "label") && place.isInLink) return `<i>${this.#literal()}</i>`;
    return this.#tagged(tag, place);
  }

  #tagged(tag: string, place: Place): string {
    const inner: Place = { ...place, depth: place.depth + 1 };
    const attributes = this.#attributes(place);
    switch (tag) {
      case "ul":
        return `<ul${attributes}>${this.#rowsOf("li", inner)}</ul>`;
      case "dl":
        return `<dl${attributes}><dt>${this.#run({ ...inner, isPhrasing: true })}</dt>${this.#rowsOf("dd", inner)}</dl>`;
      case "table":
        return `<table${attributes}><tbody>${this.#rowsOf("tr", inner, (row) => `<td>${this.#children(row)}</td>${this.#region(row, "td")}`)}</tbody></table>`;
      case "a":
        return `<a${attributes} href={${this.#text(place)}}>${this.#children({ ...inner, isPhrasing: true, isInLink: true })}</a>`;
      case "button":
      case "label":
        return `<${tag}${attributes}>${this.#children({ ...inner, isPhrasing: true, isInLink: true })}</${tag}>`;
      case "pre":
      case "p":
      case "h2":
      case "code":
      case "span":
      case "b":
      case "em":
        return `<${tag}${attributes}>${this.#children({ ...inner, isPhrasing: true })}</${tag}>`;
      default:
        return `<${tag}${attributes}>${this.#children(inner)}</${tag}>`;
    }
  }

  #svg(place: Place): string {
    const shape = `<circle cx={${this.#number(place)}} class={{ on: ${this.#flag(place)} }} />`;
    const text = `{${this.#flag(place)} ? <text x="1">{${this.#text(place)}}</text> : ${shape}}`;
    const inner =
      place.rows.length > 1
        ? shape
        : this.#rowsOf(
            "g",
            { ...place, isPhrasing: true },
            (row) => `<circle cx={${this.#number(row)}} /><title>{${this.#text(row)}}</title>`,
          );
    return `<svg viewBox="0 0 9 9"${this.#attributes(place)}>${inner}${text}</svg>`;
  }

  #children(place: Place): string {
    const most = place.depth > 4 ? 1 : place.depth > 2 ? 2 : 4;
    return Array.from({ length: this.#tape.next(most) + 1 }, () => this.#child(place)).join("");
  }

  #child(place: Place): string {
    const tape = this.#tape;
    const kind = tape.next(10);
    if (kind < 3 || place.depth > 5) return this.#run(place);
    if (kind < 6) return this.element(place);
    if (kind < 8) return this.#region(place);
    if (kind < 9) return `<>${this.#run(place)}${this.element(place)}</>`;
    return this.#rowsOf(place.isPhrasing ? "i" : "div", place);
  }

  /** A sequence of texts and values. */
  #run(place: Place): string {
    return Array.from({ length: this.#tape.next(3) + 1 }, () =>
      this.#tape.chance(60) ? `{${this.#value(place)}}` : this.#literal(),
    ).join("");
  }

  #literal(): string {
    return this.#tape.pick([
      "plain",
      " spaced ",
      "&lt;tag&gt;",
      "a\n      b",
      '{" "}',
      '{"\\n"}',
      "&nbsp;",
      "{'&amp;quo\"te'}",
      "{/* none */}",
      "©",
    ]);
  }

  /** A condition. Each branch is one element. */
  #region(place: Place, tag?: string): string {
    const tape = this.#tape;
    const branch = (): string =>
      tag ? `<${tag}>${this.#children(place)}</${tag}>` : this.element({ ...place, depth: place.depth + 1 });
    const test = this.#flag(place);
    switch (tape.next(6)) {
      case 0:
        return `{${test} && ${branch()}}`;
      case 4:
        return `<Match><Case when={${test}}>${branch()}</Case><Case when={${this.#flag(place)}}>${branch()}</Case>${tape.chance(50) ? `<Case>${branch()}</Case>` : ""}</Match>`;
      case 1:
        return `{${test} ? ${branch()} : null}`;
      case 2:
        return `{${test} ? ${branch()} : ${this.#flag(place)} ? ${branch()} : ${branch()}}`;
      case 3:
        return `<Show when={${test}} fallback={${branch()}}>${branch()}</Show>`;
      default:
        return `{${test} ? ${branch()} : ${this.#flag(place)} && ${branch()}}`;
    }
  }

  #rowsOf(tag: string, place: Place, inside = (row: Place): string => this.#children(row)): string {
    const tape = this.#tape;
    const outer = place.rows.at(-1);
    const name = `row${this.#names++}`;
    const index = `at${this.#names}`;
    const isTag = outer !== undefined && !outer.isTag && tape.chance(60);
    if (place.rows.length > 1) return `<${tag}>${inside(place)}</${tag}>`;
    const list = isTag ? `${outer.name}.tags` : `${this.#data}.rows`;
    const row: Place = { ...place, depth: place.depth + 1, rows: [...place.rows, { name, index, isTag }] };
    const html = `<${tag}${this.#attributes(row)}>${inside(row)}</${tag}>`;
    const before = tape.chance(30) ? `<${tag}>${inside(place)}</${tag}>` : "";
    const behind = tape.chance(30) ? `<${tag}>${inside(place)}</${tag}>` : "";
    const by = isTag ? `(${name}) => ${name}` : `(${name}) => ${name}.id`;
    const fn = tape.chance(25)
      ? `(${name}, ${index}) => { const own = ${isTag ? name : `${name}.text`} + ${index}; return (${html.replace("<" + tag, `<${tag} lang={own}`)}); }`
      : `(${name}, ${index}) => (${html})`;
    const rows = tape.chance(50) ? `<For each={${list}} by={${by}}>{${fn}}</For>` : `{${list}.map(${fn})}`;
    return before + rows + behind;
  }

  #attributes(place: Place): string {
    return this.#tape
      .some(2, () => this.#attribute(place))
      .filter((text, at, all) => all.findIndex((other) => nameOf(other) === nameOf(text)) === at)
      .join("");
  }

  #attribute(place: Place): string {
    switch (this.#tape.next(9)) {
      case 0:
        return ` title={${this.#text(place)}}`;
      case 1:
        return ` class={["c", { on: ${this.#flag(place)}, "is-off": !${this.#flag(place)} }]}`;
      case 2:
        return ` class={\`c\${${this.#number(place)}}\`}`;
      case 3:
        return ` style={{ top: ${this.#number(place)}, "--x": ${this.#flag(place)} ? 1 : null }}`;
      case 4:
        return ` data-x={${this.#tape.chance(50) ? this.#flag(place) : this.#text(place)}}`;
      case 5:
        return ` hidden={${this.#flag(place)}}`;
      case 6:
        return ` aria-label={${this.#flag(place)} ? ${this.#text(place)} : undefined}`;
      case 7:
        return ` tabindex={${this.#number(place)}}`;
      default:
        return this.#tape.pick([
          ' lang="en"',
          ' title="a &amp; &quot;b&quot;"',
          " title='a \"b\"'",
          ' data-empty=""',
          " inert",
        ]);
    }
  }

  #value(place: Place): string {
    switch (this.#tape.next(5)) {
      case 0:
        return this.#number(place);
      case 1:
        return this.#flag(place);
      case 2:
        return `${this.#flag(place)} ? ${this.#text(place)} : ${this.#number(place)}`;
      case 3:
        return `\`<\${${this.#text(place)}}>\``;
      default:
        return this.#text(place);
    }
  }

  #text({ rows }: Place): string {
    const row = rows.at(this.#tape.next(2) - 1);
    if (row && this.#tape.chance(60)) return row.isTag ? row.name : `${row.name}.text`;
    return `${this.#data}.texts[${this.#tape.next(3)}]`;
  }

  #number({ rows }: Place): string {
    const row = rows.at(-1);
    if (row && this.#tape.chance(60)) return row.isTag || this.#tape.chance(50) ? row.index : `${row.name}.id`;
    return this.#tape.pick([`${this.#data}.numbers[${this.#tape.next(3)}]`, `${this.#data}.rows.length`]);
  }

  #flag({ rows }: Place): string {
    const row = rows.at(-1);
    if (row && this.#tape.chance(60))
      return row.isTag
        ? `${row.name}.length > 1`
        : this.#tape.pick([`${row.name}.flag`, `${row.name}.tags.length > 0`]);
    return this.#tape.pick([`${this.#data}.flags[${this.#tape.next(3)}]`, `${this.#data}.numbers[0] > 0`]);
  }
}

const nameOf = (attribute: string): string => attribute.trim().split("=")[0] ?? "";
