import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PageEvents } from "./page-events.ts";

function eventsOf(...names: string[]): PageEvents {
  const events = new PageEvents();
  for (const name of names) events.add(name);
  return events;
}

const STUB = "listen(__EVENTS__, __EVENTS__HOW)";

describe("a page's events", () => {
  it("get one listener per type, and <html> has selectors for those of the window", () => {
    const events = eventsOf("click", "window:click", "click", "window:resize");
    assert.equal(events.stub(STUB), 'listen(["click","resize"], 1)');
    assert.equal(
      events.htmlAttributes(),
      ' window:click="[on\\:window\\:click]" window:resize="[on\\:window\\:resize]"',
    );
    assert.equal(events.hasMoments, false);
  });

  it("get active listeners only if a handler may prevent scrolling", () => {
    assert.equal(eventsOf("wheel").stub(STUB), 'listen(["wheel"], 1)');
    assert.equal(eventsOf("!wheel", "click").stub(STUB), 'listen(["wheel","click"], {capture:1,passive:0})');
    assert.equal(eventsOf("!window:wheel").htmlAttributes(), ' window:wheel="[on\\:window\\:wheel]"');
  });

  it("that a browser does not send to the window alone have an empty listener at the document", () => {
    const crossings = ';for(const t of ["mouseenter","pointerleave"])document.addEventListener(t,()=>{},1);';
    assert.equal(
      eventsOf("mouseenter", "click", "pointerleave").stub(STUB),
      `listen(["mouseenter","click","pointerleave"], 1)${crossings}`,
    );
  });

  it("do not include synthetic moments", () => {
    for (const moment of ["load", "visible", "idle", "media"]) {
      assert.equal(eventsOf(moment).hasMoments, true);
      assert.equal(eventsOf(moment).stub(STUB), "listen([], 1)");
    }
  });
});
