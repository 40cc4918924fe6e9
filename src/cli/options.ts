/** Reads the options of a command line. Node's `parseArgs` does; what is wrong with them is told in a sentence. */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { didYouMean } from "../platform/shared/did-you-mean.ts";

/** @throws Error that says what is wrong, and which option was probably meant. */
export function readOptions<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new Error(mistakeOf((error as Error).message, Object.keys(config.options ?? {})), { cause: error });
  }
}

/** Node says what is wrong first, and then how options are given that nobody has. */
function mistakeOf(message: string, known: readonly string[]): string {
  const [sentence = message] = message.split(/\.\s|\n/);
  const unknown = /^Unknown option '--(.+)'/.exec(sentence)?.[1];
  const meant = unknown === undefined ? undefined : didYouMean(unknown, known);
  return `${sentence.replace(/\.$/, "")}${meant === undefined ? "" : `; did you mean --${meant}?`}`;
}
