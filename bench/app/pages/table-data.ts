/** Rows of the table workload: an id that is never used twice, and three words as label. */
const ADJECTIVES = "pretty large big small tall short long handsome plain quaint clean elegant easy angry crazy".split(
  " ",
);
const COLOURS = "red yellow blue green pink brown purple white black orange".split(" ");
const NOUNS = "table chair house desk car pony cookie sandwich burger pizza mouse keyboard".split(" ");

const any = (words: string[]): string => words[Math.floor(Math.random() * words.length)] ?? "";

let lastId = 0;

export function newRows(count: number): { id: number; label: string }[] {
  return Array.from({ length: count }, () => ({
    id: ++lastId,
    label: `${any(ADJECTIVES)} ${any(COLOURS)} ${any(NOUNS)}`,
  }));
}
