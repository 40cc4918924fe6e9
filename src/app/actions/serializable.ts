/**
 * Types of values between an action and its callers. An action has one name on both sides, and may be called on either; so its arguments
 * and its value must survive JSON unchanged, or a type would be wrong somewhere (decision 010).
 */

type Plain = string | number | boolean | null | undefined;

/** `Value` without what JSON loses or changes: such parts become `never`. */
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

/** In an array, `undefined` would become null. */
type CarriedItem<Item> = unknown extends Item ? Item : Item extends undefined ? never : Serializable<Item>;

/** Shown as the expected type if JSON can't represent a definition's types. Its name is the message. */
export interface NotSerializable<Found> {
  readonly "JSON does not carry this; use strings, numbers, booleans, null, and arrays and plain objects of these (a Date as toISOString())": Found;
}

/**
 * The parts of a value, one level down, as a union. Most objects have a few plain types, the same for hundreds of actions, which the
 * compiler checks once then: mapping each object takes twice the time.
 */
type PartsOf<Value> = unknown extends Value
  ? Value
  : Value extends void
    ? undefined
    : Value extends Plain | bigint | symbol | readonly unknown[] | ((...args: never[]) => unknown)
      ? Value
      : Value[keyof Value];

/** Brackets prevent distribution over the parts. */
type Travels<Parts> = [Parts] extends [Serializable<Parts>] ? true : false;

/** `unknown` if arguments and value are serializable, else a type that no function has. Omitted arguments may be `undefined`. */
export type MustTravel<Args extends readonly unknown[], Value> =
  Travels<PartsOf<Args[number]>> extends true
    ? Travels<PartsOf<Value>> extends true
      ? unknown
      : NotSerializable<Value>
    : NotSerializable<Args>;

/** The caller's type: no value is null on both sides. */
export type Deserialized<Value> = Value extends void ? null : Value;
