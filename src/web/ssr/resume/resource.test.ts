import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { signal } from "../../reactivity/signal.ts";
import type { Resource } from "../../reactivity/server-resource.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { Await } from "../components/await.ts";
import { html } from "../html.ts";
import { renderPage, type PageRenderOptions } from "../render-page.ts";
import { block, component, scope } from "../compiled.ts";
import { resource } from "./resource.ts";

const MODULE = "pages/user.tsx";
const shown = block(MODULE, "b0", ["click"], ["resource"]);

/** The parts of a page. */
async function parts(view: () => unknown, changes: Partial<PageRenderOptions> = {}): Promise<string[]> {
  const page = renderPage(view, {
    nonce: "N",
    csrfToken: () => "token",
    manifest: { build: "b1", chunks: { [MODULE]: "user-1" }, actions: [] },
    title: "Title",
    stub: "stub(__EVENTS__)",
    ...changes,
  });
  const found: string[] = [];
  if (!page.stream) return [page.html];
  for await (const part of page.stream) found.push(part);
  return found;
}

const button = (...slots: unknown[]): string => `<button${scope(shown, slots.length, slots)}></button>`;
const awaiting = (value: Resource<unknown>): string =>
  component(Await<unknown>, { value, children: (found) => String(found), catch: "failed" });
const stateOf = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(/<script type="application\/json"[^>]*>([^<]*)/.exec(part ?? "")?.[1] ?? "null") as never;
/** Waits long enough that the page is sent without the resource. */
const later = <T>(value: T): Promise<T> =>
  new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(() => resolve(value)))));

describe("a resource on the server", () => {
  it("is part of the page's state if it settles at once", async () => {
    const id = signal(3);
    const [page] = await parts(() =>
      html(() => {
        const user = resource(
          () => id.value,
          (given) => ({ id: given }),
        );
        assert.deepEqual([user.value, user.pending, user.error], [{ id: 3 }, false, undefined]);
        return button(user, id);
      }),
    );
    assert.match(page ?? "", /s="1 user-1 resource"/);
    assert.deepEqual(stateOf(page)["v"], [
      [8, { v: { id: 3 } }, [1]],
      [0, 3, [1]],
    ]);
  });

  it("is sent as pending first, then with its value, if it settles after the page was sent", async () => {
    const [shell, piece] = await parts(() =>
      html(() => {
        const user = resource(
          () => 3,
          (id) => later(new Date(id)),
        );
        return button(user) + awaiting(user);
      }),
    );
    assert.match(shell ?? "", /s="1 user-1 resource data stream"/);
    assert.deepEqual(stateOf(shell)["v"], [[8, {}, [1]]]);
    assert.match(piece ?? "", /1970/);
    assert.deepEqual(Object.keys(stateOf(piece)["u"] as object), ["0"]);
    assert.match(JSON.stringify(stateOf(piece)["u"]), /^\{"0":\[9,.*,0\]\}$/);
    assert.doesNotMatch(piece ?? "", /stream\.js/);
  });

  it("makes the browser load the stream part if the page shows that it is pending", async () => {
    const [, piece] = await parts(() =>
      html(() => {
        const user = resource(
          () => 3,
          (id) => later(id),
        );
        return button(user) + String(user.pending) + awaiting(user);
      }),
    );
    assert.deepEqual(stateOf(piece)["u"], { 0: [8, { v: 3 }, 1] });
    assert.match(piece ?? "", /<script type="module" async nonce="N" src="\/_svc\/stream\.js"><\/script>$/);
  });

  it("sends the browser only the public part of its error if it fails", async () => {
    const failing = async (error: Error): Promise<unknown> => {
      const [page] = await parts(() =>
        html(() => {
          const user = resource(
            () => 0,
            () => {
              throw error;
            },
          );
          return button(user) + awaiting(user);
        }),
      );
      assert.match(page ?? "", /<\/button>failed/);
      return stateOf(page)["v"];
    };
    assert.deepEqual(await failing(new Error("secret")), [[8, { e: "The server could not fetch this" }, [1]]]);
    assert.deepEqual(await failing(new SvcError("SVC_NOT_FOUND", "no such user")), [[8, { e: "no such user" }, [1]]]);
  });

  it("runs in the context of the request, and aborts if the page ends before it settles", async () => {
    const log: string[] = [];
    const around = <T>(call: () => T): T => {
      log.push("around");
      return call();
    };
    const view = (): unknown =>
      html(() => {
        const user = resource(
          () => 0,
          (_id, { signal: ends }) => {
            ends.addEventListener("abort", () => log.push("aborted"));
            return new Promise(() => undefined);
          },
        );
        return button(user);
      });
    await parts(view, { around });
    assert.deepEqual(log, ["around", "aborted"]);
  });
});
