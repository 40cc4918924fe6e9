/** `/`: introduction, the form that starts an audit, and links. The first interaction with the form loads its script. */
import { Field, Form, UploadProgress } from "svckit/fullstack";
import type { JSX } from "svckit/jsx-runtime";
import { project } from "../audit/project.ts";
import { startAudit } from "./_submits.ts";

export const head = {
  title: "Lockfile audit",
  description: "What does your package-lock.json install? A demo of svc.",
};

export default function HomePage(): JSX.Element {
  return (
    <>
      <div class="intro">
        <h1>Know what your lockfile installs</h1>
        <p class="lede">
          Upload a <code>package-lock.json</code>. A durable graph inspects every package in a node of its own: licence,
          install scripts, hashes, deprecations and duplicates. Watch it run and read the report. The server sends the
          result as a signed webhook, and nothing else.
        </p>
      </div>
      <div class="columns">
        <section class="panel" aria-labelledby="start-heading">
          <h2 id="start-heading">Start an audit</h2>
          <Form submit={startAudit}>
            <Field
              of={startAudit}
              name="lockfile"
              label="Lockfile"
              type="file"
              accept=".json,application/json"
              class="field"
            />
            <Field
              of={startAudit}
              name="lockfile_text"
              label="Or paste its text"
              as="textarea"
              rows={5}
              spellcheck={false}
              placeholder='{ "lockfileVersion": 3, … }'
              class="field"
            />
            <UploadProgress label="Sending the lockfile" />
            <p class="actions">
              <button type="submit" class="button button-primary">
                Start audit
              </button>
              {project !== undefined ? (
                <button type="submit" class="button" name="sample" value="own">
                  Audit this server’s own lockfile
                </button>
              ) : null}
            </p>
          </Form>
        </section>
        <section aria-labelledby="how-heading">
          <h2 id="how-heading">How it works</h2>
          <ol class="steps">
            <li>
              <strong>parse</strong> reads the lockfile and lists its packages. A broken file fails here, with line and
              column.
            </li>
            <li>
              <strong>inspect</strong> runs once for each package, concurrently. Every result is committed to disk: kill
              the server, start it again, and the audit resumes.
            </li>
            <li>
              <strong>report</strong> counts and orders the findings. Every registered webhook receives a signed{" "}
              <code>graph.done</code>.
            </li>
          </ol>
        </section>
      </div>
      <section aria-labelledby="more-heading">
        <h2 id="more-heading">More to try</h2>
        <ul class="cards">
          <li>
            <a href="/counter">Counter</a>
            <p>Its component ran on the server and never runs again. The first click loads its code.</p>
          </li>
          <li>
            <a href="/todo">To-do</a>
            <p>Add, toggle, filter and edit in place, on rows that the server rendered.</p>
          </li>
          <li>
            <a href="/static">Static page</a>
            <p>A page without interaction ships no script at all.</p>
          </li>
          <li>
            <a href="/_svc/demo">Webhook</a>
            <p>Send a signed sample to an inbox on this server and see the received request.</p>
          </li>
        </ul>
      </section>
    </>
  );
}
