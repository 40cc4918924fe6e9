/** Copying, and telling of it: on the button, and to those who hear the page. */

/** @param text as it is, or on its way: what is asked for at a click may come later, and is still what the click wanted */
export async function copy(text: string | Promise<string>, say: (word: string) => string): Promise<void> {
  const { clipboard } = navigator;
  const writing =
    typeof text === "string"
      ? clipboard.writeText(text)
      : clipboard.write([
          new ClipboardItem({ "text/plain": text.then((came) => new Blob([came], { type: "text/plain" })) }),
        ]);
  const word = await writing.then(
    () => "Copied",
    () => "Not copied:",
  );
  const ear = document.getElementById("ops-ear");
  const said = say(word);
  if (ear) ear.textContent = said;
}
