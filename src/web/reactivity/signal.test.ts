import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as oracle from "alien-signals";
import fc from "fast-check";
import { batch, computed, isComputed, isSignal, signal, untrack, watch } from "./signal.ts";
import { onCleanup } from "./cleanup.ts";
import { effect } from "./effect.ts";
import { scoped } from "./system.ts";

describe("the reactivity system", () => {
  it("runs a computed when it is first read, and again only after a dependency changed", () => {
    const a = signal(1);
    let runs = 0;
    const double = computed(() => (runs++, a.value * 2));
    assert.equal(runs, 0);
    assert.deepEqual([double.value, double.value, runs], [2, 2, 1]);
    a.value = 1;
    assert.deepEqual([double.value, runs], [2, 1]);
    a.value = 4;
    assert.deepEqual([double.value, runs], [8, 2]);
  });

  it("never shows an effect half-updated state", () => {
    const a = signal(1);
    const left = computed(() => a.value + 1);
    const right = computed(() => a.value * 10);
    const seen: string[] = [];
    effect(() => void seen.push(`${left.value}/${right.value}`));
    a.value = 2;
    assert.deepEqual(seen, ["2/10", "3/20"]);
  });

  it("does not run an effect if the computed it reads keeps its value", () => {
    const a = signal(1);
    const parity = computed(() => a.value % 2);
    let runs = 0;
    effect(() => void (runs++, parity.value));
    a.value = 3;
    assert.equal(runs, 1);
  });

  it("does not run an effect for a signal that it no longer reads", () => {
    const which = signal(true);
    const a = signal(1);
    const b = signal(1);
    let runs = 0;
    effect(() => void (runs++, which.value ? a.value : b.value));
    which.value = false;
    a.value = 2;
    assert.equal(runs, 2);
    b.value = 2;
    assert.equal(runs, 3);
  });

  it("runs effects once per batch, even if the batch throws", () => {
    const a = signal(0);
    let runs = 0;
    effect(() => void (runs++, a.value));
    assert.throws(() =>
      batch(() => {
        a.value = 1;
        a.value = 2;
        throw new Error("planned");
      }),
    );
    assert.equal(runs, 2);
  });

  it("runs nothing that reads a signal which a batch sets and sets back", () => {
    const a = signal(0);
    const runs: string[] = [];
    const double = computed(() => (runs.push("computed"), a.value * 2));
    effect(() => void runs.push(`effect ${a.value}`));
    effect(() => void runs.push(`effect of the computed ${double.value}`));
    runs.length = 0;
    batch(() => {
      a.value++;
      batch(() => (a.value += 5));
      a.value -= 6;
    });
    assert.deepEqual([runs, a.value, double.value], [[], 0, 0]);
    batch(() => {
      a.value = 1;
      a.value = 2;
    });
    assert.deepEqual(runs, ["effect 2", "computed", "effect of the computed 4"]);
  });

  it("runs an effect that began in a batch with a value which the batch sets back", () => {
    const a = signal(0);
    const seen: number[] = [];
    batch(() => {
      a.value = 1;
      effect(() => void seen.push(a.value));
      a.value = 0;
    });
    assert.deepEqual(seen, [1, 0]);
  });

  it("runs a computed at each read if it changes what it reads", () => {
    const a = signal(1);
    const next = computed(() => {
      a.value++;
      return a.value;
    });
    assert.deepEqual([next.value, next.value, a.value], [2, 3, 3]);
  });

  it("runs an older effect first, so that it can end a newer one that has read the signal for longer", () => {
    const isShown = signal(true);
    const isAsked = signal(false);
    const seen: boolean[] = [];
    let end: (() => void) | undefined;
    watch(
      () => !isAsked.value || isShown.value,
      (shows) => {
        if (!shows) return end?.();
        end ??= scoped(
          false,
          () =>
            void watch(
              () => isShown.value,
              (value) => void seen.push(value),
            ),
        );
      },
    );
    isAsked.value = true;
    isShown.value = false;
    assert.deepEqual(seen, [true]);
  });

  it("runs an effect's cleanup before its next run and at its end", () => {
    const a = signal(1);
    const log: string[] = [];
    const end = effect(() => {
      const seen = a.value;
      return () => log.push(`clean ${seen}`);
    });
    a.value = 2;
    end();
    a.value = 3;
    assert.deepEqual(log, ["clean 1", "clean 2"]);
  });

  it("runs the other effects if one throws, and runs that one again later", () => {
    const a = signal(0);
    const seen: number[] = [];
    effect(() => {
      if (a.value === 1) throw new Error("planned");
      seen.push(a.value);
    });
    effect(() => void seen.push(a.value * 100));
    assert.throws(() => (a.value = 1), /planned/);
    a.value = 2;
    assert.deepEqual(seen, [0, 0, 100, 2, 200]);
  });

  it("runs the remaining cleanups and the effect if a cleanup throws", () => {
    const a = signal(0);
    const log: string[] = [];
    const end = effect(() => {
      const seen = a.value;
      onCleanup(() => {
        log.push(`first ${seen}`);
        if (seen === 0) throw new Error("planned");
      });
      onCleanup(() => log.push(`second ${seen}`));
      log.push(`run ${seen}`);
    });
    assert.throws(() => (a.value = 1), /planned/);
    a.value = 2;
    end();
    assert.deepEqual(log, [
      "run 0",
      "first 0",
      "second 0",
      "run 1",
      "first 1",
      "second 1",
      "run 2",
      "first 2",
      "second 2",
    ]);
  });

  it("runs the cleanups of an effect that throws, and reports the effect's error", () => {
    const log: string[] = [];
    const fails = (): void => {
      onCleanup(() => {
        throw new Error("of the cleanup");
      });
      onCleanup(() => log.push("undone"));
      throw new Error("of the run");
    };
    assert.throws(() => effect(fails), /of the run/);
    assert.deepEqual(log, ["undone"]);
  });

  it("stops effects that trigger each other endlessly, with an error", () => {
    const a = signal(0);
    assert.throws(() => effect(() => void a.value++), /effect cycle/);
  });

  it("recomputes a computed that has thrown after a source changed, and runs its readers", () => {
    const a = signal(0);
    const checked = computed(() => {
      if (a.value === 0) throw new Error("planned");
      return a.value;
    });
    const seen: unknown[] = [];
    effect(() => {
      try {
        seen.push(checked.value);
      } catch (error) {
        seen.push((error as Error).message);
      }
    });
    assert.throws(() => checked.value, /planned/);
    a.value = 1;
    a.value = 0;
    a.value = 2;
    assert.deepEqual(seen, ["planned", 1, "planned", 2]);
  });

  it("runs a failing computed once for several readers, each of which sees the error", () => {
    const a = signal(0);
    let runs = 0;
    const fails = computed(() => {
      runs++;
      throw new Error(`planned ${a.value}`);
    });
    const behind = computed(() => (fails.value as number) + 1);
    assert.throws(() => behind.value, /planned 0/);
    assert.throws(() => fails.value, /planned 0/);
    assert.equal(runs, 1);
    a.value = 1;
    assert.throws(() => behind.value, /planned 1/);
    assert.equal(runs, 2);
  });

  it("ends an effect inside an effect before the outer one runs again, and with it", () => {
    const a = signal(0);
    const b = signal(0);
    const log: string[] = [];
    const end = effect(() => {
      const outer = a.value;
      effect(() => {
        log.push(`${outer}/${b.value}`);
        return () => log.push("clean");
      });
    });
    a.value = 1;
    b.value = 1;
    end();
    b.value = 2;
    assert.deepEqual(log, ["0/0", "clean", "1/0", "clean", "1/1", "clean"]);
  });

  it("does not track reads inside untrack, and rejects writes to a computed", () => {
    const a = signal(1);
    let runs = 0;
    effect(() => void (runs++, untrack(() => a.value)));
    a.value = 2;
    assert.equal(runs, 1);
    const derived = computed(() => a.value);
    assert.throws(() => ((derived as { value: number }).value = 5), /read-only/);
    assert.deepEqual(
      [isSignal(a), isSignal(derived), isComputed(derived), isComputed(a), isSignal({ value: 1 })],
      [true, true, true, false, false],
    );
  });
});

