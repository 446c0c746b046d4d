// The state that lets the next run continue: how far the last run got, and which lines were rejected.
import { appendFile, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { stringify } from "csv-stringify/sync";
import { ADDED } from "./table.js";

/** Reads how far the import of a file got. A file whose content has changed starts again from the first line. */
export async function openProgress(file, { header, delimiter, hash }) {
  const stateFile = `${file}.progress.json`;
  const rejects = `${file.replace(/\.csv$/i, "")}.rejeitados.csv`;
  const saved = JSON.parse(await readFile(stateFile, "utf8").catch(() => "{}"));
  const state = saved.hash === hash
    ? saved
    : { hash, done: 0, created: 0, updated: 0, rejected: 0, bytes: 0 };
  // Remove the lines that the interrupted run wrote after it last saved its state, because this run writes them again.
  if (state.bytes > 0) await truncate(rejects, state.bytes).catch(() => state.bytes = 0);
  // Rename the rejected lines of an earlier import, because somebody may be correcting them.
  else await rename(rejects, `${rejects.replace(/csv$/, "")}${Date.now()}.csv`).catch(() => {});

  return {
    state,
    rejects,

    /** Stores the rejected lines of a batch, and then how far the import got. */
    async add(rows, { created, updated }, rejected) {
      if (rejected.length > 0) {
        const lines = rejected.map(({ cells, line, reason }) => {
          const fitting = header.map((_, at) => cells[at] ?? "");
          return [...fitting, line, reason];
        });
        // The byte order mark makes Excel read accents correctly.
        const head = state.bytes === 0 ? "\ufeff" + stringify([[...header, ...ADDED]], { delimiter }) : "";
        await appendFile(rejects, head + stringify(lines, { delimiter }));
        state.bytes = (await stat(rejects)).size;
      }
      state.done += rows.length;
      state.created += created;
      state.updated += updated;
      state.rejected += rejected.length;
      await writeFile(`${stateFile}.new`, JSON.stringify(state));
      await rename(`${stateFile}.new`, stateFile);
    },

    /** Deletes the saved progress after the last line. */
    end: () => rm(stateFile, { force: true }),
  };
}
