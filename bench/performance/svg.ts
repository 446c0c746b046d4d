// What the pictures of the lab's results share.

/** A middle tone, because a picture appears on white and on black pages. */
export const GREY = "#727a84";

/** The style of text and lines. The fonts are the reader's own: an image cannot load one. */
export const STYLE = `
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: ${GREY} }
.heading { font-weight: 600 }
.small { font-size: 11px }
.line { stroke: ${GREY}; stroke-opacity: .25 }`;

export function text(x: number, y: number, content: string, style = "", anchor = ""): string {
  const attributes = (style && ` class="${style}"`) + (anchor && ` text-anchor="${anchor}"`);
  return `<text x="${x}" y="${y}"${attributes}>${escape(content)}</text>`;
}

export function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Rounds to two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
