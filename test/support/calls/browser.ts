import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";

const CANDIDATES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The flag for fake cameras, at 15 frames per second in place of 20: the machine encodes and decodes all of them. */
export const fakeCameras = (count: number) =>
  `--use-fake-device-for-media-stream=device-count=${count},fps=15`;
/** Flags for calls: a fake camera and microphone, and media over loopback. */
export const CALL_FLAGS = [
  ...["--use-fake-ui-for-media-stream", fakeCameras(1)],
  ...["--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection"],
];

/** Starts the installed browser, headless and with a temporary profile. */
export async function openBrowser({
  args = [],
  ...options
}: {
  javaScriptEnabled?: boolean;
  args?: string[];
} = {}): Promise<BrowserContext & { dispose(): Promise<void> }> {
  const executablePath = CANDIDATES.find((path) => existsSync(path));
  if (!executablePath) throw new Error("Chromium is missing: apt-get install chromium");
  const profile = mkdtempSync(join(tmpdir(), "signalbox-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    ...options,
    executablePath,
    headless: true,
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
      ...args,
    ],
  });
  return Object.assign(context, {
    async dispose() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  });
}
