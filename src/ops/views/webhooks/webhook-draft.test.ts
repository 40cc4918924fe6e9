import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeOf, editDraftOf, editQuery } from "./webhook-draft.ts";

const form = { url: " https://example.com/h ", "graph.done": "1", description: "billing", workers: "order, ,pack " };

describe("The form of a webhook", () => {
  it("changes every field it shows, and leaves headers unchanged", () => {
    assert.deepEqual(changeOf(form), {
      url: "https://example.com/h",
      events: ["graph.done"],
      description: "billing",
      workers: ["order", "pack"],
      ordered: false,
    });
  });

  it("replaces all headers with one per line, or removes them", () => {
    const headers = "Authorization: Bearer a:b\n\nX-Team:  blue \n";
    assert.deepEqual(changeOf({ ...form, headers })["headers"], { Authorization: "Bearer a:b", "X-Team": "blue" });
    assert.deepEqual(changeOf({ ...form, headers, no_headers: "1" })["headers"], {});
    assert.deepEqual(changeOf({ ...form, headers: "no colon" })["headers"], { "no colon": "" });
  });

  it("is refilled after a rejected change, except for header values", () => {
    const draft = editDraftOf({
      ...form,
      ordered: "1",
      headers: "Authorization: secret",
      no_headers: "1",
      note: "moved",
    });
    const query = editQuery(draft);
    assert.deepEqual(editDraftOf(Object.fromEntries(query)), draft);
    assert.doesNotMatch(query.toString(), /secret/);
  });
});
