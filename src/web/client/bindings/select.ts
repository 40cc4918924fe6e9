/**
 * `select.js`: comparisons with a signal in rows, `selected.value === row.id`. A change of the signal tells those that have
 * compared it with what it was or with what it is now; nobody else's answer is another.
 */
import { Cell, scoped, watch } from "../runtime/core.ts";

/** What a signal was compared with -> what those who did so have read. */
type Answers = Map<unknown, Cell>;

const asked = new WeakMap<Cell, Answers>();

const follow = (signal: Cell): Answers => {
  const answers: Answers = new Map();
  let before = signal._value;
  // Belongs to no row: it lasts as long as the signal.
  scoped(true, () =>
    watch(
      () => signal.value,
      (now) => {
        const was = answers.get(before);
        if (was) was.value = false;
        before = now;
        const is = answers.get(now);
        if (is) is.value = true;
      },
      true,
    ),
  );
  asked.set(signal, answers);
  return answers;
};

const answerOf = (signal: Cell, key: unknown): Cell => {
  const answers = asked.get(signal) ?? follow(signal);
  const known = answers.get(key);
  if (known) return known;
  // Now and then, as often as they have doubled, those of rows that are gone are dropped.
  if (!(answers.size & (answers.size - 1))) answers.forEach((gone, old) => gone._firstReader || answers.delete(old));
  const answer = new Cell(signal._value === key);
  answers.set(key, answer);
  return answer;
};

/** `signal.value === key`. What it is compared with may turn out to be no signal: a prop, a store. */
export const is = (signal: { value: unknown }, key: unknown): boolean => {
  if (!(signal instanceof Cell) || signal._run) return signal.value === key;
  void answerOf(signal, key).value;
  // The answer is told of a change in a moment; what runs before that must not see what was.
  return signal._value === key;
};

/** `key === signal.value` */
export const eq = (key: unknown, signal: { value: unknown }): boolean => is(signal, key);