/** Builds the same random graph with both libraries, writes the same values, and compares what the effects saw. */
describe("the reactivity system", () => {
  it("produces the same values and effect runs as alien-signals on random graphs", () => {
    const graphs = fc.record({
      sources: fc.integer({ min: 1, max: 4 }),
      computeds: fc.array(fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
      writes: fc.array(fc.tuple(fc.nat(20), fc.integer({ min: 0, max: 5 })), { maxLength: 15 }),
    });
    fc.assert(
      fc.property(graphs, ({ sources, computeds, writes }) => {
        const ours: { read: () => number; write?: (value: number) => void }[] = [];
        const theirs: typeof ours = [];
        for (let index = 0; index < sources; index++) {
          const mine = signal(index);
          const other = oracle.signal(index);
          ours.push({ read: () => mine.value, write: (value) => (mine.value = value) });
          theirs.push({ read: () => other(), write: (value) => other(value) });
        }
        const combine = (nodes: typeof ours, picks: number[], count: number) => (): number =>
          // Reads the later nodes only if the sum so far is even, so dependencies change from run to run.
          picks.reduce(
            (sum, pick, at) =>
              at > 0 && sum % 2 ? sum : (sum + (nodes[pick % count] as { read: () => number }).read()) % 7,
            0,
          );
        for (const picks of computeds) {
          const count = ours.length;
          const mine = computed(combine(ours, picks, count));
          const other = oracle.computed(combine(theirs, picks, count));
          ours.push({ read: () => mine.value });
          theirs.push({ read: () => other() });
        }
        const mySeen: string[] = [];
        const theirSeen: string[] = [];
        ours.forEach((node, index) => effect(() => void mySeen.push(`${index}:${node.read()}`)));
        theirs.forEach((node, index) => oracle.effect(() => void theirSeen.push(`${index}:${node.read()}`)));
        for (const [pick, value] of writes) {
          mySeen.length = theirSeen.length = 0;
          ours[pick % sources]?.write?.(value);
          theirs[pick % sources]?.write?.(value);
          assert.deepEqual(mySeen.toSorted(), theirSeen.toSorted());
          assert.deepEqual(
            ours.map((node) => node.read()),
            theirs.map((node) => node.read()),
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});
