import type { ComponentChildren } from "preact";
import { t } from "../../strings/strings.ts";
import type { StateText } from "./words.ts";

/** Maximum rows of a kind in the reply. */
export const MOST = 20;

/** A section with the newest rows of a kind, or a sentence that there are none. */
export function Rows<Item>({ title, none, rows, more, children }: {
  title: string;
  none: string;
  rows: readonly Item[];
  more?: ComponentChildren;
  children: (row: Item) => ComponentChildren;
}) {
  return (
    <section class="section">
      <div class="section-head">
        <h2>{title}</h2>
        {more}
      </div>
      {rows.length === 0 && <p class="quiet">{none}</p>}
      {rows.length > 0 && <ul class="lines">{rows.map(children)}</ul>}
      {rows.length === MOST && <p class="hint">{t("deal.newest")}</p>}
    </section>
  );
}

export function Row({ title, state, small, text, children }: {
  title: string;
  state: StateText;
  small: string[];
  text: string | null;
  children?: ComponentChildren;
}) {
  return (
    <li>
      <div class="line">
        <p class="broken">
          <strong>{title}</strong>
        </p>
        <span>
          <span class={`tag ${state.tone}`}>{state.text}</span>
        </span>
      </div>
      {small.length > 0 && <p class="small broken">{small.join(" · ")}</p>}
      {text && <p class="written">{text}</p>}
      {children}
    </li>
  );
}
