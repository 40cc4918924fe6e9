/** The framework's messages of forms in another language, in the page and in the table for forms.js. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createFullStackApp, Field, FieldError, Form, submit, type FormMessages } from "svckit/fullstack";
import { html, t } from "svckit/jsx-runtime";
import { createTestClient, recordLog } from "svckit/testing";
import * as v from "valibot";

const ENV = {
  NODE_ENV: "test",
  SVC_DATABASE_URL: "memory:",
  SVC_SECRET: "s".repeat(32),
  SVC_SITE_URL: "https://example.com",
};
const GERMAN: FormMessages = {
  errors: (count) => `${count} Fehler`,
  tooLarge: "Die Datei ist zu groß, höchstens {limit}",
  offline: "Sie sind offline.",
};

const send = submit(
  "send",
  {
    schema: v.object({ name: v.pipe(v.string(), v.nonEmpty("Name fehlt")) }),
    files: { picture: { maxBytes: 2048 }, large: {} },
  },
  () => null,
);
const page = {
  default: () =>
    html(() =>
      t(
        Form({
          submit: send,
          children: html(
            () =>
              t(Field({ of: send, name: "name", label: "Name" })) +
              t(Field({ of: send, name: "picture", label: "Bild", type: "file" })) +
              t(Field({ of: send, name: "large", label: "Groß", type: "file" })) +
              t(FieldError({ of: send, name: "picture" })),
          ),
        }),
      ),
    ),
};
const formMessages = (ctx: { path: string }): FormMessages => (ctx.path === "/de" ? GERMAN : {});
const app = createFullStackApp(
  { env: ENV, log: recordLog(), submits: [send], formMessages },
  {
    "./pages/index.tsx": page,
    "./pages/de.tsx": page,
  },
);
after(() => app.close());

async function refused(path: string, fields: Record<string, string | Blob>): Promise<string> {
  const client = createTestClient(app);
  const [, token = ""] = /name="_csrf" value="([^"]+)"/.exec(await (await client.get(path)).text()) ?? [];
  const body = new FormData();
  for (const [name, value] of Object.entries({ _csrf: token, _page: path, ...fields })) body.append(name, value);
  const response = await client.request("/_svc/submit/send", {
    method: "POST",
    headers: { accept: "text/html", referer: `https://example.com${path}` },
    body,
  });
  return response.text();
}

describe("messages of forms", () => {
  it("are those of the request's language", async () => {
    assert.match(await refused("/de", { name: "" }), /<p>1 Fehler<\/p><ul><li><a href="#send-name">Name fehlt/);
    assert.match(await refused("/", { name: "" }), /<p>Fix 1 error<\/p>/);
  });

  it("name the limit of a file next to its field", async () => {
    const picture = new Blob(["x".repeat(3000)]);
    assert.match(
      await refused("/de", { picture }),
      /id="send-picture-error"[^>]*>Die Datei ist zu groß, höchstens 2 KB</,
    );
    assert.match(
      await refused("/", { picture }),
      /id="send-picture-error"[^>]*>The file is too large; at most 2 KB are allowed</,
    );
  });

  it("reach forms.js in the form, with the limit of each file field", async () => {
    const client = createTestClient(app);
    const german = await (await client.get("/de")).text();
    assert.match(
      german,
      /data-svc-texts="{&quot;The file is too large; at most {limit} are allowed&quot;:&quot;Die Datei/,
    );
    assert.match(german, /name="picture"[^>]* data-svc-max-bytes="2048"/);
    assert.match(german, /name="large"[^>]* data-svc-max-bytes="10485760"/);
    assert.doesNotMatch(await (await client.get("/")).text(), /data-svc-texts/);
  });
});
