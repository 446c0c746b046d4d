import { appliedMigrations, editedMigrations, migrationFiles } from "../../../local/migrate.ts";
import { isCurrent } from "../../../nodes/install.ts";
import { type Check, deployAgain, type Finding, fine, wrong } from "../check.ts";

/** Exactly the migrations of this tree are applied, unedited. */
export const migrations: Check = {
  name: "migrations",
  async look(project) {
    const { sql } = project;
    const files = await migrationFiles();
    const rows = await appliedMigrations(sql);
    const tree = files.map(({ version }) => version);
    const applied = rows.map(({ version }) => version);
    const unrecorded = rows.filter(({ statements }) => statements === null).map(({ version }) => version);
    const edited = await editedMigrations(files, rows);
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
        message: `The database has migrations that this tree lacks: ${list(unknown)}`,
        remedy: { advice: "Check out the tag of the release that was deployed, and run the doctor there" },
      });
    }
    if (edited.length > 0) {
      findings.push({
        message: `Edited after the database applied them: ${list(edited)}`,
        remedy: {
          advice:
            "Restore the files that were deployed, and make the change in a new migration. `supabase migration " +
            "fetch` writes the files that were applied",
        },
      });
    }
    const note = unrecorded.length > 0
      ? `; recorded without statements (supabase migration repair), so not compared: ${list(unrecorded)}`
      : "";
    return { findings, note: `${applied.length} applied${note}` };
  },
};

/** The proxy has the SQL of this release. The doctor runs this check only at a proxy. */
export const proxy: Check = {
  name: "proxy",
  async look({ sql }) {
    if (await isCurrent(sql)) return fine();
    return wrong("The proxy has the SQL of another release", {
      advice: "Replace it with a new proxy, or check out the release that made it (docs/scale.md)",
    });
  },
};

function list(versions: string[]): string {
  return versions.length > 3 ? `${versions.slice(0, 3).join(", ")} and more` : versions.join(", ");
}
