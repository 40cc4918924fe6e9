/**
 * Simulates color vision deficiencies with the matrices of Machado, Oliveira and Fernandes (2009) for complete deficiency, applied to
 * linear sRGB. No state depends on color alone, and none becomes too faint.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import type { App, Started } from "svckit";
import { opsSample, orderInput, runTo, until } from "../contract/ops-app.ts";
import { launchBrowser, openTab } from "./browser.ts";

type Rgb = readonly [number, number, number];
type Matrix = readonly [Rgb, Rgb, Rgb];

const DEFICIENCIES: Readonly<Record<string, Matrix>> = {
  none: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** Minimum contrast of text and of shapes (WCAG 2.2). */
const TEXT = 4.5;
const SHAPE = 3;

interface State {
  status: string;
  word: string;
  /** The SVG of its icon. */
  shape: string;
  /** As painted, 0 to 255. */
  stroke: Rgb;
  text: Rgb;
  ground: Rgb;
}

let app: App;
let started: Started;
let browser: Browser;

before(async () => {
  app = opsSample();
  started = await app.start({ host: "127.0.0.1", port: 0 });
  browser = await launchBrowser();
  await runTo(app, "order", orderInput(3), "done");
  await runTo(app, "order", orderInput(7), "failed");
  const idOf = async (worker: string, input: Parameters<App["engine"]["start"]>[1]) =>
    (await app.engine.start(worker, input)).snapshot.graph_id;
  const waits = async (id: string) =>
    until(
      async () => ((await app.engine.snapshot(id))?.nodes ?? []).some(({ status }) => status === "waiting"),
      "the wait",
    );
  const [paused, cancelled] = [await idOf("order", orderInput(4, 30)), await idOf("order", orderInput(5, 30))];
  await waits(paused);
  await waits(cancelled);
  await app.engine.pause(paused);
  await app.engine.cancel(cancelled);
  await idOf("sync-catalogue", null);
  await app.engine.start("order", orderInput(6), { delay: 3_600_000 });
});
after(async () => {
  await browser.close();
  await started.close();
});

/** The states in the runs list, one of each. */
async function statesOf(colorScheme: "light" | "dark"): Promise<State[]> {
  const tab = await openTab(browser, { colorScheme });
  await tab.page.goto(`${started.url}/_svc/ops/runs`);
  const states = await tab.page.locator("tbody .svc-status").evaluateAll((marks) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const painted = (color: string): [number, number, number] => {
      if (!canvas) throw new Error("no canvas");
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue];
    };
    const groundOf = (element: Element): string => {
      const { backgroundColor } = getComputedStyle(element);
      const isClear = /, 0\)$|\/ 0\)$|^transparent$/.test(backgroundColor);
      return isClear && element.parentElement ? groundOf(element.parentElement) : backgroundColor;
    };
    return marks.map((mark) => {
      const [picture, word] = [mark.querySelector("svg"), mark.querySelector(".svc-status-word")];
      if (!picture || !word) throw new Error("a state without a shape or a word");
      return {
        status: mark.getAttribute("data-status") ?? "",
        word: word.textContent ?? "",
        shape: picture.innerHTML,
        stroke: painted(getComputedStyle(picture).color),
        text: painted(getComputedStyle(word).color),
        ground: painted(groundOf(mark)),
      };
    });
  });
  await tab.close();
  return [...new Map(states.map((state) => [state.status, state])).values()];
}

function linear(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance with this deficiency. */
function brightness([red, green, blue]: Rgb, matrix: Matrix): number {
  const light = [linear(red), linear(green), linear(blue)] as const;
  const [r, g, b] = matrix.map((row) =>
    Math.min(1, Math.max(0, row[0] * light[0] + row[1] * light[1] + row[2] * light[2])),
  ) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: Rgb, other: Rgb, matrix: Matrix): number {
  const [low = 0, high = 0] = [brightness(one, matrix), brightness(other, matrix)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

for (const scheme of ["light", "dark"] as const)
  describe(`The states of runs, ${scheme},`, () => {
    let states: State[];
    before(async () => {
      states = await statesOf(scheme);
    });

    it("differ in shape and in word, independent of color", () => {
      const seen = states.map(({ status }) => status).toSorted();
      for (const status of ["cancelled", "done", "failed", "paused"]) assert.ok(seen.includes(status), seen.join());
      assert.ok(seen.length >= 5, seen.join());
      assert.equal(new Set(states.map(({ shape }) => shape)).size, states.length, "shapes");
      assert.equal(new Set(states.map(({ word }) => word)).size, states.length, "words");
    });

    for (const [name, matrix] of Object.entries(DEFICIENCIES))
      it(`have enough contrast with the color vision deficiency "${name}"`, () => {
        for (const { status, stroke, text, ground } of states) {
          const [ofShape, ofText] = [contrast(stroke, ground, matrix), contrast(text, ground, matrix)];
          assert.ok(ofShape >= SHAPE, `the shape of ${status}: ${ofShape.toFixed(2)}`);
          assert.ok(ofText >= TEXT, `the word of ${status}: ${ofText.toFixed(2)}`);
        }
      });
  });
