/** Converts the lines of the file to the items that the function takes. */
import type { CustomField } from "../../app/types.ts";
import { plain } from "../../format/plain.ts";
import type { Target } from "./columns.ts";
import type { Line } from "./csv.ts";

type MatchBy = "external_id" | "email" | "phone";

/** An error that the console finds in a line before it sends anything. */
export type Fault =
  | { kind: "cells"; found: number; wanted: number }
  | { kind: "no_key" }
  | { kind: "repeated"; by: MatchBy; line: number };

/** A contact as POST /app-v1-contacts/import takes it. */
export interface Item {
  op: "upsert";
  match_by: MatchBy;
  data: Record<string, unknown>;
}

export interface Row extends Line {
  name: string;
  /** Null if the line has a fault. */
  item: Item | null;
  fault: Fault | null;
}

/**
 * Makes the rows of an import. A line is identified by its code, otherwise by its e-mail, otherwise by its phone. Of
 * lines with the same identification only the first is sent.
 */
export function makeRows(lines: Line[], targets: Target[], custom: CustomField[]): Row[] {
  const typeOf = new Map(custom.map((field) => [`custom:${field.key}`, field]));
  const seen = new Map<string, number>();
  return lines.map((read) => {
    const data = dataOf(read.cells, targets, typeOf);
    const name = String(data["name"] ?? data["email"] ?? data["phone"] ?? "");
    const row = (fault: Fault | null, item: Item | null = null): Row => ({ ...read, name, item, fault });
    // A line may lack empty cells at its end, which Excel leaves out, or have too many empty cells.
    if (read.cells.slice(targets.length).some((cell) => cell.trim() !== "")) {
      return row({ kind: "cells", found: read.cells.length, wanted: targets.length });
    }
    const by = (["external_id", "email", "phone"] as const).find((field) => data[field] !== undefined);
    // Without a code, e-mail or phone, a second import of the file would create the contact again.
    if (by === undefined) return row({ kind: "no_key" });
    const sent = String(data[by]);
    const key = `${by} ${
      by === "phone" ? sent.replace(/\D/g, "") : by === "email" ? sent.toLowerCase() : sent
    }`;
    const earlier = seen.get(key);
    if (earlier !== undefined) return row({ kind: "repeated", by, line: earlier });
    seen.set(key, read.line);
    return row(null, { op: "upsert", match_by: by, data });
  });
}

/** The fields of a line. An empty cell is left out, so that it clears nothing. */
function dataOf(
  cells: string[],
  targets: Target[],
  fields: ReadonlyMap<string, CustomField>,
): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  const custom: Record<string, unknown> = {};
  targets.forEach((target, at) => {
    const text = cells[at]?.trim() ?? "";
    if (target === "" || text === "") return;
    const field = fields.get(target);
    if (field) custom[field.key] = valueOf(text, field);
    else data[target] = target === "add_tags" ? listOf(text) : text;
  });
  const { last_name, ...others } = data;
  const name = [data["name"], last_name].filter(Boolean).join(" ");
  return {
    ...others,
    ...(name && { name }),
    ...(Object.keys(custom).length > 0 && { custom_fields: custom }),
  };
}

/** Converts a text to the field's type. If that fails, returns the text itself, which the server then refuses. */
export function valueOf(text: string, { type, choices }: Pick<CustomField, "type" | "choices">): unknown {
  const chosen = (text: string) => choices?.find((choice) => plain(choice) === plain(text)) ?? text;
  switch (type) {
    case "number":
    case "money":
      return numberOf(text);
    case "date": {
      const [, day, month, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
      return year ? `${year}-${month!.padStart(2, "0")}-${day!.padStart(2, "0")}` : text;
    }
    case "boolean":
      return /^(sim|s|yes|y|true|verdadeiro|1|x)$/i.test(text)
        ? true
        : /^(n[aã]o|n|no|false|falso|0)$/i.test(text)
        ? false
        : text;
    case "choice":
      return chosen(text);
    case "choices":
      return listOf(text).map(chosen);
    default:
      return text;
  }
}

/**
 * `R$ 1.234,56` is 1234.56, and so is `1234.56`; a point before exactly three digits separates thousands, unless the
 * number begins with 0: `0.125` is an eighth. A comma before a point is not Brazilian: `1,234.56` stays a text, which
 * the server refuses.
 */
function numberOf(text: string): number | string {
  const bare = text.replace(/R\$|\s/g, "");
  if (/,.*\./.test(bare)) return text;
  const plainNumber = bare.includes(",") || /^-?[1-9]\d{0,2}(\.\d{3})+$/.test(bare)
    ? bare.replaceAll(".", "").replace(",", ".")
    : bare;
  return /^-?\d+(\.\d+)?$/.test(plainNumber) ? Number(plainNumber) : text;
}

function listOf(text: string): string[] {
  return [...new Set(text.split(/[,;|]/).map((part) => part.trim()).filter((part) => part !== ""))];
}
