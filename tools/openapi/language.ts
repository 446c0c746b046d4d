export type Language = "pt" | "en";

/** Reduces the document to one language: keeps either `x` or `x_en`, as `x`. */
export function selectLanguage(node: unknown, language: Language): unknown {
  if (Array.isArray(node)) return node.map((item) => selectLanguage(item, language));
  if (node === null || typeof node !== "object") return node;
  const members = node as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(members)
      .filter(([name]) => !(name.endsWith("_en") && typeof members[name] === "string"))
      .map(([name, value]) => {
        const english = members[`${name}_en`];
        return [
          name,
          language === "en" && typeof english === "string" ? english : selectLanguage(value, language),
        ];
      }),
  );
}
