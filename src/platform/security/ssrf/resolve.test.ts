import assert from "node:assert/strict";
import { it } from "node:test";
import { parseAddress } from "./address.ts";
import { resolveAddresses } from "./resolve.ts";

it("the name of this machine resolves to addresses without the network", async () => {
  const addresses = await resolveAddresses("localhost");
  assert.ok(addresses.length > 0);
  for (const address of addresses) assert.match(address, /^127\.|^::1$/);
  assert.ok(addresses.every((address) => parseAddress(address) !== undefined));
});
