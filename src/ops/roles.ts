/** `read` may only look, `operator` may also change. */
export type Role = "read" | "operator";
