import type { Subject } from "../figure.ts";

/** In the order of docs/performance.md. */
export const SUBJECTS: Subject[] = [];
