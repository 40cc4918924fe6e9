/** Parses the options of a command line with Node's `parseArgs`, and explains errors in one sentence. */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { didYouMean } from "../platform/shared/did-you-mean.ts";

/** @throws Error with the problem and the option that was probably meant. */
export function readOptions<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new Error(mistakeOf((error as Error).message, Object.keys(config.options ?? {})), { cause: error });
  }
}

/** Keeps the first sentence of Node's message. The rest explains options that svc does not have. */
function mistakeOf(message: string, known: readonly string[]): string {
  const [sentence = message] = message.split(/\.\s|\n/);
  const unknown = /^Unknown option '--(.+)'/.exec(sentence)?.[1];
  const meant = unknown === undefined ? undefined : didYouMean(unknown, known);
  return `${sentence.replace(/\.$/, "")}${meant === undefined ? "" : `; did you mean --${meant}?`}`;
}
