import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import type { SettingsEdit } from '#rules/dialects/dialect.js';

/**
 * Gives places in a JSON object other values, and leaves every other character as it is, comments too: people have their own way
 * to lay out a file, and other programs write to it.
 */
export function editSettings(text: string, edits: readonly SettingsEdit[]): string {
  return edits.reduce(edited, text.trim() === '' ? '{}\n' : text);
}

function edited(text: string, { path, value }: SettingsEdit): string {
  const root = parseTree(text);
  if (root === undefined) throw new Error('the settings were no JSON when they were edited');
  const found = findNodeAtLocation(root, path);
  if (found) return spliced(text, found.offset, found.offset + found.length, written(value, path.length, text));

  const depth = path.findIndex((_key, at) => findNodeAtLocation(root, path.slice(0, at + 1)) === undefined);
  const missing = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const object = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth));
  return withProperty(text, object ?? root, path[depth] ?? '', missing, depth + 1);
}

/** Behind the last property of the object. */
function withProperty(text: string, object: Node, key: string, value: unknown, depth: number): string {
  const { lineEnd, indent } = layoutOf(text);
  const last = object.children?.at(-1);
  const end = object.offset + object.length;
  const pair = `${JSON.stringify(key)}:${indent === '' ? '' : ' '}${written(value, depth, text)}`;
  const line = indent === '' ? '' : lineEnd + indent.repeat(depth);
  if (last) return spliced(text, last.offset + last.length, last.offset + last.length, `,${line}${pair}`);
  const close = indent === '' ? '' : lineEnd + indent.repeat(depth - 1);
  // White space alone is no layout; a comment in an empty object stays.
  const inside = text.slice(object.offset + 1, end - 1).trimEnd();
  return spliced(text, object.offset, end, `{${inside}${line}${pair}${close}}`);
}

function written(value: unknown, depth: number, text: string): string {
  const { lineEnd, indent } = layoutOf(text);
  if (indent === '') return JSON.stringify(value);
  return JSON.stringify(value, null, indent).replaceAll('\n', lineEnd + indent.repeat(depth));
}

/** As the first line that is indented; on one line, as long as there is something on it. */
function layoutOf(text: string): { lineEnd: string; indent: string } {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const [, found] = /\n([ \t]+)"/.exec(text) ?? [];
  const isOnOneLine = !text.trim().includes('\n') && !/^\s*\{\s*\}\s*$/.test(text);
  return { lineEnd, indent: found ?? (isOnOneLine ? '' : '  ') };
}

function spliced(text: string, start: number, end: number, piece: string): string {
  return text.slice(0, start) + piece + text.slice(end);
}
