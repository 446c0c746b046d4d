import type { Remedy } from "./check.ts";
import type { CheckResult, Diagnosis } from "./examine.ts";

/** The report of a diagnosis for people: a line for each check, and below it what was found and what mends it. */
export function formatReport({ ok, checks }: Diagnosis): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const found = checks.flatMap(({ findings }) => findings).length;
  const verdict = ok ? "Nothing is wrong" : found === 1 ? "1 finding" : `${found} findings`;
  return [...checks.flatMap((check) => formatCheck(check, width)), "", verdict].join("\n");
}

function formatCheck({ name, state, findings, note }: CheckResult, width: number): string[] {
  const first = `${state.padEnd(7)}  ${note ? `${name.padEnd(width)}  ${note}` : name}`;
  return [first, ...findings.flatMap(({ message, remedy }) => [`  - ${message}`, ...formatRemedy(remedy)])];
}

function formatRemedy(remedy: Remedy): string[] {
  const [label, text] = "sql" in remedy
    ? ["SQL", remedy.sql]
    : "command" in remedy
    ? ["run", remedy.command]
    : ["do", remedy.advice];
  return text.split("\n").map((line, index) => `    ${index === 0 ? `${label}: ` : "     "}${line}`);
}
