/** `/`: what this is, the form that starts an audit, and the way to the rest. No script. */
import { CsrfField } from "svc";
import type { JSX } from "svc/jsx-runtime";
import { Shell } from "./shell.tsx";

/** @param props.problem why the last submit was refused; @param props.hasOwn whether this server has a lockfile. */
export function HomePage(props: { problem: string | undefined; hasOwn: boolean }): JSX.Element {
  return (
    <Shell current="/">
      <div class="intro">
        <h1>Know what your lockfile installs</h1>
        <p class="lede">
          Give a <code>package-lock.json</code>. Every package is inspected as one node of a durable graph: its licence,
          install scripts, hashes, deprecations and duplicates. You watch it run, read the report, and the result leaves
          as a signed webhook. Nothing else leaves this server.
        </p>
      </div>
      <div class="columns">
        <section class="panel" aria-labelledby="start-heading">
          <h2 id="start-heading">Start an audit</h2>
          {props.problem === undefined ? null : (
            <p class="notice notice-bad" role="alert" id="problem">
              {props.problem}
            </p>
          )}
          <form method="post" action="/audits" enctype="multipart/form-data">
            <CsrfField />
            <label class="field">
              <span class="field-label">Lockfile</span>
              <input type="file" name="lockfile" accept=".json,application/json" />
            </label>
            <label class="field">
              <span class="field-label">Or paste its text</span>
              <textarea name="lockfile_text" rows={5} spellcheck={false} placeholder='{ "lockfileVersion": 3, … }' />
            </label>
            <p class="actions">
              <button type="submit" class="button button-primary">
                Start audit
              </button>
              {props.hasOwn ? (
                <button type="submit" class="button" name="sample" value="own">
                  Audit this server’s own lockfile
                </button>
              ) : null}
            </p>
          </form>
        </section>
        <section aria-labelledby="how-heading">
          <h2 id="how-heading">What happens</h2>
          <ol class="steps">
            <li>
              <strong>parse</strong> reads the lockfile and lists its packages. A broken file fails here, with line and
              column.
            </li>
            <li>
              <strong>inspect</strong> runs once for each package, side by side. Every result is committed to disk: kill
              the server, start it again, and the audit goes on.
            </li>
            <li>
              <strong>report</strong> adds up and orders the findings. <code>graph.done</code> goes to every registered
              webhook, signed.
            </li>
          </ol>
        </section>
      </div>
      <section aria-labelledby="more-heading">
        <h2 id="more-heading">More to try</h2>
        <ul class="cards">
          <li>
            <a href="/counter">Counter</a>
            <p>Its component ran on the server and never runs again. Code arrives at the first click.</p>
          </li>
          <li>
            <a href="/todo">To-do</a>
            <p>Add, toggle, filter and edit in place, on rows that the server rendered.</p>
          </li>
          <li>
            <a href="/static">Static page</a>
            <p>A page with nothing to do in the browser ships no script at all.</p>
          </li>
          <li>
            <a href="/_svc/demo">Webhook</a>
            <p>Send a signed sample to an inbox on this server and see what a receiver gets.</p>
          </li>
        </ul>
      </section>
    </Shell>
  );
}
