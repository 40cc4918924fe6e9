/** An imported image: what `import photo from "./photo.jpg?image"` gives. It is plain data, so handlers may use it too. */
export interface ImageSource {
  /** URL of the original. */
  readonly src: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Smaller versions, the best format first. Empty under `svc dev`, and without the package "sharp". */
  readonly sources: readonly { readonly type: string; readonly srcset: string }[];
}
