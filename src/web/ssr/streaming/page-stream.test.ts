import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { signal, type Signal } from "../../reactivity/signal.ts";
import { SimulatedClock } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { Await, type AwaitProps } from "../components/await.ts";
import { createContext, useContext } from "../context.ts";
import { CsrfField } from "../components/csrf-field.ts";
import { effect } from "../resume/effect.ts";
import { ErrorBoundary } from "../components/error-boundary.ts";
import { html } from "../html.ts";
import { renderPage, type PageRenderOptions, type RenderedPage } from "../render-page.ts";
import { block, component, scope } from "../compiled.ts";

const MODULE = "pages/counter.tsx";
const counter = block(MODULE, "b0", ["click"], []);
const keyed = block(MODULE, "b1", ["keydown", "window:resize", "visible"], []);

interface Stream {
  page: RenderedPage;
  /** The next part; undefined at the end. */
  next: () => Promise<string | undefined>;
  /** The remaining parts. */
  rest: () => Promise<string[]>;
  leave: () => void;
  errors: unknown[];
}

function open(view: () => unknown, changes: Partial<PageRenderOptions> = {}): Stream {
  const errors: unknown[] = [];
  const page = renderPage(view, {
    nonce: "N",
    csrfToken: () => "token",
    manifest: { build: "b1", chunks: { [MODULE]: "counter-1" }, actions: [] },
    title: "Title",
    stub: "$svc=[];stub(__EVENTS__)",
    swap: "swap()",
    clock: new SimulatedClock(),
    onError: (error) => void errors.push(error),
    ...changes,
  });
  assert.ok(page.stream, "the page is a stream");
  const parts = page.stream[Symbol.asyncIterator]();
  const next = async (): Promise<string | undefined> => {
    const { done, value } = await parts.next();
    return done ? undefined : value;
  };
  return {
    page,
    next,
    rest: async () => {
      const found: string[] = [];
      for (let part = await next(); part !== undefined; part = await next()) found.push(part);
      return found;
    },
    leave: () => void parts.return?.(),
    errors,
  };
}

/** A promise with the functions that settle it. */
function gate<T = string>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const awaiting = <T>(props: Omit<AwaitProps<T>, "children"> & { write?: (value: T) => string }): string =>
  component((given: AwaitProps<T>) => Await(given), {
    ...props,
    children: (value) => html(() => (props.write ?? ((text) => `<i>${String(text)}</i>`))(value)),
  });

const button = (slots: unknown[]): string => `<button${scope(counter, slots.length, slots)} on:click="h0"></button>`;
const main =
  (...write: (() => string)[]) =>
  () =>
    html(() => `<main>${write.map((each) => each()).join("")}</main>`);
const bodyOf = (parts: string[]): string => /<body>([^]*)<\/body>/.exec(parts.join(""))?.[1] ?? "";
const stateOf = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(/<script type="application\/json"[^>]*>([^<]*)/.exec(part ?? "")?.[1] ?? "null") as never;

