/**
 * What may go over the wire between an action and its callers, as types. An action is one name on both sides, and code
 * may call it on either; so its arguments and its value must be what JSON gives back unchanged, or a type would be wrong
 * somewhere (decision 010).
 */

type Plain = string | number | boolean | null | undefined;

/** `Value` without what JSON loses or changes: where something isn't carried, `never` stands. */
export type Serializable<Value> = unknown extends Value
  ? Value
  : Value extends Plain
    ? Value
    : // A Date, a Map or an instance with methods is refused for its functions.
      Value extends bigint | symbol | ((...args: never[]) => unknown)
      ? never
      : Value extends readonly unknown[]
        ? { [Key in keyof Value]: CarriedItem<Value[Key]> }
        : { [Key in keyof Value]: Serializable<Value[Key]> };

/** In a list an `undefined` would become null. */
type CarriedItem<Item> = unknown extends Item ? Item : Item extends undefined ? never : Serializable<Item>;

/** What a definition is held against when JSON does not carry it; its name is the message. */
export interface NotSerializable<Found> {
  readonly "JSON does not carry this; give texts, numbers, booleans, null, and lists and plain objects of these (a Date as toISOString())": Found;
}

/**
 * What a value consists of, one level down, as one union. Of most objects that is a few plain types, the same for hundreds of
 * actions, which the compiler then checks once: to map each object by itself takes it twice the time.
 */
type PartsOf<Value> = unknown extends Value
  ? Value
  : Value extends void
    ? undefined
    : Value extends Plain | bigint | symbol | readonly unknown[] | ((...args: never[]) => unknown)
      ? Value
      : Value[keyof Value];

/** In brackets, or each part would be judged by itself. */
type Travels<Parts> = [Parts] extends [Serializable<Parts>] ? true : false;

/**
 * `unknown` where arguments and value may travel, else a type that no function has. Left-out arguments are left out of the
 * call, so these may be `undefined`.
 */
export type MustTravel<Args extends readonly unknown[], Value> =
  Travels<PartsOf<Args[number]>> extends true
    ? Travels<PartsOf<Value>> extends true
      ? unknown
      : NotSerializable<Value>
    : NotSerializable<Args>;

/** What a caller gets: no value is null, on both sides. */
export type Deserialized<Value> = Value extends void ? null : Value;
