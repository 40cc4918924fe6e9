/**
 * A property of arbitrary views: a view rendered in the browser, and a server page resumed and updated in the browser, both equal the
 * server's page for the same data. `FUZZ_SEED` selects other views.
 */
import { testRandom } from "./random-app.ts";
import { randomChanges, randomData, randomView, type Tape } from "./random-view.ts";

const VIEWS = Number(process.env["FUZZ_VIEWS"] ?? 24);

/** A view that can be closed and whose data changes. The data is in a store, or in a signal with a component that shows it too. */
function sourceOf(tape: Tape): string {
  const isStore = tape.chance(50);
  const data = isStore ? "box.data" : "data.value";
  const first = randomData(tape);
  const { source, story } = randomChanges(tape, first, 6);
  const part = isStore ? "" : `function Part(props) { return ${randomView(tape, "props.data.value")}; }`;
  return `import { Case, For, Match, Show, signal, store } from "svckit";
const CHANGES = ${source};
${part}
export function View(props) {
  const isOpen = signal(props.isOpen);
  ${isStore ? "const box = store({ data: props.data });" : "const data = signal(props.data);"}
  const change = (at) => {
    ${isStore ? "CHANGES[at](box.data);" : "const next = structuredClone(data.value); CHANGES[at](next); data.value = next;"}
  };
  return (
    <main>
      <button id="open" onClick={() => (isOpen.value = !isOpen.value)}>open</button>
      <button id="change" onPointerDown={(event) => change(event.button)}>change</button>
      ${isStore ? "" : "<Part data={data} />"}
      {isOpen.value && ${randomView(tape, data)}}
    </main>
  );
}
export const start = { isOpen: false, data: ${JSON.stringify(first)} };
const open = (isOpen) => ({ on: "click", at: "#open", to: { isOpen } });
const change = ([button, data]) => ({ on: "pointerdown", at: "#change", event: { button }, to: { data } });
const [a, b, c, d, e, f] = ${JSON.stringify(story)}.map(change);
export const steps = [open(true), a, b, c, open(false), d, open(true), e, f];
`;
}

testRandom("view", VIEWS, sourceOf);
