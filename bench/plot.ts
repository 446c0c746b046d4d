import type { Results } from "./results.ts";

/** The figures of a run as a picture (SVG): how far each is from its target. */
export function plot(_results: Results): string {
  return "";
}
