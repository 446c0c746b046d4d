import assert from "node:assert/strict";
import { amountIn } from "../../console/pages/funnel/amount.ts";

Deno.test("A typed amount is read as Brazilians write it, and as in English where it can mean nothing else", () => {
  const amounts: [string, number][] = [
    ["1.250,00", 1250],
    ["1250,5", 1250.5],
    ["1.250", 1250],
    ["1250.50", 1250.5],
    ["R$ 1.250,00", 1250],
    [" R$\u00a01.250,00 ", 1250],
    ["1,250.00", 1250],
    ["1.250.000", 1_250_000],
    ["1.250.000,99", 1_250_000.99],
    ["0,05", 0.05],
    ["0", 0],
    ["0012", 12],
  ];
  for (const [text, amount] of amounts) assert.equal(amountIn(text, ","), amount, text);
});

Deno.test("An English amount has a point before the cents, and a comma between thousands", () => {
  const amounts: [string, number][] = [["1,250.00", 1250], ["1,250", 1250], ["1250,5", 1250.5], [
    "R$1,250.5",
    1250.5,
  ]];
  for (const [text, amount] of amounts) assert.equal(amountIn(text, "."), amount, text);
});

Deno.test("An amount that is malformed, or may mean two amounts, is refused", () => {
  const refused = [
    "1,250",
    "1,2500",
    "12.50,00",
    "1.250.00",
    "1,2,3",
    "1.25.000",
    "0.500",
    "-5",
    "1e3",
    "mil",
    "1.250,",
    ",5",
  ];
  for (const text of [...refused, "1 250", "R$", "US$ 5", "1.250,000"]) {
    assert.ok(Number.isNaN(amountIn(text, ",")), text);
  }
  assert.ok(Number.isNaN(amountIn("1.250", ".")), "in English");
});
