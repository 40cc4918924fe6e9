/** Signs values that leave the site and come back: their bearer can read, but not change them. */
import { isSigned, sign, type Secrets } from "./secrets.ts";

/** `<value>.<signature>`. @param purpose as in `sign`: kind and owner of the value. */
export function signValue(secrets: Secrets, purpose: string, value: string): string {
  return `${value}.${sign(secrets, purpose, value)}`;
}

/** The value, if one of the secrets has signed it for this purpose. */
export function readSigned(secrets: Secrets, purpose: string, rawText: string | undefined): string | undefined {
  const dot = rawText?.lastIndexOf(".") ?? -1;
  if (rawText === undefined || dot < 0) return undefined;
  const value = rawText.slice(0, dot);
  return isSigned(secrets, purpose, value, rawText.slice(dot + 1)) ? value : undefined;
}