describe("a streamed page with browser code", () => {
  it("sends all but deferred content at once, with state and loader, then each content when it is ready", async () => {
    const [slow, fast] = [gate(), gate()];
    const { next, rest, page } = open(
      main(
        () => button([signal(1)]),
        () => awaiting({ value: slow.promise, pending: html(() => "<p>slow</p>") }),
        () => awaiting({ value: fast.promise }),
        () => "<hr>",
      ),
    );
    assert.deepEqual([page.html, page.interactive, page.usesCsrf], ["", true, true]);
    const shell = await next();
    assert.match(
      shell ?? "",
      /<main><button s="1 counter-1 stream" on:click="h0"><\/button><svc-wait data-svc-wait="1" style="display:contents"><p>slow<\/p><\/svc-wait><template data-svc-wait="2"><\/template><hr><\/main><canvas style="position:fixed;visibility:hidden"><\/canvas><script nonce="N">swap\(\)<\/script><script type="application\/json".*src="\/_svc\/loader\.js"><\/script>$/,
    );
    fast.resolve("fast");
    assert.equal(
      await next(),
      '<div hidden data-svc-piece="2"><template shadowrootmode="open"><i>fast</i><noscript></noscript></template></div><script nonce="N">$piece(2)</script>',
    );
    slow.resolve("slow");
    assert.match((await next()) ?? "", /<i>slow<\/i>.*\$piece\(1\)/);
    assert.deepEqual(await rest(), ["</body></html>"]);
  });

  it("adds the stream part to scopes, but not to text that reads like a scope", async () => {
    const like = ' s="1 counter-2" s="9 counter-1"';
    const { next, leave } = open(
      main(
        () => like + button([]),
        () => awaiting({ value: gate().promise }),
      ),
    );
    const shell = (await next()) ?? "";
    assert.ok(shell.includes(`<main>${like}<button s="1 counter-1 stream"`), shell);
    leave();
  });

  it("continues the numbering in the state of deferred content, and sends a shared signal once", async () => {
    const late = gate();
    const [count, other] = [signal(1), signal(2)];
    const write = (): string => button([count, other, "x"]);
    const { next, rest } = open(
      main(
        () => button([count]),
        () => awaiting({ value: late.promise, write }),
      ),
    );
    const shell = stateOf(await next());
    assert.deepEqual(shell["v"], [[0, 1, [1]]]);
    assert.deepEqual(shell["n"], { 1: ["stream"] });
    late.resolve("");
    const piece = await next();
    assert.match(piece ?? "", /<button s="2 counter-1 stream"/);
    assert.deepEqual(stateOf(piece), {
      s: { 2: ["counter-1", "b0", 0, 1, 2] },
      v: [
        [0, 2, [2]],
        [1, "x"],
      ],
      r: { 0: [2] },
      n: {},
      u: {},
    });
    await rest();
  });

  it("adds listeners for events that only deferred content has, and fetches moments with the first content that needs them", async () => {
    const late = gate();
    const write = (): string => `<b${scope(keyed, 0, [])}></b>`;
    const { next, rest } = open(
      main(
        () => button([]),
        () => awaiting({ value: late.promise, write }),
      ),
    );
    assert.match((await next()) ?? "", /stub\(\["click"\]\)/);
    late.resolve("");
    const piece = (await next()) ?? "";
    assert.match(
      piece,
      /^<script nonce="N">document\.documentElement\.setAttribute\("window:resize",""\);self\.\$svc\?\?=\[\];stub\(\["keydown","resize"\]\)<\/script><div/,
    );
    assert.match(
      piece,
      /\$piece\(1\)<\/script><script type="module" async nonce="N" src="\/_svc\/moments\.js"><\/script>$/,
    );
    await rest();
  });

  it("does not wrap placeholders of rows and options, because the parser would move the wrapper", async () => {
    const never = gate();
    const pending = html(() => '<tr class="x"><td></td></tr>');
    const { next, leave } = open(
      main(
        () => button([]),
        () => awaiting({ value: never.promise, pending }),
      ),
    );
    assert.match((await next()) ?? "", /<tr data-svc-wait="1" class="x"><td>/);
    leave();
  });

  it("sends nested deferred content", async () => {
    const [outer, inner] = [gate(), gate()];
    const write = (): string => `<p>${awaiting({ value: inner.promise })}</p>`;
    const { next, rest } = open(
      main(
        () => button([]),
        () => awaiting({ value: outer.promise, write }),
      ),
    );
    await next();
    outer.resolve("");
    assert.match((await next()) ?? "", /<p><template data-svc-wait="2"><\/template><\/p>/);
    inner.resolve("inner");
    assert.match((await next()) ?? "", /data-svc-piece="2".*<i>inner<\/i>/);
    assert.deepEqual(await rest(), ["</body></html>"]);
  });
});

describe("a page with isWhole", () => {
  it("waits for all deferred content, including nested content, and equals a page without any", async () => {
    const [outer, inner] = [gate(), gate()];
    const write = (): string => `<p>${awaiting({ value: inner.promise })}</p>`;
    const { rest } = open(
      main(
        () => button([]),
        () => awaiting({ value: outer.promise, write }),
      ),
      { isWhole: true },
    );
    setImmediate(() => {
      outer.resolve("");
      setImmediate(() => setImmediate(() => inner.resolve("inner")));
    });
    const [only, ...others] = await rest();
    assert.match(only ?? "", /<main><button s="1 counter-1" on:click="h0"><\/button><p><i>inner<\/i><\/p><\/main>/);
    assert.deepEqual(others, []);
  });
});

