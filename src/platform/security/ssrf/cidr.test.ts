import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAddress } from "./address.ts";
import { CidrSet, parseCidr } from "./cidr.ts";

const words = (text: string): string =>
  parseAddress(text)
    ?.map((word) => word.toString(16))
    .join(":") ?? "none";

describe("addresses", () => {
  it("have one form for all spellings", () => {
    assert.equal(words("10.0.0.1"), "0:0:0:0:0:ffff:a00:1");
    assert.equal(words("::ffff:10.0.0.1"), words("10.0.0.1"));
    assert.equal(words("::FFFF:a00:1"), words("10.0.0.1"));
    assert.equal(words("[2001:db8::1]"), "2001:db8:0:0:0:0:0:1");
    assert.equal(words("1:2:3:4:5:6:7:8"), "1:2:3:4:5:6:7:8");
    assert.equal(words("::"), "0:0:0:0:0:0:0:0");
    assert.equal(words("fe80::"), "fe80:0:0:0:0:0:0:0");
    assert.equal(words("64:ff9b::192.0.2.33"), "64:ff9b:0:0:0:0:c000:221");
  });

  it("are not names, zones, short forms or hex forms", () => {
    for (const text of ["", "example.com", "127.1", "0x7f.0.0.1", "fe80::1%eth0", "1::2::3", "[10.0.0.1", "256.0.0.1"])
      assert.equal(parseAddress(text), undefined, text);
  });
});

describe("parseCidr", () => {
  it("counts IPv4 prefixes after the mapped prefix", () => {
    assert.equal(parseCidr("10.0.0.0/8").bits, 104);
    assert.equal(parseCidr("192.168.1.7").bits, 128);
    assert.equal(parseCidr(" fd00::/8 ").bits, 8);
  });

  it("rejects an invalid range with an example of a valid one", () => {
    for (const text of [
      "",
      "x/8",
      "10.0.0.0/33",
      "10.0.0.0/-1",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "::/129",
      "10.0.0.0/8.0",
      "10.0.0.1/8",
      "fd00::1/64",
    ])
      assert.throws(
        () => parseCidr(text),
        (error: { code?: string; message: string }) =>
          error.code === "SVC_CONFIG" && error.message.includes(`"${text}"`) && error.message.includes("10.0.0.0/8"),
        text,
      );
  });
});

describe("CidrSet", () => {
  it("contains the edges of a range and no neighbors", () => {
    const set = new CidrSet(["172.16.0.0/12", "10.1.2.3", "2001:db8::/33"]);
    for (const inside of ["172.16.0.0", "172.31.255.255", "::ffff:172.20.0.1", "10.1.2.3", "2001:db8:7fff::1"])
      assert.equal(set.has(inside), true, inside);
    for (const outside of [
      "172.15.255.255",
      "172.32.0.0",
      "10.1.2.4",
      "2001:db8:8000::",
      "2001:db7::",
      "no address",
      "",
    ])
      assert.equal(set.has(outside), false, outside);
  });

  it("separates the families, with mapped addresses as IPv4", () => {
    assert.equal(new CidrSet(["::/0"]).has("10.0.0.1"), false);
    assert.equal(new CidrSet(["::/0"]).has("::ffff:10.0.0.1"), false);
    assert.equal(new CidrSet(["0.0.0.0/0"]).has("::1"), false);
    assert.equal(new CidrSet(["0.0.0.0/0"]).has("255.255.255.255"), true);
    assert.equal(new CidrSet(["::ffff:10.0.0.0/104"]).has("10.9.9.9"), true);
  });

  it("is empty without ranges", () => {
    assert.equal(new CidrSet([]).has("10.0.0.1"), false);
    assert.equal(new CidrSet([]).size, 0);
  });
});
