/**
 * Writes the files of a form to disk as they arrive, into a folder for this request that only the process's user can read. Rejects a
 * file as soon as it exceeds a limit or its content contradicts its declared type.
 */
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdtemp, open, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { SvcError } from "../../shared/errors.ts";
import { FORM_TEXTS, sizeText } from "../../shared/form-texts.ts";
import { baseName } from "./file-name.ts";
import { isAllowedType, mayBe, SNIFFED_BYTES } from "./sniff-media-type.ts";

/** Limits of a file field. */
export interface FileRule {
  /** Largest file, in bytes. Default 10 MiB. */
  maxBytes?: number;
  /** Most files in this field. Default 1. */
  max?: number;
  /**
   * Allowed types: `["image/png", "image/*"]`. Checks the declared type and, where the format has a signature, the content. Default: all.
   */
  types?: readonly string[];
}

export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** An uploaded file. It is deleted when the handler has ended, unless the handler moves it. */
export interface UploadedFile {
  /** Name of the form field. */
  readonly field: string;
  /** File name on the visitor's machine, for display; not a path. Without folders and control characters. */
  readonly name: string;
  /** Media type: the declared one, checked against the content where possible. */
  readonly type: string;
  /** Length in bytes. */
  readonly size: number;
  /** Path of the temporary file until it is moved; only this process's user can read it. */
  readonly path: string;
  /** Moves the file out of the temporary folder. @param path absolute path of the target; an existing file is replaced. */
  moveTo(path: string): Promise<void>;
  /** Reads the complete content into memory. */
  bytes(): Promise<Uint8Array>;
  /** Reads the content from disk as a stream. */
  stream(): Readable;
}

/** Files of one request. */
export class Uploads {
  readonly #rules: Readonly<Record<string, FileRule>>;
  readonly #counts = new Map<string, number>();
  #folder: Promise<string> | undefined;

  constructor(rules: Readonly<Record<string, FileRule>>) {
    this.#rules = rules;
  }

  /**
   * Writes a file as it arrives. An empty file field of a form has neither name nor bytes.
   * @returns undefined for such a field. @throws SvcError `SVC_TOO_LARGE`, `SVC_INVALID` naming the field
   */
  async take(
    field: string,
    rawName: string,
    type: string,
    content: AsyncIterable<Buffer>,
  ): Promise<UploadedFile | undefined> {
    const rule = Object.hasOwn(this.#rules, field) ? this.#rules[field] : undefined;
    const reader = content[Symbol.asyncIterator]();
    const head = await readHead(reader);
    if (rawName === "" && head.length === 0) return undefined;
    if (!rule) throw refused(field, "does not accept files");
    this.#count(field, rule);
    if (rule.types && !(isAllowedType(type, rule.types) && mayBe(type, head)))
      throw refused(field, `accepts ${rule.types.join(", ")}, but the file has another type`);
    const path = join(await (this.#folder ??= makeFolder()), randomUUID());
    const size = await this.#write(path, head, reader, field, rule.maxBytes ?? MAX_FILE_BYTES);
    return new StoredFile(field, baseName(rawName), type, size, path);
  }

  /** Deletes the files that were not moved. */
  async clear(): Promise<void> {
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  #count(field: string, { max = 1 }: FileRule): void {
    const count = (this.#counts.get(field) ?? 0) + 1;
    this.#counts.set(field, count);
    if (count > max) throw refused(field, `accepts at most ${max === 1 ? "1 file" : `${max} files`}`);
  }

  async #write(
    path: string,
    head: Buffer,
    reader: AsyncIterator<Buffer>,
    field: string,
    maxBytes: number,
  ): Promise<number> {
    // Uses no write stream: destroying one during a write emits an error event after its listeners are gone.
    const file = await open(path, "wx", 0o600);
    try {
      let size = 0;
      for (let chunk: Buffer | undefined = head; chunk; chunk = await nextOf(reader)) {
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(field, maxBytes);
        // Appends after the previous chunk.
        await file.writeFile(chunk);
      }
      return size;
    } finally {
      await file.close();
    }
  }
}

class StoredFile implements UploadedFile {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  #path: string;

  constructor(field: string, name: string, type: string, size: number, path: string) {
    this.field = field;
    this.name = name;
    this.type = type;
    this.size = size;
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  async moveTo(path: string): Promise<void> {
    try {
      await rename(this.#path, path);
    } catch (error) {
      // The target is on another disk.
      if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
      await copyFile(this.#path, path);
      await rm(this.#path, { force: true });
    }
    this.#path = path;
  }

  bytes(): Promise<Uint8Array> {
    return readFile(this.#path);
  }

  stream(): Readable {
    return createReadStream(this.#path);
  }
}

function makeFolder(): Promise<string> {
  // mkdtemp creates it with access for this user only.
  return mkdtemp(join(tmpdir(), "svc-upload-"));
}

async function nextOf(reader: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  const { value, done } = await reader.next();
  return done ? undefined : (value as Buffer);
}

/** Reads as many bytes as type detection needs. */
async function readHead(reader: AsyncIterator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  for (let chunk = await nextOf(reader); chunk; chunk = await nextOf(reader)) {
    head = Buffer.concat([head, chunk]);
    if (head.length >= SNIFFED_BYTES) break;
  }
  return head;
}

function refused(field: string, problem: string): SvcError {
  const message = `The field ${problem}`;
  return new SvcError("SVC_INVALID", message, { issues: [{ path: [field], message }] });
}

function tooLarge(field: string, maxBytes: number): SvcError {
  const message = FORM_TEXTS.tooLarge.replace("{limit}", sizeText(maxBytes));
  return new SvcError("SVC_TOO_LARGE", "Payload too large", { issues: [{ path: [field], message }] });
}
