const { CRM_URL, CRM_KEY } = process.env;

const response = await fetch(`${CRM_URL}/api-v1-leads`, {
  method: "POST",
  headers: {
    "X-API-Key": CRM_KEY,
    "Content-Type": "application/json",
    "Prefer": "handling=strict",
  },
  body: JSON.stringify({
    first_name: "Bia",
    email: "bia@exemplo.com.br",
    company_name: "Mercado Lua",
  }),
});
const reply = await response.json();

if (response.ok) {
  console.log("Negócio:", reply.lead.deal_id);
} else {
  console.error(response.status, reply.error?.code, reply.error?.message);
  for (const { field, message } of reply.error?.details ?? []) {
    console.error(`  ${field}: ${message}`);
  }
  console.error("X-Request-Id:", response.headers.get("X-Request-Id"));
  process.exitCode = 1;
}
