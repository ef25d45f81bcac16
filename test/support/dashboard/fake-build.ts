import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** A folder with files like those of a build of the dashboard, without building it. */
export interface FakeBuild {
  folder: string;
  /** The built script. */
  script: string;
  remove(): void;
}

/** Writes a page, a script in its three forms, a style sheet and an icon. */
export async function fakeBuild(): Promise<FakeBuild> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-dashboard-"));
  const script = `console.log("${"dashboard ".repeat(200)}");\n`;
  await mkdir(join(folder, "assets"));
  const files: Record<string, string | Buffer> = {
    "index.html":
      '<!doctype html>\n<meta property="csp-nonce" nonce="{{nonce}}">\n<script type="module" src="/dashboard/assets/index-a1.js"></script>\n',
    "built.json": "{}",
    "icon.svg": "<svg/>",
    "assets/index-a1.js": script,
    "assets/index-a1.js.br": brotliCompressSync(script),
    "assets/index-a1.js.gz": gzipSync(script),
    "assets/index-a1.css": "body { margin: 0 }\n",
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return { folder, script, remove: () => rmSync(folder, { recursive: true }) };
}
