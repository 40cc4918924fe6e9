import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DevFault } from "../../platform/shared/dev-fault.ts";
import { DevPages, type DevEvent } from "./dev-pages.ts";

const fault = (kind: DevFault["kind"], request?: string): DevEvent => ({
  event: "fault",
  data: {
    kind,
    code: "SVC104",
    message: "m",
    place: undefined,
    frame: undefined,
    calls: [],
    ...(request && { request }),
  },
});
const build = (data: string): DevEvent => ({ event: "build", data });

/** What a page that connects now gets at once. */
async function first(pages: DevPages, count: number): Promise<unknown[]> {
  const closing = new AbortController();
  const events: unknown[] = [];
  for await (const event of pages.follow(closing.signal)) {
    events.push(event);
    if (events.length === count) closing.abort();
  }
  return events;
}

describe("the pages of an app under development", () => {
  it("get the build, and the faults of single files with their paths", async () => {
    const pages = new DevPages();
    pages.send(build("1"));
    pages.send(fault("compile", "/_svc/handler/a.js"));
    pages.send(fault("style", "/_svc/dev/files/a.css"));
    assert.deepEqual(await first(pages, 3), [
      build("1"),
      fault("compile", "/_svc/handler/a.js"),
      fault("style", "/_svc/dev/files/a.css"),
    ]);
  });

  it("get no fault of a chunk after the next build, and none of a stylesheet after one has changed", async () => {
    const pages = new DevPages();
    pages.send(fault("compile", "/_svc/handler/a.js"));
    pages.send(fault("style", "/_svc/dev/files/a.css"));
    pages.send(build("2"));
    assert.deepEqual(await first(pages, 2), [build("2"), fault("style", "/_svc/dev/files/a.css")]);
    pages.send({ event: "style", data: "/_svc/dev/files/a.css" });
    pages.send(fault("compile"));
    assert.deepEqual(await first(pages, 1), [fault("compile")]);
  });
});
