// How the console reads a CSV, guesses its columns and writes what failed.
import assert from "node:assert/strict";
import { guessTargets, withTarget } from "../../console/pages/import/columns.ts";
import { decode, parseCsv, writeCsv } from "../../console/pages/import/csv.ts";
import { makeRows, valueOf } from "../../console/pages/import/rows.ts";
import type { CustomField } from "../../console/app/types.ts";

const cellsOf = (text: string) => parseCsv(text).lines.map(({ cells }) => cells);

const field = (key: string, type: CustomField["type"], choices: string[] | null = null): CustomField => ({
  id: crypto.randomUUID(),
  object_type: "contact",
  key,
  label: key,
  type,
  choices,
  archived_at: null,
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z",
});

Deno.test("A file is read as UTF-8 with or without a byte order mark, as UTF-16 with one, and otherwise as Windows-1252", () => {
  const utf8 = new TextEncoder().encode("João");
  assert.equal(decode(utf8), "João");
  assert.equal(decode(new Uint8Array([0xef, 0xbb, 0xbf, ...utf8])), "João");
  assert.equal(decode(new Uint8Array([0x4a, 0x6f, 0xe3, 0x6f, 0x20, 0x80])), "João €");
  assert.equal(decode(new Uint8Array([0xff, 0xfe, 0x4a, 0, 0xe3, 0])), "Jã");
  assert.equal(decode(new Uint8Array([0xfe, 0xff, 0, 0x4a, 0, 0xe3])), "Jã");
});

Deno.test("In a UTF-8 file a byte that is not UTF-8 is an error at its line, and the file is not read as Windows-1252", () => {
  const [before, after] = ["Nome;Função\r\nJoão;Sócia\nRita;", "\nEva;Direção\n"]
    .map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array];
  assert.throws(() => decode(new Uint8Array([...before, 0xe3, ...after])), { why: "byte", line: 3 });
  // The bytes of É” in Windows-1252 are also one UTF-8 character, but do not make this a UTF-8 file.
  const quoted = [0x93, 0x43, 0x41, 0x46, 0xc9, 0x94];
  assert.equal(decode(new Uint8Array(quoted)), "“CAFÉ”");
});

Deno.test("A cell in quotes may have delimiters, line breaks and quotes, and lines are counted as an editor does", () => {
  const csv = parseCsv('Nome;Obs\r\n"Souza; ""Ana""";"um\r\ndois"\r\n\r\n ; \r\nJoão;fim');
  assert.deepEqual(csv, {
    header: ["Nome", "Obs"],
    lines: [
      { line: 2, cells: ['Souza; "Ana"', "um\r\ndois"] },
      { line: 6, cells: ["João", "fim"] },
    ],
    delimiter: ";",
  });
});

Deno.test("The delimiter is the one that the first line has most of, or the one that Excel's first line names", () => {
  assert.equal(parseCsv("Nome,E-mail\na,b").delimiter, ",");
  assert.equal(parseCsv("Nome;Valor, em R$;E-mail\na;b;c").delimiter, ";");
  assert.equal(parseCsv("Nome\tE-mail\na\tb").delimiter, "\t");
  assert.equal(parseCsv('"Nome, todo, o, nome";E-mail\na;b').delimiter, ";");
  assert.deepEqual(parseCsv("sep=,\r\nNome;x,E-mail\r\na,b"), {
    header: ["Nome;x", "E-mail"],
    lines: [{ line: 3, cells: ["a", "b"] }],
    delimiter: ",",
  });
});

Deno.test("A file may have one column, no line break at the end, lone CRs, or quotes inside a cell", () => {
  assert.deepEqual(cellsOf("E-mail\na@b.example"), [["a@b.example"]]);
  assert.deepEqual(cellsOf("a;b\r1;2\r3;"), [["1", "2"], ["3", ""]]);
  assert.deepEqual(cellsOf('a;b\nBar "Zé";2'), [['Bar "Zé"', "2"]]);
  assert.deepEqual(cellsOf('a;b\n"";""""\n'), [["", '"']]);
  assert.deepEqual(parseCsv(""), { header: [], lines: [], delimiter: ";" });
});

Deno.test("A quote that is never closed is an error at the line that opened it", () => {
  assert.throws(() => parseCsv('a;b\n1;2\n"3;4\n5;6'), { why: "quote", line: 3 });
});

