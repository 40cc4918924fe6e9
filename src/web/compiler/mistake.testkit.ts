/** Programs that the compiler refuses, each with programs after the fixes that its message names. Holds no test. */

export type Mistake = [
  name: string,
  /** The part that the error is about is marked by «». */
  marked: string,
  code: string,
  /** The fix, as the message names it. */
  fix: RegExp,
  /** The program after each fix of the message. */
  ...fixed: [string, ...string[]],
];
