import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Files that compression makes smaller. */
const TEXT = /\.(js|css|svg)$/;

/** Writes a brotli and a gzip form beside each built file, which the gateway sends as they are. */
export function compressFiles(): Plugin {
  let folder = "";
  return {
    name: "compress-files",
    apply: "build",
    configResolved({ build }) {
      folder = build.outDir;
    },
    async closeBundle() {
      const names = await readdir(folder, { recursive: true });
      await Promise.all(names.filter((name) => TEXT.test(name)).map((name) => compress(name)));
    },
  };

  async function compress(name: string): Promise<void> {
    const path = join(folder, name);
    const content = await readFile(path);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    await Promise.all([
      brotli(content, { params }).then((text) => writeFile(`${path}.br`, text)),
      deflate(content, { level: constants.Z_BEST_COMPRESSION }).then((text) =>
        writeFile(`${path}.gz`, text),
      ),
    ]);
  }
}
