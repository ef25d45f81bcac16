/**
 * `npm run screenshots` takes pictures of the dashboard's pages in light and dark colors, from the data of a made-up
 * company, into docs/images/dashboard. `npm run screenshots -- users` takes those whose name begins with users.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { type App, startApp } from "../src/app";
import { readConfig } from "../src/core/config";
import { packageRoot } from "../src/core/package-root";
import { createDemoData, type DemoData } from "./screenshots/demo-data";
import { PICTURES, type PictureOf } from "./screenshots/pages";

const { buildDashboard } = require(join(packageRoot(), "bin/dashboard.js"));
const { startStep } = require(join(packageRoot(), "bin/steps.js"));

const FOLDER = join(packageRoot(), "docs/images/dashboard");
const CHROMIUM = "/usr/bin/chromium";
const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
/** Where the page keeps its token (dashboard/src/api/token-storage.ts). */
const TOKEN_KEY = "signalbox.dashboard.token";

/** A node that needs no fixed port, beside whatever runs on this machine. */
const configOf = (folder: string) =>
  readConfig({
    DATA_DIR: folder,
    PORT: "0",
    RTC_PORT: "0",
    ...Object.fromEntries(
      ["XMPP_WS", "XMPP_WSS", "XMPP_TCP", "XMPP_TLS", "CONFERENCE_WS", "CONFERENCE_WSS"].map(
        (name) => [`${name}_PORT`, "off"],
      ),
    ),
    LOG_LEVEL: "error",
  });

/** Takes the picture of a page in one form. */
async function take(
  browser: Browser,
  { addresses }: App,
  data: DemoData,
  picture: PictureOf,
  form: { colorScheme: "light" | "dark"; phone: boolean },
): Promise<void> {
  const context = await browser.newContext({
    viewport: form.phone ? PHONE : DESKTOP,
    colorScheme: form.colorScheme,
    reducedMotion: "reduce",
    locale: "en-GB",
  });
  if (!picture.signedOut) {
    await context.addInitScript(`sessionStorage.setItem("${TOKEN_KEY}", "${data.token}")`);
  }
  const page = await context.newPage();
  await page.goto(`${addresses.base_url}/dashboard${picture.path(data)}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  await picture.prepare?.(page);
  const name = `${picture.name}${form.phone ? "-phone" : ""}-${form.colorScheme}.png`;
  const path = join(FOLDER, name);
  await page.screenshot({ path, animations: "disabled" });
  // A third of the size, where the program is installed.
  spawnSync("pngquant", ["--force", "--ext", ".png", "--quality", "80-100", path]);
  process.stdout.write(`${name}\n`);
  await context.close();
}

async function main(): Promise<void> {
  const wanted = process.argv[2] ?? "";
  if (!buildDashboard(startStep)) process.exit(1);
  mkdirSync(FOLDER, { recursive: true });
  const dataFolder = mkdtempSync(join(tmpdir(), "signalbox-pictures-"));
  const app = await startApp(configOf(dataFolder));
  const executablePath = process.env.CHROMIUM ?? CHROMIUM;
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const data = await createDemoData(app, dataFolder);
    for (const picture of PICTURES.filter(({ name }) => name.startsWith(wanted))) {
      for (const phone of picture.phone ? [false, true] : [false]) {
        for (const colorScheme of phone ? (["light"] as const) : (["light", "dark"] as const)) {
          await take(browser, app, data, picture, { colorScheme, phone });
        }
      }
    }
  } finally {
    await browser.close();
    await app.close();
    rmSync(dataFolder, { recursive: true });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
