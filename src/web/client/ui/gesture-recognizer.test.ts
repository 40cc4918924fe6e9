import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createGestureRecognizer, type Take, type Report } from "./gesture-recognizer.ts";

interface Settings {
  wanted: (type: string) => boolean;
  axis: string | null;
  distance: number;
  hold: number;
  interval: number;
}

interface Input {
  type: Parameters<Take>[0];
  at: number;
  id: number;
  x: number;
  y: number;
}

const ALL: Settings = {
  wanted: () => true,
  axis: null,
  distance: 8,
  hold: 500,
  interval: 300,
};

interface SentState {
  type: string;
  detail: Parameters<Report>[1];
}

/** Returns a function that feeds an input to a recognizer and returns the gestures it reports. */
function listen(settings: Settings): (input: Input) => SentState[] {
  let out: SentState[] = [];
  const { wanted, axis, distance, hold, interval } = settings;
  const take = createGestureRecognizer(wanted, axis, distance, hold, interval, (type, detail) =>
    out.push({ type, detail }),
  );
  return (input) => {
    out = [];
    take(input.type, input.at, input.id, input.x, input.y);
    return out;
  };
}

type Step = [type: Input["type"], at: number, x?: number, y?: number, id?: number];

/** The gestures reported for some steps, in short form: `pan start`, `doubletap`. */
function reported(steps: readonly Step[], settings: Partial<Settings> = {}): string[] {
  const take = listen({ ...ALL, ...settings });
  return steps.flatMap(([type, at, x = 0, y = 0, id = 1]) => take({ type, at, x, y, id })).map(nameOf);
}

const nameOf = ({ type, detail }: SentState): string =>
  detail["phase"] === undefined ? type : `${type} ${String(detail["phase"])}`;

const tap = (at: number, x = 0, y = 0): Step[] => [
  ["down", at, x, y],
  ["up", at + 50, x, y],
];

describe("a pan", () => {
  it("starts after the minimum distance, reports distance and velocity, and ends when the finger is lifted", () => {
    const take = listen(ALL);
    const out = (
      [
        ["down", 0, 100, 100],
        ["move", 10, 105, 100],
        ["move", 20, 120, 90],
        ["move", 90, 190, 90],
        ["move", 100, 200, 90],
        ["up", 100, 200, 90],
      ] as Step[]
    ).flatMap(([type, at, x = 0, y = 0]) => take({ type: type, at: at, x: x, y: y, id: 1 }));
    assert.deepEqual(out.map(nameOf), ["pan start", "pan move", "pan move", "pan end"]);
    const { dx, dy, vx, vy } = (out.at(-1)?.detail ?? {}) as Record<string, number>;
    assert.deepEqual([dx, dy], [100, -10]);
    assert.ok(vx !== undefined && vx > 0.9 && vx < 1.1 && vy === 0, `${vx} ${vy}`);
  });

  it("along one axis ignores movement along the other", () => {
    const across: Step[] = [
      ["down", 0],
      ["move", 10, 3, 40],
      ["move", 20, 90, 40],
      ["up", 30, 90, 40],
    ];
    assert.deepEqual(reported(across, { axis: "x" }), []);
    assert.deepEqual(reported(across, { axis: "y" }), ["pan start", "pan move", "pan end"]);
  });

  it("is cancelled when the browser takes the pointer over, and ends when a second finger comes down", () => {
    assert.deepEqual(
      reported([
        ["down", 0],
        ["move", 10, 20],
        ["cancel", 20],
      ]),
      ["pan start", "pan cancel"],
    );
    assert.deepEqual(
      reported([
        ["down", 0],
        ["move", 10, 20],
        ["down", 20, 50, 0, 2],
        ["up", 30, 20],
        ["up", 40, 50, 0, 2],
      ]),
      ["pan start", "pan end"],
    );
  });
});

