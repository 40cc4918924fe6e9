/** Ids that connect the elements of a widget in attributes, CSS names and links. */

/** Starts with a letter, and has only letters, digits, `-` and `_`. */
export function isElementId(id: unknown): id is string {
  return typeof id === "string" && /^[a-zA-Z][\w-]*$/.test(id);
}

/** Message for an invalid id. @param tag of the widget */
export function invalidId(tag: string, id: unknown): string {
  return `<${tag} id=${JSON.stringify(id)}>: invalid id. Start it with a letter, and use only letters, digits, "-" and "_", such as "menu".`;
}