Deno.test("A CSV that the console writes is read again unchanged", () => {
  const records = [["Nome", "Obs"], ['Souza; "Ana"', "um\r\ndois"], [" João", ","]];
  for (const delimiter of [";", ",", "\t"]) {
    const text = writeCsv(records, delimiter);
    const { header, lines } = parseCsv(decode(new TextEncoder().encode(text)));
    assert.deepEqual([header, ...lines.map(({ cells }) => cells)], records);
  }
});

Deno.test("Columns are guessed from their headings, a defined field before a known one, and no field twice", () => {
  const headings = ["NOME", "e_mail", "Celular", "Telefone", "CPF", "CNPJ", "Função ", "linha", "motivo", ""];
  const targets = ["name", "email", "phone", "", "custom:cpf", "company_tax_id", "job_title", "", "", ""];
  assert.deepEqual(guessTargets(headings, [field("cpf", "text")]), targets);
  assert.deepEqual(guessTargets(["Cargo"], [field("Cargo", "choice", ["a"])]), ["custom:Cargo"]);
  assert.deepEqual(withTarget(["name", "email", ""], 2, "name"), ["", "email", "name"]);
  assert.deepEqual(withTarget(["name", "", ""], 1, ""), ["name", "", ""]);
});

Deno.test("Values are read as people in Brazil write them; a text that is no value of its type is kept, and the server refuses it", () => {
  const value = (type: CustomField["type"], text: string, choices: string[] | null = null) =>
    valueOf(text, { type, choices });
  const readAs = (type: CustomField["type"], ...texts: string[]) => texts.map((text) => value(type, text));
  const amounts = readAs("money", "R$ 1.234,56", "1234.56", "1.234", "1.5", "-3", "12 mil", "1,234.56");
  assert.deepEqual(amounts, [1234.56, 1234.56, 1234, 1.5, -3, "12 mil", "1,234.56"]);
  assert.deepEqual(readAs("number", "0.125", "-0.500", "R$ 0.990", "10.125"), [0.125, -0.5, 0.99, 10125]);
  assert.deepEqual(readAs("date", "1/2/2026", "2026-02-01", "ontem"), ["2026-02-01", "2026-02-01", "ontem"]);
  const answers = readAs("boolean", "Sim", "não", "N", "x", "talvez");
  assert.deepEqual(answers, [true, false, false, true, "talvez"]);
  assert.equal(value("choice", "médio", ["Médio", "Grande"]), "Médio");
  assert.deepEqual(value("choices", "grande; outro", ["Médio", "Grande"]), ["Grande", "outro"]);
});

Deno.test("A line's contact is found by code, else by e-mail, else by phone; a line without any of them, a line that repeats another and a line with too many values are faulty", () => {
  const targets = guessTargets(["Código", "Nome", "Sobrenome", "E-mail", "Telefone", "Tags"], []);
  const lines = [
    ["c-1", "Ana", "Souza", "ana@sol.example", "", "vip, feira,vip"],
    ["", "Rui", "", "rui@sol.example", "11 97777-1234", ""],
    ["", "Eva", "", "", "(11) 97777-1234", ""],
    ["", "Rui", "", "RUI@sol.example", "", ""],
    ["C-1", "Outro código", "", "", "", ""],
    ["", "Ninguém", "", "", "", ""],
    ["c-9", "Curta"],
    ["c-10", "Longa", "", "", "", "", " ", ""],
    ["c-11", "Falta aspas", "", "", "", "", "", "fim"],
  ].map((cells, at) => ({ line: at + 2, cells }));
  const rows = makeRows(lines, targets, []);
  assert.deepEqual(rows.map(({ item, fault }) => item?.match_by ?? fault), [
    "external_id",
    "email",
    "phone",
    { kind: "repeated", by: "email", line: 3 },
    "external_id",
    { kind: "no_key" },
    "external_id",
    "external_id",
    { kind: "cells", found: 8, wanted: 6 },
  ]);
  assert.deepEqual(rows[6]!.item!.data, { external_id: "c-9", name: "Curta" });
  assert.deepEqual(rows[0]!.item!.data, {
    external_id: "c-1",
    name: "Ana Souza",
    email: "ana@sol.example",
    add_tags: ["vip", "feira"],
  });
  // Empty cells are not sent: they clear nothing.
  assert.deepEqual(rows[2]!.item!.data, { name: "Eva", phone: "(11) 97777-1234" });
});
