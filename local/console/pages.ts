// What the gateway shows in place of the console. In Portuguese, as the console itself.

/** Asks again by itself until the console is built. */
export function preparingPage(): Response {
  return page(202, {
    head: `<meta http-equiv="refresh" content="1">`,
    title: "O console está sendo preparado…",
    body: "<p>Esta página se atualiza sozinha. Na primeira vez isso leva alguns segundos.</p>",
  });
}

/** @param output The last lines of the build. */
export function failedPage(output: string): Response {
  return page(500, {
    head: "",
    title: "O console não pôde ser preparado",
    body: `<p>A API continua funcionando. Corrija o erro abaixo e recarregue a página para tentar de novo.</p>
<pre>${escapeHtml(output)}</pre>`,
  });
}

function page(status: number, { head, title, body }: Record<"head" | "title" | "body", string>): Response {
  return new Response(
    `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}
<title>${title}</title>
<style>body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 4rem auto; padding: 0 1rem }
pre { overflow: auto }</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`,
    {
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      },
    },
  );
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
