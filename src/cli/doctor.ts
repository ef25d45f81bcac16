import type { Command } from "commander";
import { printText } from "../core/console";
import { counted, type Finding, type Status } from "./doctor/finding";
import type { Call } from "./document-command";
import { columns, printable, toJson } from "./table";

/** Asked for the time unless another is named; it is open to everybody. */
const TIME_SERVER = "time.cloudflare.com";

/** Adds `doctor`, which looks at everything that a server needs. */
export function addDoctor(program: Command, call: () => Call): void {
  program
    .command("doctor")
    .description("Checks all that the server needs, and says what is wrong and how to mend it.")
    .option("--time-server <host>", "NTP server to compare the clock with, or none.", TIME_SERVER)
    .action(async ({ timeServer }: { timeServer: string }) => {
      const { options, json } = call();
      // Loaded here: every client of what is looked at comes with it.
      const { runChecks } = require("./doctor/checks") as typeof import("./doctor/checks");
      const findings = await runChecks({ ...options, timeServer });
      const isWell = findings.every(({ status }) => status !== "wrong");
      printText(json ? toJson({ ok: isWell, checks: findings }) : textOf(findings));
      process.exitCode = isWell ? 0 : 1;
    });
}

function textOf(findings: Finding[]): string {
  const heads = columns(findings.map(({ status, check }) => [status, check, "|"]));
  const lines = heads.split("\n").map((line) => line.slice(0, -1));
  const indent = " ".repeat(lines[0]?.length ?? 0);
  const told = findings.map(({ detail, mend }, index) => {
    const advice = mend === undefined ? "" : `\n${indent}→ ${onOneLine(mend)}`;
    return `${lines[index]}${onOneLine(detail)}${advice}`;
  });
  return `${told.join("\n")}\n\n${summaryOf(findings)}`;
}

function onOneLine(text: string): string {
  return printable(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean)
      .join(" "),
  );
}

function summaryOf(findings: Finding[]): string {
  const count = (status: Status) => findings.filter((each) => each.status === status).length;
  const warnings = count("warning");
  if (count("wrong") + warnings === 0) return "All is well.";
  return `${count("wrong")} wrong, ${counted(warnings, "warning")}.`;
}
