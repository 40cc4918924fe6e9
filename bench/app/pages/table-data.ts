/** Rows of the table workload: an id that is never used twice, and three words as label. */
import { signal, type Signal } from "svckit";

export interface RowContent {
  id: number;
  label: string;
}

export interface Row {
  id: number;
  label: Signal<string>;
}

/** Rows whose labels are signals, as in Solid's page: a change of a label writes one signal. */
export const withSignals = (rows: readonly RowContent[]): Row[] =>
  rows.map(({ id, label }) => ({ id, label: signal(label) }));

const ADJECTIVES = "pretty large big small tall short long handsome plain quaint clean elegant easy angry crazy".split(
  " ",
);
const COLOURS = "red yellow blue green pink brown purple white black orange".split(" ");
const NOUNS = "table chair house desk car pony cookie sandwich burger pizza mouse keyboard".split(" ");

/** The same labels in each page, because a longer label widens its column and causes a new layout of the table. */
let seed = 42;
const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;

const any = (words: string[]): string => words[Math.floor(random() * words.length)] ?? "";

let lastId = 0;

export function newRows(count: number): RowContent[] {
  return Array.from({ length: count }, () => ({
    id: ++lastId,
    label: `${any(ADJECTIVES)} ${any(COLOURS)} ${any(NOUNS)}`,
  }));
}

/** The rows of a page from the server, the same each time. Their ids are negative, so that no new row has one of them. */
export function firstRows(count: number): RowContent[] {
  return Array.from({ length: count }, (_, at) => ({
    id: -1 - at,
    label: `${ADJECTIVES[at % ADJECTIVES.length]} ${COLOURS[at % COLOURS.length]} ${NOUNS[at % NOUNS.length]}`,
  }));
}
