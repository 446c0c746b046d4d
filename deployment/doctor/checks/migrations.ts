import { appliedVersions, migrationFiles } from "../../../local/migrate.ts";
import { type Check, deployAgain, type Finding } from "../check.ts";

/** The migrations of this tree are applied, and no others. */
export const migrations: Check = {
  name: "migrations",
  needsDatabase: true,
  async look(project) {
    const { sql } = project;
    const tree = (await migrationFiles()).map(({ version }) => version);
    const applied = await appliedVersions(sql);
    const missing = tree.filter((version) => !applied.includes(version));
    const unknown = applied.filter((version) => !tree.includes(version));
    const findings: Finding[] = [];
    if (missing.length > 0) {
      findings.push({
        message: `${missing.length} of ${tree.length} migrations are not applied: ${list(missing)}`,
        remedy: deployAgain(project),
      });
    }
    if (unknown.length > 0) {
      findings.push({
        message: `The database has migrations that this tree has not: ${list(unknown)}`,
        remedy: { advice: "Look from the tree that was deployed: check out its tag" },
      });
    }
    return { findings, note: `${applied.length} applied` };
  },
};

function list(versions: string[]): string {
  return versions.length > 3 ? `${versions.slice(0, 3).join(", ")} and more` : versions.join(", ");
}
