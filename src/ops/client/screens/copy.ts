/** Copies a text and reports the result on the button and to screen readers. */

/** @param text a promise is allowed: the clipboard write belongs to the click, even if the text arrives later */
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
