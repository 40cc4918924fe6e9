import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { takeInheritedSocket } from "./inherited-socket.ts";

describe("the socket of systemd", () => {
  it("is descriptor 3, and its variables are removed, because child processes must not take it", () => {
    const env = { LISTEN_PID: "42", LISTEN_FDS: "1", LISTEN_FDNAMES: "web", HOME: "/root" };
    assert.deepEqual(takeInheritedSocket(env, 42), { fd: 3 });
    assert.deepEqual(env, { HOME: "/root" });
    assert.equal(takeInheritedSocket(env, 42), undefined);
  });

  it("is ignored if the variables are for another process", () => {
    const env = { LISTEN_PID: "41", LISTEN_FDS: "1" };
    assert.equal(takeInheritedSocket(env, 42), undefined);
    assert.deepEqual(env, { LISTEN_PID: "41", LISTEN_FDS: "1" });
  });

  it("is refused if there are several", () => {
    assert.throws(() => takeInheritedSocket({ LISTEN_PID: "42", LISTEN_FDS: "2" }, 42), {
      code: "SVC_CONFIG",
      message: /LISTEN_FDS is 2.*one ListenStream/,
    });
  });
});
