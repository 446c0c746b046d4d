// The copy: a SQLite file with the records of the CRM, and marks that say where the next run continues.
import Database from "libsql";

/** Opens the file, and creates its tables the first time. Add your own tables, or use your own database instead. */
export function openCopy(file) {
  const db = new Database(file);
  // Wait up to 10 seconds if another run is writing.
  db.pragma("busy_timeout = 10000");
  // Deleted data is overwritten, so that no data of an erased person stays in the file.
  db.pragma("secure_delete = on");
  // `record` has the whole record, so a new field of the API needs no change here. The other columns are for queries.
  db.exec(`
    create table if not exists companies (
      id text primary key,
      record text not null,
      external_id text as (record ->> 'external_id'),
      name text as (record ->> 'name'),
      tax_id text as (record ->> 'tax_id'),
      archived_at text as (record ->> 'archived_at')
    );
    create table if not exists contacts (
      id text primary key,
      record text not null,
      external_id text as (record ->> 'external_id'),
      name text as (record ->> 'name'),
      email text as (record ->> 'email'),
      company_id text as (record ->> 'company_id'),
      archived_at text as (record ->> 'archived_at')
    );
    create table if not exists deals (
      id text primary key,
      record text not null,
      title text as (record ->> 'title'),
      status text as (record ->> 'status'),
      value real as (record ->> 'value'),
      contact_id text as (record ->> 'contact_id'),
      company_id text as (record ->> 'company_id'),
      archived_at text as (record ->> 'archived_at')
    );
    create table if not exists merges (old_id text primary key, new_id text not null);
    create table if not exists marks (name text primary key, value text not null);
  `);

  const copy = {
    /** Runs `work` in a transaction: either all its changes are stored, or none. */
    atOnce: (work) => db.transaction(work)(),

    mark(name) {
      const row = db.prepare("select value from marks where name = ?").get(name);
      return row === undefined ? null : JSON.parse(row.value);
    },

    setMark(name, value) {
      db.prepare("insert or replace into marks values (?, ?)").run(name, JSON.stringify(value));
    },

    /** Stores a record as it is now. A merged or erased record leaves the copy. */
    put(table, record) {
      if (record.merged_into_id) copy.merge(table, record.id, record.merged_into_id);
      else if (record.erased_at) copy.erase(table, record.id);
      else {
        const insert = `insert into ${table} (id, record) values (?, ?)`;
        db.prepare(`${insert} on conflict (id) do update set record = excluded.record`)
          .run(record.id, JSON.stringify(record));
      }
    },

    /** Notes that one record was merged into another. Here, point your own tables, such as orders, to the new id. */
    merge(table, oldId, newId) {
      db.prepare(`delete from ${table} where id = ?`).run(oldId);
      // After several merges, each old id leads to the record that remained.
      const last = db.prepare("select new_id from merges where old_id = ?").get(newId)?.new_id ?? newId;
      db.prepare("update merges set new_id = ? where new_id = ?").run(last, oldId);
      db.prepare("insert or replace into merges values (?, ?)").run(oldId, last);
    },

    /** Erases a person who asked to be forgotten. Here, erase them from your own tables too. */
    erase(table, id) {
      db.prepare(`delete from ${table} where id = ?`).run(id);
    },

    count: (table) => db.prepare(`select count(*) as n from ${table}`).get().n,

    close: () => db.close(),
  };
  return copy;
}
