import type { Check } from "./check.ts";
import { clocks, database, databaseTls } from "./checks/connection.ts";
import { deliveries } from "./checks/deliveries.ts";
import { extensions } from "./checks/extensions.ts";
import { functions, health, sessions } from "./checks/functions.ts";
import { cronHistory, jobs } from "./checks/jobs.ts";
import { migrations } from "./checks/migrations.ts";
import { publicRights, roles } from "./checks/roles.ts";
import { search } from "./checks/search.ts";
import { consoleOrigin, signIn } from "./checks/sign_in.ts";
import { partitions } from "./checks/partitions.ts";
import { vault } from "./checks/vault.ts";

/** Checks of things that all nodes share. Behind a proxy they run only once, together with the checks of node 0. */
export const OF_THE_SERVICE: readonly Check[] = [functions, health, sessions, consoleOrigin, signIn];

/** All checks of a database with workspaces, in the order of the report. A new check is added here. */
export const CHECKS: readonly Check[] = [
  database,
  databaseTls,
  clocks,
  migrations,
  extensions,
  roles,
  publicRights,
  functions,
  health,
  sessions,
  consoleOrigin,
  signIn,
  vault,
  jobs,
  cronHistory,
  partitions,
  search,
  deliveries,
];