describe("deferred content", () => {
  it("is written in place if it is already settled", async () => {
    const { rest } = open(
      main(
        () => button([signal(1)]),
        () => awaiting({ value: Promise.resolve("now") }),
      ),
    );
    const [only, ...others] = await rest();
    assert.match(only ?? "", /<\/button><i>now<\/i><\/main><script type="application\/json"/);
    assert.doesNotMatch(only ?? "", /swap|noscript|stream/);
    assert.deepEqual(others, []);
  });

  it("is sent in one part if it settles before the first part", async () => {
    const { page, next } = open(main(() => awaiting({ value: Promise.resolve("now") })));
    assert.match((await page.stream?.begin()) ?? "", /^<!doctype html>.*<i>now<\/i><\/main><\/body><\/html>$/);
    assert.equal(await next(), undefined);
  });

  it("does not create a stream if its value is not a promise", () => {
    const page = renderPage(
      main(() => awaiting({ value: () => "plain" })),
      {
        nonce: "N",
        csrfToken: () => "token",
        manifest: { build: "b1", chunks: {}, actions: [] },
        title: "Title",
        stub: "",
      },
    );
    assert.equal(page.stream, undefined);
    assert.match(page.html, /<main><i>plain<\/i><\/main>/);
  });

  it("gets the contexts around its <Await>", async () => {
    const Tone = createContext("plain");
    const late = gate();
    const write = (): string => useContext(Tone);
    const { rest } = open(() => [
      Tone.Provider({ value: "loud", children: html(() => awaiting({ value: late.promise, write })) }),
      html(() => useContext(Tone)),
    ]);
    late.resolve("");
    assert.equal(bodyOf(await rest()), "loudplain");
  });

  it("is replaced by its own catch, the fallback of the nearest boundary, or nothing if it fails", async () => {
    const fails = (): Promise<string> => Promise.reject(new Error("x"));
    const { rest, errors } = open(() => [
      html(() => awaiting({ value: fails(), catch: (error) => `own ${String(error)} ` })),
      ErrorBoundary({ fallback: "boundary ", children: html(() => awaiting({ value: fails() })) }),
      html(() => awaiting({ value: fails() })),
      "end",
    ]);
    assert.equal(bodyOf(await rest()), "own Error: x <!--eb-->boundary <template eb>boundary </template>end");
    assert.equal(errors.length, 3);
  });

  it("leaves no scope behind, and does not affect other content, if its children or fallback throw", async () => {
    const [bad, good] = [gate(), gate()];
    const write = (): string => {
      button([signal("lost")]);
      throw new SvcError("SVC_NOT_FOUND", "too late for a 404");
    };
    const fallback = (): never => {
      throw new Error("again");
    };
    const { next, rest, errors } = open(
      main(
        () => button([]),
        () => awaiting({ value: bad.promise, write, catch: fallback }),
        () => awaiting({ value: good.promise }),
      ),
    );
    await next();
    bad.resolve("");
    const piece = (await next()) ?? "";
    assert.match(piece, /open"><noscript>/);
    assert.doesNotMatch(piece, /data-svc-more/);
    assert.deepEqual(errors.map(String), ["SvcError: too late for a 404", "Error: again"]);
    good.resolve("good");
    assert.match((await rest()).join(""), /<i>good<\/i>/);
  });

  it("fails if browser code captures a value that can't be serialized, and the page continues", async () => {
    const [bad, good] = [gate(), gate()];
    class Odd {}
    const write = (): string => `<p>odd</p>${button([signal("lost"), new Odd()])}`;
    const { next, rest, errors } = open(
      main(
        () => button([signal("kept")]),
        () => awaiting({ value: bad.promise, write, catch: html(() => button(["fallback"])) }),
        () => awaiting({ value: good.promise, write: () => button(["good"]) }),
      ),
    );
    await next();
    bad.resolve("");
    const piece = await next();
    assert.doesNotMatch(piece ?? "", /odd/);
    assert.deepEqual([stateOf(piece)["s"], stateOf(piece)["v"]], [{ 2: ["counter-1", "b0", 1] }, [[1, "fallback"]]]);
    assert.equal((errors[0] as SvcError).code, "SVC201");
    good.resolve("");
    const [last] = await rest();
    assert.deepEqual([stateOf(last)["s"], stateOf(last)["v"]], [{ 3: ["counter-1", "b0", 2] }, [[1, "good"]]]);
  });

  it("leaves an in-order page without browser code if its state can't be serialized", async () => {
    class Odd {}
    const late = gate();
    const { next, rest, errors } = open(
      main(() => awaiting({ value: late.promise, write: () => button([new Odd()]) })),
    );
    await next();
    late.resolve("");
    assert.match((await rest()).join(""), /<button.*<\/button><\/main><\/body><\/html>$/);
    assert.equal((errors[0] as SvcError).code, "SVC201");
  });

  it("fails with the page, before anything is sent, if the first part can't be sent", async () => {
    class Odd {}
    const { page } = open(
      main(
        () => button([new Odd()]),
        () => awaiting({ value: gate().promise }),
      ),
    );
    await assert.rejects(async () => page.stream?.begin(), { code: "SVC201" });
  });

  it("fails if it is not ready at its deadline", async () => {
    const clock = new SimulatedClock();
    const never = gate();
    const { next, rest, errors } = open(
      main(
        () => button([]),
        () => awaiting({ value: never.promise, deadline: "2s", catch: "too late" }),
        () => awaiting({ value: never.promise, catch: "at last" }),
      ),
      { clock, deadlineMs: 5000 },
    );
    await next();
    await clock.advance(2000);
    assert.match((await next()) ?? "", /too late/);
    await clock.advance(3000);
    assert.match((await next()) ?? "", /at last/);
    assert.equal(errors.length, 2);
    await rest();
    assert.equal(clock.pending, 0);
  });

  it("is rejected in the head, because the head is sent first", () => {
    const head = (): unknown => html(() => awaiting({ value: gate().promise }));
    assert.throws(() => open(main(), { head }), { code: "SVC_DEFINITION" });
  });
});

describe("a streamed page without browser code", () => {
  it("is sent in order, without script or placeholder", async () => {
    const [first, second] = [gate(), gate()];
    const { next, rest } = open(
      main(
        () => awaiting({ value: first.promise, pending: "waiting" }),
        () => "<hr>",
        () => awaiting({ value: second.promise }),
      ),
    );
    assert.match((await next()) ?? "", /<body><canvas style="position:fixed;visibility:hidden"><\/canvas>$/);
    assert.equal(await next(), "<main>");
    second.resolve("second");
    first.resolve("first");
    assert.deepEqual(await rest(), ["<i>first</i>", "<hr>", "<i>second</i>", "</main>", "</body></html>"]);
  });

  it("leaves no timer for deferred content that settled while the page was being read", async () => {
    const clock = new SimulatedClock();
    const late = gate();
    const { next, rest } = open(
      main(() => awaiting({ value: late.promise })),
      { clock },
    );
    await next();
    late.resolve("in between");
    await late.promise;
    assert.match((await rest()).join(""), /in between/);
    assert.equal(clock.pending, 0);
  });

  it("sends the scripts and state that deferred content with browser code needs", async () => {
    const late = gate();
    const write = (): string => button([signal(1)]);
    const { next, rest } = open(main(() => awaiting({ value: late.promise, write })));
    const start = `${await next()}${await next()}`;
    assert.doesNotMatch(start, /<script/);
    late.resolve("");
    const [stub, piece, , end] = await rest();
    assert.equal(stub, '<script nonce="N">self.$svc??=[];stub(["click"])</script>');
    assert.equal(piece, '<button s="1 counter-1" on:click="h0"></button>');
    assert.match(end ?? "", /id="svc-state".*loader\.js/);
  });

  it("has its token from the start, because the cookie is sent with the head", async () => {
    const late = gate();
    const asked: string[] = [];
    const { page, rest } = open(
      main(() => awaiting({ value: late.promise, write: () => CsrfField().toString() })),
      {
        csrfToken: () => `token ${asked.push("token")}`,
      },
    );
    assert.deepEqual([asked.length, page.usesCsrf], [1, true]);
    late.resolve("");
    assert.match((await rest()).join(""), /value="token 1"/);
  });
});

describe("a reader who cancels", () => {
  for (const [name, first] of [
    ["before the first part", false],
    ["while deferred content is pending", true],
  ] as const) {
    it(`ends the render ${name}, and leaves no timer, effect or pending read`, async () => {
      const clock = new SimulatedClock();
      const late = gate();
      const log: string[] = [];
      const { next, leave } = open(
        main(
          () => {
            effect(() => () => log.push("undone"));
            return button([]);
          },
          () => awaiting({ value: late.promise }),
        ),
        { clock },
      );
      if (first) await next();
      const waiting = next();
      leave();
      assert.equal(await waiting, undefined);
      assert.equal(await next(), undefined);
      assert.deepEqual([clock.pending, log], [0, ["undone"]]);
      late.reject(new Error("not reported, and not an unhandled rejection"));
    });
  }

  it("ends the render through an abort signal as well", async () => {
    const controller = new AbortController();
    const late = gate();
    const { next } = open(
      main(
        () => button([]),
        () => awaiting({ value: late.promise }),
      ),
      { signal: controller.signal },
    );
    await next();
    const waiting = next();
    controller.abort();
    assert.equal(await waiting, undefined);
  });
});

/** Type check: the children get the value of the promise. */
export function typed(count: Promise<Signal<number>>): unknown {
  return Await({ value: count, children: ({ value }) => value.toFixed(1) });
}
