import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { placeBeside, type Box, type Size } from "./popover-placement.ts";

const ROOM = { width: 800, height: 600 };
const middle: Box = { x: 300, y: 280, width: 100, height: 40 };
const size: Size = { width: 200, height: 120 };

const placements = ["bottom", "top", "left", "right"].flatMap((side) => [side, `${side}-start`, `${side}-end`]);

describe("the position of a popover", () => {
  it("is beside its button, aligned with the edge that the placement names", () => {
    const at = (placement: string, isRtl = false): [number, number] => {
      const { x, y } = placeBeside(middle, size, ROOM, placement, isRtl);
      return [x, y];
    };
    assert.deepEqual(at("bottom"), [250, 320]);
    assert.deepEqual(at("bottom-start"), [300, 320]);
    assert.deepEqual(at("bottom-end"), [200, 320]);
    assert.deepEqual(at("top-start"), [300, 160]);
    assert.deepEqual(at("left"), [100, 240]);
    assert.deepEqual(at("right-start"), [400, 280]);
    assert.deepEqual(at("right-end"), [400, 200]);
  });

  it("is aligned with the right edge at the start in right-to-left text", () => {
    assert.equal(placeBeside(middle, size, ROOM, "bottom-start", true).x, 200);
    assert.equal(placeBeside(middle, size, ROOM, "right-start", true).y, 280);
  });

  it("is on the other side if it does not fit, unless neither side fits and the wanted one has more room", () => {
    assert.equal(placeBeside({ ...middle, y: 540 }, size, ROOM, "bottom-start").y, 420);
    assert.equal(placeBeside({ ...middle, y: 10 }, size, ROOM, "top").y, 50);
    assert.equal(placeBeside({ ...middle, x: 790, width: 10 }, size, ROOM, "right").x, 590);
    const high = { width: 200, height: 500 };
    assert.equal(placeBeside({ ...middle, y: 200 }, high, ROOM, "bottom").y, 96);
  });

  it("is inside the window for any position of the button, if the window has room", () => {
    const number = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
    const box = fc.record({ x: number(760), y: number(560), width: number(40), height: number(40) });
    const sizes = fc.record({ width: number(790), height: number(590) });
    fc.assert(
      fc.property(box, sizes, fc.constantFrom(...placements), fc.boolean(), (anchor, own, placement, isRtl) => {
        const { x, y } = placeBeside(anchor, own, ROOM, placement, isRtl);
        assert.ok(x >= 4 && y >= 4 && x + own.width <= 796 && y + own.height <= 596, `${x} ${y}`);
      }),
    );
  });

  it("does not cover the button if one of the two sides has room", () => {
    const box = fc.record({
      x: fc.integer({ min: 250, max: 500 }),
      y: fc.integer({ min: 150, max: 400 }),
      width: fc.integer({ min: 1, max: 40 }),
      height: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(box, fc.constantFrom(...placements), (anchor, placement) => {
        const { x, y } = placeBeside(anchor, size, ROOM, placement);
        const isApart =
          x + size.width <= anchor.x ||
          x >= anchor.x + anchor.width ||
          y + size.height <= anchor.y ||
          y >= anchor.y + anchor.height;
        assert.ok(isApart, `${x} ${y}`);
      }),
    );
  });
});
