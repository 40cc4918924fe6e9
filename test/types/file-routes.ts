/** Types of route parameters, derived from file names once the app's routes are generated. */
import { defer, href, type LoadContext, type PageProps, type RouteParams } from "svckit/fullstack";

declare module "svckit/fullstack" {
  interface Routes {
    "/": true;
    "/users/[id]": true;
    "/[[lang]]/docs/[...path]": true;
  }
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(isSame: Equal<A, B>): void => void isSame;

export const load = async ({ params }: LoadContext<"/users/[id]">) => {
  same<typeof params.id, string>(true);
  // @ts-expect-error the file's name has no such parameter
  void params.name;
  return { name: params.id };
};

export function page({ data, params }: PageProps<typeof load>): string {
  same<typeof data, { name: string }>(true);
  return data.name + params.id;
}

export const late = () => defer({ now: "now", reviews: Promise.resolve(["good"]) });

export function latePage({ data }: PageProps<typeof late>): string {
  same<typeof data, { now: string; reviews: Promise<string[]> }>(true);
  return data.now;
}

// @ts-expect-error there is no such file
export type Missing = LoadContext<"/users/[name]">;

export const addresses = [
  href("/"),
  href("/users/[id]", { id: "7" }, { query: { tab: "posts", page: 2 }, hash: "top" }),
  href("/[[lang]]/docs/[...path]", { path: "a/b" }),
  // @ts-expect-error the parameter is missing
  href("/users/[id]"),
  // @ts-expect-error there is no such page
  href("/user/[id]", { id: "7" }),
];

export const optional: RouteParams<"/[[lang]]/docs/[...path]"> = { path: "a", lang: "de" };
