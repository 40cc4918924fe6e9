/**
 * What may go over the wire between an action and its callers, as types. An action is one name on both sides, and code
 * may call it on either; so its arguments and its value must be what JSON gives back unchanged, or a type would be wrong
 * somewhere (decision 010).
 */

type Plain = string | number | boolean | null | undefined;

/** `Value` without what JSON loses or changes: where something isn't carried, `never` stands. */
export type Carried<Value> = unknown extends Value
  ? Value
  : Value extends Plain
    ? Value
    : // A Date, a Map or an instance with methods is refused for its functions.
      Value extends bigint | symbol | ((...args: never[]) => unknown)
      ? never
      : Value extends readonly unknown[]
        ? { [Key in keyof Value]: CarriedItem<Value[Key]> }
        : { [Key in keyof Value]: Carried<Value[Key]> };

/** In a list an `undefined` would become null. */
type CarriedItem<Item> = unknown extends Item ? Item : Item extends undefined ? never : Carried<Item>;

/** Left-out arguments are left out of the call, so these may be `undefined`. */
type CarriedArgs<Args extends readonly unknown[]> = { [Key in keyof Args]: Carried<Args[Key]> };

/** What a definition is held against when JSON does not carry it; its name is the message. */
export interface NotCarriedByJson<Found> {
  readonly "JSON does not carry this; give texts, numbers, booleans, null, and lists and plain objects of these (a Date as toISOString())": Found;
}

/** `unknown` where arguments and value may travel, else a type that no function has. */
export type MustTravel<Args extends readonly unknown[], Value> = [Args] extends [CarriedArgs<Args>]
  ? [Value] extends [Carried<Value> | (Value & void)]
    ? unknown
    : NotCarriedByJson<Value>
  : NotCarriedByJson<Args>;

/** What a caller gets: no value is null, on both sides. */
export type Landed<Value> = Value extends void ? null : Value;
