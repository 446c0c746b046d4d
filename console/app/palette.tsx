import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FailureNote } from "../components/failure_note.tsx";
import "../components/shared.ts";
import { plain } from "../format/plain.ts";
import { counted, t, textNamed } from "../strings/strings.ts";
import type { Key } from "../strings/texts.ts";
import { call } from "./api.ts";
import { asFailure, type Failure } from "./failure.ts";
import { mayLeave } from "./leaving.ts";
import { href } from "./settings.ts";
import type { Found } from "./types.ts";
import { workspace } from "./workspace.ts";

const PAUSE_MS = 150;

/** A page in the bar. The pages are passed as a prop, because importing them would make the bundler add a chunk. */
export interface Place {
  place: string;
  name: Key;
}

interface Option {
  group: string;
  name: string;
  detail: string | null;
  to: string;
}

/** The dialog that searches the console: its pages by name at once, everything else with a request. */
export function Palette({ places, onClose }: { places: readonly Place[]; onClose: () => void }) {
  const typed = useSignal("");
  const found = useSignal<Found[]>([]);
  const failure = useSignal<Failure | null>(null);
  // The search text that `found` or `failure` belongs to.
  const answered = useSignal("");
  const tries = useSignal(0);
  const at = useSignal(0);
  const list = useId();
  const { route } = useLocation();
  const active = useRef<HTMLDivElement>(null);

  const q = typed.value.trim();
  const waiting = answered.value !== q;
  useEffect(() => {
    const answer = (data: Found[], failed: Failure | null) => {
      found.value = data;
      failure.value = failed;
      answered.value = q;
    };
    if (q === "") return answer([], null);
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const query = new URLSearchParams({ q: withoutSecret(q) });
        const path = `app-v1-workspace/search?${query}`;
        const { data } = await call<{ data: Found[] }>("GET", path, { signal: abort.signal });
        // The reply to an earlier text must not replace the reply to the present text.
        if (!abort.signal.aborted) answer(data, null);
      } catch (thrown) {
        if (!abort.signal.aborted) answer([], asFailure(thrown));
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [q, tries.value]);

  const words = plain(q).split(/\s+/);
  const fits = (text: string) => words.every((word) => plain(text).includes(word));
  const options = [
    ...pages(places).filter(({ name }) => fits(name)),
    ...found.value
      // Until the reply comes, show what still matches from the previous reply.
      .filter(({ name, detail }) => !waiting || fits(`${name} ${detail ?? ""}`))
      .map(optionOf),
  ];
  const chosen = Math.min(at.value, options.length - 1);
  useEffect(() => active.current?.scrollIntoView({ block: "nearest" }), [chosen, options.length]);

  const open = async ({ to }: Option) => {
    onClose();
    if (await mayLeave()) route(to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || options.length === 0) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) at.value = (chosen + step + options.length) % options.length;
    else if (event.key === "Enter") void open(options[chosen]!);
    else return;
    event.preventDefault();
  };
  const retry = () => {
    answered.value = "";
    tries.value++;
  };
  const failed = waiting ? null : failure.value;
  const isEmpty = options.length === 0;
  return (
    <Dialog kind="palette" title={t("palette.open")} onClose={onClose}>
      <div class="palette-field">
        <input
          class="input"
          role="combobox"
          aria-label={t("palette.label")}
          aria-autocomplete="list"
          aria-expanded={!isEmpty}
          aria-controls={isEmpty ? undefined : list}
          aria-activedescendant={isEmpty ? undefined : `${list}-${chosen}`}
          placeholder={t("palette.hint")}
          autocomplete="off"
          spellcheck={false}
          enterkeyhint="go"
          maxLength={100}
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={onKeyDown}
        />
        <Button text={t("app.close")} onClick={onClose} />
      </div>
      {failed && <FailureNote failure={failed} onRetry={retry} />}
      <p role="status" class={isEmpty ? "quiet" : "unseen"}>
        {waiting
          ? isEmpty && t("palette.searching")
          : failed
          ? ""
          : isEmpty
          ? t("palette.none", { text: q })
          : q && counted("palette.count", options.length)}
      </p>
      {!isEmpty && (
        <div id={list} class="palette-list" role="listbox" aria-label={t("palette.found")}>
          {groupsOf(options).map(({ group, members }, index) => (
            <div key={group} role="group" aria-labelledby={`${list}-group-${index}`}>
              <h3 id={`${list}-group-${index}`} role="presentation">{group}</h3>
              {members.map(({ option, place }) => (
                <div
                  key={option.to}
                  id={`${list}-${place}`}
                  ref={place === chosen ? active : null}
                  class="palette-option"
                  role="option"
                  aria-selected={place === chosen}
                  // Keep the focus in the field: pressing the mouse button would move it.
                  onMouseDown={(event) => event.preventDefault()}
                  onPointerMove={() =>
                    at.value = place}
                  onClick={() =>
                    open(option)}
                >
                  <span class="clipped">{option.name}</span>
                  {option.detail && <span class="small clipped">{option.detail}</span>}
                </div>
              ))}
            </div>
          ))}
        </div>
      )}
    </Dialog>
  );
}

/** The pages of the console, and the forms that the person may use. */
function pages(places: readonly Place[]): Option[] {
  const page = (name: string, to: string) => ({ group: t("nav.label"), name, detail: null, to });
  const creates = workspace.value && workspace.value.member.role !== "vendedor";
  return [
    ...places.map(({ place, name }) => page(textNamed(name)!, href(place))),
    page(t("palette.event"), href("atividade/", { ver: "eventos" })),
    ...creates
      ? [
        page(t("nav.import"), href("importar/")),
        page(t("keys.create"), href("chaves/", { nova: "1" })),
        page(t("webhooks.create"), href("webhooks/", { novo: "1" })),
      ]
      : [],
    page(t("menu.password"), href("senha/")),
  ];
}

function optionOf({ type, id, name, detail, parent_id }: Found): Option {
  const isEvent = type === "event" || type === "delivery";
  return {
    group: t(`palette.${type}`),
    name: isEvent ? textNamed(`event.${name}`) ?? name : name,
    detail: detail === name ? null : detail,
    to: type === "key"
      ? href("chaves/", { id })
      : type === "webhook"
      ? href("webhooks/", { id })
      : type === "delivery"
      ? href("webhooks/", { id: parent_id!, entrega: id })
      : type === "deal"
      ? href("funil/", { negocio: id })
      : href("atividade/", { ver: "eventos", registro: type === "event" ? parent_id! : id }),
  };
}

/** Groups the options in their order; each option keeps its index among all. */
function groupsOf(options: Option[]) {
  const groups = new Map<string, { option: Option; place: number }[]>();
  options.forEach((option, place) =>
    groups.set(option.group, [...groups.get(option.group) ?? [], { option, place }])
  );
  return [...groups].map(([group, members]) => ({ group, members }));
}

/** Shortens a pasted API key, which is a secret, to the beginning that the console shows. */
function withoutSecret(q: string): string {
  return q.replace(/^(svc_\w{8})\w+$/, "$1");
}
