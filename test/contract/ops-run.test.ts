/** The screen of one run: its content, and every action on it. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { worker } from "svckit/graph";
import { farClient, localClient, OPERATOR_KEY, opsSample, orderInput, runTo, until } from "./ops-app.ts";

async function text(path: string): Promise<string> {
  const answer = await client.get(`/_svc/ops/runs${path}`);
  assert.equal(answer.status, 200, path);
  return answer.text();
}

/** Submits an action, and returns the screen that follows. */
async function step(path: string, fields: Record<string, string> = {}): Promise<{ to: string; page: string }> {
  const answer = await client.submit(`/_svc/ops/runs${path}`, fields);
  assert.equal(answer.status, 303, await answer.text());
  const to = answer.headers.get("location") ?? "";
  return { to, page: await (await client.get(to)).text() };
}

async function phase(id: string): Promise<string | undefined> {
  return (await app.engine.snapshot(id))?.phase;
}

const app = opsSample({ ops: { redact: ["email"] } });
await app.boot();
const client = localClient(app);
const done = await runTo(app, "order", orderInput(3), "done");
const failed = await runTo(app, "order", orderInput(7), "failed");
after(() => app.close());

describe("The Go to screen", () => {
  const places = async (text: string): Promise<(readonly [name: string, href: string])[]> => {
    const answer = await client.get(`/_svc/ops/go?${new URLSearchParams({ q: text }).toString()}`);
    assert.equal(answer.status, 200);
    const links = (await answer.text()).matchAll(/<a href="([^"]*)" data-place[^>]*>([^<]*)</g);
    return [...links].map(([, href = "", name = ""]) => [name, href.replaceAll("&amp;", "&")] as const);
  };

  it("lists screens and filtered lists, and finds those that contain all words", async () => {
    const all = (await places("")).map(([name]) => name);
    for (const name of ["Audit trail", "Runs: failed", "Runs of order"]) assert.ok(all.includes(name), name);
    assert.deepEqual(await places("FAILED hour"), [
      ["Runs: failed in the last hour", "/_svc/ops/runs?status=failed&ended=1h"],
    ]);
    assert.deepEqual(await places("no such place"), []);
  });

  it("opens a run by its ID, and ignores other texts", async () => {
    assert.deepEqual((await places(` ${done} `))[0], [`Open run ${done}`, `/_svc/ops/runs/${done}`]);
    assert.deepEqual(await places("g_../../x"), []);
  });

  it("has only working links", async () => {
    for (const [name, href] of await places("")) assert.equal((await client.get(href)).status, 200, name);
  });

  it("needs access to the screens, and is linked from each of them", async () => {
    assert.equal((await farClient(app).get("/_svc/ops/go")).status, 403);
    assert.match(await text(""), /<a href="\/_svc\/ops\/go" data-go>/);
  });
});