describe("a pinch", () => {
  it("reports the distance between the fingers relative to the initial distance", () => {
    const take = listen(ALL);
    const out = (
      [
        ["down", 0, 0, 0, 1],
        ["down", 5, 100, 0, 2],
        ["move", 10, 150, 0, 2],
        ["move", 20, 200, 0, 2],
        ["up", 30, 200, 0, 2],
        ["up", 40, 0, 0, 1],
      ] as Step[]
    ).flatMap(([type, at, x = 0, y = 0, id = 1]) => take({ type, at, x, y, id }));
    assert.deepEqual(
      out.map((each) => [nameOf(each), each.detail["scale"], each.detail["x"]]),
      [
        ["pinch start", 1.5, 75],
        ["pinch move", 2, 100],
        ["pinch end", 2, 100],
      ],
    );
  });
});

describe("a long press", () => {
  it("is reported once its duration has passed, if the finger has not moved", () => {
    assert.deepEqual(
      reported([
        ["down", 0],
        ["time", 499],
        ["time", 500],
        ["up", 600],
      ]),
      ["longpress"],
    );
    assert.deepEqual(
      reported([
        ["down", 0],
        ["move", 10, 4],
        ["time", 500],
        ["up", 600],
      ]),
      ["longpress"],
    );
    assert.deepEqual(
      reported(
        [
          ["down", 0],
          ["move", 10, 20],
          ["time", 500],
        ],
        { wanted: (type) => type === "longpress" },
      ),
      [],
    );
    assert.deepEqual(
      reported([
        ["down", 0],
        ["up", 100],
        ["time", 500],
      ]),
      [],
    );
    assert.deepEqual(
      reported(
        [
          ["down", 0],
          ["time", 500],
        ],
        { wanted: (type) => type === "pan" },
      ),
      [],
    );
  });
});

describe("a double tap", () => {
  it("is reported for two quick taps at one place, and once for three taps", () => {
    assert.deepEqual(reported([...tap(0), ...tap(200)]), ["doubletap"]);
    assert.deepEqual(reported([...tap(0), ...tap(200), ...tap(400)]), ["doubletap"]);
    assert.deepEqual(reported([...tap(0), ...tap(400)]), []);
    assert.deepEqual(reported([...tap(0), ...tap(200, 60)]), []);
    assert.deepEqual(reported([...tap(0), ["down", 200], ["up", 900]]), []);
  });
});

describe("gestures under random input", () => {
  const input = fc.record({
    type: fc.constantFrom("down", "move", "move", "move", "up", "cancel", "time"),
    id: fc.integer({ min: 1, max: 3 }),
    x: fc.integer({ min: 0, max: 60 }),
    y: fc.integer({ min: 0, max: 60 }),
    wait: fc.integer({ min: 0, max: 400 }),
  });
  const wanted = fc.subarray(["pan", "pinch", "longpress", "doubletap"]);

  it("start before they move, end once, never overlap, and are only those with a listener", () => {
    fc.assert(
      fc.property(
        fc.array(input, { maxLength: 40 }),
        wanted,
        fc.constantFrom(null, "x", "y"),
        (inputs, names, axis) => {
          const take = listen({ ...ALL, wanted: (type) => names.includes(type), axis: axis });
          const down = new Set<number>();
          let at = 0;
          let open: string | undefined;
          for (const { type, id, x, y, wait } of inputs) {
            at += wait;
            // As in browsers: a pointer does not come down twice, and only pointers that are down move.
            if (type === "down" ? down.has(id) : type !== "time" && !down.has(id)) continue;
            if (type === "down") down.add(id);
            if (type === "up" || type === "cancel") down.delete(id);
            for (const output of take({ type, at, x, y, id })) {
              assert.ok(names.includes(output.type), output.type);
              for (const value of Object.values(output.detail))
                assert.ok(typeof value === "string" || Number.isFinite(value));
              const phase = output.detail["phase"];
              if (phase === "start") assert.equal(open, undefined);
              else if (phase !== undefined) assert.equal(open, output.type);
              else assert.equal(open, undefined);
              open = phase === "start" || phase === "move" ? output.type : undefined;
            }
            if (down.size === 0) assert.equal(open, undefined, "no gesture is active when all fingers are up");
          }
        },
      ),
    );
  });
});
