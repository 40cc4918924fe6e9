import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import * as z from "zod";
import { fieldsOf, valueOf } from "./signal-fields.ts";

const expected = [
  { name: "isApproved", label: "Is approved", isRequired: false, kind: "boolean" },
  { name: "cents", label: "Cents", isRequired: true, kind: "number" },
  { name: "reason", label: "Reason", isRequired: false, kind: "text" },
  { name: "size", label: "Size", isRequired: true, kind: "choice", options: ["s", "m"] },
];

describe("the fields of a signal", () => {
  it("are read from objects of valibot", () => {
    const schema = v.object({
      isApproved: v.boolean(),
      cents: v.pipe(v.number(), v.minValue(1)),
      reason: v.optional(v.string()),
      size: v.picklist(["s", "m"]),
    });
    assert.deepEqual(fieldsOf(schema), expected);
  });

  it("are read from Standard JSON Schema, as zod's", () => {
    const schema = z.object({
      isApproved: z.boolean(),
      cents: z.number().min(1),
      reason: z.string().optional(),
      size: z.enum(["s", "m"]),
    });
    assert.deepEqual(fieldsOf(schema), expected);
    assert.equal(fieldsOf(z.object({ note: z.string().meta({ title: "Your note" }) }))?.[0]?.label, "Your note");
  });

  it("do not exist for schemas that a flat form can't fill", () => {
    for (const schema of [
      v.string(),
      v.object({}),
      v.object({ lines: v.array(v.string()) }),
      v.object({ to: v.object({ city: v.string() }) }),
      z.object({ at: z.date() }),
      z.union([z.object({ a: z.string() }), z.string()]),
    ])
      assert.equal(fieldsOf(schema), undefined);
  });

  it("give the value of a form, which the schema validates", () => {
    const given: Record<string, string> = { isApproved: "on", cents: "12", reason: "", size: "m" };
    const fields = fieldsOf(v.object({ isApproved: v.boolean(), cents: v.number(), reason: v.optional(v.string()) }));
    assert.deepEqual(
      valueOf(fields ?? [], (name) => given[name]),
      { isApproved: true, cents: 12 },
    );
    assert.deepEqual(
      valueOf(fields ?? [], (name) => (name === "cents" ? "many" : undefined)),
      { isApproved: false, cents: "many" },
    );
  });
});
