/** Types of JSX. Each `@ts-expect-error` is a test: the build fails if the line below it compiles. */
import {
  Case,
  computed,
  createContext,
  createRef,
  Dynamic,
  ErrorBoundary,
  For,
  Island,
  Match,
  Portal,
  Show,
  signal,
  Slot,
  useContext,
} from "svckit";
import type { Child, JSX } from "svckit/jsx-runtime";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(isSame: Equal<A, B>): void => void isSame;

function Card(props: { title: string; level?: 1 | 2; children?: Child }): JSX.Element {
  return <section aria-label={props.title}>{props.children}</section>;
}

function One(props: { children: (index: number) => JSX.Element }): JSX.Element {
  return <div>{props.children(1)}</div>;
}

function Broken(): Date {
  return new Date(0);
}

export const attributes = [
  <input type="text" value={1} disabled maxlength={20} autocomplete="off" />,
  <label for="x" class={["a", { b: true, c: undefined }, false]} style={{ color: "red", "--gap": 4 }} />,
  <div aria-busy={true} data-anything={1} hidden={undefined} tabindex={-1} popover="manual" />,
  <svg viewBox="0 0 1 1" stroke-width={2}>
    <path d="M0 0" fill="none" />
  </svg>,
  <my-element anything={{ at: "all" }} />,
  <p
    contenteditable="plaintext-only"
    spellcheck={false}
    aria-pressed="mixed"
    aria-current="page"
    data-at={null}
    class=""
    style="top:0"
  />,
  <p class={[["a"], null, false, { b: 1 }]} style={[{ color: "red" }, false, "top:0", { top: 0, left: undefined }]} />,
  <select>
    <option selected={true} value={1} disabled={undefined} />
  </select>,
  // @ts-expect-error there is no such attribute, HTML calls it "class"
  <p className="x" />,
  // @ts-expect-error there is no such attribute, HTML calls it "for"
  <label htmlFor="x" />,
  // @ts-expect-error custom elements accept any attribute except this one
  <my-clock className="x" />,
  // @ts-expect-error SVG elements accept any attribute except this one
  <circle className="x" />,
  // @ts-expect-error not a value of this attribute
  <button type="reload" />,
  // @ts-expect-error an attribute of other elements
  <p href="/" />,
  // @ts-expect-error no element of that name
  <paragraph />,
  // @ts-expect-error an object is not text
  <p title={{}} />,
  // @ts-expect-error a number is not a class
  <p class={3} />,
  // @ts-expect-error `true` is not a class
  <p class={[true]} />,
  // @ts-expect-error `true` is not a style value
  <p style={{ color: true }} />,
  // @ts-expect-error an object is not a style value
  <p style={{ color: {} }} />,
  // @ts-expect-error a label is text
  <p aria-label={{}} />,
  // @ts-expect-error not a value of this state
  <p aria-live="loud" />,
  // @ts-expect-error "yes" and "no", not a flag
  <p translate={true} />,
  // @ts-expect-error a flag is not text
  <input disabled="disabled" />,
  // @ts-expect-error text attributes accept no flag
  <p title={true} />,
  // @ts-expect-error a signal is not text, use its value
  <p title={signal("a")} />,
  // @ts-expect-error HTML in an attribute would run
  <iframe srcdoc="<p>" />,
  <select value="1" />,
  // @ts-expect-error a list of values needs bind:value
  <select multiple value={["1"]} />,
  // @ts-expect-error form methods are get, post and dialog
  <form method="put" />,
  // @ts-expect-error raw HTML is an object, to prevent accidental use
  <p dangerouslySetInnerHTML="<b>" />,
];

