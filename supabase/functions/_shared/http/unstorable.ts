// A separate file, loaded only when needed, because loading jsonc-parser takes longer than most calls.
import { type JSONVisitor, visit } from "jsonc-parser";
import type { FieldError } from "../contract/errors.ts";
import { isStorableNumber, isStorableText, MAX_CENTS, MAX_DETAILS, RESERVED_NAME } from "../contract/json.ts";

/** Finds up to 100 keys and values that JSON.parse accepts but that cannot be stored unchanged. Requires valid JSON. */
export function findUnstorable(text: string): FieldError[] {
  const details: FieldError[] = [];
  const keys: Set<string>[] = [];
  const report = (path: (string | number)[], message: string) => {
    if (details.length < MAX_DETAILS) details.push({ field: path.join(".").toWellFormed(), message });
  };
  const visitor: JSONVisitor = {
    onObjectBegin: () => {
      keys.push(new Set());
    },
    onObjectEnd: () => {
      keys.pop();
    },
    onObjectProperty: (name, _offset, _length, _line, _column, path) => {
      const seen = keys.at(-1)!;
      if (seen.has(name)) report([...path(), name], "Campo repetido no corpo");
      if (!isStorableText(name)) report([...path(), name], "O nome do campo tem um caractere inválido");
      if (name === RESERVED_NAME) report([...path(), name], "Nome de campo reservado");
      seen.add(name);
    },
    onLiteralValue: (value, offset, length, _line, _column, path) => {
      if (typeof value === "string" && !isStorableText(value)) {
        report(path(), "O texto tem um caractere inválido (NUL ou surrogate sem par)");
      } else if (typeof value === "number" && !isStorableNumber(value)) {
        report(path(), "Número grande ou pequeno demais");
      } else if (typeof value === "number" && Math.abs(value) >= MAX_CENTS) {
        const number = text.slice(offset, offset + length);
        if (hasFraction(number)) report(path(), `A partir de ${MAX_CENTS}, deve ser um número inteiro`);
      }
    },
  };
  visit(text, visitor);
  return details;
}

/** Whether a number in JSON has a fraction: 1.5e3 has none. Reads the text, because a double may lose the fraction. */
function hasFraction(number: string): boolean {
  const [, fraction = "", exponent = "0"] = /^-?\d+(?:\.(\d*[1-9])?0*)?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  return fraction.length > Number(exponent);
}
