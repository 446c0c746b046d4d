/**
 * Calls the API with the connection's key, and returns the reply's JSON.
 *
 * @param options `params` for the query, `body` for JSON, and other `headers`
 */
export async function call(z, { authData }, method, path, { params, body, headers } = {}) {
  const { data } = await z.request({
    method,
    url: authData.base_url.replace(/\/+$/, "") + path,
    params,
    headers: {
      "X-API-Key": authData.api_key,
      ...(body && { "Content-Type": "application/json" }),
      ...headers,
    },
    // Sent as a string, because the platform removes {{…}} from the strings in an object.
    ...(body && { body: JSON.stringify(body) }),
    // A redirect would carry the key to another host.
    redirect: "manual",
  });
  return data;
}

/**
 * Reports an error with the API's message and the fields that it names. After a 401, the user must connect again. The
 * platform itself reports 429, and waits as long as Retry-After says.
 */
export function throwApiError(response, z) {
  if (response.status < 300) return response;
  const { code, message, details = [] } = response.data?.error ?? {};
  const text = [
    message ?? `HTTP ${response.status}`,
    ...details.map((detail) => `${detail.field}: ${detail.message}`),
  ]
    .join("; ");
  if (response.status === 401) throw new z.errors.ExpiredAuthError(text);
  throw new z.errors.Error(text, code, response.status);
}