export const handlers = [
  <input
    onInput={(event, input) => {
      same<typeof event.currentTarget.value, string>(true);
      same<typeof event.data, string | null>(true);
      same<typeof input, HTMLInputElement>(true);
    }}
  />,
  <form
    onSubmit={(event, form) => {
      same<typeof event.currentTarget.method, string>(true);
      same<typeof form, HTMLFormElement>(true);
    }}
  />,
  <button onClick={() => 1} onKeyDown={(event) => event.key} />,
  <textarea onChange={(_event, textarea) => textarea.value.trim()} />,
  <dialog onToggle={(event, dialog) => event.newState === "open" && dialog.returnValue} />,
  <svg>
    <circle onPointerDown={(event, circle) => [event.pressure, circle.r.baseVal]} />
  </svg>,
  <my-element onWheel={(event, element) => [event.deltaY, element.hidden]} />,
  <p onClick={undefined} />,
  <button onClick={(event: MouseEvent) => event.clientX} />,
  <button onClickCapture={(event) => event.pressure} onGotPointerCapture={(event) => event.pressure} />,
  <form onSubmit={{ handler: (event, form) => [event.submitter, form.elements], once: true, preventDefault: true }} />,
  <div onDragOver={{ preventDefault: true }} />,
  <input onKeyDown={{ preventDefault: (event, input) => event.key === "Enter" && input.readOnly }} />,
  <p onDocumentKeyDown={{ preventDefault: (event) => event.ctrlKey, handler: () => 1 }} />,
  // @ts-expect-error the function returns a boolean
  <p onClick={{ preventDefault: () => "yes" }} />,
  <div onWindowResize={() => 1} onDocumentKeyDown={(event) => event.key} onWindowStorage={(event) => event.key} />,
  <div on:my-event={(event, div) => [event.detail, div.align]} />,
  // @ts-expect-error no option has this name
  <p onClick={{ handler: () => 1, often: true }} />,
  // @ts-expect-error window events have no "preventDefault" option
  <p onWindowWheel={{ handler: () => 1, preventDefault: true }} />,
  // @ts-expect-error only the window has storage events
  <p onStorage={() => 1} />,
  // @ts-expect-error text is not a handler
  <p on:changed="x" />,
  // @ts-expect-error text is not a handler
  <button onClick="alert(1)" />,
  // @ts-expect-error no such event
  <button onClicked={() => 1} />,
  // @ts-expect-error a click is not a keyboard event
  <button onClick={(event: KeyboardEvent) => event.key} />,
  // @ts-expect-error a button is not an input
  <button onClick={(_event, button: HTMLInputElement) => button.value} />,
  // @ts-expect-error a paragraph has no value
  <p onClick={(_event, paragraph) => paragraph.value} />,
  // @ts-expect-error two arguments at most
  <button onClick={(_event, _button, third) => third} />,
  // @ts-expect-error lower case would be an inline handler attribute
  <button onclick={() => 1} />,
  // @ts-expect-error a click has no key
  <button onClick={(event) => event.key} />,
];

const form = signal({ name: "a", size: 1 });

export const fields = [
  <input bind:value={signal("a")} />,
  <input type="number" bind:value={signal(1)} />,
  <input type="checkbox" bind:checked={signal(false)} />,
  <input type="radio" bind:group={signal("a")} value="a" />,
  <input type="checkbox" bind:group={signal(["a"])} value="a" />,
  <input type="file" bind:files={signal<File[]>([])} />,
  <textarea bind:value={form.value.name} />,
  <select bind:value={signal("a")} />,
  <select multiple bind:value={signal(["a"])} />,
  // @ts-expect-error a flag is not text
  <input bind:value={signal(true)} />,
  // @ts-expect-error text is not a flag
  <input bind:checked={signal("a")} />,
  // @ts-expect-error a paragraph has no value
  <p bind:value={signal("a")} />,
  // @ts-expect-error files are not text
  <input bind:files={signal("a")} />,
  // @ts-expect-error the list must contain text
  <select bind:value={signal([1])} />,
];

