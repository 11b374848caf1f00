// Values as content blocks, in JSON text.

import {
  blobBytes,
  Bytes,
  decodeBase64,
  encodeBase64,
  encodeJson,
  indexOf,
  isArray,
  isView,
  match,
  objectTag,
  slice,
  startsWith,
} from "./intrinsics.ts";
import { checkedJsonText } from "./json_value.ts";

/** How files begin; a dot stands for any byte. */
const MAGIC: [string, string][] = [
  ["89504e470d0a1a0a", "image/png"],
  ["ffd8ff", "image/jpeg"],
  ["47494638", "image/gif"],
  ["52494646........57454250", "image/webp"],
  ["52494646........57415645", "audio/wav"],
  ["494433", "audio/mpeg"],
  ["4f676753", "audio/ogg"],
  ["664c6143", "audio/flac"],
];
const MAGIC_BYTES = 12;
const MEDIA_TYPE = /^(image|audio)\/[A-Za-z0-9+.-]{1,60}$/;

type MediaFields = { type: "image" | "audio"; data: unknown; mimeType?: unknown };

/** Whether something without JSON was displayed as null. */
export type Lost = { holdsNone: boolean };

/** One block, or the blocks of a list with images in it, such as a tool may return. */
export function blocksOf(value: unknown, lost: Lost): string[] {
  if (!isArray(value) || !hasMedia(value)) return [blockOf(value, lost)];
  const blocks: string[] = [];
  for (let i = 0; i < value.length; i++) blocks[i] = blockOf(value[i], lost);
  return blocks;
}

export async function blobBlock(blob: Blob): Promise<string> {
  const bytes = new Bytes(await blobBytes(blob));
  const type = match(MEDIA_TYPE, blob.type) === null ? typeOfBytes(bytes) : blob.type;
  return type === undefined ? jsonBlock({ type: blob.type, size: bytes.length }, { holdsNone: false }) : mediaBlock(type, bytes);
}

function blockOf(value: unknown, lost: Lost): string {
  if (typeof value === "string") return textBlock(value);
  if (isTextBlock(value)) return textBlock(value.text);
  if (isMediaFields(value)) return blockOfFields(value);
  const bytes = bytesOf(value);
  const type = bytes === undefined ? undefined : typeOfBytes(bytes);
  return type === undefined ? jsonBlock(value, lost) : mediaBlock(type, bytes!);
}

function hasMedia(items: unknown[]): boolean {
  let media = 0;
  for (let i = 0; i < items.length; i++) {
    if (isMediaFields(items[i])) media++;
    else if (!isTextBlock(items[i])) return false;
  }
  return media > 0;
}

function isTextBlock(value: unknown): value is { text: string } {
  const { type, text } = (value ?? {}) as { type?: unknown; text?: unknown };
  return type === "text" && typeof text === "string";
}

function isMediaFields(value: unknown): value is MediaFields {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  return (type === "image" || type === "audio") && data !== undefined;
}

function blockOfFields({ type, data, mimeType }: MediaFields): string {
  const bytes = typeof data === "string" ? bytesOfText(data, type) : bytesOf(data);
  if (bytes === undefined) throw new TypeError(`display: the data of an ${type} must be bytes or base64 text`);
  const actual = mimeType ?? (typeof data === "string" ? typeOfUrl(data) : undefined) ?? typeOfBytes(bytes);
  if (typeof actual !== "string" || match(MEDIA_TYPE, actual)?.[1] !== type) {
    throw new TypeError(`display: an ${type} needs a mimeType such as "${type}/${type === "image" ? "png" : "wav"}"`);
  }
  return mediaBlock(actual, bytes);
}

/** Of base64 and of a data URL. Through bytes and back, because clients are strict about padding and line breaks. */
function bytesOfText(text: string, type: string): Uint8Array {
  try {
    return decodeBase64(startsWith(text, "data:") ? slice(text, indexOf(text, ",") + 1) : text);
  } catch {
    throw new TypeError(`display: the data of an ${type} must be bytes or base64 text`);
  }
}

function typeOfUrl(text: string): string | undefined {
  return match(/^data:([^;,]+)[;,]/, slice(text, 0, 100))?.[1];
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (isView(value)) return new Bytes(value.buffer, value.byteOffset, value.byteLength);
  return objectTag(value) === "[object ArrayBuffer]" ? new Bytes(value as ArrayBuffer) : undefined;
}

/** Media type by the first bytes. */
function typeOfBytes(bytes: Uint8Array): string | undefined {
  let start = "";
  for (let i = 0; i < bytes.length && i < MAGIC_BYTES; i++) start += hexadecimal(bytes[i]);
  for (let i = 0; i < MAGIC.length; i++) {
    if (isLike(start, MAGIC[i][0])) return MAGIC[i][1];
  }
  return undefined;
}

function hexadecimal(byte: number): string {
  const digits = "0123456789abcdef";
  return digits[byte >> 4] + digits[byte & 15];
}

function isLike(text: string, pattern: string): boolean {
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] !== "." && pattern[i] !== text[i]) return false;
  }
  return true;
}

function textBlock(text: string): string {
  return `{"type":"text","text":${encodeJson(text)}}`;
}

function jsonBlock(value: unknown, lost: Lost): string {
  const { text, holdsNone } = checkedJsonText(value);
  lost.holdsNone ||= holdsNone;
  return `{"type":"json","value":${text ?? "null"}}`;
}

function mediaBlock(mimeType: string, bytes: Uint8Array): string {
  const type = slice(mimeType, 0, indexOf(mimeType, "/"));
  return `{"type":"${type}","data":"${encodeBase64(bytes)}","mimeType":"${mimeType}"}`;
}