describe("The screen of a run", () => {
  it("shows status, ID, duration and failure, with a link to runs with the same failure", async () => {
    const page = await text(`/${failed}`);
    assert.match(page, /<h1>order<\/h1>/);
    assert.ok(page.includes(failed));
    assert.match(page, /The card of order 2026-1007 was declined/);
    assert.match(page, /status=failed&amp;worker=order&amp;error=[^>]*>only in this run</);
    await runTo(app, "order", orderInput(17), "failed");
    assert.match(await text(`/${failed}`), /status=failed&amp;worker=order&amp;error=[^>]*>in 2 runs</);
  });

  it("shows the result size of each node in its picture, as the engine reports it", async () => {
    const { nodes = [] } = (await app.engine.snapshot(done)) ?? {};
    const bytes = (id: string) => nodes.find((node) => node.id === id)?.result_bytes;
    const reserved = JSON.stringify({ reserved: 3, warehouse: "Hamburg" }).length;
    assert.deepEqual([bytes("reserve"), bytes("approve")], [reserved, null]);
    const page = await text(`/${done}`);
    assert.match(page, new RegExp(`class="svc-edge-size"[^>]*>${reserved} B<`));
    assert.match(page, new RegExp(`<title>reserve: done, result ${reserved} B</title>`));
  });

  it("summarizes its nodes in the same words as its picture", async () => {
    for (const id of [done, failed]) {
      const page = await text(`/${id}`);
      const [, reported = ""] = /<dt>Nodes<\/dt><dd>([^<]+)</.exec(page) ?? [];
      assert.match(reported, /^\d of 6 nodes done, /);
      assert.equal(/data-part="summary">([^<]+)</.exec(page)?.[1], reported);
    }
  });

  it("counts its nodes like the runs list, and items of fan-outs separately", async () => {
    const list = await text("?worker=order");
    for (const id of [done, failed]) {
      const [, reported, all] = /<dt>Nodes<\/dt><dd>(\d+) of (\d+) nodes done/.exec(await text(`/${id}`)) ?? [];
      const cell = new RegExp(`title="${id}"[\\s\\S]*?data-label="Nodes" class="number">([^<]+)<`).exec(list)?.[1];
      assert.equal(cell?.trim(), `${reported}/${all}`);
    }
    assert.match(list, /data-label="Nodes" class="number">\d\/6 <span class="items">\d+\/\d+ items</);
  });

  it("explains the colors of its timeline, and no others", async () => {
    const keys = async (id: string): Promise<string[]> =>
      [...(await text(`/${id}`)).matchAll(/<i class="segment" data-kind="(run[a-z-]*)"><\/i>([^<]+)</g)].map(
        ([, kind, words]) => `${kind}: ${words}`,
      );
    // One of its nodes was retried: its first attempt is blue.
    assert.deepEqual(await keys(done), ["run: running, or an attempt that was retried", "run-done: run, done"]);
    assert.ok((await keys(failed)).includes("run-failed: run, failed"));
  });

  it("shows the model usage, if there is any", async () => {
    const asked = await runTo(app, "nightly-report", null, "done");
    assert.match(await text(`/${asked}`), /<dt>Models<\/dt><dd>1,204 tokens in, 310 out, cost 0.0021<\/dd>/);
    assert.doesNotMatch(await text(`/${done}`), /Models/);
  });

  it("shows the cause and the source location of its error, without a path of the machine", async () => {
    const place = /at <code>(test\/contract\/ops-app\.ts:\d+:\d+)<\/code>/.exec(await text(`/${failed}`))?.[1];
    assert.ok(place);
    for (const query of ["?tab=error", "?node=charge&tab=error"]) {
      const page = await text(`/${failed}${query}`);
      assert.ok(page.includes(`Thrown at <code data-copy-id="the location">${place}</code>`), query);
      assert.match(page, /<h3>Caused by<\/h3><ol class="causes"><li><code>Error: insufficient funds<\/code>/);
      assert.ok(!page.includes(process.cwd()));
    }
    const other = await text(`/${failed}?node=reserve`);
    assert.ok(!other.includes(place), "location of another node's error");
  });

  it("shows a timeline with waits and retries, and links to the nodes", async () => {
    const page = await text(`/${done}`);
    const row = /timeline-name">charge<[\s\S]*?class="unseen">, done: ([^<]*)</.exec(page);
    assert.match(row?.[1] ?? "", /run .*, retry .*, run .*attempt 2/);
    assert.ok(page.includes(`/_svc/ops/runs/${done}?node=charge`));
    assert.match(page, /and 4 more/);
  });

  it("shows in its picture how many attempts a node has", async () => {
    const flaky = worker("flaky", { retry: { max: 2, base: "1ms" } }, () => {
      throw new Error("busy");
    });
    const other = opsSample({ more: { workers: [flaky], schedules: [] } });
    await other.boot();
    try {
      const id = await runTo(other, "flaky", null, "failed");
      const page = await (await localClient(other).get(`/_svc/ops/runs/${id}`)).text();
      assert.match(page, /<title>flaky: failed, try 2 of 2</);
    } finally {
      await other.close();
    }
    const workers = await (await client.get("/_svc/ops/workers")).text();
    assert.match(workers, />pick-line<[\s\S]*?data-label="Max attempts"[^>]*>3</, "the default");
  });

  it("marks the critical path in its timeline, and describes it as text", async () => {
    const page = await text(`/${done}`);
    assert.match(page, /Critical path: reserve [\d.]+ m?s, then [\s\S]*mail [\d.]+ m?s\./);
    assert.match(page, /<a class="timeline-row"[^>]*data-critical[^>]*>[\s\S]*?, on the critical path</);
  });

  it("hides finished nodes of its timeline on request", async () => {
    const rows = (page: string): string[] =>
      [...page.matchAll(/timeline-name">([\w/]+)/g)].map(([, name = ""]) => name);
    assert.ok(rows(await text(`/${failed}`)).includes("reserve"));
    const page = await text(`/${failed}?hide=done`);
    assert.ok(!rows(page).includes("reserve") && rows(page).includes("charge"), rows(page).join());
    assert.match(page, /hide=done[^>]*>[\s\S]*Show finished nodes/);
  });

  it("shows a node with attempts, output, logs and the raw view", async () => {
    const attempts = await text(`/${done}?node=charge&tab=attempts`);
    assert.match(attempts, /failed: The card gateway answered 503/);
    assert.match(await text(`/${done}?node=charge&tab=output`), /rc_2026-1003/);
    assert.match(await text(`/${done}?node=reserve&tab=logs`), /reserving 3 lines/);
    assert.match(await text(`/${done}?node=pick%2F11&tab=raw`), /&quot;pick\/11&quot;|"pick\/11"/);
  });

  it("searches a payload by URL, marks the matches, and keeps the selection", async () => {
    const page = await text(`/${done}?node=charge&tab=output&find=RC_2026`);
    assert.match(page, /<p data-found[^>]*><span class="payload-key"[^>]*>receipt: /);
    assert.match(page, /<output class="quiet">1 found</);
    for (const field of ['name="node" value="charge"', 'name="tab" value="output"', 'name="find" value="RC_2026"'])
      assert.ok(page.includes(field), field);
    const secret = await text(`/${done}?find=tok_4111`);
    assert.match(secret, /No matches/);
    assert.ok(!/ data-found/.test(secret.replaceAll(/<form[^>]*>/g, "")));
  });

  it("filters its log by level", async () => {
    const logged = worker("logged", (_: unknown, ctx) => {
      for (const level of ["info", "warn", "error"] as const) ctx.log(level, `a word of ${level}`);
    });
    const other = opsSample({ more: { workers: [logged], schedules: [] } });
    await other.boot();
    try {
      const id = await runTo(other, "logged", null, "done");
      const words = async (query: string): Promise<string[]> => {
        const page = await (await localClient(other).get(`/_svc/ops/runs/${id}?view=events${query}`)).text();
        return [...page.matchAll(/a word of (\w+)/g)].map(([, word = ""]) => word);
      };
      assert.deepEqual(await words(""), ["info", "warn", "error"]);
      assert.deepEqual(await words("&level=warn"), ["warn"]);
      assert.deepEqual(await words("&level=none"), ["info", "warn", "error"]);
    } finally {
      await other.close();
    }
  });

  it("filters events by type and text", async () => {
    const page = await text(`/${done}?view=events&type=node.retrying`);
    assert.match(page, /The card gateway answered 503/);
    assert.ok(!/<strong>node\.done<\/strong>/.test(page));
    assert.match(await text(`/${done}?view=events&text=nowhere`), /No matching events/);
  });

  it("says why an action is not allowed", async () => {
    const page = await text(`/${done}`);
    assert.match(page, /aria-label="Pause: The run is done: only queued or running runs can be paused"/);
    assert.match(page, /Why pause, resume, cancel, terminate, retry are disabled/);
  });

  it("says if the run or the node does not exist", async () => {
    for (const path of ["/g_none", `/${done}?node=nobody`]) {
      const answer = await client.get(`/_svc/ops/runs${path}`);
      assert.equal(answer.status, 404);
      assert.match(await answer.text(), /There is no run|has no node/);
    }
  });

  it("explains run IDs only if a run does not exist", async () => {
    const screens = ["/runs/g_none", "/webhooks/wh_none", `/runs/compare?a=${done}`];
    const reported = await Promise.all(
      screens.map(async (path) => /This is not a run ID/.test(await (await client.get(`/_svc/ops${path}`)).text())),
    );
    assert.deepEqual(reported, [true, false, false]);
  });
});

describe("Payloads on the screen of a run", () => {
  it("hide secrets and the app's own keys in every tab", async () => {
    for (const side of ["?tab=input", "?tab=raw", "?node=reserve&tab=input", "?node=charge&tab=raw", "?view=events"]) {
      const page = await text(`/${done}${side}`);
      assert.ok(!page.includes("tok_4111_secret") && !page.includes("ada@example.com"), side);
    }
  });

  it("cannot be found by hidden values", async () => {
    const events = `/${done}?view=events&text=`;
    assert.match(await text(`${events}reserving`), /event-\d+/);
    for (const part of ["ada@example", "tok_4111", '"token":"t'])
      assert.match(await text(events + encodeURIComponent(part)), /No matching events/, part);
  });

  it("are revealed to an operator with a reason, for this run only, with an audit entry", async () => {
    const { to, page } = await step(`/${done}/reveal`, {
      note: "a refund",
      back: `/_svc/ops/runs/${done}?node=charge`,
    });
    assert.ok(page.includes("tok_4111_secret") && page.includes("ada@example.com"));
    const { items } = await app.operations.audit({ target: done, operation: "graph.reveal" });
    assert.deepEqual([items[0]?.actor, items[0]?.note], ["operator", "a refund"]);
    const word = new URL(to, "http://x").searchParams.get("reveal") ?? "";
    assert.ok(!(await text(`/${failed}?reveal=${word}`)).includes("tok_4111_secret"), "another run");
  });

  it("offer to reveal hidden values only where there are any", async () => {
    const reported = worker("reporter", (_: unknown, ctx) => {
      ctx.emit("app.reported", { apiKey: "planted-in-an-event" });
      return { token: "planted-in-a-result" };
    });
    const other = opsSample({ more: { workers: [reported], schedules: [] } });
    await other.boot();
    try {
      const id = await runTo(other, "reporter", null, "done");
      const node = (await other.engine.snapshot(id))?.nodes[0]?.id ?? "";
      const offers = async (side: string): Promise<boolean> => {
        const page = await (await localClient(other).get(`/_svc/ops/runs/${id}${side}`)).text();
        assert.ok(!page.includes("planted-in"), side);
        return page.includes("Reveal hidden values");
      };
      for (const side of [
        "?tab=output",
        "?tab=raw",
        `?node=${node}&tab=raw`,
        `?node=${node}&tab=events`,
        "?view=events",
      ])
        assert.equal(await offers(side), true, side);
      for (const side of ["", `?node=${node}`, `?node=${node}&tab=logs`, "?view=events&type=graph.done"])
        assert.equal(await offers(side), false, side);
    } finally {
      await other.close();
    }
  });

  it("are revealed on the screen of the run if the form's return URL is invalid", async () => {
    for (const back of ["http://[", "//", "http://x:99999/", "/_svc/ops/runs/%00", ""]) {
      const { to, page } = await step(`/${done}/reveal`, { back, list: "http://[" });
      assert.equal(new URL(to, "http://x").pathname, `/_svc/ops/runs/${done}`, back);
      assert.ok(page.includes("ada@example.com"), back);
    }
  });

  it("stay hidden for readers, even with an operator's URL", async () => {
    const env = { NODE_ENV: "production", SVC_SITE_URL: "http://localhost", SVC_EXEC_API_KEY: OPERATOR_KEY };
    const other = opsSample({ env, isLocked: true });
    await other.boot();
    try {
      const reader = localClient(other);
      await reader.submit("/_svc/ops/sign-in", { key: OPERATOR_KEY, role: "read" });
      const id = await runTo(other, "order", orderInput(1), "done");
      const word = other.seal(`ops reveal ${id}`, "operator", "5m");
      const page = await (await reader.get(`/_svc/ops/runs/${id}?reveal=${word}`)).text();
      assert.ok(page.includes("hidden") && !page.includes("tok_4111_secret"));
      assert.equal((await reader.submit(`/_svc/ops/runs/${id}/reveal`, { note: "x" })).status, 403);
    } finally {
      await other.close();
    }
  });
});

describe("Actions on the screen of a run", () => {
  it("pause, resume and cancel it, with the actor and the reason on record", async () => {
    const { snapshot } = await app.engine.start("sync-catalogue", null);
    const id = snapshot.graph_id;
    await until(async () => (await app.engine.snapshot(id))?.nodes[0]?.status === "running", "the run to start");
    const back = `/_svc/ops/runs/${id}`;
    const paused = await step(`/${id}/pause`, { note: "too loud", back });
    assert.equal(paused.to, back);
    assert.match(paused.page, /Pausing: running nodes finish/);
    assert.equal(await phase(id), "pausing");
    await step(`/${id}/resume`, { back });
    assert.equal(await phase(id), "running");
    await step(`/${id}/cancel`, { back });
    await until(async () => (await phase(id)) === "failed", "the cancellation");
    assert.match(await text(`/${id}?view=audit`), /graph\.pause[\s\S]*too loud/);
    assert.match(await text(`/${id}`), /svc-status-word">cancelled</);
  });

  it("show the engine's error if it rejects them, and change nothing", async () => {
    const { page } = await step(`/${done}/pause`, { back: `/_svc/ops/runs/${done}` });
    assert.match(page, /role="alert"[\s\S]*is done; pause needs it to be pending or running/);
    assert.equal((await client.submit(`/_svc/ops/runs/${done}/explode`, {})).status, 303);
  });

  it("retry it from a node, and keep the earlier execution readable", async () => {
    await step(`/${done}/retry`, { from: "mail", back: `/_svc/ops/runs/${done}` });
    await until(async () => (await phase(done)) === "done", "the retry");
    assert.equal((await app.engine.snapshot(done))?.epoch, 2);
    assert.match(await text(`/${done}?view=past`), /<th scope="row" data-label="Node">mail/);
  });

  it("fork it with an edited input, and redirect to the new run", async () => {
    const input = JSON.stringify(orderInput(2));
    const { to } = await step(`/${failed}/fork`, { from: "charge", input, note: "another card" });
    const id = /\/runs\/(g_\w+)$/.exec(to)?.[1] ?? "";
    await until(async () => (await phase(id)) === "done", "the fork");
    assert.equal((await app.engine.snapshot(id))?.forked_from, failed);
    assert.ok((await text(`/${id}`)).includes(`forked from <a href="/_svc/ops/runs/${failed}"`));
  });

  it("prefill the input unless parts of it are hidden, and list the nodes that run again", async () => {
    const form = async (path: string): Promise<string> =>
      /<textarea name="input"[^>]*>([^<]*)</.exec(await text(path))?.[1]?.trim() ?? "none";
    assert.equal(await form(`/${done}?node=pick%2F3`), '"line-3"');
    for (const path of [`/${done}?node=charge`, `/${done}`]) assert.equal(await form(path), "", path);
    const again = async (node: string) => /This reruns ([^.]*)\./.exec(await text(`/${done}?node=${node}`))?.[1];
    assert.equal(await again("pick%2F3"), "pick, pack, mail");
    assert.equal(await again("reserve"), "reserve, charge, approve, 12 of pick, pack, mail");
  });

  it("reject an input that is not JSON with a message", async () => {
    const { page } = await step(`/${failed}/fork`, { from: "charge", input: "{", back: `/_svc/ops/runs/${failed}` });
    assert.match(page, /The input is not valid JSON/);
  });

  it("reload the screen of an active run without script, until the visitor stops that", async () => {
    const refresh = '<noscript><meta http-equiv="refresh" content="15"';
    const { snapshot } = await app.engine.start("order", orderInput(5, 30));
    const id = snapshot.graph_id;
    const moving = await text(`/${id}?view=events`);
    assert.ok(moving.includes(refresh));
    assert.ok(moving.includes(`href="/_svc/ops/runs/${id}?view=events&amp;still=1"`));
    const still = await text(`/${id}?view=events&still=1`);
    assert.ok(!still.includes(refresh) && still.includes(`href="/_svc/ops/runs/${id}?view=events">Turn it on`));
    await app.engine.cancel(id);
    await until(async () => (await phase(id)) === "failed", "the cancellation");
    assert.ok(!/http-equiv="refresh"|still=1/.test(await text(`/${id}`)));
  });

  it("send the signal that it waits for", async () => {
    const { snapshot } = await app.engine.start("order", orderInput(5, 30));
    const id = snapshot.graph_id;
    const isWaiting = async (): Promise<boolean> =>
      ((await app.engine.snapshot(id))?.nodes ?? []).some(
        ({ kind, status }) => kind === "wait" && status === "waiting",
      );
    await until(isWaiting, "the wait");
    assert.match(await text(`/${id}`), /Waiting for signal: approve#approval/);
    const [payload = ""] = /<input name="payload"[^>]*>/.exec(await text(`/${id}`)) ?? [];
    assert.match(payload, / required/);
    assert.doesNotMatch(payload, / value=/);
    await step(`/${id}/signal`, { name: "approval", payload: '{"ok":true}' });
    await until(async () => (await phase(id)) === "done", "the end of the run");
  });

  it("start a new run with the same input", async () => {
    const { to } = await step("/start", { worker: "order", like: done, input: "" });
    const id = /\/runs\/(g_\w+)$/.exec(to)?.[1] ?? "";
    assert.deepEqual((await app.engine.snapshot(id))?.input, (await app.engine.snapshot(done))?.input);
  });

  it("start no run with the input of a run that no longer exists", async () => {
    const before = (await app.engine.list({ limit: 1 })).items[0]?.graph_id;
    const { page } = await step("/start", { worker: "order", like: "g_gone", input: "", back: "/_svc/ops/runs" });
    assert.match(
      page,
      /role="alert"[\s\S]*The run &quot;g_gone&quot; no longer exists|The run "g_gone" no longer exists/,
    );
    assert.equal((await app.engine.list({ limit: 1 })).items[0]?.graph_id, before);
  });
});
