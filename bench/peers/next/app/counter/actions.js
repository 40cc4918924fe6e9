"use server";
import { z } from "zod";

const Argument = z.object({ a: z.number(), b: z.number(), name: z.string() });

export async function addUp(argument) {
  const { a, b, name } = Argument.parse(argument);
  return { sum: a + b, name };
}
