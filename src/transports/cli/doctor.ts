import type { Command } from "commander";
import { printText } from "../../core/console";
import { replaceControls } from "../../core/terminal";
import { type Finding, pluralize, type Status } from "../../domain/health/checks/finding";
import type { Invocation } from "./connection/document-command";
import { alignColumns, toJson } from "./connection/table";
import type { CheckOptions } from "./doctor/checks";

/** Adds `doctor`, which checks the configuration, the server and everything that they depend on. */
export function addDoctor(program: Command, invocation: () => Invocation): void {
  program
    .command("doctor")
    .description("Checks everything that the server needs, and says how to fix each problem.")
    .option(
      "--before-upgrade",
      "Lists what pending migrations will lock while nodes of the earlier version run.",
    )
    .action(async ({ beforeUpgrade }: { beforeUpgrade?: true }) => {
      const { options, json } = invocation();
      const findings = await (beforeUpgrade ? findUpgrade(options) : findProblems(options));
      const isOk = findings.every(({ status }) => status !== "error");
      printText(json ? toJson({ ok: isOk, checks: findings }) : toText(findings));
      process.exitCode = isOk ? 0 : 1;
    });
}

// Loaded lazily: they pull in the clients of every dependency.
function findProblems(options: CheckOptions): Promise<Finding[]> {
  const { runChecks } = require("./doctor/checks") as typeof import("./doctor/checks");
  return runChecks(options);
}

function findUpgrade(options: CheckOptions): Promise<Finding[]> {
  const { checkUpgrade } =
    require("./doctor/before-upgrade") as typeof import("./doctor/before-upgrade");
  return checkUpgrade(options);
}

function toText(findings: Finding[]): string {
  const heads = alignColumns(findings.map(({ status, check }) => [status, check, "|"]));
  const lines = heads.split("\n").map((line) => line.slice(0, -1));
  const indent = " ".repeat(lines[0]?.length ?? 0);
  const rows = findings.map(({ detail, fix }, index) => {
    const advice = fix === undefined ? "" : `\n${indent}→ ${toOneLine(fix)}`;
    return `${lines[index]}${toOneLine(detail)}${advice}`;
  });
  return `${rows.join("\n")}\n\n${summaryOf(findings)}`;
}

function toOneLine(text: string): string {
  return replaceControls(
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
  const errors = count("error");
  if (errors + warnings === 0) return "No problem found.";
  return `${pluralize(errors, "error")}, ${pluralize(warnings, "warning")}.`;
}
