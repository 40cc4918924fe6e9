/**
 * Data of bench:ssr. The spiral is the workload of the public SSR showdown (platformatic/ssr-performance-showdown):
 * 2,398 tiles, computed for each render. The table is 1,000 users; about every tenth text needs escaping, some are not Latin-1.
 */
export interface Tile {
  x: number;
  y: number;
}

export interface User {
  id: number;
  name: string;
  email: string;
  bio: string;
  title: string;
  active: boolean;
  visits: number;
}

const [WIDTH, HEIGHT, CELL] = [960, 720, 10];

export function spiral(): Tile[] {
  const tiles: Tile[] = [];
  for (let step = 0, radius = 0; radius < Math.min(WIDTH, HEIGHT) / 2; step++, radius += CELL * 0.015) {
    const x = WIDTH / 2 + Math.cos(step * 0.2) * radius;
    const y = HEIGHT / 2 + Math.sin(step * 0.2) * radius;
    if (x >= 0 && x <= WIDTH - CELL && y >= 0 && y <= HEIGHT - CELL) tiles.push({ x, y });
  }
  return tiles;
}

const FIRST = ["Ann", "Bob", "Čeněk", "Dora", "O'Neil", "Eve", "Farid", "Gita", "Hana <3", "Ivan"];
const LAST = ["Smith", "Novák", "Jones & Sons", "Miller", "Davis", "Brown", "Wilson", "Moore", 'Taylor "T"', "Clark"];
const WORDS = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore".split(
  " ",
);

/** The same users in every process: contenders render equal text. */
export function makeUsers(count: number): User[] {
  let seed = 42;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const any = (items: readonly string[]): string => items[Math.floor(random() * items.length)] ?? "";
  return Array.from({ length: count }, (_, at) => {
    const words = Array.from({ length: 6 + Math.floor(random() * 8) }, () => any(WORDS));
    if (random() < 0.1) words.splice(3, 0, "<b>&</b>");
    return {
      id: at + 1,
      name: `${any(FIRST)} ${any(LAST)}`,
      email: `user${at}@example.com`,
      bio: words.join(" "),
      title: random() < 0.1 ? 'says "hi" & bye' : `Member since ${2000 + Math.floor(random() * 25)}`,
      active: random() < 0.5,
      visits: Math.floor(random() * 10_000),
    };
  });
}

export const SHELL = {
  head: '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Bench</title></head><body>',
  tail: "</body></html>",
};
