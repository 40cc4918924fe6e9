/** What happens to a payload on its way to and from the database. payload-rows.ts names the payloads of each row. */
import type { Json } from "../../platform/shared/json.ts";
import { shownReason } from "../contract/shown-reason.ts";
import type { Failure, NodeFailure } from "../contract/graph-rows.ts";
import { isMarkedPart, keyOfPart } from "../bucket/references.ts";
import {
  escapedValue,
  isMovable,
  objectOfValue,
  partsOfReference,
  unescapedValue,
} from "../bucket/value-references.ts";
import { isPayloadKeyError, keyOfText, type PayloadCipher } from "./payload-cipher.ts";

export interface PayloadTransform {
  json(value: Json, place: string): Json;
  text(value: string, place: string): string;
  /** Reason and node stay readable: lists and other runs use them. */
  error<E extends Failure>(value: E, place: string): E;
  bytes(value: Uint8Array, place: string): Uint8Array;
}

/** The part of an error that is encrypted, stored in place of its message. */
type Hidden = Pick<NodeFailure, "message" | "origin" | "thrown">;

/** Encrypts. */
export function sealing(cipher: PayloadCipher): PayloadTransform {
  return {
    json: (value, place) => cipher.seal(value, place),
    text: (value, place) => cipher.sealText(value, place),
    error: (value, place) => sealError(cipher, value, place),
    bytes: (value, place) => cipher.sealBytes(value, place),
  };
}

/** Decrypts. @throws SvcError `SVC_PAYLOAD_KEY` */
export function opening(cipher: PayloadCipher): PayloadTransform {
  return {
    json: (value, place) => cipher.open(value, place),
    text: (value, place) => cipher.openText(value, place),
    error: (value, place) => openError(cipher, value, place),
    bytes: (value, place) => cipher.openBytes(value, place),
  };
}

/** Decrypts for lists and screens: the reason replaces a value that can't be decrypted, so that the others are shown. */
export function showing(cipher: PayloadCipher): PayloadTransform {
  const shown = <Value>(open: () => Value, instead: (reason: string) => Value): Value => {
    try {
      return open();
    } catch (error) {
      if (isPayloadKeyError(error)) return instead(shownReason(error));
      throw error;
    }
  };
  const open = opening(cipher);
  return {
    ...open,
    json: (value, place) =>
      shown(
        () => open.json(value, place),
        (reason) => reason,
      ),
    text: (value, place) =>
      shown(
        () => open.text(value, place),
        (reason) => reason,
      ),
    error: (value, place) =>
      shown(
        () => open.error(value, place),
        (message) => ({ ...value, message }),
      ),
  };
}

/** Encrypts with the first key what another key has encrypted, or none. The rest stays, and so do objects in a bucket. */
export function resealing(cipher: PayloadCipher): PayloadTransform {
  const [open, seal] = [opening(cipher), sealing(cipher)];
  const isCurrent = (id: string | undefined): boolean => id === cipher.currentId;
  return {
    json: (value, place) => {
      const isObject = isMovable(place) && objectOfValue(value) !== undefined;
      if (isObject || isCurrent(keyOfText(value))) return value;
      if (!isMovable(place)) return seal.json(open.json(value, place), place);
      return escapedValue(seal.json(open.json(unescapedValue(value), place), place));
    },
    text: (value, place) => (isCurrent(keyOfText(value)) ? value : seal.text(open.text(value, place), place)),
    error: (value, place) =>
      isCurrent(keyOfText(value.message)) ? value : seal.error(open.error(value, place), place),
    // A reference stays: its object is encrypted with the key that it names.
    bytes: (value, place) =>
      isMarkedPart(value) || isCurrent(keyOfPart(value)) ? value : seal.bytes(open.bytes(value, place), place),
  };
}

/** Changes nothing. @param count called with the key of each value; undefined: it is not encrypted. */
export function counting(count: (keyId: string | undefined) => void): PayloadTransform {
  return {
    json: (value, place) => {
      const isObject = isMovable(place) && objectOfValue(value) !== undefined;
      if (value !== null) count(isObject ? partsOfReference(value as string).key : keyOfText(value));
      return value;
    },
    text: (value) => (count(keyOfText(value)), value),
    error: (value) => (count(keyOfText(value.message)), value),
    bytes: (value) => (count(keyOfPart(value)), value),
  };
}

function sealError<E extends Failure>(cipher: PayloadCipher, error: E, place: string): E {
  if (!cipher.isOn) return withText(error, cipher.sealText(error.message, place));
  const { message, origin, thrown, ...readable }: NodeFailure = error;
  const hidden: Hidden = { message, ...(origin && { origin }), ...(thrown && { thrown }) };
  // All fields but the hidden ones, which openError adds again.
  return { ...readable, message: cipher.seal(hidden as unknown as Json, place) } as unknown as E;
}

function openError<E extends Failure>(cipher: PayloadCipher, error: E, place: string): E {
  if (keyOfText(error.message) === undefined) return withText(error, cipher.openText(error.message, place));
  // Written by sealError.
  return { ...error, ...(cipher.open(error.message, place) as unknown as Hidden) };
}

function withText<E extends Failure>(error: E, message: string): E {
  return message === error.message ? error : { ...error, message };
}
