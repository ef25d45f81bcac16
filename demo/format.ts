import { join, relative } from "node:path";
import type { XmlNode } from "@xmpp/client";
import { packageRoot } from "../src/core/package-root";

/** Number of printed lines of a session description. */
const SDP_LINES = 2;

/** Truncates a text to a width and marks the cut with `…`. */
export function truncate(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** The path of a file of the package, relative to the current folder. */
export function pathInPackage(name: string): string {
  return relative(".", join(packageRoot(), name));
}

/** Formats a stanza as indented lines up to this width; long texts are truncated. */
export function formatStanza(element: XmlNode, width: number, depth = 0): string[] {
  const indent = "  ".repeat(depth);
  const { name } = element;
  const inside = element.children.filter((child) => typeof child !== "string");
  const start = formatStart(element, indent, width);
  const end = `</${name}>`;
  if (inside.length > 0) {
    const lines = inside.flatMap((child) => formatStanza(child, width, depth + 1));
    return [...start.slice(0, -1), `${start.at(-1)}>`, ...lines, `${indent}${end}`];
  }
  const text = element.children.join("");
  if (text === "") return [...start.slice(0, -1), `${start.at(-1)}/>`];
  if (name === "sdp") {
    const { lines, rest } = shortenSdp(text);
    const hanging = `${indent}     `;
    return [
      truncate(`${indent}<sdp>${lines[0]}`, width),
      ...lines.slice(1).map((line) => truncate(`${hanging}${line}`, width)),
      `${hanging}${rest}${end}`,
    ];
  }
  const shown = text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const available = width - (start.at(-1)?.length ?? 0) - 1 - end.length;
  return [...start.slice(0, -1), `${start.at(-1)}>${truncate(shown, available)}${end}`];
}

/** A start tag without its closing bracket, on one line or with one line for each attribute. */
function formatStart({ name, attrs }: XmlNode, indent: string, width: number): string[] {
  const attributes = Object.entries(attrs).map(([key, value]) => `${key}="${value}"`);
  const line = [`${indent}<${name}`, ...attributes].join(" ");
  if (line.length < width || attributes.length === 0) return [line];
  const hanging = " ".repeat(indent.length + name.length + 2);
  const [first, ...others] = attributes;
  const lines = [`${indent}<${name} ${first}`, ...others.map((text) => `${hanging}${text}`)];
  return lines.map((text) => truncate(text, width - 1));
}

/** Formats a value as indented JSON up to this width; nested values that fit stay on one line. */
export function formatJson(value: unknown, width: number): string[] {
  return formatEntry("", value, "", width, "");
}

function formatEntry(
  key: string,
  value: unknown,
  indent: string,
  width: number,
  comma: string,
): string[] {
  const head = `${indent}${key}`;
  if (typeof value === "string") {
    if (key.startsWith('"sdp"')) return formatSdp(head, value, width, comma);
    const text = JSON.stringify(value);
    const available = width - head.length - comma.length;
    const shown = text.length <= available ? text : `${truncate(text, available - 1)}"`;
    return [`${head}${shown}${comma}`];
  }
  const line = `${head}${inline(value)}${comma}`;
  if (typeof value !== "object" || value === null) return [truncate(line, width)];
  // The outermost object always spans several lines, for readability.
  if (line.length <= width && indent !== "" && !line.includes('"sdp"')) return [line];
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((item) => ["", item])
    : Object.entries(value).map(([name, item]) => [`${JSON.stringify(name)}: `, item]);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const lines = entries.flatMap(([name, item], index) =>
    formatEntry(name, item, `${indent}  `, width, index < entries.length - 1 ? "," : ""),
  );
  return [`${head}${open}`, ...lines, `${indent}${close}${comma}`];
}

/** JSON on one line, with spaces for readability. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `"${key}": ${inline(item)}`);
  return entries.length > 0 ? `{ ${entries.join(", ")} }` : "{}";
}

function formatSdp(head: string, sdp: string, width: number, comma: string): string[] {
  const { lines, rest } = shortenSdp(sdp);
  const hanging = " ".repeat(head.length + 1);
  return [
    truncate(`${head}"${lines[0]}\\r\\n`, width),
    ...lines.slice(1).map((line) => truncate(`${hanging}${line}\\r\\n`, width)),
    `${hanging}${rest}"${comma}`,
  ];
}

function shortenSdp(sdp: string): { lines: string[]; rest: string } {
  const lines = sdp.split("\r\n");
  const bytes = Buffer.byteLength(sdp).toLocaleString("en-US");
  return { lines: lines.slice(0, SDP_LINES), rest: `… ${bytes} bytes` };
}
