/** Clients that stop sending in the middle of a request. The server must end the connection (contract section 1: 408). */
import assert from "node:assert/strict";
import { readAnswers } from "./answers.ts";
import { exchange } from "./connection.ts";
import { checkAnswer } from "./rules.ts";

const BEGINNINGS = [
  "",
  "G",
  "GET / HTTP/1.1",
  "GET / HTTP/1.1\r\nHost: localhost\r\n",
  "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
  "POST /_svc/action/echo HTTP/1.1\r\nHost: localhost\r\nContent-Le",
  "POST /open HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc",
  "POST /open HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
];

/** Resolves when the server has closed all connections, with 408 unless the client had sent nothing. */
export async function beSilent(port: number, connections: number): Promise<void> {
  const all = Array.from({ length: connections }, (_, index) => BEGINNINGS[index % BEGINNINGS.length] ?? "");
  await Promise.all(
    all.map(async (beginning) => {
      const { bytes, hasLeft } = await exchange(port, Buffer.from(beginning, "latin1"), "wait");
      assert.equal(hasLeft, false);
      const answers = readAnswers(bytes);
      for (const answer of answers) checkAnswer(answer);
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual(statuses, statuses.length === 0 && beginning === "" ? [] : [408], beginning);
    }),
  );
}
