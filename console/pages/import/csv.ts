/** Reads and writes CSV as spreadsheets in Portuguese save it. */

/** A record of the file, which spans several lines if a cell has line breaks. `line`: its first line, from 1. */
export interface Line {
  line: number;
  cells: string[];
}

export interface Csv {
  header: string[];
  lines: Line[];
  delimiter: string;
}

/** A line that cannot be read: it opens a quote that is never closed, or has a byte that is not UTF-8. */
export class UnreadableLine extends Error {
  constructor(readonly why: "quote" | "byte", readonly line: number) {
    super(`${why} in line ${line}`);
  }
}

/**
 * Decodes UTF-8, UTF-16 with a byte order mark ("Unicode text" in Excel), and anything else as Windows-1252.
 * @throws UnreadableLine at the first bad byte of a text that is mostly UTF-8, because Windows-1252 would garble it
 */
export function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return decodeOther(bytes);
  }
}

function decodeOther(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  const [bad = 0, good = 0] = [/\ufffd/g, /[^\0-\x7f\ufffd]/gu].map((kind) => text.match(kind)?.length);
  // In a text in Windows-1252, accents hardly ever form sequences that are valid in UTF-8.
  if (bad >= good) return new TextDecoder("windows-1252").decode(bytes);
  throw new UnreadableLine("byte", text.slice(0, text.indexOf("\ufffd")).split(/\r\n?|\n/).length);
}

/**
 * Parses CSV with the delimiter that a line `sep=` names, or the most frequent of `;`, `,` and tab. Skips blank lines.
 * @throws UnreadableLine
 */
export function parseCsv(text: string): Csv {
  // Some programs write a first line that tells Excel the delimiter.
  const named = /^sep=(.)\r?\n/i.exec(text);
  const delimiter = named?.[1] ?? delimiterOf(text);
  const records = readRecords(named ? text.slice(named[0].length) : text, delimiter, named ? 2 : 1)
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
  const [first, ...lines] = records;
  return { header: first?.cells.map((cell) => cell.trim()) ?? [], lines, delimiter };
}

function delimiterOf(text: string): string {
  const first = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)![0].replace(/"(?:[^"]|"")*"/g, "");
  const count = (delimiter: string) => first.split(delimiter).length;
  return [";", ",", "\t"].reduce((best, next) => count(next) > count(best) ? next : best);
}

function readRecords(text: string, delimiter: string, firstLine: number): Line[] {
  const records: Line[] = [];
  let line = firstLine;
  let at = 0;
  while (at < text.length) {
    const record: Line = { line, cells: [] };
    for (;;) {
      let cell = "";
      if (text[at] === '"') {
        const opened = line;
        let end = at;
        do {
          const from = end + 1;
          end = text.indexOf('"', from);
          if (end === -1) throw new UnreadableLine("quote", opened);
          cell += text.slice(from, end);
          // Inside quotes, two quotes stand for one.
          if (text[end + 1] === '"') cell += '"';
          end++;
        } while (text[end] === '"');
        line += cell.split("\n").length - 1;
        at = end;
      }
      // The rest up to the delimiter; usually empty after a closing quote.
      let end = at;
      while (end < text.length && text[end] !== delimiter && text[end] !== "\n" && text[end] !== "\r") end++;
      record.cells.push(cell + text.slice(at, end));
      at = end + 1;
      if (text[end] !== delimiter) {
        if (text[end] === "\r" && text[end + 1] === "\n") at++;
        break;
      }
    }
    records.push(record);
    line++;
  }
  return records;
}

/** Writes CSV with a byte order mark, with which Excel reads accents correctly. */
export function writeCsv(records: string[][], delimiter: string): string {
  const written = (cell: string) =>
    cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return "\ufeff" + records.map((cells) => cells.map(written).join(delimiter) + "\r\n").join("");
}
