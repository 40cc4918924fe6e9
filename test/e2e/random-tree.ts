/**
 * Random component trees: components in rows and branches, with reactive props, over the random data of random-view.ts.
 * Components have no state of their own, so the server's page for the same data is the model of each step.
 */
import { randomChanges, randomData, type Tape } from "./random-view.ts";

/** Names in the scope of a piece of JSX, by the type of the expression. */
interface Scope {
  texts: string[];
  numbers: string[];
  flags: string[];
  /** Expressions that elements can show, and components can't get as props. */
  shown?: string[];
  /** Expression of the row, an object. */
  row: string;
}

/** A module with the exports of a fixture. Its components use only components with greater numbers, so a tree is finite. */
export function randomTree(tape: Tape): string {
  const count = 3 + tape.next(4);
  const components = Array.from({ length: count }, (_, at) => new ComponentWriter(tape, at, count).source());
  const first = randomData(tape);
  const { source, story } = randomChanges(tape, first, 6);
  const top: Scope = {
    texts: ["data.value.texts[0]", "data.value.texts[1]", "`${data.value.texts[2]}.`"],
    numbers: ["data.value.numbers[1]", "data.value.rows.length"],
    flags: ["data.value.flags[0]", "data.value.flags[1]", "data.value.flags[2]"],
    row: "(data.value.rows[0] ?? NONE)",
  };
  const use = (scope: Scope, more = "") => usage(tape, tape.next(count), scope, more);
  const inRow: Scope = { ...top, texts: [...top.texts, "row.text"], numbers: [...top.numbers, "at"], row: "row" };
  return `import { Case, computed, For, Match, Show, signal } from "svckit";
const CHANGES = ${source};
const NONE = { id: -1, text: "none", flag: false, tags: ["n"] };
${components.join("\n")}
function Row(props) {
  return (
    <li>
      <button class="toggle" onClick={() => props.onToggle(props.row.id)}>{props.row.text}</button>
      ${usage(tape, 0, { ...PROPS, row: "props.row" })}
    </li>
  );
}
export function View(props) {
  const isOpen = signal(props.isOpen);
  const data = signal(props.data);
  const change = (at) => {
    const next = structuredClone(data.value);
    CHANGES[at](next);
    data.value = next;
  };
  const toggle = (id) => {
    const rows = data.value.rows.map((row) => (row.id === id ? { ...row, flag: !row.flag } : row));
    data.value = { ...data.value, rows };
  };
  return (
    <main>
      <button id="open" onClick={() => (isOpen.value = !isOpen.value)}>open</button>
      <button id="change" onPointerDown={(event) => change(event.button)}>change</button>
      {isOpen.value && ${use(top)}}
      <ul>{data.value.rows.map((row, at) => <Row key={row.id} ${propsOf(tape, inRow)} onToggle={(id) => toggle(id)} />)}</ul>
      {${top.flags[0]} ? ${use(top)} : ${use(top)}}
    </main>
  );
}
export const start = { isOpen: false, data: ${JSON.stringify(first)} };
const open = (isOpen) => ({ on: "click", at: "#open", to: { isOpen } });
const change = ([button, data]) => ({ on: "pointerdown", at: "#change", event: { button }, to: { data } });
const toggle = (data) => {
  const [row, ...rows] = data.rows;
  return row ? [{ on: "click", at: ".toggle", to: { data: { ...data, rows: [{ ...row, flag: !row.flag }, ...rows] } } }] : [];
};
const changes = ${JSON.stringify(story)};
const untoggled = (data) => toggle(data).length === 0 ? [] : [...toggle(data), { on: "click", at: ".toggle", to: { data } }];
export const steps = [
  open(true), ...changes.slice(0, 3).map(change), ...untoggled(changes[2][1]),
  open(false), change(changes[3]), open(true), ...changes.slice(4).map(change), ...untoggled(changes[5][1]),
];
`;
}

const PROPS: Scope = {
  texts: ["props.text", "props.row.text", "`${props.text}:${props.number}`"],
  numbers: ["props.number", "props.row.tags.length"],
  flags: ["props.flag", "props.row.flag", "!props.flag", "props.number > 0"],
  row: "props.row",
};

/** Props of a component, each an expression of the scope. */
const propsOf = (tape: Tape, { texts, numbers, flags, row }: Scope): string =>
  `text={${tape.pick(texts)}} number={${tape.pick(numbers)}} flag={${tape.pick(flags)}} row={${row}}`;

const usage = (tape: Tape, index: number, scope: Scope, more = ""): string =>
  `<C${index} ${propsOf(tape, scope)}${more} />`;

