import type { Subject } from "../figure.ts";
import { coldStart } from "./cold_start.ts";
import { concurrency } from "./concurrency.ts";
import { growth } from "./growth.ts";
import { roundTrips } from "./round_trips.ts";
import { statements } from "./statements.ts";
import { throughput } from "./throughput.ts";
import { webhooks } from "./webhooks.ts";

/** In the order of docs/performance.md. */
export const SUBJECTS: Subject[] = [
  statements,
  roundTrips,
  throughput,
  concurrency,
  coldStart,
  growth,
  webhooks,
];
