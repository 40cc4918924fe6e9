/** All programs that the compiler refuses, each with programs after the fixes that its message names. Holds no test. */
import type { Mistake } from "./mistake.testkit.ts";
import { CODE_MISTAKES } from "./mistakes-in-code.testkit.ts";
import { JSX_MISTAKES } from "./mistakes-in-jsx.testkit.ts";

export const MISTAKES: readonly Mistake[] = [...CODE_MISTAKES, ...JSX_MISTAKES];
