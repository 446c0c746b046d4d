const { CRM_URL, CRM_KEY } = process.env;
const wait = (seconds) =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000));

export async function call(method, path, body, key = crypto.randomUUID()) {
  const headers = {
    "X-API-Key": CRM_KEY,
    "Content-Type": "application/json",
  };
  if (method === "POST") headers["Idempotency-Key"] = key;
  for (let attempt = 0;; attempt++) {
    const request = {
      method,
      headers,
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    };
    const response = await fetch(`${CRM_URL}/${path}`, request).catch(() =>
      null
    );
    const repeat = response === null || response.status >= 500 ||
      [408, 429].includes(response.status) ||
      response.headers.has("Retry-After");
    if (!repeat || attempt === 6) return response;
    await wait(
      Number(response?.headers.get("Retry-After")) ||
        2 ** attempt * (1 + Math.random() / 2),
    );
  }
}

const response = await call("GET", "api-v1-me");
if (response === null) throw new Error("A API não respondeu");
console.log(response.status, (await response.json()).limits);
