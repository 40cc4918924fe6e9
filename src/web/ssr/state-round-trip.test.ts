/** Property-based test: captured values are equal on the server and in the browser, and share the same objects. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parse, defaultTreeAdapter as tree, type DefaultTreeAdapterTypes } from "parse5";
import { signal } from "../reactivity/signal.ts";
import { deserialize } from "../../platform/shared/deserialize.ts";
import type { Json } from "../../platform/shared/json.ts";
import { html } from "./html.ts";
import { renderPage } from "./render-page.ts";
import { block, scope } from "./compiled.ts";

const MODULE = "pages/any.tsx";
const BLOCK = block(MODULE, "b0", ["click"], []);

type Row = [kind: number, value: Json, scopes?: number[]];
type Graph = [graph: number, root: number, kind: number, isPart?: 1];

/** The state script of a page that captures `slots`, extracted by an HTML parser. */
function stateOf(slots: readonly unknown[]): { s: Record<string, [string, string, ...number[]]>; v: Row[] } {
  const page = renderPage(() => html(() => `<p${scope(BLOCK, 0, slots)}></p>`), {
    nonce: "N",
    csrfToken: () => "token",
    manifest: { build: "b", chunks: { [MODULE]: "any-1" }, actions: [] },
    title: "Any",
    stub: "stub(__EVENTS__)",
  });
  const find = (node: DefaultTreeAdapterTypes.ParentNode): string | undefined => {
    for (const child of node.childNodes) {
      if (!tree.isElementNode(child)) continue;
      if (child.attrs.some(({ name, value }) => name === "id" && value === "svc-state")) {
        return child.childNodes.map((text) => (tree.isTextNode(text) ? text.value : "")).join("");
      }
      const found = find(child);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return JSON.parse(find(parse(page.html)) ?? "null") as ReturnType<typeof stateOf>;
}

/** The slots as the browser restores them, with signals replaced by their values (src/web/client/runtime/resume.ts, data.ts). */
function resumed(slots: readonly unknown[]): unknown[] {
  const { s, v } = stateOf(slots);
  const graphs = new Map<number, unknown[]>();
  const values = v.map(([kind, value]) => {
    if (kind === 10) {
      const [graph, root] = value as unknown as Graph;
      if (!graphs.has(graph)) graphs.set(graph, deserialize(v[graph]?.[1] ?? null) as unknown[]);
      return graphs.get(graph)?.[root];
    }
    return kind > 3 ? deserialize(value) : value;
  });
  return (s["1"] ?? []).slice(2).map((index) => values[index as number]);
}

/** Identity of objects in traversal order: in `[0, 1, 0]` the first and the third are the same object. */
function sharing(root: unknown): number[] {
  const known = new Map<object, number>();
  const met: number[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const before = known.get(value);
    met.push(before ?? known.size);
    if (before !== undefined) return;
    known.set(value, known.size);
    if (value instanceof Map) [...value].flat().forEach(visit);
    else if (value instanceof Set) [...value].forEach(visit);
    else Object.values(value).forEach(visit);
  };
  visit(root);
  return met;
}

const leaves = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("</script>", "<!--", "]]>", "\u2028\u2029", "\0", "\r\n", "__proto__", "\ud800"),
  fc.double(),
  fc.constantFrom(null, undefined, true, false, 0, -0, NaN, 10n ** 30n),
  fc.date({ noInvalidDate: true }),
);
const anything = fc.anything({ values: [leaves], withMap: true, withSet: true, withNullPrototype: false });

/** Slots that share objects. Each number selects an object to insert into another object, or to capture. */
const shared = fc.tuple(fc.array(anything, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(), { maxLength: 12 }));

function tie([values, numbers]: [unknown[], number[]]): unknown[] {
  const objects: Record<string, unknown>[] = [{}, {}, {}];
  values.forEach((value, at) => ((objects[at % 3] as Record<string, unknown>)[`v${at}`] = value));
  const pick = (number = 0): Record<string, unknown> => objects[number % 3] as Record<string, unknown>;
  for (let at = 0; at + 1 < numbers.length; at += 2) pick(numbers[at])[`n${at}`] = pick(numbers[at + 1]);
  return [...objects.slice(0, 2), ...values, [objects[2]], signal(objects[1])];
}

describe("a captured value", () => {
  it("is equal after a round trip through a page", () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 4 }), (slots) => assert.deepEqual(resumed(slots), slots)),
      { numRuns: 300 },
    );
  });

  it("keeps its value and object identities if slots share objects", () => {
    fc.assert(
      fc.property(shared, (given) => {
        const slots = tie(given);
        const plain = slots.with(-1, slots[1]);
        const back = resumed(slots);
        assert.deepEqual(back, plain);
        assert.deepEqual(sharing(back), sharing(plain));
      }),
      { numRuns: 300 },
    );
  });
});
