import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serverBody } from "../harness.testkit.ts";

const sent = (body: string): string => serverBody(`export function A(props) { const form = useForm(); ${body} }`);

describe("an object that browser code captures", () => {
  it("is sent with the members that the code reads: the result of a hook, a prop, and the item of a row", () => {
    const handler = "onClick={() => form.set(form.values.name)}";
    assert.match(sent(`const { label } = form; return <b ${handler}>{label}</b>;`), /\[\$only\(form, "set values"\)\]/);
    assert.match(sent("return <b onClick={() => open(props.user.id)}>x</b>;"), /\[\$only\(props\.user, "id"\)\]/);
    const rows = "return <p>{props.users.map((user) => <b onClick={() => open(user.id)}>{user.email}</b>)}</p>;";
    assert.match(sent(rows), /\[\$only\(user, "email id"\)\]/);
  });

  it("is sent as a whole if the code uses it as a whole or sets a member", () => {
    for (const use of ["save(form)", "(form.title = 1)", "delete form.title", "form[key]", "({ ...form })"])
      assert.match(sent(`return <b onClick={() => ${use}}>x</b>;`), /\[form\]/, use);
    assert.match(sent("return <b onClick={() => save(form.id, form)}>x</b>;"), /\[form\]/);
    assert.match(sent("return <b onClick={() => { const { a, ...rest } = form; save(rest); }}>x</b>;"), /\[form\]/);
  });

  it("is sent with these members even if the server uses all of it", () => {
    const use = "return <b onClick={() => form.set(1)}><Fields form={form} /></b>;";
    assert.match(sent(use), /\$only\(form, "set"\)/);
  });
});
