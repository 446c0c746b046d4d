import assert from "node:assert/strict";
import { assertError, client } from "../support/client.ts";
import { assertShown, create, eventsOf, ids, makeMember } from "../support/record_fixtures.ts";
import { testRecordRules } from "../support/record_rules.ts";
import { test } from "../support/scenario.ts";

const COMPANIES = "/api-v1-companies";

testRecordRules({
  path: COMPANIES,
  minimal: { name: "Padaria" },
  limits: {
    name: { alsoBad: ["  "] },
    // "--/." is only punctuation, which is removed.
    tax_id: { good: ["12ABC34501DE35", "1".repeat(40), null], bad: ["", "--/.", "1".repeat(41), 5, {}] },
    domain: { good: ["x.com", "a".repeat(255), null] },
  },
  references: ["owner_id"],
});

test("POST /api-v1-companies answers 201 with the whole company, with names, addresses and ids normalized (spec 2.7, 4.6)", async ({ sql, workspace: { id: workspace_id, memberId }, api }) => {
  const kept = { notes: "  como veio\n", website: "https://www.padaria.com.br/Zé", employee_count: 12 };
  const created = await api.post(COMPANIES, {
    name: " Padaria do Zé ",
    tax_id: "12.abc.345/01de-35",
    domain: " HTTPS://www.Padaria.COM.br.:443/loja?a#b ",
    email: "Contato@Padaria.com.br",
    address: { city: "São Paulo", planet: "Y" },
    ...kept,
  });
  assert.equal(created.status, 201);
  assert.equal(created.headers.get("X-Ignored-Fields"), "address.planet");
  const { id, created_at, updated_at, ...rest } = created.body;
  assertShown(rest, {
    workspace_id,
    owner_id: memberId,
    name: "Padaria do Zé",
    tax_id: "12ABC34501DE35",
    domain: "padaria.com.br",
    email: "contato@padaria.com.br",
    address: { city: "São Paulo" },
    ...kept,
  });
  assert.equal(created_at, updated_at);
  assert.equal((await api.get(`${COMPANIES}/${id}`)).text, created.text);
  assert.deepEqual(await eventsOf(sql, workspace_id), ["company.created"]);

  const changed = await api.patch(`${COMPANIES}/${id}`, { address: { state: "SP" }, tax_id: "a-1" });
  const expected = { ...created.body, address: { state: "SP" }, tax_id: "A1" };
  assert.deepEqual(changed.body, { ...expected, updated_at: changed.body.updated_at });
});

test("GET /api-v1-companies filters by name in any case, domain, tax_id in any spelling and owner_id (spec 4.6)", async ({ sql, workspace }) => {
  const { key } = workspace;
  const owner_id = await makeMember(sql, workspace);
  const a = await create(key, COMPANIES, { name: "AÇÃO", domain: "x.com", tax_id: "12.345.678/0001-95" });
  const b = await create(key, COMPANIES, { name: "Ação", domain: "X.com", owner_id });
  const c = await create(key, COMPANIES, { name: "Acao", tax_id: "12345678000195", owner_id });
  const cases: [query: Record<string, string>, expected: string[]][] = [
    [{ name: " ação " }, [b.id, a.id]],
    [{ name: "AÇÃO".normalize("NFD") }, [b.id, a.id]],
    [{ name: "Açã" }, []],
    [{ domain: "X.COM" }, [b.id, a.id]],
    [{ domain: "http://www.x.com./" }, [b.id, a.id]],
    [{ domain: "loja.x.com" }, []],
    [{ tax_id: "12.345.678/0001-95" }, [c.id, a.id]],
    [{ tax_id: "12345678000195" }, [c.id, a.id]],
    [{ tax_id: "12 345 678 0001 95" }, [c.id, a.id]],
    [{ owner_id, domain: "x.com" }, [b.id]],
    [{ owner_id, name: "AÇÃO", domain: "x.com", tax_id: "1" }, []],
  ];
  for (const [query, expected] of cases) {
    const reply = await client(key).get(`${COMPANIES}?${new URLSearchParams(query)}`);
    assert.deepEqual(ids(reply), expected, JSON.stringify(query));
  }
  assertError(await client(key).get(`${COMPANIES}?tax_id=.`), "validation_error", ["tax_id"]);
});