class ComponentWriter {
  readonly #tape: Tape;
  readonly #index: number;
  readonly #count: number;
  readonly #isDestructured: boolean;

  constructor(tape: Tape, index: number, count: number) {
    this.#tape = tape;
    this.#index = index;
    this.#count = count;
    this.#isDestructured = tape.chance(40);
  }

  source(): string {
    const tape = this.#tape;
    const scope = this.#isDestructured ? withoutProps(PROPS) : PROPS;
    const hasComputed = tape.chance(50);
    const inner = hasComputed ? { ...scope, shown: ["label.value"] } : scope;
    const lines = hasComputed ? [`const label = computed(() => \`<\${${tape.pick(scope.texts)}}>\`);`] : [];
    const parameter = this.#isDestructured ? "{ text, number, flag, row }" : "props";
    const pieces = Array.from({ length: 1 + tape.next(3) }, () => this.#piece(inner)).join("\n");
    const root = tape.pick(["div", "section", ""]);
    const attributes = root === "" ? "" : this.#attributes(inner);
    return `function C${this.#index}(${parameter}) {
  ${lines.join("\n  ")}
  ${this.#result(`<${root}${attributes}>${pieces}</${root}>`, inner)}
}`;
  }

  /** What the component returns: an element or fragment, or a condition, which may have a name. */
  #result(markup: string, scope: Scope): string {
    const tape = this.#tape;
    const flag = tape.pick(scope.flags);
    const other = `<b>{${this.#text(scope)}}</b>`;
    return tape.pick([
      `return ${markup};`,
      `return ${markup};`,
      `return ${flag} ? ${markup} : ${other};`,
      `return ${flag} && ${markup};`,
      `const view = ${flag} ? ${other} : ${markup}; return <div>{view}</div>;`,
    ]);
  }

  #attributes({ texts, shown = [], flags, numbers }: Scope): string {
    const tape = this.#tape;
    return tape.pick([
      "",
      ` title={${tape.pick([...texts, ...shown])}}`,
      ` class={{ on: ${tape.pick(flags)} }}`,
      ` data-n={${tape.pick(numbers)}}`,
      ` hidden={${tape.pick(flags)}}`,
    ]);
  }

  #text({ texts, shown = [] }: Scope): string {
    return this.#tape.pick([...texts, ...shown]);
  }

  #piece(scope: Scope): string {
    const tape = this.#tape;
    switch (tape.next(8)) {
      case 0:
        return `<b${this.#attributes(scope)}>{${this.#text(scope)}}</b>`;
      case 1:
        return `{${tape.pick(scope.flags)} && ${this.#part(scope)}}`;
      case 2:
        return `{${tape.pick(scope.flags)} ? ${this.#part(scope)} : ${this.#part(scope)}}`;
      case 3:
        return `<Show when={${tape.pick(scope.flags)}} fallback={${this.#part(scope)}}>${this.#part(scope)}</Show>`;
      case 4:
        return `<Match><Case when={${tape.pick(scope.flags)}}>${this.#part(scope)}</Case><Case>${this.#part(scope)}</Case></Match>`;
      case 5:
        return `<p>{${this.#text(scope)}} and {${tape.pick(scope.numbers)}}</p>`;
      default:
        return this.#rows(scope);
    }
  }

  /** A component, or an element if no component is left. */
  #part(scope: Scope): string {
    const tape = this.#tape;
    const left = this.#count - this.#index - 1;
    if (left === 0 || tape.chance(25)) return `<i${this.#attributes(scope)}>{${this.#text(scope)}}</i>`;
    return usage(tape, this.#index + 1 + tape.next(left), scope);
  }

  #rows(scope: Scope): string {
    const row = { ...scope, texts: ["tag", "`${tag}!`"], numbers: [...scope.numbers, "at"] };
    const list = `${scope.row}.tags`;
    return this.#tape.chance(50)
      ? `<div>{${list}.map((tag, at) => ${this.#part(row).replace(/^<\w+/, "$& key={tag}")})}</div>`
      : `<div><For each={${list}} by={(tag) => tag}>{(tag, at) => ${this.#part(row)}}</For></div>`;
  }
}

/** Expressions over destructured props. */
function withoutProps(scope: Scope): Scope {
  const plain = (text: string) => text.replaceAll("props.", "");
  const { texts, numbers, flags, row } = scope;
  return { texts: texts.map(plain), numbers: numbers.map(plain), flags: flags.map(plain), row: plain(row) };
}