export const components = [
  <Card title="a" />,
  <Card title="a" level={2} key="k">
    text {1} {null} {false}
    <b />
    {[<i />, "x"]}
  </Card>,
  <One>{(index) => <p>{index.toFixed()}</p>}</One>,
  // @ts-expect-error title is missing
  <Card />,
  // @ts-expect-error not a level
  <Card title="a" level={3} />,
  // @ts-expect-error no such prop
  <Card title="a" titel="b" />,
  // @ts-expect-error a symbol is not a valid child
  <Card title="a">{Symbol("x")}</Card>,
  // @ts-expect-error a Date is not a valid child, convert it to text
  <p>{new Date(0)}</p>,
  // @ts-expect-error a function is not a valid child
  <p>{() => "x"}</p>,
  // @ts-expect-error a component must return a valid child
  <Broken />,
  // @ts-expect-error an object is not a valid child
  <Card title="a">{{ a: 1 }}</Card>,
  // @ts-expect-error one function, not two
  <One>
    {(index) => <p>{index}</p>}
    {(index) => <p>{index}</p>}
  </One>,
];

const people = [{ name: "Ada", born: 1815 }];

export const lists = [
  <For each={people} by={(person) => person.name}>
    {(person, index) => {
      same<typeof person, { name: string; born: number }>(true);
      same<typeof index, number>(true);
      return <li>{person.name}</li>;
    }}
  </For>,
  <Show when={people.length > 0} fallback="none">
    <p>some</p>
  </Show>,
  // @ts-expect-error people have no age
  <For each={people} by={(person) => person.age}>
    {(person) => <li>{person.name}</li>}
  </For>,
  <For each={people}>{(person) => person.name}</For>,
  // @ts-expect-error a condition is needed
  <Show>x</Show>,
  // @ts-expect-error a list is needed
  <For each={1}>{() => <li />}</For>,
];

const Theme = createContext<"dark" | "light">("light");
const field = createRef<HTMLInputElement>();

export const more = [
  <input ref={field} />,
  <input ref={(input) => input.focus()} />,
  <Theme.Provider value="dark">
    <Card title={useContext(Theme)} />
  </Theme.Provider>,
  <Match>
    <Case when={people.length > 1}>many</Case>
    <Case>few</Case>
  </Match>,
  <ErrorBoundary fallback={(error) => (error instanceof Error ? error.message : "?")}>
    <Card title="a" />
  </ErrorBoundary>,
  <ErrorBoundary
    fallback={(_error, reset) => (
      <button type="button" onClick={reset}>
        Again
      </button>
    )}
  >
    <Card title="a" />
  </ErrorBoundary>,
  <section>
    <Slot name="title">Untitled</Slot>
    <Slot />
  </section>,
  <Card slot="title" title="a" />,
  <Portal to="#modals">
    <p>text</p>
  </Portal>,
  <Island load="visible">
    <Card title="a" />
  </Island>,
  <Dynamic is="h2" title="x">
    text
  </Dynamic>,
  // @ts-expect-error no such trigger
  <Island load="never" />,
  // @ts-expect-error a slot has a name, not a number
  <Slot name={1} />,
  // @ts-expect-error a selector is text
  <Portal to={field} />,
  <Dynamic is={Card} title="x" />,
  // @ts-expect-error an input is not a form
  <form ref={field} />,
  // @ts-expect-error a signal is not a ref
  <input ref={signal(null)} />,
  // @ts-expect-error not a theme
  <Theme.Provider value="blue" />,
  // @ts-expect-error without a fallback there is nothing to show
  <ErrorBoundary>x</ErrorBoundary>,
  // @ts-expect-error the component's prop is missing
  <Dynamic is={Card} />,
];

export function reactivity(): void {
  const count = signal(1);
  same<typeof count.value, number>(true);
  const text = computed(() => String(count.value));
  same<typeof text.value, string>(true);
  const sum = computed(() => count.value + text.value.length);
  same<typeof sum.value, number>(true);
  const names = signal<string[]>([]);
  same<typeof names.value, string[]>(true);
  // @ts-expect-error the list must contain text
  names.value = [1];
  // @ts-expect-error there is no second value
  void count.old;
  const choice = signal<"a" | "b">("a");
  choice.value = "b";
  // @ts-expect-error not one of the allowed values
  choice.value = "c";
  // @ts-expect-error a computed is read-only
  text.value = "2";
}
