import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serverBody } from "../harness.testkit.ts";

const sent = (body: string): string => serverBody(`export function A() { const form = useForm(); ${body} }`);

describe("the result of a hook that browser code captures", () => {
  it("is sent with the members that the component uses", () => {
    const code = sent("const { label } = form; return <b onClick={() => form.set(form.values.name)}>{label}</b>;");
    assert.match(code, /\[\$only\(form, "label set values"\)\]/);
  });

  it("is sent as a whole if the component uses it as a whole or sets a member", () => {
    for (const use of ["save(form)", "(form.title = 1)", "delete form.title", "form[key]", "({ ...form })"])
      assert.match(sent(`return <b onClick={() => ${use}}>x</b>;`), /\[form\]/, use);
    assert.match(sent("const { a, ...rest } = form; return <b onClick={() => form.set(1)}>{rest.b}</b>;"), /\[form\]/);
    assert.match(sent("return <b onClick={() => form.set(1)}><Fields form={form} /></b>;"), /\[form\]/);
  });
});
